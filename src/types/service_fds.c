/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors that a service stores with the manager
 *
 * FDSTORE=1 comes with descriptors, which FDNAME= names: the next start gets them back. The keeper has a copy of each,
 * so they outlive core; after a restart of core a notification whose descriptors are not in the record is read again,
 * and they take the same numbers. A descriptor whose other side is closed is dropped, unless FDPOLL=0 came with it.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/macro.h"
#include "types/service_fds.h"
#include "types/service_message.h"
#include "types/service_state.h"

#define KEPT_AS "stored"
#define NAME_MAX_BYTES 255U
#define USUAL_NAME "stored"

/* Among the descriptors that the host watches for the service. */
#define WATCHED_AS(index) ((index) + SERVICE_CHANNEL_INDEX + 1)

/* As in systemd: a name that can stand between the colons of LISTEN_FDNAMES=. */
static bool name_is_valid(const char *name) {
        size_t n = strlen(name);

        for (const char *at = name; *at; at++)
                if (*at < ' ' || *at >= 127 || *at == ':')
                        return false;
        return n > 0 && n <= NAME_MAX_BYTES;
}

static const char *name_of(Unit *unit, char *const *assignments) {
        const char *name = service_find_assignment(assignments, "FDNAME");

        if (!name)
                return USUAL_NAME;
        if (name_is_valid(name))
                return name;
        service_complain(unit, "FDNAME= of its notification is no name: descriptors are stored as '%s'.", USUAL_NAME);
        return USUAL_NAME;
}

static ServiceFds *fds_of(const Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;

        return extra ? &extra->fds : NULL;
}

static void drop(Unit *unit, ServiceFds *fds, size_t place) {
        ServiceFd dropped = fds->stored.items[place];

        unit_unwatch_fd(unit, WATCHED_AS(dropped.index));
        unit_drop_fd(unit, KEPT_AS, dropped.index);
        if (dropped.fd >= 0) {
                close(dropped.fd);
                unit_unref(unit);
        }
        free(dropped.name);
        memmove(&fds->stored.items[place], &fds->stored.items[place + 1],
                (fds->stored.n - place - 1) * sizeof(*fds->stored.items));
        fds->stored.n--;
        service_republish(unit);
}

static bool is_stored(const ServiceFds *fds, int fd) {
        for (size_t i = 0; i < fds->stored.n; i++)
                if (fds->stored.items[i].fd >= 0 &&
                    syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, fds->stored.items[i].fd, fd) == 0)
                        return true;
        return false;
}

/* A file, which cannot be watched, does not hang up. */
static void watch(Unit *unit, const ServiceFd *stored) {
        if (stored->is_polled)
                (void) unit_watch_fd(unit, WATCHED_AS(stored->index), stored->fd, POLLHUP | POLLERR);
}

/* Owns @fd. */
static int store(Unit *unit, ServiceFds *fds, int fd, const char *name, bool is_polled) {
        ServiceFd stored = { .fd = fd, .index = fds->next, .is_polled = is_polled, .name = strdup(name) };
        int r;

        r = stored.name ? vector_push(&fds->stored, stored) : -ENOMEM;
        if (r < 0) {
                free(stored.name);
                close(fd);
                return r;
        }
        fds->next++;
        unit_ref(unit);
        unit_keep_fd(unit, KEPT_AS, stored.index, fd);
        watch(unit, &stored);
        service_republish(unit);
        return 0;
}

void service_passed_fds(Unit *unit, pid_t sender, char *const *assignments, int *fds, size_t n) {
        uint32_t most = service_rare(unit)->fd_store_max;
        const char *name, *poll = service_find_assignment(assignments, "FDPOLL");
        ServiceExtra *extra;

        if (!service_says(assignments, "FDSTORE") || !service_may_notify(unit, sender))
                return;
        extra = service_own_extra(unit);
        name = name_of(unit, assignments);
        for (size_t i = 0; extra && i < n; i++) {
                int r;

                if (is_stored(&extra->fds, fds[i]))
                        continue;
                if (extra->fds.stored.n >= most) {
                        service_complain(unit, "A descriptor is not stored: FileDescriptorStoreMax=%u.", most);
                        return;
                }
                r = store(unit, &extra->fds, fds[i], name, !poll || strcmp(poll, "0") != 0);
                fds[i] = -1;
                if (r < 0)
                        service_complain(unit, "Cannot store a descriptor: %s.", strerror(-r));
        }
}

