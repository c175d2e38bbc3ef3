/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The link to jobd-runstore, and its process
 *
 * Core makes the listening socket and connects to it at once: the connection
 * waits in the kernel until the process serves it. The process holds the
 * socket alone, so that a connection to a dead one is refused.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "basic/clock.h"
#include "basic/fd.h"
#include "basic/log.h"
#include "basic/text.h"
#include "exec/exec.h"
#include "manager/manager_priority.h"
#include "manager/manager_run_link.h"

/* A store that ends sooner after its start has failed; after so many failures in a row the next start is delayed. */
#define START_COUNTS (2 * USEC_PER_SEC)
#define STARTS_MAX 3U
#define RETRY_TIME (5 * USEC_PER_SEC)
#define BACKLOG 16
#define SOCKET_FD 3
/* A store that is silent for so long, while there is something for it, is told of: its disk does not answer. */
#define SILENT_MAX (3 * USEC_PER_SEC)

struct ManagerRunLink {
        ManagerRunOptions options; /* its strings are owned */
        char *socket; /* owned: path */
        sd_event *event; /* borrowed */
        const ManagerRunLinkOps *ops; /* borrowed */
        void *userdata; /* borrowed */
        RunStoreClient *client; /* owned */
        sd_event_source *source; /* owned: of the socket; NULL: there is no link */
        sd_event_source *retry; /* owned: the next start */
        short events; /* that .source waits for */
        uint64_t accepted, durable;
        bool is_welcome, is_ending;
        bool is_refused; /* the store cannot be used: .problem says why */
        bool was_tried; /* to connect to one that serves already, since it died last */
        pid_t daemon; /* jobd-runstore, if this core has started it; 0 */
        usec_t last_start;
        usec_t lost; /* when the last link was; 0: none was */
        usec_t heard; /* when the store was heard, or had nothing to do, last */
        unsigned n_queries; /* that have no answer */
        unsigned n_starts;
        char *problem; /* owned */
};

static void connect_or_start(ManagerRunLink *link);

/* The store has something to do, or to answer. */
static bool has_work(const ManagerRunLink *link) {
        return runstore_client_bytes(link->client) > 0 || link->n_queries > 0;
}

/* — what the store says — */

static void on_welcomed(void *userdata, const RunStoreWelcome *welcome, bool has_lost) {
        ManagerRunLink *link = userdata;

        link->heard = clock_monotonic();
        link->is_welcome = true;
        link->is_refused = false;
        link->accepted = welcome->accepted;
        link->durable = welcome->durable;
        free(take_ptr(link->problem));
        link->ops->opened(link->userdata, welcome->durable, has_lost);
        /* The marks may have been told over a link that is lost. */
        link->ops->stored(link->userdata, link->accepted, link->durable);
}

static void on_accepted(void *userdata, uint64_t number) {
        ManagerRunLink *link = userdata;

        link->accepted = number;
        link->heard = clock_monotonic();
        link->ops->stored(link->userdata, link->accepted, link->durable);
}

static void on_durable(void *userdata, uint64_t number) {
        ManagerRunLink *link = userdata;

        link->durable = number;
        link->accepted = MAX(link->accepted, number);
        link->heard = clock_monotonic();
        link->n_starts = 0; /* it gets on, however often it dies */
        link->ops->stored(link->userdata, link->accepted, link->durable);
}

static void set_problem(ManagerRunLink *link, const char *sentence) {
        free(link->problem);
        link->problem = strdup(sentence);
}

static void on_refused(void *userdata, uint64_t number, const RunStoreRefusal *refusal) {
        ManagerRunLink *link = userdata;

        if (number & RUNSTORE_QUERY_NUMBER)
                link->n_queries--;
        if (number == 0)
                link->is_refused = refusal->reason == RUNSTORE_REFUSED_UNAVAILABLE;
        if (number == 0 && refusal->reason == RUNSTORE_REFUSED_NONE)
                free(take_ptr(link->problem));
        else if (number == 0) {
                log_warning("The store of runs: %s", refusal->sentence);
                set_problem(link, refusal->sentence);
        }
        link->ops->refused(link->userdata, number, refusal);
}

static void on_stored(void *userdata, uint64_t number, const uint8_t hash[static RUNSTORE_HASH_BYTES], uint64_t n) {
        ManagerRunLink *link = userdata;

        link->heard = clock_monotonic();
        link->ops->collected(link->userdata, number, hash);
}

static void on_rows(void *userdata, uint64_t number, RunStorePage *page) {
        ManagerRunLink *link = userdata;

        link->n_queries--;
        link->heard = clock_monotonic();
        link->ops->rows(link->userdata, number, page);
}

static const RunStoreClientOps client_ops = {
        .welcomed = on_welcomed,
        .accepted = on_accepted,
        .durable = on_durable,
        .refused = on_refused,
        .stored = on_stored,
        .rows = on_rows,
};

