/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors that a service gives us to keep
 *
 * FDSTORE=1 with descriptors, named by FDNAME=: they are given back with the
 * next start. A copy of each is with the keeper, so they stay if we die; then
 * the notification that brought them is read again unless it is in our state,
 * and what it brings takes the same number. One whose other side has gone is
 * dropped, unless FDPOLL=0 came with it.
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
#include "types/service.h"

#define KEPT_AS "stored"
#define NAME_MAX_BYTES 255U
#define USUAL_NAME "stored"

/* Of what it has the host watch: 0 is its channel. */
#define WATCHED_AS(index) ((index) + 1)

/* As systemd: what can stand between the colons of LISTEN_FDNAMES=. */
static bool name_is_valid(const char *name) {
        size_t n = strlen(name);

        for (const char *at = name; *at; at++)
                if (*at < ' ' || *at >= 127 || *at == ':')
                        return false;
        return n > 0 && n <= NAME_MAX_BYTES;
}

static bool says(char *const *assignments, const char *name) {
        const char *value = service_find_assignment(assignments, name);

        return value && strcmp(value, "1") == 0;
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

static void drop(Unit *unit, ServiceExtra *extra, size_t place) {
        UnitHost *host = service_host(unit);
        ServiceFd dropped = extra->fds.items[place];

        if (host->ops->unwatch_fd)
                host->ops->unwatch_fd(host, unit, WATCHED_AS(dropped.index));
        if (host->ops->drop_fd)
                host->ops->drop_fd(host, unit, KEPT_AS, dropped.index);
        if (dropped.fd >= 0) {
                close(dropped.fd);
                unit_unref(unit);
        }
        free(dropped.name);
        memmove(&extra->fds.items[place], &extra->fds.items[place + 1],
                (extra->fds.n - place - 1) * sizeof(*extra->fds.items));
        extra->fds.n--;
        service_republish(unit);
}

static bool is_stored(const ServiceExtra *extra, int fd) {
        for (size_t i = 0; i < extra->fds.n; i++)
                if (extra->fds.items[i].fd >= 0 &&
                    syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, extra->fds.items[i].fd, fd) == 0)
                        return true;
        return false;
}

static void watch(Unit *unit, const ServiceFd *stored) {
        UnitHost *host = service_host(unit);

        /* What cannot be watched, as a file, does not hang up. */
        if (stored->is_polled && host->ops->watch_fd)
                (void) host->ops->watch_fd(host, unit, WATCHED_AS(stored->index), stored->fd, POLLHUP | POLLERR);
}

/* Takes @fd. */
static int store(Unit *unit, ServiceExtra *extra, int fd, const char *name, bool is_polled) {
        ServiceFd stored = { .fd = fd, .index = extra->next_fd, .is_polled = is_polled, .name = strdup(name) };
        UnitHost *host = service_host(unit);
        int r;

        r = stored.name ? vector_push(&extra->fds, stored) : -ENOMEM;
        if (r < 0) {
                free(stored.name);
                close(fd);
                return r;
        }
        extra->next_fd++;
        unit_ref(unit);
        if (host->ops->keep_fd)
                (void) host->ops->keep_fd(host, unit, KEPT_AS, stored.index, fd);
        watch(unit, &stored);
        service_republish(unit);
        return 0;
}

void service_passed_fds(Unit *unit, pid_t sender, char *const *assignments, int *fds, size_t n) {
        uint32_t most = service_rare(unit)->fd_store_max;
        const char *name, *poll = service_find_assignment(assignments, "FDPOLL");
        ServiceExtra *extra;

        if (!says(assignments, "FDSTORE") || !service_may_notify(unit, sender))
                return;
        extra = service_own_extra(unit);
        name = name_of(unit, assignments);
        for (size_t i = 0; extra && i < n; i++) {
                int r;

                if (is_stored(extra, fds[i]))
                        continue;
                if (extra->fds.n >= most) {
                        service_complain(unit, "A descriptor is not stored: FileDescriptorStoreMax=%u.", most);
                        return;
                }
                r = store(unit, extra, fds[i], name, !poll || strcmp(poll, "0") != 0);
                fds[i] = -1;
                if (r < 0)
                        service_complain(unit, "Cannot store a descriptor: %s.", strerror(-r));
        }
}

static void drop_named(Unit *unit, const char *name) {
        ServiceExtra *extra = service_of(unit)->extra;

        for (size_t i = extra ? extra->fds.n : 0; i-- > 0;)
                if (!name || strcmp(extra->fds.items[i].name, name) == 0)
                        drop(unit, extra, i);
}

