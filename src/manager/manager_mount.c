/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The mounts of the machine
 *
 * The kernel reports that its table of mounts has changed, but not how; so the
 * table is read again and compared. It is not read before a unit asks for a
 * mount, and then only mounts named by a unit file are units: a service
 * manager on a machine with thousands of containers does not manage their
 * mounts. For the init of a machine all mounts are units, from the start on.
 *
 * The table is opened twice: the loop waits on one descriptor, and the other
 * one shows at any time whether the table has changed since it was read last.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "basic/log.h"
#include "manager/manager_mount.h"
#include "manager/manager_priority.h"
#include "unitfile/mount_option.h"

#define TABLE_PATH "/proc/self/mountinfo"

/* Limit on readings in a burst of mounts, as when containers start. */
#define STORM_INTERVAL USEC_PER_SEC
#define STORM_BURST 5U

/* Delay before the next try if the table cannot be read, for lack of descriptors or memory. */
#define RETRY USEC_PER_SEC

static void touch(ManagerMounts *mounts, const char *where) {
        char *copy = strdup(where);

        if (!copy || vector_push(&mounts->touched, copy) < 0) {
                log_error("Out of memory: the change of the mount at %s is not handled.", where);
                free(copy);
        }
}

/* Compares two sorted tables. */
static void take_table(ManagerMounts *mounts, MountTable *table) {
        size_t n_old, n_new, i = 0, k = 0;
        const MountEntry *old = mount_table_entries(mounts->table, &n_old), *new = mount_table_entries(table, &n_new);

        while (i < n_old || k < n_new) {
                int order = i == n_old ? 1 : k == n_new ? -1 : strcmp(old[i].where, new[k].where);

                if (order != 0 || !mount_entry_equal(&old[i], &new[k]))
                        touch(mounts, order < 0 ? old[i].where : new[k].where);
                i += order <= 0;
                k += order >= 0;
        }
        mount_table_free(mounts->table);
        mounts->table = table;
}

/* Returns true if the table has changed since the last call. */
static bool has_changed(const ManagerMounts *mounts) {
        struct pollfd of_table = { .fd = mounts->fd, .events = POLLPRI };

        return !mounts->table || mounts->is_outdated ||
               (poll(&of_table, 1, 0) > 0 && (of_table.revents & (POLLPRI | POLLERR)));
}

/* Needed because the kernel does not report the change again. */
static void try_again(ManagerMounts *mounts) {
        int r = sd_event_source_set_time_relative(mounts->retry, RETRY);

        if (r >= 0)
                r = sd_event_source_set_enabled(mounts->retry, SD_EVENT_ONESHOT);
        if (r < 0)
                log_warning("Mounts are not checked again before the next change: %s.", strerror(-r));
}

static void refresh(ManagerMounts *mounts) {
        MountTable *table;
        int r;

        if (mounts->has_failed || !has_changed(mounts))
                return;
        mounts->is_outdated = true;
        r = mount_table_read(NULL, &table);
        if (r < 0) {
                log_warning("The table of mounts cannot be read: %s.", strerror(-r));
                try_again(mounts);
                return;
        }
        mounts->is_outdated = false;
        take_table(mounts, table);
}

/* A mount made by autofs on access is not a unit of its own. */
static bool is_wanted(const ManagerMounts *mounts, const MountEntry *entry) {
        return mounts->is_every_one && strcmp(entry->type, "autofs") != 0;
}

static void tell_unit(const ManagerMounts *mounts, const char *where) {
        const MountEntry *entry = mount_table_find(mounts->table, where);
        cleanup_free_ char *name = NULL;
        Unit *unit;

        if (mount_place_is_reserved(where) || mount_unit_name(where, &name) < 0)
                return;
        unit = unit_table_find(mounts->units, name);
        /* A unit that is being loaded sees the mount itself. */
        if (entry && (unit ? unit->load_state != UNIT_LOADED : is_wanted(mounts, entry))) {
                (void) unit_table_load(mounts->units, name, &unit);
                return;
        }
        if (!unit || !unit->vtable->mounted)
                return;
        manager_turn_enter(mounts->turn, unit);
        unit->vtable->mounted(unit, entry);
}

