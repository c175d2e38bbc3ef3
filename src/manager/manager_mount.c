/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is mounted, and /etc/fstab
 *
 * The kernel tells that its table has changed, not what; so it is read again and
 * compared with what it was. Nobody looks at it before a unit asks for
 * a mount, and then only mounts that somebody has named are units: a service
 * manager on a machine with thousands of containers has no business with their
 * mounts. The init of a machine has: there all of them are units, from the
 * beginning on, and so are the lines of /etc/fstab. $JOBD_FSTAB names another
 * such file, and makes any manager of a system do as an init does.
 *
 * The table is opened twice: the loop waits on one descriptor, and the other
 * one says at any moment whether something has changed since the last reading.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "manager/manager_private.h"
#include "unitfile/fstab.h"
#include "unitfile/mount_option.h"
#include "unitfile/mount_table.h"

#define TABLE_PATH "/proc/self/mountinfo"
#define FSTAB_PATH "/etc/fstab"

/* A storm of mounts, as when containers start, is looked at so often at most. */
#define STORM_INTERVAL USEC_PER_SEC
#define STORM_BURST 5U

/* Until the next try, where the table cannot be read: there may be too few descriptors, or too little memory. */
#define RETRY USEC_PER_SEC

struct ManagerMounts {
        MountTable *table;              /* owned: the last that was read */
        VECTOR(char *) touched;         /* owned: places where something has changed that units were not told of */
        int fd;                         /* says whether .table is out of date */
        sd_event_source *source;        /* owned */
        sd_event_source *retry;         /* owned; made before there are too few descriptors for it */
        bool is_outdated;               /* a change was told, and the table has not been read since */
        bool is_every_one;              /* all of them are units */
        bool has_failed;                /* they can't be seen */
};

static const char *fstab_path(const Manager *manager) {
        const char *path = getenv("JOBD_FSTAB");

        if (manager->options.is_user)
                return NULL;
        if (path && *path)
                return path;
        return manager->options.is_machine ? FSTAB_PATH : NULL;
}

/* — the kernel's table — */

static void touch(ManagerMounts *mounts, const char *where) {
        char *copy = strdup(where);

        if (!copy || vector_push(&mounts->touched, copy) < 0) {
                log_error("Out of memory: what has changed at %s is not seen.", where);
                free(copy);
        }
}

/* Goes along two sorted tables. */
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

/* Has the table changed since we were here? */
static bool has_changed(const ManagerMounts *mounts) {
        struct pollfd of_table = { .fd = mounts->fd, .events = POLLPRI };

        return !mounts->table || mounts->is_outdated ||
               (poll(&of_table, 1, 0) > 0 && (of_table.revents & (POLLPRI | POLLERR)));
}

