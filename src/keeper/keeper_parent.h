/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Who started us, and wants to know how we are
 *
 * The socket that $NOTIFY_SOCKET names. A service manager listens to the main
 * process of its service only, and that is the keeper: so it says what core
 * has to say.
 */

#include <sys/socket.h>
#include <sys/un.h>

typedef struct KeeperParent {
        struct sockaddr_un address;
        socklen_t size;                 /* of .address; 0: nobody wants to know */
} KeeperParent;

/* @path: a file, or a name that begins with '@'; NULL, or one that does not fit: nobody. */
void keeper_parent_init(KeeperParent *parent, const char *path);

/* One datagram. 0, also if nobody wants to know, or -errno: one who does not read is not waited for. */
int keeper_parent_tell(const KeeperParent *parent, const char *text);
