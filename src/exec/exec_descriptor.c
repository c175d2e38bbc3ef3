/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors passed to a process
 *
 * The wanted numbers may be in use by other passed descriptors, or by those
 * that the child still needs. So all are moved above the highest wanted number
 * first, and from there to their places.
 *
 * LISTEN_PID= tells a process that the variables are meant for it; only the
 * child knows that pid, and writes it into a reserved place.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/exec_child_private.h"
#include "exec/exec_descriptor.h"
#include "exec/exec_environment.h"

static size_t count_told(const ExecRequest *request) {
        size_t n = 0;

        for (size_t i = 0; i < request->n_descriptors; i++)
                n += request->descriptors[i].target == 0;
        return n;
}

int exec_request_add_descriptor(ExecRequest *request, ExecDescriptor descriptor) {
        ExecDescriptor *grown;

        assert(request && (descriptor.fd >= 0 || descriptor.path));
        assert(descriptor.target == 0 || descriptor.target >= EXEC_FIRST_FD);

        grown = reallocarray(request->descriptors, request->n_descriptors + 1, sizeof(*grown));
        if (!grown) {
                if (descriptor.is_owned)
                        close(descriptor.fd);
                return -ENOMEM;
        }
        request->descriptors = grown;
        request->descriptors[request->n_descriptors++] = descriptor;
        return 0;
}

void exec_request_drop_descriptors(ExecRequest *request) {
        for (size_t i = 0; i < request->n_descriptors; i++)
                if (request->descriptors[i].is_owned)
                        close(request->descriptors[i].fd);
        free(request->descriptors);
        request->descriptors = NULL;
        request->n_descriptors = 0;
}

/* Sets LISTEN_FDNAMES=, as "web:stored:unknown". */
static int set_names(const ExecRequest *request, char ***environment) {
        Text names = {};
        cleanup_free_ char *assignment = NULL;
        bool is_first = true;
        int r;

        text_add(&names, "LISTEN_FDNAMES=");
        for (size_t i = 0; i < request->n_descriptors; i++) {
                const ExecDescriptor *descriptor = &request->descriptors[i];

                if (descriptor->target != 0)
                        continue;
                text_addf(&names, "%s%s", is_first ? "" : ":", descriptor->name ? descriptor->name : "unknown");
                is_first = false;
        }
        r = text_finish(&names, &assignment);
        return r < 0 ? r : exec_environment_set(environment, assignment);
}

int exec_descriptor_set_environment(const ExecRequest *request, char ***environment) {
        cleanup_free_ char *count = NULL;
        size_t n = count_told(request);
        int r;

        if (n == 0)
                return 0;
        r = text_format(&count, "LISTEN_FDS=%zu", n);
        if (r == 0)
                r = exec_environment_set(environment, count);
        if (r == 0)
                r = exec_environment_set(environment, "LISTEN_PID=" EXEC_PID_PLACE);
        return r < 0 ? r : set_names(request, environment);
}

static int compare_targets(const void *a, const void *b) {
        return ((const ExecPlace *) a)->target - ((const ExecPlace *) b)->target;
}

/* Standard streams that are passed descriptors come before the others. */
static void plan_streams(const ExecRequest *request, int input, ExecPlace *places, size_t *n) {
        if (input >= 0)
                places[(*n)++] = (ExecPlace) { .fd = input, .target = STDIN_FILENO };
        if (request->standard_output.kind == EXEC_STREAM_FD)
                places[(*n)++] = (ExecPlace) { .fd = request->standard_output.fd, .target = STDOUT_FILENO };
        if (request->standard_error.kind == EXEC_STREAM_FD)
                places[(*n)++] = (ExecPlace) { .fd = request->standard_error.fd, .target = STDERR_FILENO };
}

static bool has_any(const ExecRequest *request, int input) {
        return request->n_descriptors > 0 || input >= 0 || request->standard_output.kind == EXEC_STREAM_FD ||
               request->standard_error.kind == EXEC_STREAM_FD;
}

int exec_descriptor_plan(const ExecRequest *request, int input, ExecPlace **ret_places, size_t *ret_n,
                         ExecResult *result) {
        cleanup_free_ ExecPlace *places = NULL;
        int next = EXEC_FIRST_FD;
        size_t n = 0;

        *ret_places = NULL;
        *ret_n = 0;
        if (!has_any(request, input))
                return 0;
        places = calloc(request->n_descriptors + EXEC_FIRST_FD, sizeof(*places));
        if (!places) {
                exec_result_set(result, EXEC_STEP_RESOURCES, ENOMEM, "cannot prepare its descriptors");
                return -ENOMEM;
        }
        plan_streams(request, input, places, &n);
        for (size_t i = 0; i < request->n_descriptors; i++) {
                const ExecDescriptor *descriptor = &request->descriptors[i];

                places[n++] = (ExecPlace) {
                        .fd = descriptor->fd,
                        .path = descriptor->path,
                        .flags = descriptor->flags,
                        .target = descriptor->target != 0 ? descriptor->target : next++,
                        .is_nonblocking = descriptor->is_nonblocking,
                };
        }
        qsort(places, n, sizeof(*places), compare_targets);
        for (size_t i = 1; i < n; i++)
                if (places[i].target == places[i - 1].target) {
                        exec_result_set(result, EXEC_STEP_FDS, EBUSY, "two descriptors are to have the number %i",
                                        places[i].target);
                        return -EBUSY;
                }
        *ret_places = take_ptr(places);
        *ret_n = n;
        return 0;
}

