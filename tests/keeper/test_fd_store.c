/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors that outlive core
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "keeper/fd_store.h"

static FdStore store;

static int some_fd(void) {
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        cr_assert(fd >= 0);
        return fd;
}

static bool is_open(int fd) {
        return fcntl(fd, F_GETFD) >= 0;
}

Test(fd_store, name_is_held_once) {
        int first = some_fd(), second = some_fd();

        cr_assert(eq(int, fd_store_put(&store, "a", first), 0));
        cr_assert(eq(int, fd_store_put(&store, "a", second), 0));
        cr_assert(not(is_open(first)));
        cr_assert(is_open(second));
        cr_assert(eq(sz, store.n, 1));
        cr_assert(eq(int, fd_store_drop(&store, "a"), 0));
        cr_assert(not(is_open(second)));
        cr_assert(eq(sz, store.n, 0));
        cr_assert(eq(int, fd_store_drop(&store, "a"), -ENOENT));
}

Test(fd_store, places_are_used_again) {
        cr_assert(eq(int, fd_store_put(&store, "a", some_fd()), 0));
        cr_assert(eq(int, fd_store_put(&store, "b", some_fd()), 0));
        cr_assert(eq(int, fd_store_drop(&store, "a"), 0));
        cr_assert(eq(int, fd_store_put(&store, "c", some_fd()), 0));
        cr_assert(eq(sz, store.n, 2));
        cr_assert(eq(int, fd_store_drop(&store, "b"), 0));
        cr_assert(eq(int, fd_store_drop(&store, "c"), 0));
}

Test(fd_store, what_cannot_be_held_is_closed) {
        char name[KEEPER_NAME_BYTES];
        int fd = some_fd();

        cr_assert(eq(int, fd_store_put(&store, "", fd), -EINVAL));
        cr_assert(not(is_open(fd)));
        fd = some_fd();
        memset(name, 'x', sizeof(name));
        cr_assert(eq(int, fd_store_put(&store, name, fd), -EINVAL));
        cr_assert(not(is_open(fd)));
        cr_assert(eq(int, fd_store_drop(&store, name), -ENOENT));
}

/* The descriptors need not be real for this. */
Test(fd_store, full_store_says_so) {
        for (unsigned i = 0; i < FD_STORE_SIZE; i++) {
                char name[16];

                snprintf(name, sizeof(name), "%u", i);
                cr_assert(eq(int, fd_store_put(&store, name, 1000000), 0));
        }
        cr_assert(eq(int, fd_store_put(&store, "more", 1000000), -ENOSPC));
        cr_assert(eq(int, fd_store_drop(&store, "77"), 0));
        cr_assert(eq(int, fd_store_put(&store, "more", 1000000), 0));
}
