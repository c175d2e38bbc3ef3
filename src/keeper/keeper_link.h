/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Packets over the socket between keeper and core, with at most one descriptor
 *
 * Nothing here waits: -EAGAIN if the other side has to read first, or has
 * written nothing; -ENOBUFS if the kernel is short of memory; -EPIPE if the
 * other side is gone.
 */

#include "keeper/keeper_protocol.h"

/* @fd goes with it unless it is negative, and stays open here. */
int keeper_link_send(int link, const KeeperMessage *message, int fd);

/*
 * A descriptor that came along, or -1, is the caller's: -1 also if there was more
 * than one, or no room for it here. -EBADMSG for what is not one of our packets:
 * it has been read, and its descriptor closed.
 */
int keeper_link_receive(int link, KeeperMessage *ret_message, int *ret_fd);
