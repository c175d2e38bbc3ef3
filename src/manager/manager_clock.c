/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes of the machine's clock and time zone
 *
 * Units with calendar times are told of them. The kernel reports a jump of the
 * clock, also after a suspend, by cancelling a timer of CLOCK_REALTIME that
 * never elapses. The zone is a file that is replaced. Neither is watched
 * before a unit requests it.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_clock.h"
#include "manager/manager_priority.h"

#define ZONE_FOLDER "/etc"
#define ZONE_NAME "localtime"
#define ZONE_PATH ZONE_FOLDER "/" ZONE_NAME

static void tell(const ManagerClock *clock, bool is_zone) {
        manager_turn_read_clock(clock->turn);
        unit_table_foreach(clock->units, unit)
                if (unit->vtable->clock_changed) {
                        manager_turn_enter(clock->turn, unit);
                        unit->vtable->clock_changed(unit, is_zone);
                }
}

static int arm(int fd) {
        const struct itimerspec never = { .it_value.tv_sec = INT64_MAX };

        return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) < 0 ? -errno : 0;
}

static int on_clock_set(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ManagerClock *clock = userdata;
        uint64_t n;

        if (read(fd, &n, sizeof(n)) >= 0 || errno != ECANCELED)
                return 0;
        log_info("The clock was set.");
        if (arm(fd) < 0)
                log_warning("The next change of the clock will not be seen.");
        tell(clock, false);
        return 0;
}

static int watch_clock(ManagerClock *clock) {
        cleanup_fd_ int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
        int r = fd < 0 ? -errno : arm(fd);

        if (r == 0)
                r = sd_event_add_io(clock->turn->event, &clock->clock_source, fd, EPOLLIN, on_clock_set, clock);
        if (r >= 0)
                r = sd_event_source_set_io_fd_own(clock->clock_source, true);
        if (r < 0)
                return r;
        fd = -1;
        return sd_event_source_set_priority(clock->clock_source, MANAGER_PRIORITY_TIMERS);
}

static int watch_zone(ManagerClock *clock);

static int on_zone_event(sd_event_source *source, const struct inotify_event *event, void *userdata) {
        ManagerClock *clock = userdata;

        /* The folder's watch reports every name in it. */
        if (event->len > 0 && !text_equal(event->name, ZONE_NAME))
                return 0;
        if (watch_zone(clock) < 0)
                log_warning("The next change of the time zone will not be seen.");
        log_info("The time zone was changed.");
        tell(clock, true);
        return 0;
}

static int watch_path(ManagerClock *clock, const char *path, uint32_t events) {
        clock->zone_source = sd_event_source_disable_unref(clock->zone_source);
        return sd_event_add_inotify(clock->turn->event, &clock->zone_source, path, events, on_zone_event, clock);
}

/*
 * Watches the file, which may be a link; or, if it is missing, its folder. Checks again after adding the watch, and
 * sets new watches after each change, because the file is another one then.
 */
static int watch_zone(ManagerClock *clock) {
        bool is_missing;
        int r;

        do {
                r = watch_path(clock, ZONE_PATH,
                               IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF | IN_CLOSE_WRITE | IN_DONT_FOLLOW);
                is_missing = r == -ENOENT;
                if (is_missing)
                        r = watch_path(clock, ZONE_FOLDER, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
        } while (r >= 0 && is_missing && faccessat(AT_FDCWD, ZONE_PATH, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
        return r < 0 ? r : sd_event_source_set_priority(clock->zone_source, MANAGER_PRIORITY_TIMERS);
}

void manager_clock_watch(ManagerClock *clock) {
        int r;

        if (clock->is_watched)
                return;
        clock->is_watched = true;
        r = watch_clock(clock);
        if (r < 0)
                log_warning("Changes of the clock cannot be seen: %s. Timers may elapse too late or too early then.",
                            strerror(-r));
        r = watch_zone(clock);
        if (r < 0)
                log_warning("Changes of the time zone cannot be seen: %s.", strerror(-r));
}

void manager_clock_deinit(ManagerClock *clock) {
        clock->clock_source = sd_event_source_disable_unref(clock->clock_source);
        clock->zone_source = sd_event_source_disable_unref(clock->zone_source);
}

