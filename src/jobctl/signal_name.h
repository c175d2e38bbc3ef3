/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Signals by name
 */

/* "SIGHUP", "HUP", "hup", "1", "SIGRTMIN+3"; -EINVAL. */
int signal_from_name(const char *word);

/* "HUP" for SIGHUP; "" for a number that has no name. */
const char *signal_to_name(int number);