int exec_descriptor_add_place(ExecPlace **places, size_t *n, int fd) {
        int target = *n > 0 ? MAX((*places)[*n - 1].target + 1, EXEC_FIRST_FD) : EXEC_FIRST_FD;
        ExecPlace *grown = realloc(*places, (*n + 1) * sizeof(*grown));

        if (!grown)
                return -ENOMEM;
        *places = grown;
        grown[(*n)++] = (ExecPlace) { .fd = fd, .target = target };
        return target;
}

void exec_descriptor_find_pids(const ExecRequest *request, char *const *environment, char *pids[static EXEC_PIDS_MAX]) {
        static const char *const names[EXEC_PIDS_MAX] = { "SYSTEMD_EXEC_PID", "LISTEN_PID", "WATCHDOG_PID" };
        bool has_others = request->n_descriptors > 0 || request->flags & EXEC_REQUEST_TELLS_PID;

        for (size_t i = 0; i < EXEC_PIDS_MAX; i++) {
                const char *value = NULL;

                if (i == 0 || has_others)
                        value = exec_environment_get(environment, names[i], strlen(names[i]));
                /* A value set by the unit file is kept. The strings are the child's. */
                pids[i] = text_equal(value, EXEC_PID_PLACE) ? (char *) value : NULL;
        }
}

/* — in the child — */

child_ static void close_above(unsigned first, unsigned last) {
        struct rlimit limit = {};

        if (exec_call3(SYS_close_range, first, last, 0) == 0)
                return;
        if (exec_call4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0)
                return;
        for (rlim_t fd = first; fd <= last && fd < limit.rlim_cur && fd < 1048576; fd++)
                exec_call1(SYS_close, fd);
}

child_ static int fill_place(const ExecPlace *place) {
        long r = exec_call3(SYS_dup3, place->fd, place->target, 0);
        long flags = r < 0 ? r : exec_call2(SYS_fcntl, place->target, F_GETFL);

        if (flags < 0)
                return (int) flags;
        if (!place->is_nonblocking || flags & O_NONBLOCK)
                return 0;
        return (int) exec_call3(SYS_fcntl, place->target, F_SETFL, flags | O_NONBLOCK);
}

/* Unshares the table, dropping the descriptors above the highest passed one at once if the kernel can. */
child_ static int unshare_table(const ExecChild *child) {
        int highest = STDERR_FILENO;
        long r;

        for (size_t i = 0; i < child->n_places; i++)
                highest = MAX(highest, child->places[i].fd);
        r = exec_call3(SYS_close_range, highest + 1, ~0U, CLOSE_RANGE_UNSHARE);
        return (int) (r < 0 ? exec_call1(SYS_unshare, CLONE_FILES) : r);
}

/* Connects to a socket of any type. */
child_ static int join(const char *path) {
        static const int kinds[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        long r = 0;

        for (size_t i = 0; path[i]; i++) {
                if (i + 1 >= sizeof(address.sun_path))
                        return -ENAMETOOLONG;
                address.sun_path[i] = path[i];
        }
        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                long fd = exec_call3(SYS_socket, AF_UNIX, kinds[i] | SOCK_CLOEXEC, 0);

                r = fd < 0 ? fd : exec_call3(SYS_connect, fd, &address, sizeof(address));
                if (r >= 0)
                        return (int) fd;
                exec_call1(SYS_close, fd);
                if (r != -EPROTOTYPE)
                        break;
        }
        return (int) r;
}

/* O_NONBLOCK, so that opening a FIFO does not wait for its other end. */
child_ static int open_place(const ExecPlace *place) {
        long fd, r;

        if (!place->path)
                return place->fd;
        fd = exec_call4(SYS_openat, AT_FDCWD, place->path, place->flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
        if (fd == -ENXIO)
                return join(place->path);
        r = fd < 0 ? fd : exec_call3(SYS_fcntl, fd, F_SETFL, place->flags & O_APPEND);
        return (int) (r < 0 ? r : fd);
}

child_ int exec_descriptor_place(const ExecChild *child) {
        int highest = MAX(child->places[child->n_places - 1].target, STDERR_FILENO);
        int r = unshare_table(child);

        for (size_t i = 0; i < child->n_places && r >= 0; i++) {
                r = open_place(&child->places[i]);
                if (r < 0)
                        ((ExecChild *) child)->what = child->places[i].path;    /* written like the step */
                else
                        r = (int) exec_call3(SYS_fcntl, r, F_DUPFD_CLOEXEC, highest + 1);
                child->places[i].fd = r;
        }
        if (r < 0)
                return r;
        if (highest >= EXEC_FIRST_FD)
                close_above(EXEC_FIRST_FD, (unsigned) highest);
        for (size_t i = 0; i < child->n_places; i++) {
                r = fill_place(&child->places[i]);
                if (r < 0)
                        return r;
        }
        close_above((unsigned) highest + 1, ~0U);
        return 0;
}

child_ void exec_descriptor_tell_pid(const ExecChild *child) {
        for (size_t i = 0; i < EXEC_PIDS_MAX; i++) {
                char *place = child->pids[i], digits[sizeof(EXEC_PID_PLACE)];
                size_t n = sizeof(digits);
                long pid;

                if (!place)
                        continue;
                pid = exec_call1(SYS_getpid, 0);
                for (digits[--n] = '\0'; pid > 0 && n > 0; pid /= 10)
                        digits[--n] = (char) ('0' + pid % 10);
                for (; n < sizeof(digits); n++)
                        *place++ = digits[n];
        }
}