/* A unit may look again in this call, and find further changes, which are appended. */
static void tell_units(ManagerMounts *mounts) {
        if (mounts->touched.n == 0)
                return;
        mounts->turn->has_news = true;
        for (size_t i = 0; i < mounts->touched.n; i++) {
                cleanup_free_ char *where = take_ptr(mounts->touched.items[i]);

                tell_unit(mounts, where);
        }
        vector_clear(&mounts->touched);
}

/* A requested job is about the present state: a client may know of an unmount that was not reported here yet. */
void manager_mounts_refresh(ManagerMounts *mounts) {
        if (!mounts->has_begun)
                return;
        refresh(mounts);
        tell_units(mounts);
}

static int on_change(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        manager_mounts_refresh(userdata);
        return 0;
}

/* A change is reported once, and reports during the burst were skipped. */
static int on_storm_over(sd_event_source *source, void *userdata) {
        manager_mounts_refresh(userdata);
        return 0;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        manager_mounts_refresh(userdata);
        return 0;
}

static int make_retry(ManagerMounts *mounts) {
        int r = sd_event_add_time(mounts->turn->event, &mounts->retry, CLOCK_MONOTONIC, 0, 0, on_retry, mounts);

        return r < 0 ? r : sd_event_source_set_enabled(mounts->retry, SD_EVENT_OFF);
}

static int watch(ManagerMounts *mounts) {
        int fd = open(TABLE_PATH, O_RDONLY | O_CLOEXEC), r;

        mounts->fd = open(TABLE_PATH, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || mounts->fd < 0) {
                r = -errno;
                if (fd >= 0)
                        close(fd);
                return r;
        }
        r = sd_event_add_io(mounts->turn->event, &mounts->source, fd, EPOLLPRI, on_change, mounts);
        if (r < 0) {
                close(fd);
                return r;
        }
        r = sd_event_source_set_io_fd_own(mounts->source, true);
        /* Before the exit of the process that has mounted is handled. */
        if (r >= 0)
                r = sd_event_source_set_priority(mounts->source, MANAGER_PRIORITY_NOTIFY);
        if (r >= 0)
                r = sd_event_source_set_ratelimit(mounts->source, STORM_INTERVAL, STORM_BURST);
        return r < 0 ? r : sd_event_source_set_ratelimit_expire_callback(mounts->source, on_storm_over);
}

/* At the first query. */
static void begin(ManagerMounts *mounts) {
        int r;

        if (mounts->has_begun)
                return;
        mounts->has_begun = true;
        r = watch(mounts);
        if (r >= 0)
                r = make_retry(mounts);
        if (r >= 0)
                r = mount_table_read(NULL, &mounts->table);
        mounts->has_failed = r < 0;
        if (r == -EOPNOTSUPP)
                log_warning("libmount (libmount.so.1) is not installed: "
                            "mounts cannot be seen, and /etc/fstab is not read.");
        else if (r < 0)
                log_warning("Mounts cannot be seen: %s.", strerror(-r));
}

const MountEntry *manager_mounts_find(ManagerMounts *mounts, const char *where, bool is_fresh) {
        begin(mounts);
        if (is_fresh)
                refresh(mounts);
        return mount_table_find(mounts->table, where);
}

void manager_mounts_follow(ManagerMounts *mounts) {
        const MountEntry *entries;
        size_t n;

        begin(mounts);
        if (mounts->has_failed)
                return;
        mounts->is_every_one = true;
        entries = mount_table_entries(mounts->table, &n);
        for (size_t i = 0; i < n; i++)
                touch(mounts, entries[i].where);
        tell_units(mounts);
}

void manager_mounts_deinit(ManagerMounts *mounts) {
        sd_event_source_disable_unref(mounts->source);
        sd_event_source_disable_unref(mounts->retry);
        mount_table_free(mounts->table);
        for (size_t i = 0; i < mounts->touched.n; i++)
                free(mounts->touched.items[i]);
        vector_deinit(&mounts->touched);
        if (mounts->has_begun && mounts->fd >= 0)
                close(mounts->fd);
        *mounts = (ManagerMounts) {};
}
