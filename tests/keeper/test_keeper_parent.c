/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notifications to the parent of the keeper
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "keeper/keeper_parent.h"

static int listen_as(const char *path) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

        strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
        if (path[0] == '@')
                address.sun_path[0] = '\0';
        cr_assert(bind(fd, (struct sockaddr *) &address, (socklen_t) (sizeof(sa_family_t) + strlen(path))) == 0);
        return fd;
}

static void check_heard(const char *path) {
        KeeperParent parent;
        char text[64] = "";
        int fd;

        fd = listen_as(path);
        keeper_parent_init(&parent, path);
        cr_assert(eq(int, keeper_parent_tell(&parent, "READY=1\nSTATUS=Serving."), 0));
        cr_assert(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT) > 0);
        cr_assert(eq(str, text, (char *) "READY=1\nSTATUS=Serving."));
        close(fd);
}

Test(keeper_parent, hears_by_a_file_and_by_an_abstract_name) {
        char path[64];

        snprintf(path, sizeof(path), "/tmp/test-keeper-parent-%d", (int) getpid());
        check_heard(path);
        unlink(path);
        snprintf(path, sizeof(path), "@test-keeper-parent-%d", (int) getpid());
        check_heard(path);
}

Test(keeper_parent, nobody_is_no_failure) {
        static const char *const paths[] = { NULL, "", "/", "relative", "vsock:2:1234" };
        KeeperParent parent;

        for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
                keeper_parent_init(&parent, paths[i]);
                cr_assert(eq(int, keeper_parent_tell(&parent, "READY=1"), 0));
        }
}

Test(keeper_parent, one_who_has_gone_or_does_not_read_is_not_waited_for) {
        KeeperParent parent;
        char path[64];
        int fd, r = 0;

        snprintf(path, sizeof(path), "@test-keeper-parent-%d", (int) getpid());
        fd = listen_as(path);
        keeper_parent_init(&parent, path);
        for (unsigned i = 0; i < 100000 && r == 0; i++)
                r = keeper_parent_tell(&parent, "READY=1");
        cr_assert(eq(int, r, -EAGAIN));
        close(fd);
        cr_assert(eq(int, keeper_parent_tell(&parent, "READY=1"), -ECONNREFUSED));
}
