/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of exit statuses and signals
 */

/* "TEMPFAIL", "75": the status, or -EINVAL. The names are systemd's (EXIT_ left out). */
int exit_status_from_name(const char *name);
const char *exit_status_to_name(int status);            /* "" if it has none */

/* "SIGTERM", "TERM", "RTMIN+3", "15": the signal, or -EINVAL. */
int signal_from_name(const char *name);