/* @name: NULL for all. */
static void drop_named(Unit *unit, const char *name) {
        ServiceFds *fds = fds_of(unit);

        for (size_t i = fds ? fds->stored.n : 0; i-- > 0;)
                if (!name || strcmp(fds->stored.items[i].name, name) == 0)
                        drop(unit, fds, i);
}

void service_remove_fds(Unit *unit, char *const *assignments) {
        const char *name = service_find_assignment(assignments, "FDNAME");

        if (!service_says(assignments, "FDSTOREREMOVE"))
                return;
        if (!name || !name_is_valid(name))
                service_complain(unit, "FDSTOREREMOVE=1 has no valid FDNAME= with it: nothing is removed.");
        else
                drop_named(unit, name);
}

void service_release_fds(Unit *unit, bool will_restart) {
        switch (service_rare(unit)->fd_store_preserve) {
        case SERVICE_FDS_YES:
                return;
        case SERVICE_FDS_RESTART:
                if (will_restart || unit_will_start(unit))
                        return;
                break;
        case SERVICE_FDS_NO:
        case _SERVICE_FD_PRESERVE_MAX:
                break;
        }
        drop_named(unit, NULL);
}

int service_give_fds(const Unit *unit, ExecRequest *request) {
        const ServiceFds *fds = &service_extra(unit)->fds;
        int r = 0;

        for (size_t i = 0; i < fds->stored.n && r == 0; i++)
                if (fds->stored.items[i].fd >= 0)
                        r = exec_request_add_descriptor(request, (ExecDescriptor) {
                                .fd = fds->stored.items[i].fd, .name = fds->stored.items[i].name });
        return r;
}

void service_fd_hung_up(Unit *unit, uint32_t watched_as) {
        ServiceFds *fds = fds_of(unit);

        for (size_t i = 0; fds && i < fds->stored.n; i++)
                if (WATCHED_AS(fds->stored.items[i].index) == watched_as) {
                        unit_say(unit, LOG_LEVEL_DEBUG, "Stored descriptor '%s' has hung up, and is dropped.",
                                 fds->stored.items[i].name);
                        drop(unit, fds, i);
                        return;
                }
}

void service_free_fds(Unit *unit, ServiceFds *fds) {
        for (size_t i = 0; i < fds->stored.n; i++) {
                if (fds->stored.items[i].fd >= 0) {
                        close(fds->stored.items[i].fd);
                        unit_unref(unit);
                }
                free(fds->stored.items[i].name);
        }
        vector_deinit(&fds->stored);
}

/* — records — */

void service_put_fds(RecordWriter *writer, const ServiceFds *fds) {
        record_put(writer, fds->next);
        record_put(writer, fds->stored.n);
        for (size_t i = 0; i < fds->stored.n; i++) {
                record_put_string(writer, fds->stored.items[i].name);
                record_put(writer, fds->stored.items[i].index);
                record_put(writer, fds->stored.items[i].is_polled);
        }
}

void service_get_fds(RecordReader *reader, ServiceFds *fds) {
        uint64_t n;

        fds->next = (uint32_t) record_get_below(reader, UINT32_MAX);
        for (n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                ServiceFd stored = { .fd = -1, .name = record_get_string_copy(reader) };

                stored.index = (uint32_t) record_get_below(reader, UINT32_MAX);
                stored.is_polled = record_get_below(reader, 2) != 0;
                if (stored.name && !reader->has_failed && vector_push(&fds->stored, stored) == 0)
                        continue;
                free(stored.name);
                reader->has_failed = true;
        }
}

/* Descriptors that the keeper does not have are lost. */
void service_resume_fds(Unit *unit) {
        ServiceFds *fds = fds_of(unit);

        for (size_t i = fds ? fds->stored.n : 0; i-- > 0;) {
                ServiceFd *stored = &fds->stored.items[i];

                stored->fd = unit_take_fd(unit, KEPT_AS, stored->index);
                if (stored->fd < 0) {
                        unit_say(unit, LOG_LEVEL_WARNING, "Stored descriptor '%s' is lost.", stored->name);
                        drop(unit, fds, i);
                        continue;
                }
                unit_ref(unit);
                watch(unit, stored);
        }
}