void service_remove_fds(Unit *unit, char *const *assignments) {
        const char *name = service_find_assignment(assignments, "FDNAME");

        if (!says(assignments, "FDSTOREREMOVE"))
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
                if (will_restart || service_will_start(unit))
                        return;
                break;
        case SERVICE_FDS_NO:
        case _SERVICE_FD_PRESERVE_MAX:
                break;
        }
        drop_named(unit, NULL);
}

static int flags_of(const ServiceOpenFile *file) {
        return file->flags & SERVICE_OPEN_READ_ONLY ? O_RDONLY :
               file->flags & SERVICE_OPEN_APPEND ? O_RDWR | O_APPEND :
               file->flags & SERVICE_OPEN_TRUNCATE ? O_RDWR | O_TRUNC : O_RDWR;
}

/* Its child opens them; only whether one is there that need not be is to be known before. */
int service_give_files(const Unit *unit, ExecRequest *request) {
        int r = 0;

        for (const ServiceOpenFile *file = service_rare(unit)->open_files; file && r == 0; file = file->next)
                if (!(file->flags & SERVICE_OPEN_GRACEFUL) || access(file->path, F_OK) == 0)
                        r = exec_request_add_descriptor(request, (ExecDescriptor) {
                                .fd = -1, .path = file->path, .flags = flags_of(file), .name = file->name });
        return r;
}

int service_give_fds(const Unit *unit, ExecRequest *request) {
        const ServiceExtra *extra = service_extra(unit);
        int r = 0;

        for (size_t i = 0; i < extra->fds.n && r == 0; i++)
                if (extra->fds.items[i].fd >= 0)
                        r = exec_request_add_descriptor(request, (ExecDescriptor) {
                                .fd = extra->fds.items[i].fd, .name = extra->fds.items[i].name });
        return r;
}

void service_fd_hung_up(Unit *unit, uint32_t watched_as) {
        ServiceExtra *extra = service_of(unit)->extra;

        for (size_t i = 0; extra && i < extra->fds.n; i++)
                if (WATCHED_AS(extra->fds.items[i].index) == watched_as) {
                        service_log(unit, 7, "Stored descriptor '%s' has hung up, and is dropped.",
                                    extra->fds.items[i].name);
                        drop(unit, extra, i);
                        return;
                }
}

void service_free_fds(ServiceExtra *extra) {
        for (size_t i = 0; i < extra->fds.n; i++) {
                if (extra->fds.items[i].fd >= 0)
                        close(extra->fds.items[i].fd);
                free(extra->fds.items[i].name);
        }
        vector_deinit(&extra->fds);
}

/* — written down, and read again — */

void service_put_fds(RecordWriter *writer, const ServiceExtra *extra) {
        record_put(writer, extra->next_fd);
        record_put(writer, extra->fds.n);
        for (size_t i = 0; i < extra->fds.n; i++) {
                record_put_string(writer, extra->fds.items[i].name);
                record_put(writer, extra->fds.items[i].index);
                record_put(writer, extra->fds.items[i].is_polled);
        }
}

void service_get_fds(RecordReader *reader, ServiceExtra *extra) {
        uint64_t n;

        extra->next_fd = (uint32_t) record_get_below(reader, UINT32_MAX);
        for (n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                ServiceFd stored = { .fd = -1, .name = record_get_string_copy(reader) };

                stored.index = (uint32_t) record_get_below(reader, UINT32_MAX);
                stored.is_polled = record_get_below(reader, 2) != 0;
                if (stored.name && !reader->has_failed && vector_push(&extra->fds, stored) == 0)
                        continue;
                free(stored.name);
                reader->has_failed = true;
        }
}

/* Those that nobody has kept are lost. */
void service_resume_fds(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;
        UnitHost *host = service_host(unit);

        for (size_t i = extra ? extra->fds.n : 0; i-- > 0;) {
                ServiceFd *stored = &extra->fds.items[i];

                stored->fd = host->ops->take_fd ? host->ops->take_fd(host, unit, KEPT_AS, stored->index) : -ENOENT;
                if (stored->fd < 0) {
                        service_log(unit, 4, "Stored descriptor '%s' is lost.", stored->name);
                        drop(unit, extra, i);
                        continue;
                }
                unit_ref(unit);
                watch(unit, stored);
        }
}
