/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lock of the file, and the socket
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "runstore/runstore_listen.h"

int runstore_lock(const char *path, int *ret_fd, Failure *ret_failure) {
        cleanup_free_ char *lock = NULL;
        cleanup_fd_ int fd = -1;

        if (text_format(&lock, "%s.lock", path) < 0)
                return -ENOMEM;
        fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        /* A read-only file system has no other writer either: core is told of the error. */
        if (fd < 0 && errno != EROFS && errno != EACCES && errno != ENOSPC)
                return failure_set(ret_failure, -errno, "Failed", "%s cannot be made: %m", lock);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
                return failure_set(ret_failure, -EALREADY, "Failed", "%s is served already", path);
        *ret_fd = fd_take(&fd);
        return 0;
}

int runstore_listen(const char *path, int *ret_fd, Failure *ret_failure) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        cleanup_fd_ int fd = -1;

        if (strlen(path) >= sizeof(address.sun_path))
                return failure_set(ret_failure, -ENAMETOOLONG, "Failed", "The path of the socket is too long: %s",
                                   path);
        strcpy(address.sun_path, path);
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
                return -errno;
        /* The lock is ours, so the socket of that name is a dead one's. */
        (void) unlink(path);
        if (bind(fd, (struct sockaddr *) &address, sizeof(address)) < 0 || chmod(path, 0600) < 0 || listen(fd, 16) < 0)
                return failure_set(ret_failure, -errno, "Failed", "%s cannot be listened at: %m", path);
        *ret_fd = fd_take(&fd);
        return 0;
}

int runstore_check_socket(int fd, Failure *ret_failure) {
        int is_listening = 0;
        socklen_t n = sizeof(is_listening);

        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &n) < 0 || !is_listening)
                return failure_set(ret_failure, -EINVAL, "Failed", "Descriptor %d is no listening socket", fd);
        (void) fcntl(fd, F_SETFD, FD_CLOEXEC);
        (void) fcntl(fd, F_SETFL, O_NONBLOCK);
        return 0;
}

bool runstore_may_connect(int fd) {
        struct ucred peer;
        socklen_t n = sizeof(peer);

        return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 && (peer.uid == 0 || peer.uid == geteuid());
}
