/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of exit statuses and signals
 */

/* Parses "TEMPFAIL" or "75": the status, or -EINVAL. The names are systemd's, without EXIT_. */
int exit_status_from_name(const char *name);
const char *exit_status_to_name(int status);            /* "" if it has none */

/* Parses "SIGTERM", "TERM", "RTMIN+3" or "15": the signal, or -EINVAL. */
int signal_from_name(const char *name);
