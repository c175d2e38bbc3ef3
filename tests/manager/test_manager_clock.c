/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The time zone: a change of it is seen at whatever moment it comes
 *
 * The folder of its file is one of the test's own, put over /etc in its mount namespace.
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "manager_world.h"

#define ZONE "/etc/localtime"

typedef int (*AddInotify)(sd_event *, sd_event_source **, const char *, uint32_t, sd_event_inotify_handler_t, void *);

static void write_zone(void) {
        int fd = open(ZONE, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

        cr_assert(fd >= 0);
        close(fd);
}

/* In place of the library's: the file appears when it was seen to be missing, and nobody watches the folder yet. */
int sd_event_add_inotify(sd_event *event, sd_event_source **ret_source, const char *path, uint32_t mask,
                         sd_event_inotify_handler_t handler, void *userdata) {
        AddInotify add;

        *(void **) &add = dlsym(RTLD_NEXT, "sd_event_add_inotify");
        if (strcmp(path, "/etc") == 0)
                write_zone();
        return add(event, ret_source, path, mask, handler, userdata);
}

Test(manager_clock, a_zone_that_appears_before_it_is_watched_for_is_watched) {
        cleanup_(world_freep) World *world = world_new();

        /* /etc of whoever executes this test by hand stays as it is. */
        cr_assert(eq(int, unshare(CLONE_NEWNS), 0));
        cr_assert(eq(int, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0));
        cr_assert(eq(int, mount("tmpfs", "/etc", "tmpfs", 0, NULL), 0));
        world_fake_services(world);
        world_write(world, "a.service", "[Service]\nExecStart=/bin/true\n");
        world_write(world, "a.timer", "[Timer]\nOnTimezoneChange=yes\n");
        world_exec(world, JOB_REPLACE, "start:a.timer");
        world_wait(world, world_is_active, "a.timer");
        world_settle(world);
        write_zone();
        world_wait(world, world_has_calls, "start a.service");
}
