/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Packets over the socket between keeper and core, with at most one
 * descriptor
 *
 * Nothing here blocks: -EAGAIN if the peer has to read first, or has written
 * nothing; -ENOBUFS if the kernel is short of memory; -EPIPE if the peer is
 * gone.
 */

#include "keeper/keeper_protocol.h"

/* Sends @fd along unless it is negative; it stays open in this process. */
int keeper_link_send(int link, const KeeperMessage *message, int fd);

/*
 * The caller owns *ret_fd, the descriptor that came along, or -1: without one, with more than one, or without room for
 * it. -EBADMSG: not a packet of this protocol; it was read and its descriptor closed.
 */
int keeper_link_receive(int link, KeeperMessage *ret_message, int *ret_fd);
