/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Descriptors of owners that are watched
 *
 * Nothing of it is written down: an owner that goes on in another process
 * watches again by itself, from its own record.
 */

#include "process/process_host.h"
#include "process/process_owner.h"

/*
 * Watches @fd as number @index of @owner for @events of poll(2): ProcessOwnerOps.fd_ready is told in each turn in which
 * there are any. A number that is watched already is watched anew. Unwatch it before the descriptor is closed. 0 or
 * -errno.
 */
int process_watch_add(const ProcessHost *host, ProcessOwner *owner, uint32_t index, int fd, uint32_t events);
void process_watch_remove(ProcessOwner *owner, uint32_t index);
void process_watch_forget_owner(ProcessOwner *owner);
