/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Sockets, as the services see them that they start
 */

#include "exec/exec.h"
#include "unit/unit.h"
#include "unitfile/exec_settings.h"

/* Is a standard stream the socket? Then all commands need it; else it is for ExecStart= only. */
bool socket_pass_to_streams(const ExecSettings *exec);

/*
 * Adds what @service is to be given: its connection, or else all descriptors of all its sockets, in their order. Where
 * streams are the socket it must be one: -ENOTCONN if there is none, -E2BIG if there are more; or -ENOMEM.
 */
int socket_pass_fds(const Unit *service, ExecRequest *request);

/* The main process of @service runs, with its connection: perhaps nobody else needs that. */
void socket_pass_done(const Unit *service);

/* @service was read again: what says whose connection it has is not in its files. */
void socket_pass_loaded(Unit *service);
