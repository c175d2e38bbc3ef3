/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A terminal for a service, connected with the terminal of jobctl
 *
 * A process of its own copies input and output, so that neither waits for the
 * bus.
 */

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

typedef struct RunTerminal {
        bool is_open;
        int master;
        int stop_fd;                    /* written to by jobctl: end when all output was shown */
        pid_t pid;                      /* the carrier process; 0: none */
        struct termios saved;           /* of standard input, … */
        bool has_saved;                 /* … which was changed */
} RunTerminal;

/* Makes the terminal: 0 with its path, or -errno. */
int run_terminal_open(RunTerminal *terminal, char **ret_path);

/* Connects the terminals. @tells: print how to detach. 0 or -errno. */
int run_terminal_begin(RunTerminal *terminal, bool tells);

/* Shows the remaining output and disconnects the terminals. */
void run_terminal_end(RunTerminal *terminal);
