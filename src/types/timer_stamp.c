/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Persistent=: when a timer elapsed last, across reboots
 *
 * The stamp is an empty file with that time of modification, as in systemd. It lies on a local disk, so reading and
 * writing it takes no noticeable time. It is not synchronized: if the machine crashes before it is on the disk, the
 * timer elapses once more, as Persistent= intends.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/text.h"
#include "types/timer.h"

/* The path of the stamp. Makes its folder. */
static int find_path(const Unit *unit, char **ret_path) {
        UnitHost *host = unit_host(unit);
        const char *state = host->ops->state_directory ? host->ops->state_directory(host) : NULL;
        cleanup_free_ char *folder = NULL;
        int r;

        if (!state)
                return -ENOENT;
        r = text_join_path(state, "timers", &folder);
        if (r == 0)
                r = text_format(ret_path, "%s/stamp-%s", folder, unit->id);
        if (r < 0)
                return r;
        for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                (void) mkdir(folder, 0755);
                *slash = '/';
        }
        return mkdir(folder, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static int write_path(const char *path, usec_t realtime) {
        cleanup_fd_ int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK,
                                         0644);
        struct timespec times[2] = {
                { .tv_sec = (time_t) (realtime / USEC_PER_SEC), .tv_nsec = (long) (realtime % USEC_PER_SEC * 1000) },
        };

        times[1] = times[0];
        return fd < 0 || futimens(fd, times) < 0 ? -errno : 0;
}

static void say(const Unit *unit, const char *what, int error) {
        unit_say(unit, LOG_LEVEL_WARNING, "%s: %s. Persistent= does not reach over the next reboot.", what,
                 strerror(-error));
}

usec_t timer_read_stamp(const Unit *unit) {
        usec_t now = unit_timestamp(unit).realtime, time;
        cleanup_free_ char *path = NULL;
        struct stat status;
        int r = find_path(unit, &path);

        if (r == 0 && stat(path, &status) < 0)
                r = -errno;
        if (r == -ENOENT && path)
                r = write_path(path, now);
        else if (r == 0) {
                time = (usec_t) status.st_mtim.tv_sec * USEC_PER_SEC + (usec_t) status.st_mtim.tv_nsec / 1000;
                /* A stamp of a clock that was wrong must not keep the timer from elapsing. */
                return status.st_mtim.tv_sec >= 0 && time < now ? time : 0;
        }
        if (r < 0)
                say(unit, "The time of its last elapse cannot be read", r);
        return 0;
}

bool timer_remove_stamp(const Unit *unit) {
        cleanup_free_ char *path = NULL;
        int r = find_path(unit, &path);

        if (r == 0 && unlink(path) < 0 && errno != ENOENT)
                r = -errno;
        if (r < 0)
                say(unit, "The time of its last elapse cannot be removed", r);
        return r == 0;
}

void timer_write_stamp(const Unit *unit, usec_t realtime) {
        cleanup_free_ char *path = NULL;
        int r = find_path(unit, &path);

        if (r == 0)
                r = write_path(path, realtime);
        if (r < 0)
                say(unit, "It cannot be written down that it has elapsed", r);
}
