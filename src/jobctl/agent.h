/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The agent by which polkit asks for a password on this terminal
 */

#include <sys/types.h>

typedef struct Agent {
        pid_t pid;              /* 0: there is none */
} Agent;

/*
 * Starts one, and returns when polkit knows it. Without a terminal, or without the program, there is none: polkit uses
 * another agent of the session then, or says that nobody is there.
 */
void agent_begin(Agent *agent);
void agent_end(Agent *agent);
