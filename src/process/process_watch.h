/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Watched descriptors of owners
 *
 * Nothing is recorded: in the next core process an owner sets its watches
 * again, from its own record.
 */

#include "process/process_host.h"
#include "process/process_owner.h"

/*
 * Watches @fd as number @index of @owner for @events of poll(2): ProcessOwnerOps.fd_ready is called in each turn that
 * has some. A second call for a number replaces the watch. The watch must be removed before the descriptor is closed. 0
 * or -errno.
 */
int process_watch_add(const ProcessHost *host, ProcessOwner *owner, uint32_t index, int fd, uint32_t events);
void process_watch_remove(ProcessOwner *owner, uint32_t index);
void process_watch_forget_owner(ProcessOwner *owner);
