/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Status notifications to the parent of jobd
 *
 * The socket in $NOTIFY_SOCKET. A service manager accepts notifications only
 * from the main process of a service, which is the keeper; so the keeper
 * sends those of core.
 */

#include <sys/socket.h>
#include <sys/un.h>

typedef struct KeeperParent {
        struct sockaddr_un address;
        socklen_t size;                 /* of .address; 0: there is no such socket */
} KeeperParent;

/* @path: a file, or a name that begins with '@'; NULL or too long: no notifications. */
void keeper_parent_init(KeeperParent *parent, const char *path);

/* Sends one datagram, without blocking. 0, also without a socket, or -errno. */
int keeper_parent_tell(const KeeperParent *parent, const char *text);