/* — the process — */

static int listen_at(const char *path, int *ret_fd) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd;

        if (strlen(path) >= sizeof(address.sun_path))
                return -ENAMETOOLONG;
        strcpy(address.sun_path, path);
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
                return -errno;
        if ((unlink(path) < 0 && errno != ENOENT) ||
            bind(fd, (const struct sockaddr *) &address, sizeof(address)) < 0 || chmod(path, 0600) < 0 ||
            listen(fd, BACKLOG) < 0) {
                int r = -errno;

                close(fd);
                return r;
        }
        *ret_fd = fd;
        return 0;
}

static int spawn_daemon(ManagerRunLink *link, int fd) {
        char sync[16],
                *argv[] = { (char *) "jobd-runstore", (char *) "--fd=3", sync, (char *) link->options.path, NULL };
        ExecRequest request = {
                .label = "jobd-runstore",
                .path = link->options.program,
                .argv = argv,
                .flags = EXEC_REQUEST_NO_EXPANSION,
                .working_directory = "/",
                .umask = 0077,
                .standard_output = { .kind = EXEC_STREAM_NULL },
                .standard_error = { .kind = EXEC_STREAM_INHERIT },
        };
        ExecResult result = {};
        int pidfd = -1, r;

        strcpy(sync, link->options.is_normal_sync ? "--sync=normal" : "--sync=full");
        r = exec_request_add_descriptor(&request, (ExecDescriptor) { .fd = fd, .target = SOCKET_FD });
        if (r == 0)
                r = exec_spawn(&request, &link->daemon, &pidfd, &result);
        exec_request_deinit(&request);
        fd_close(pidfd);
        if (r < 0 && result.step != EXEC_STEP_NONE)
                set_problem(link, result.message);
        return r;
}

static int start_daemon(ManagerRunLink *link) {
        cleanup_fd_ int fd = -1;
        int r = listen_at(link->socket, &fd);

        link->last_start = clock_monotonic();
        link->daemon = 0;
        return r < 0 ? r : spawn_daemon(link, fd);
}

/* — the link — */

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        ManagerRunLink *link = userdata;

        link->retry = sd_event_source_disable_unref(link->retry);
        connect_or_start(link);
        return 0;
}

static void retry_later(ManagerRunLink *link, usec_t delay) {
        if (link->retry || link->is_ending)
                return;
        if (sd_event_add_time_relative(link->event, &link->retry, CLOCK_MONOTONIC, delay, 0, on_retry, link) < 0)
                log_error("Out of memory: jobd-runstore is not started again.");
}

static void lose(ManagerRunLink *link) {
        link->source = sd_event_source_disable_unref(link->source);
        if (link->is_welcome)
                link->lost = clock_monotonic();
        link->is_welcome = false;
        if (link->is_ending)
                return;
        if (clock_monotonic() - link->last_start > START_COUNTS)
                link->n_starts = 0;
        log_notice("The link to jobd-runstore is lost%s%s; it is opened again.", link->problem ? ": " : "",
                   link->problem ? link->problem : "");
        retry_later(link, ++link->n_starts > STARTS_MAX ? RETRY_TIME : 0);
}

/* @r: what the client says. */
static void follow_client(ManagerRunLink *link, int r) {
        short events;

        if (r < 0) {
                lose(link);
                return;
        }
        events = runstore_client_events(link->client);
        if (events != link->events)
                (void) sd_event_source_set_io_events(link->source, (uint32_t) events);
        link->events = events;
}

static int on_socket(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ManagerRunLink *link = userdata;

        follow_client(link, runstore_client_serve(link->client));
        return 0;
}

static int attach(ManagerRunLink *link, int fd) {
        int r = runstore_client_attach(link->client, fd);

        if (r < 0)
                return r;
        r = sd_event_add_io(link->event, &link->source, fd, EPOLLIN | EPOLLOUT, on_socket, link);
        if (r >= 0)
                r = sd_event_source_set_priority(link->source, MANAGER_PRIORITY_BUS);
        link->events = EPOLLIN | EPOLLOUT;
        return r < 0 ? r : 0;
}

static void connect_or_start(ManagerRunLink *link) {
        int fd = -1, r;

        if (link->source || link->is_ending)
                return;
        r = runstore_connect(link->socket, &fd);
        if (r == -EAGAIN) {
                retry_later(link, RETRY_TIME);
                return;
        }
        if (r < 0) {
                r = link->options.program ? start_daemon(link) : -ENOENT;
                if (r == 0)
                        r = runstore_connect(link->socket, &fd);
        }
        if (r == 0)
                r = attach(link, fd);
        if (r == 0)
                return;
        if (!link->problem)
                set_problem(link, strerror(-r));
        log_error("The store of runs cannot be opened: %s", link->problem ? link->problem : strerror(-r));
        retry_later(link, RETRY_TIME);
}

