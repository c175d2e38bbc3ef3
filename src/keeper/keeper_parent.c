/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Status notifications to the parent of jobd
 */

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "keeper/keeper_parent.h"

void keeper_parent_init(KeeperParent *parent, const char *path) {
        size_t length = path ? strlen(path) : 0;

        *parent = (KeeperParent) { .address = { .sun_family = AF_UNIX } };
        if (length < 2 || length >= sizeof(parent->address.sun_path) || (path[0] != '/' && path[0] != '@'))
                return;
        memcpy(parent->address.sun_path, path, length);
        if (path[0] == '@')
                parent->address.sun_path[0] = '\0';
        parent->size = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + length);
}

int keeper_parent_tell(const KeeperParent *parent, const char *text) {
        int fd, r = 0;

        if (parent->size == 0)
                return 0;
        fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
                return -errno;
        if (sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *) &parent->address, parent->size) < 0)
                r = -errno;
        close(fd);
        return r;
}
