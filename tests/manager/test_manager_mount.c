/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Mounts are found, even if the table could not be read at first
 */

#include <sys/mount.h>
#include <sys/resource.h>

#include "manager_world.h"

static bool is_seen(World *world, const void *where) {
        return manager_mounts_find(&world->manager->mounts, where, false) != NULL;
}

/* With a limit of 1 no file can be opened, but poll() still works. */
static rlim_t limit_files(rlim_t limit) {
        struct rlimit limits;
        rlim_t before;

        cr_assert(eq(int, getrlimit(RLIMIT_NOFILE, &limits), 0));
        before = limits.rlim_cur;
        limits.rlim_cur = limit;
        cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &limits), 0));
        return before;
}

Test(manager_mount, a_table_that_cannot_be_read_is_read_later) {
        cleanup_(world_freep) World *world = world_new();
        rlim_t limit;

        world_settle(world);
        cr_assert(not(is_seen(world, world->folder)));
        cr_assert(eq(int, mount("tmpfs", world->folder, "tmpfs", 0, NULL), 0));
        limit = limit_files(1);
        world_turn(world);
        cr_assert(not(is_seen(world, world->folder)));
        limit_files(limit);
        world_wait(world, is_seen, world->folder);
        cr_assert(eq(int, umount(world->folder), 0));
}
