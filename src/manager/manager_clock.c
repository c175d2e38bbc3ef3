/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When somebody sets the machine's clock, or changes its time zone
 *
 * Timers that go by the calendar are to hear of it. The kernel tells by a timer
 * of CLOCK_REALTIME that never elapses and is cancelled by such a jump, also by
 * that of a machine that slept. The zone is a file that is replaced. Neither is
 * watched before the first unit asks for it.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_private.h"

#define ZONE_FOLDER "/etc"
#define ZONE_NAME "localtime"
#define ZONE_PATH ZONE_FOLDER "/" ZONE_NAME

static void close_fd(int *fd) {
        if (*fd >= 0)
                close(*fd);
}

static void tell(Manager *manager, bool is_zone) {
        manager_read_clock(manager);
        manager->has_news = true;
        unit_table_foreach(manager->units, unit)
                if (unit->vtable->clock_changed) {
                        manager_mark_unit(manager, unit);
                        unit->vtable->clock_changed(unit, is_zone);
                }
}

static int arm(int fd) {
        const struct itimerspec never = { .it_value.tv_sec = INT64_MAX };

        return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) < 0 ? -errno : 0;
}

static int on_clock_set(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Manager *manager = userdata;
        uint64_t n;

        if (read(fd, &n, sizeof(n)) >= 0 || errno != ECANCELED)
                return 0;
        log_info("The clock was set.");
        if (arm(fd) < 0)
                log_warning("The next change of the clock will not be seen.");
        tell(manager, false);
        return 0;
}

static int watch_clock(Manager *manager) {
        cleanup_(close_fd) int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
        int r = fd < 0 ? -errno : arm(fd);

        if (r == 0)
                r = sd_event_add_io(manager->event, &manager->clock_source, fd, EPOLLIN, on_clock_set, manager);
        if (r >= 0)
                r = sd_event_source_set_io_fd_own(manager->clock_source, true);
        if (r < 0)
                return r;
        fd = -1;
        return sd_event_source_set_priority(manager->clock_source, MANAGER_PRIORITY_TIMERS);
}

static int watch_zone(Manager *manager);

static int on_zone_event(sd_event_source *source, const struct inotify_event *event, void *userdata) {
        Manager *manager = userdata;

        /* Of the folder all is told. */
        if (event->len > 0 && !text_equal(event->name, ZONE_NAME))
                return 0;
        if (watch_zone(manager) < 0)
                log_warning("The next change of the time zone will not be seen.");
        log_info("The time zone was changed.");
        tell(manager, true);
        return 0;
}

static int watch_path(Manager *manager, const char *path, uint32_t events) {
        manager->zone_source = sd_event_source_disable_unref(manager->zone_source);
        return sd_event_add_inotify(manager->event, &manager->zone_source, path, events, on_zone_event, manager);
}

/*
 * The file, which may be a link; if there is none, that it appears, unless it has by the time that this is watched. Once more
 * after each change: it is another one.
 */
static int watch_zone(Manager *manager) {
        bool is_missing;
        int r;

        do {
                r = watch_path(manager, ZONE_PATH,
                               IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF | IN_CLOSE_WRITE | IN_DONT_FOLLOW);
                is_missing = r == -ENOENT;
                if (is_missing)
                        r = watch_path(manager, ZONE_FOLDER, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
        } while (r >= 0 && is_missing && faccessat(AT_FDCWD, ZONE_PATH, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
        return r < 0 ? r : sd_event_source_set_priority(manager->zone_source, MANAGER_PRIORITY_TIMERS);
}

void manager_watch_clock(Manager *manager) {
        int r;

        if (manager->watches_clock)
                return;
        manager->watches_clock = true;
        r = watch_clock(manager);
        if (r < 0)
                log_warning("That the clock is set cannot be seen: %s. Timers may elapse too late or too early then.",
                            strerror(-r));
        r = watch_zone(manager);
        if (r < 0)
                log_warning("That the time zone is changed cannot be seen: %s.", strerror(-r));
}

void manager_forget_clock(Manager *manager) {
        manager->clock_source = sd_event_source_disable_unref(manager->clock_source);
        manager->zone_source = sd_event_source_disable_unref(manager->zone_source);
}

usec_t manager_booted_at(const Manager *manager) {
        return manager->options.is_container ? manager->started : 0;
}

/* — what outlives a boot — */

static int find_state_directory(const Manager *manager, char **ret_path) {
        const char *home = getenv("HOME"), *state = getenv("XDG_STATE_HOME");

        if (!manager->options.is_user)
                return (*ret_path = strdup("/var/lib/jobd")) ? 0 : -ENOMEM;
        if (state && *state == '/')
                return text_join_path(state, "jobd", ret_path);
        return home && *home == '/' ? text_join_path(home, ".local/state/jobd", ret_path) : -ENOENT;
}

const char *manager_state_directory(Manager *manager) {
        if (!manager->state_directory && find_state_directory(manager, &manager->state_directory) < 0)
                return NULL;
        return manager->state_directory;
}