/* — life — */

DEFINE_CLEANUP(ManagerRunLink, manager_run_link_free)

int manager_run_link_new(ManagerRunLink **ret_link, const ManagerRunOptions *options, const char *folder,
                         sd_event *event, const ManagerRunLinkOps *ops, void *userdata) {
        cleanup_(manager_run_link_freep) ManagerRunLink *link = calloc(1, sizeof(*link));
        uint64_t instance = 0;

        if (!link)
                return -ENOMEM;
        /* Without random bytes yet the time serves: the number only tells this core from another. */
        if (getrandom(&instance, sizeof(instance), GRND_NONBLOCK) != sizeof(instance))
                instance = clock_realtime() ^ (uint64_t) getpid() << 40;
        link->event = event;
        link->ops = ops;
        link->userdata = userdata;
        link->options.is_normal_sync = options->is_normal_sync;
        if (text_copy(options->program, (char **) &link->options.program) < 0 ||
            text_copy(options->path, (char **) &link->options.path) < 0 ||
            text_format(&link->socket, "%s/runstore", folder) < 0 ||
            runstore_client_new(&link->client, instance | 1, &client_ops, link) < 0)
                return -ENOMEM;
        *ret_link = take_ptr(link);
        return 0;
}

ManagerRunLink *manager_run_link_free(ManagerRunLink *link) {
        if (!link)
                return NULL;
        sd_event_source_disable_unref(link->source);
        sd_event_source_disable_unref(link->retry);
        runstore_client_free(link->client);
        free((char *) link->options.program);
        free((char *) link->options.path);
        free(link->socket);
        free(link->problem);
        free(link);
        return NULL;
}

void manager_run_link_open(ManagerRunLink *link) {
        if (!link->source && !link->retry)
                connect_or_start(link);
}

void manager_run_link_end(ManagerRunLink *link) {
        link->is_ending = true;
        link->retry = sd_event_source_disable_unref(link->retry);
}

int manager_run_link_require(ManagerRunLink *link, Failure *ret_failure) {
        if (!link->options.path)
                return failure_set(
                        ret_failure, -EOPNOTSUPP, "StoreUnavailable",
                        "This jobd keeps no runs: jobd-runstore is not installed, or jobd.conf has Store=none.");
        manager_run_link_open(link);
        return 0;
}

usec_t manager_run_link_silence(const ManagerRunLink *link) {
        return has_work(link) ? usec_sub(clock_monotonic(), link->heard) : 0;
}

usec_t manager_run_link_absence(const ManagerRunLink *link) {
        return link->lost > 0 && !link->is_welcome ? usec_sub(clock_monotonic(), link->lost) : 0;
}

const char *manager_run_link_problem(const ManagerRunLink *link) {
        if (link->problem || manager_run_link_silence(link) <= SILENT_MAX)
                return link->problem;
        return "jobd-runstore does not answer; its disk may be full, slow or frozen";
}

bool manager_run_link_is_refused(const ManagerRunLink *link) {
        return link->is_refused;
}

bool manager_run_link_is_open(const ManagerRunLink *link) {
        return link->is_welcome;
}

bool manager_run_link_has_file(const ManagerRunLink *link) {
        return link->options.path && access(link->options.path, F_OK) == 0;
}

bool manager_run_link_is_daemon(const ManagerRunLink *link, pid_t pid) {
        return pid == link->daemon;
}

/* — batches and queries — */

int manager_run_link_begin(ManagerRunLink *link, RecordWriter **ret_writer) {
        if (!has_work(link))
                link->heard = clock_monotonic();
        return runstore_client_begin(link->client, ret_writer);
}

void manager_run_link_put_after(ManagerRunLink *link) {
        runstore_client_put_after(link->client);
}

int manager_run_link_end_batch(ManagerRunLink *link, uint64_t *ret_number) {
        return runstore_client_end(link->client, ret_number);
}

int manager_run_link_collect(ManagerRunLink *link, int fd, uint64_t n_max, uint32_t run, uint64_t *ret_number) {
        if (!has_work(link))
                link->heard = clock_monotonic();
        return runstore_client_collect(link->client, fd, n_max, run, ret_number);
}

int manager_run_link_query(ManagerRunLink *link, const RunStoreQuery *query, uint64_t *ret_number) {
        int r;

        if (!has_work(link))
                link->heard = clock_monotonic();
        r = runstore_client_query(link->client, query, ret_number);
        link->n_queries += r == 0;
        return r;
}

size_t manager_run_link_bytes(const ManagerRunLink *link) {
        return runstore_client_bytes(link->client);
}

void manager_run_link_send(ManagerRunLink *link) {
        if (link->source && (runstore_client_events(link->client) & EPOLLOUT))
                follow_client(link, runstore_client_send(link->client));
}