/* Nobody tells of the change again. */
static void try_again(ManagerMounts *mounts) {
        int r = sd_event_source_set_time_relative(mounts->retry, RETRY);

        if (r >= 0)
                r = sd_event_source_set_enabled(mounts->retry, SD_EVENT_ONESHOT);
        if (r < 0)
                log_warning("What is mounted is not seen before the next change: %s.", strerror(-r));
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

/* What is mounted when somebody looks is no unit of its own. */
static bool is_wanted(const ManagerMounts *mounts, const MountEntry *entry) {
        return mounts->is_every_one && strcmp(entry->type, "autofs") != 0;
}

static void tell_unit(Manager *manager, const char *where) {
        const ManagerMounts *mounts = manager->mounts;
        const MountEntry *entry = mount_table_find(mounts->table, where);
        cleanup_free_ char *name = NULL;
        Unit *unit;

        if (mount_place_is_reserved(where) || mount_unit_name(where, &name) < 0)
                return;
        unit = unit_table_find(manager->units, name);
        /* One that is loaded now sees itself what is there. */
        if (entry && (unit ? unit->load_state != UNIT_LOADED : is_wanted(mounts, entry))) {
                (void) unit_table_load(manager->units, name, &unit);
                return;
        }
        if (!unit || !unit->vtable->mounted)
                return;
        manager_mark_unit(manager, unit);
        unit->vtable->mounted(unit, entry);
}

/* A unit that is told may look again, and find that more has changed: that is told behind it. */
static void tell_units(Manager *manager) {
        ManagerMounts *mounts = manager->mounts;

        if (mounts->touched.n == 0)
                return;
        manager->has_news = true;
        for (size_t i = 0; i < mounts->touched.n; i++) {
                cleanup_free_ char *where = take_ptr(mounts->touched.items[i]);

                tell_unit(manager, where);
        }
        vector_clear(&mounts->touched);
}

/* Who asks for a job means the present: that a mount is gone may have been told to him already, and not to us. */
void manager_see_mounts(Manager *manager) {
        if (!manager->mounts)
                return;
        refresh(manager->mounts);
        tell_units(manager);
}

static int on_change(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        manager_see_mounts(userdata);
        return 0;
}

/* A change is told once, and what was told in the storm was passed over. */
static int on_storm_over(sd_event_source *source, void *userdata) {
        manager_see_mounts(userdata);
        return 0;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        manager_see_mounts(userdata);
        return 0;
}

static int make_retry(Manager *manager, ManagerMounts *mounts) {
        int r = sd_event_add_time(manager->event, &mounts->retry, CLOCK_MONOTONIC, 0, 0, on_retry, manager);

        return r < 0 ? r : sd_event_source_set_enabled(mounts->retry, SD_EVENT_OFF);
}

static int watch(Manager *manager, ManagerMounts *mounts) {
        int fd = open(TABLE_PATH, O_RDONLY | O_CLOEXEC), r;

        mounts->fd = open(TABLE_PATH, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || mounts->fd < 0) {
                r = -errno;
                if (fd >= 0)
                        close(fd);
                return r;
        }
        r = sd_event_add_io(manager->event, &mounts->source, fd, EPOLLPRI, on_change, manager);
        if (r < 0) {
                close(fd);
                return r;
        }
        r = sd_event_source_set_io_fd_own(mounts->source, true);
        /* Before the exit of who has mounted it is told. */
        if (r >= 0)
                r = sd_event_source_set_priority(mounts->source, MANAGER_PRIORITY_NOTIFY);
        if (r >= 0)
                r = sd_event_source_set_ratelimit(mounts->source, STORM_INTERVAL, STORM_BURST);
        return r < 0 ? r : sd_event_source_set_ratelimit_expire_callback(mounts->source, on_storm_over);
}

/* From the first question on. NULL: no memory. */
static ManagerMounts *begin(Manager *manager) {
        ManagerMounts *mounts = calloc(1, sizeof(*mounts));
        int r;

        if (!mounts)
                return NULL;
        manager->mounts = mounts;
        r = watch(manager, mounts);
        if (r >= 0)
                r = make_retry(manager, mounts);
        if (r >= 0)
                r = mount_table_read(NULL, &mounts->table);
        mounts->has_failed = r < 0;
        if (r == -EOPNOTSUPP)
                log_warning("libmount (libmount.so.1) is not installed: mounts cannot be seen, and /etc/fstab is not read.");
        else if (r < 0)
                log_warning("Mounts cannot be seen: %s.", strerror(-r));
        return mounts;
}

const struct MountEntry *manager_find_mount(Manager *manager, const char *where, bool is_fresh) {
        ManagerMounts *mounts = manager->mounts ? manager->mounts : begin(manager);

        if (!mounts)
                return NULL;
        if (is_fresh)
                refresh(mounts);
        return mount_table_find(mounts->table, where);
}

/* Every one that is there is a unit, from now on. */
void manager_follow_mounts(Manager *manager) {
        const MountEntry *entries;
        ManagerMounts *mounts;
        size_t n;

        if (!fstab_path(manager))
                return;
        mounts = manager->mounts ? manager->mounts : begin(manager);
        if (!mounts || mounts->has_failed)
                return;
        mounts->is_every_one = true;
        entries = mount_table_entries(mounts->table, &n);
        for (size_t i = 0; i < n; i++)
                touch(mounts, entries[i].where);
        tell_units(manager);
}

void manager_forget_mounts(Manager *manager) {
        ManagerMounts *mounts = manager->mounts;

        if (!mounts)
                return;
        sd_event_source_disable_unref(mounts->source);
        sd_event_source_disable_unref(mounts->retry);
        mount_table_free(mounts->table);
        for (size_t i = 0; i < mounts->touched.n; i++)
                free(mounts->touched.items[i]);
        vector_deinit(&mounts->touched);
        if (mounts->fd >= 0)
                close(mounts->fd);
        free(mounts);
        manager->mounts = NULL;
}

/* — /etc/fstab — */

static int generator_folder(const Manager *manager, char **ret_folder) {
        return text_join_path(manager->options.runtime_directory, "generator", ret_folder);
}

static bool is_package_folder(const char *path) {
        return text_starts_with(path, "/usr/") || text_starts_with(path, "/lib/");
}

/* After what the administrator has said, before what packages say. */
int manager_add_generator_folder(const Manager *manager, char ***path) {
        cleanup_(strv_freep) char **result = NULL;
        cleanup_free_ char *folder = NULL;
        bool is_in = false;
        int r = 0;

        if (!fstab_path(manager))
                return 0;
        r = generator_folder(manager, &folder);
        for (size_t i = 0; r == 0 && *path && (*path)[i]; i++) {
                if (!is_in && is_package_folder((*path)[i])) {
                        is_in = true;
                        r = strv_push(&result, folder);
                }
                if (r == 0)
                        r = strv_push(&result, (*path)[i]);
        }
        if (r == 0 && !is_in)
                r = strv_push(&result, folder);
        if (r < 0)
                return r;
        strv_free(*path);
        *path = take_ptr(result);
        return 0;
}

void manager_generate_units(Manager *manager) {
        const char *path = fstab_path(manager);
        cleanup_free_ char *folder = NULL;
        int r;

        if (!path)
                return;
        r = generator_folder(manager, &folder);
        if (r == 0)
                r = fstab_write_units(&(FstabOptions) {
                        .path = path,
                        .folder = folder,
                        .is_machine = manager->options.is_machine,
                        .receiver = manager_log_diagnostic,
                        .userdata = manager,
                });
        if (r < 0)
                log_error("Cannot make units of %s: %s.", path, strerror(-r));
}
