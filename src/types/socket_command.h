/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The commands of a socket, and signals to their processes
 */

#include "types/socket_state.h"

int socket_set_limit(Unit *unit, usec_t span);          /* of the present step; USEC_INFINITY: none */
int socket_run(Unit *unit, SocketExec kind, unsigned index);    /* 0, or -errno, and the reason is noted */
int socket_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request);
/* Records that a command has started, which may have failed since. */
void socket_record_start(Unit *unit, pid_t pid);
void socket_note_command(Unit *unit, const ExecResult *result); /* one that runs; with what the host tells of it */
int socket_signal_all(Unit *unit, SocketState state);   /* how many there are to wait for */
int socket_kill(Unit *unit, const char *who, int signal, Failure *ret_failure);
