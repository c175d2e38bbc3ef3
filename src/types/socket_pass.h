/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Sockets, as the services see them that they start
 */

#include "exec/exec.h"
#include "unit/unit.h"
#include "unitfile/exec_settings.h"

/* Is a standard stream the socket? Then all commands get it; else only ExecStart= gets descriptors. */
bool socket_pass_to_streams(const ExecSettings *exec);

/*
 * Adds the descriptors for @service: its connection, or else all descriptors of all its sockets, in their order. A
 * socket as standard stream must be the only one: -ENOTCONN if there is none, -E2BIG if there are more; or -ENOMEM.
 */
int socket_pass_fds(const Unit *service, ExecRequest *request);

/* The main process of @service runs: its connection is closed here if no later command needs it. */
void socket_pass_done(const Unit *service);

/* @service was loaded: relates it to the socket whose connection it serves, which no file says. */
void socket_pass_loaded(Unit *service);
