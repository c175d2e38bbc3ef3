/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A terminal for a service, connected with ours
 *
 * A process of its own carries what is typed to it and what it shows to us, so
 * that nothing waits for the bus.
 */

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

typedef struct RunTerminal {
        bool is_open;
        int master;
        int stop_fd;                    /* written to by us: end when all has been shown */
        pid_t pid;                      /* who carries; 0: nobody */
        struct termios saved;           /* of standard input, … */
        bool has_saved;                 /* … which was changed */
} RunTerminal;

/* Makes it: 0 with its path, or -errno. */
int run_terminal_open(RunTerminal *terminal, char **ret_path);

/* From now on they are connected. @tells: how to leave. 0 or -errno. */
int run_terminal_begin(RunTerminal *terminal, bool tells);

/* Shows what is still to be shown, and ends that. */
void run_terminal_end(RunTerminal *terminal);
