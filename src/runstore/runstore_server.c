/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread that reads and answers
 *
 * One link at a time writes: that of the last HELLO. The link before is read
 * to its end first, so what a core has sent before its death counts. A core
 * that is new to the store (it knows no epoch) is welcomed when all that is
 * accepted is durable: it cannot send that again. One that comes back is
 * welcomed at once.
 *
 * Batches are judged whole before they are accepted, and their order by their
 * numbers. A query waits until all batches before it are durable, and so sees
 * them.
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/log.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "runstore/runstore_link.h"
#include "runstore/runstore_listen.h"
#include "runstore/runstore_query.h"
#include "runstore/runstore_server.h"
#include "runstore/runstore_write.h"

#define LINKS_MAX 16U
#define READS_A_TURN 8U
/* Above so many bytes that are not durable nothing more is read: the socket makes core wait, and core counts. */
#define TAIL_MAX ((uint64_t) 256 * 1024 * 1024)

typedef struct ServedLink {
        RunStoreServer *server;         /* borrowed */
        RunStoreLink *link;             /* owned */
        sd_event_source *source;        /* owned */
} ServedLink;

struct RunStoreServer {
        sd_event *event;
        sd_event_source *listen_source, *write_source, *read_source;    /* owned */
        int listen_fd, lock_fd;         /* owned */
        const char *socket;             /* borrowed: to unlink; NULL: was given */
        VECTOR(ServedLink *) links;
        uint64_t last_link;

        RunStoreWriter writer;
        RunStoreReader reader;
        RunStoreTasks waiting;          /* queries, which wait for .durable; .epoch is the number that they wait for */
        bool is_open, is_leaving;
        uint64_t identity, accepted, durable, epoch, instance;
        uint64_t n_tail;                /* bytes that are accepted and not durable */
        int refused;                    /* what the writer said last, a RunStoreReason; -1: all is well */
        uint64_t refused_batch;         /* the last one; 0: none */
        char *sentence;                 /* owned */
        RecordWriter frame;             /* kept for its memory */
};

/* — answers — */

static void close_link(ServedLink *served) {
        RunStoreServer *server = served->server;

        for (size_t i = 0; i < server->links.n; i++)
                if (server->links.items[i] == served) {
                        memmove(server->links.items + i, server->links.items + i + 1,
                                (server->links.n - i - 1) * sizeof(served));
                        server->links.n--;
                        break;
                }
        sd_event_source_disable_unref(served->source);
        runstore_link_free(served->link);
        free(served);
}

static bool is_writing(const ServedLink *served) {
        return served->link->is_welcome && served->link->hello.instance != 0;
}

/* Reading stops while too much is not durable; but answers leave. */
static void choose_events(ServedLink *served) {
        const RunStoreServer *server = served->server;
        uint32_t events = runstore_link_has_output(served->link) ? EPOLLOUT : 0;

        if (server->n_tail < TAIL_MAX || !is_writing(served))
                events |= EPOLLIN;
        (void) sd_event_source_set_io_events(served->source, events);
}

static void send_frame(ServedLink *served, const uint8_t *bytes, size_t n) {
        runstore_link_send(served->link, bytes, n);
        choose_events(served);
}

static void send_made(ServedLink *served) {
        RunStoreServer *server = served->server;

        if (runstore_frame_end(&server->frame) < 0)
                (void) shutdown(served->link->fd, SHUT_RDWR);
        else
                send_frame(served, server->frame.bytes, server->frame.n);
}

static void refuse(ServedLink *served, uint64_t number, int reason, const char *sentence) {
        RecordWriter *frame = &served->server->frame;

        runstore_frame_begin(frame, RUNSTORE_REFUSED, number);
        runstore_put_refusal(frame, (RunStoreReason) reason, sentence ?: "No memory.");
        send_made(served);
}

static void send_mark(ServedLink *served, RunStoreKind kind, uint64_t number) {
        runstore_frame_begin(&served->server->frame, kind, number);
        send_made(served);
}

static ServedLink *find_link(RunStoreServer *server, uint64_t id) {
        for (size_t i = 0; i < server->links.n; i++)
                if (server->links.items[i]->link->id == id)
                        return server->links.items[i];
        return NULL;
}

static ServedLink *find_writing(RunStoreServer *server) {
        for (size_t i = 0; i < server->links.n; i++)
                if (is_writing(server->links.items[i]))
                        return server->links.items[i];
        return NULL;
}

/* — HELLO — */

static void welcome(ServedLink *served) {
        RunStoreServer *server = served->server;
        RunStoreLink *link = served->link;

        if (link->hello.instance != 0) {
                server->epoch = MAX(server->epoch, link->hello.epoch) + 1;
                server->instance = link->hello.instance;
                link->epoch = server->epoch;
        }
        link->is_welcome = true;
        /* The refusal may have been told over a link that is lost, or never: before the mark passes its batch. */
        if (link->hello.instance != 0 && link->hello.next > 0 && server->refused_batch >= link->hello.next)
                refuse(served, server->refused_batch, RUNSTORE_REFUSED_CONSTRAINT,
                       "The batch, or one before it, was not written: it broke a constraint.");
        runstore_frame_begin(&server->frame, RUNSTORE_WELCOME, 0);
        runstore_put_welcome(&server->frame, &(RunStoreWelcome) {
                                                     .epoch = link->epoch,
                                                     .accepted = server->accepted,
                                                     .durable = server->durable,
                                                     .identity = server->identity,
                                                     .format = RUNSTORE_FORMAT | RUNSTORE_KNOWS_AFTER,
                                             });
        send_made(served);
        if (server->refused >= 0)
                refuse(served, 0, server->refused, server->sentence);
}

/* Another core has written after the last link of this one: its numbers are taken. */
static bool is_fenced(const RunStoreServer *server, const RunStoreHello *hello) {
        return hello->instance != 0 && hello->epoch != 0 && server->instance != 0 &&
               server->instance != hello->instance && server->epoch >= hello->epoch;
}

static int take_frames(ServedLink *served);

/* Batches of the core before count, also if it is dead. */
static void read_to_end(ServedLink *served) {
        while (runstore_link_read(served->link) > 0)
                if (take_frames(served) < 0)
                        break;
        close_link(served);
}

/* A file that is new knows no numbers: core goes on with its own. */
static void adopt_numbers(RunStoreServer *server, const RunStoreHello *hello) {
        if (server->accepted == 0 && server->epoch == 0 && hello->next > 0)
                server->accepted = server->durable = hello->next - 1;
}

/* Answers HELLO if that can be. Returns whether the link is closed. */
static void welcome_if_ready(ServedLink *served) {
        RunStoreServer *server = served->server;
        RunStoreLink *link = served->link;
        ServedLink *before;

        if (!server->is_open || !link->has_hello || link->is_welcome)
                return;
        if (link->hello.instance == 0) {
                welcome(served);
                return;
        }
        before = find_writing(server);
        if (before)
                read_to_end(before);
        if (is_fenced(server, &link->hello)) {
                refuse(served, 0, RUNSTORE_REFUSED_FENCED, "Another core has written to the store of runs since.");
                (void) shutdown(link->fd, SHUT_RDWR);
                return;
        }
        adopt_numbers(server, &link->hello);
        if (link->hello.epoch != 0 || server->accepted == server->durable)
                welcome(served);
}

static void welcome_all(RunStoreServer *server) {
        /* Of several that wait the last one is to stay. */
        for (size_t i = 0; i < server->links.n; i++) {
                uint64_t id = server->links.items[i]->link->id;

                welcome_if_ready(server->links.items[i]);
                if (i < server->links.n && server->links.items[i]->link->id != id)
                        i--;            /* the one before it was closed */
        }
}

static int take_hello(ServedLink *served, const RunStoreFrame *frame) {
        RunStoreServer *server = served->server;

        if (served->link->has_hello || runstore_get_hello(frame, &served->link->hello) < 0)
                return -EBADMSG;
        served->link->has_hello = true;
        if (!server->is_open && server->refused >= 0)
                refuse(served, 0, server->refused, server->sentence);
        welcome_if_ready(served);
        return 0;
}

/* — batches — */

static int give_task(ServedLink *served, const RunStoreFrame *frame, RunStoreTaskKind kind) {
        RunStoreServer *server = served->server;
        RunStoreTask *task = runstore_task_new(kind);

        if (!task)
                return -ENOMEM;
        task->link = served->link->id;
        task->number = frame->number;
        task->epoch = served->link->epoch;
        task->instance = served->link->hello.instance;
        task->n = frame->n - sizeof(uint64_t);
        task->bytes = malloc(task->n + 1);
        if (!task->bytes) {
                runstore_task_free(task);
                return -ENOMEM;
        }
        memcpy(task->bytes, frame->bytes + sizeof(uint64_t), task->n);
        if (kind == RUNSTORE_TASK_COLLECT) {
                RecordReader reader;

                record_reader_init(&reader, task->bytes, task->n);
                const uint64_t terms = record_get(&reader);

                task->n_max = terms & UINT32_MAX;
                task->run = (uint32_t) (terms >> 32);
                task->fd = runstore_link_take_fd(served->link);
        }
        server->n_tail += task->n;
        server->accepted = frame->number;
        runstore_worker_give(&server->writer.worker, task);
        return 0;
}

/* One that is known is not written again, but its descriptor is no other's. */
static int skip_known(ServedLink *served, const RunStoreFrame *frame) {
        if (frame->kind == RUNSTORE_COLLECT)
                fd_close(runstore_link_take_fd(served->link));
        return 0;
}

static int check_body(const RunStoreFrame *frame) {
        RecordReader reader;

        if (frame->n < sizeof(uint64_t))
                return -EBADMSG;
        if (frame->kind == RUNSTORE_BATCH)
                return runstore_check_operations(frame->bytes + sizeof(uint64_t), frame->n - sizeof(uint64_t));
        record_reader_init(&reader, frame->bytes + sizeof(uint64_t), frame->n - sizeof(uint64_t));
        (void) record_get(&reader);
        return record_is_at_end(&reader) ? 0 : -EBADMSG;
}

static int take_numbered(ServedLink *served, const RunStoreFrame *frame) {
        RunStoreServer *server = served->server;
        uint64_t epoch;

        if (!is_writing(served) || check_body(frame) < 0)
                return -EBADMSG;
        memcpy(&epoch, frame->bytes, sizeof(epoch));
        if (epoch != served->link->epoch)
                return -ESTALE;
        if (frame->number <= server->accepted)
                return skip_known(served, frame);
        if (frame->number != server->accepted + 1)
                return -EILSEQ;
        return give_task(served, frame, frame->kind == RUNSTORE_BATCH ? RUNSTORE_TASK_BATCH : RUNSTORE_TASK_COLLECT);
}

/* — queries — */

static void release_queries(RunStoreServer *server) {
        while (server->waiting.first && server->waiting.first->epoch <= server->durable)
                runstore_worker_give(&server->reader.worker, runstore_tasks_take(&server->waiting));
}

static int take_query(ServedLink *served, const RunStoreFrame *frame) {
        RunStoreServer *server = served->server;
        RunStoreQuery query;
        RunStoreTask *task;

        if (!served->link->is_welcome || !(frame->number & RUNSTORE_QUERY_NUMBER) ||
            runstore_get_query(frame, &query) < 0)
                return -EBADMSG;
        task = runstore_task_new(RUNSTORE_TASK_QUERY);
        if (!task)
                return -ENOMEM;
        task->link = served->link->id;
        task->number = frame->number;
        task->epoch = server->accepted;
        task->n = frame->n;
        task->bytes = malloc(frame->n);
        if (!task->bytes) {
                runstore_task_free(task);
                return -ENOMEM;
        }
        memcpy(task->bytes, frame->bytes, frame->n);
        runstore_tasks_add(&server->waiting, task);
        release_queries(server);
        return 0;
}

/* — frames — */

static int take_frame(ServedLink *served, const RunStoreFrame *frame) {
        switch (frame->kind) {
        case RUNSTORE_HELLO:
                return take_hello(served, frame);
        case RUNSTORE_BATCH:
        case RUNSTORE_COLLECT:
                return take_numbered(served, frame);
        case RUNSTORE_QUERY:
                return take_query(served, frame);
        case RUNSTORE_WELCOME:
        case RUNSTORE_ACCEPTED:
        case RUNSTORE_DURABLE:
        case RUNSTORE_REFUSED:
        case RUNSTORE_STORED:
        case RUNSTORE_ROWS:
        case _RUNSTORE_KIND_MAX:
                break;
        }
        return -EBADMSG;
}

static void tell_fault(ServedLink *served, uint64_t number, int error) {
        if (error == -EPROTONOSUPPORT)
                refuse(served, number, RUNSTORE_REFUSED_VERSION, "The frame has another version of the protocol.");
        else if (error == -ESTALE)
                refuse(served, number, RUNSTORE_REFUSED_FENCED, "The frame has the epoch of another link.");
        else if (error == -EILSEQ)
                refuse(served, number, RUNSTORE_REFUSED_ORDER, "A number before that of the frame is missing.");
        else if (error == -ENOMEM)
                refuse(served, 0, RUNSTORE_REFUSED_IO, "The store of runs has no memory.");
        else
                refuse(served, number, RUNSTORE_REFUSED_MALFORMED, "The frame is malformed.");
}

/* All whole frames, and one ACCEPTED for them. Negative if the link is to be closed. */
static int take_frames(ServedLink *served) {
        RunStoreServer *server = served->server;
        const uint64_t before = server->accepted;
        RunStoreFrame frame = {};
        int r;

        while ((r = runstore_link_next(served->link, &frame)) > 0) {
                r = take_frame(served, &frame);
                if (r < 0)
                        break;
        }
        if (is_writing(served) && server->accepted > before)
                send_mark(served, RUNSTORE_ACCEPTED, server->accepted);
        if (r < 0)
                tell_fault(served, frame.number, r);
        return r;
}

static int on_link(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ServedLink *served = userdata;
        ssize_t n = 1;

        if (events & EPOLLOUT)
                runstore_link_flush(served->link);
        for (unsigned i = 0; i < READS_A_TURN && events & (EPOLLIN | EPOLLHUP | EPOLLERR) && n > 0; i++) {
                n = runstore_link_read(served->link);
                if (n > 0)
                        n = take_frames(served) < 0 ? -EBADMSG : n;
        }
        if (n == 0 || (n < 0 && n != -EAGAIN))
                close_link(served);
        else
                choose_events(served);
        return 0;
}

/* — links — */

static int add_link(RunStoreServer *server, int fd) {
        ServedLink *served;
        int r;

        if (server->links.n >= LINKS_MAX || !runstore_may_connect(fd) || vector_reserve(&server->links, 1) < 0) {
                close(fd);
                return -EUSERS;
        }
        served = calloc(1, sizeof(*served));
        if (!served) {
                close(fd);
                return -ENOMEM;
        }
        served->server = server;
        r = runstore_link_new(&served->link, fd, ++server->last_link);
        if (r == 0)
                r = sd_event_add_io(server->event, &served->source, fd, EPOLLIN, on_link, served);
        if (r < 0) {
                runstore_link_free(served->link);
                free(served);
                return r;
        }
        return vector_push(&server->links, served);
}

static int on_listen(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        int link = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (link >= 0)
                (void) add_link(userdata, link);
        return 0;
}

/* — from the threads — */

static void set_sentence(RunStoreServer *server, RunStoreTask *task) {
        free(server->sentence);
        server->sentence = take_ptr(task->sentence);
        server->refused = task->refused == RUNSTORE_REFUSED_NONE ? -1 : task->refused;
}

static void tell_all(RunStoreServer *server, int reason, const char *sentence) {
        for (size_t i = 0; i < server->links.n; i++)
                if (server->links.items[i]->link->has_hello)
                        refuse(server->links.items[i], 0, reason, sentence);
}

static void take_notice(RunStoreServer *server, RunStoreTask *task) {
        const int reason = task->refused;

        set_sentence(server, task);
        log_write(reason == RUNSTORE_REFUSED_NONE ? LOG_LEVEL_NOTICE : LOG_LEVEL_ERROR, NULL, "%s",
                  server->sentence ?: "No memory.");
        tell_all(server, reason, server->sentence);
}

/* A file that took the place of another has lost history: who writes is to come again, and is told. */
static void take_opened(RunStoreServer *server, RunStoreTask *task) {
        ServedLink *writing = server->is_open && server->identity != task->file_identity ? find_writing(server) : NULL;

        if (task->sentence)
                log_error("%s", task->sentence);
        if (writing)
                (void) shutdown(writing->link->fd, SHUT_RDWR);
        if (!server->is_open) {
                server->accepted = server->durable = task->file_number;
                server->epoch = task->file_epoch;
                server->instance = task->file_instance;
        }
        server->refused_batch = MAX(server->refused_batch, task->file_refused);
        server->identity = task->file_identity;
        server->is_open = true;
        if (server->refused >= 0)
                tell_all(server, RUNSTORE_REFUSED_NONE, "The runs are recorded again.");
        server->refused = -1;
        welcome_all(server);
}

/* Refusals and collections are told before the mark passes their batch. */
static void take_written(RunStoreServer *server, RunStoreTask *task) {
        ServedLink *served = find_writing(server);

        server->durable = task->number;
        server->n_tail -= task->n;
        if (task->refused == RUNSTORE_REFUSED_CONSTRAINT)
                server->refused_batch = task->number;
        if (!served)
                return;
        if (task->refused >= 0) {
                refuse(served, task->number, task->refused, task->sentence);
        } else if (task->kind == RUNSTORE_TASK_COLLECT) {
                runstore_frame_begin(&server->frame, RUNSTORE_STORED, task->number);
                record_put_bytes(&server->frame, task->hash, sizeof(task->hash));
                record_put(&server->frame, task->n_stored);
                send_made(served);
        }
}

static void finish_leaving(RunStoreServer *server) {
        if (server->is_leaving && server->accepted == server->durable)
                (void) sd_event_exit(server->event, 0);
}

static int on_written(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        RunStoreServer *server = userdata;
        RunStoreTasks tasks = runstore_worker_done(&server->writer.worker);
        const uint64_t before = server->durable;
        ServedLink *served;

        for (RunStoreTask *task; (task = runstore_tasks_take(&tasks)); runstore_task_free(task))
                if (task->kind == RUNSTORE_TASK_OPENED)
                        take_opened(server, task);
                else if (task->kind == RUNSTORE_TASK_NOTICE)
                        take_notice(server, task);
                else
                        take_written(server, task);
        served = find_writing(server);
        if (served && server->durable > before)
                send_mark(served, RUNSTORE_DURABLE, server->durable);
        if (served)
                choose_events(served);
        welcome_all(server);
        release_queries(server);
        finish_leaving(server);
        return 0;
}

/* Without memory the next query finds it again. */
static void tell_damage(RunStoreServer *server, const RunStoreTask *query) {
        RunStoreTask *task = runstore_task_new(RUNSTORE_TASK_DAMAGED);

        if (!task)
                return;
        task->file_identity = query->file_identity;
        runstore_worker_give(&server->writer.worker, task);
}

static int on_rows(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        RunStoreServer *server = userdata;
        RunStoreTasks tasks = runstore_worker_done(&server->reader.worker);

        for (RunStoreTask *task; (task = runstore_tasks_take(&tasks)); runstore_task_free(task)) {
                ServedLink *served = find_link(server, task->link);

                if (served && task->refused >= 0)
                        refuse(served, task->number, task->refused, task->sentence);
                else if (served)
                        send_frame(served, task->answer.bytes, task->answer.n);
                if (task->is_damaged)
                        tell_damage(server, task);
        }
        return 0;
}

/* Batches that were sent before the signal count. */
static int on_term(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        RunStoreServer *server = userdata;
        ServedLink *served = find_writing(server);

        if (served)
                read_to_end(served);
        server->listen_source = sd_event_source_disable_unref(server->listen_source);
        server->is_leaving = true;
        finish_leaving(server);
        return 0;
}

/* — start — */

static int add_sources(RunStoreServer *server) {
        int r = sd_event_add_io(server->event, &server->listen_source, server->listen_fd, EPOLLIN, on_listen, server);

        if (r >= 0)
                r = sd_event_add_io(server->event, &server->write_source, server->writer.worker.done_fd, EPOLLIN,
                                    on_written, server);
        if (r >= 0)
                r = sd_event_add_io(server->event, &server->read_source, server->reader.worker.done_fd, EPOLLIN,
                                    on_rows, server);
        /* Durable batches make room, and so are looked at before more is read. */
        if (r >= 0)
                r = sd_event_source_set_priority(server->write_source, SD_EVENT_PRIORITY_IMPORTANT);
        if (r >= 0)
                r = sd_event_add_signal(server->event, NULL, SIGTERM, on_term, server);
        return r;
}

/* Threads have no signals: SIGTERM is read by the loop. */
static int block_signals(void) {
        sigset_t signals;

        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGHUP);
        sigaddset(&signals, SIGPIPE);
        return sigprocmask(SIG_BLOCK, &signals, NULL) < 0 ? -errno : 0;
}

static int start(RunStoreServer *server, const RunStoreSettings *settings, Failure *ret_failure) {
        int r = runstore_lock(settings->path, &server->lock_fd, ret_failure);

        if (r == 0)
                r = block_signals();
        if (r == 0)
                r = settings->socket ? runstore_listen(settings->socket, &server->listen_fd, ret_failure)
                                     : runstore_check_socket(server->listen_fd, ret_failure);
        if (r == 0)
                server->socket = settings->socket;
        if (r == 0)
                r = sd_event_new(&server->event);
        if (r >= 0)
                r = runstore_writer_start(&server->writer, settings->path, settings->is_full_sync, settings->n_ballast);
        if (r >= 0)
                r = runstore_reader_start(&server->reader, settings->path);
        if (r >= 0)
                r = add_sources(server);
        return MIN(r, 0);
}

int runstore_server_new(RunStoreServer **ret_server, const RunStoreSettings *settings, Failure *ret_failure) {
        RunStoreServer *server = calloc(1, sizeof(*server));
        int r;

        if (!server)
                return -ENOMEM;
        server->listen_fd = settings->fd;
        server->lock_fd = server->writer.worker.done_fd = server->reader.worker.done_fd = -1;
        server->refused = -1;
        r = start(server, settings, ret_failure);
        if (r < 0)
                server = runstore_server_free(server);
        *ret_server = server;
        return r;
}

RunStoreServer *runstore_server_free(RunStoreServer *server) {
        if (!server)
                return NULL;
        while (server->links.n > 0)
                close_link(server->links.items[0]);
        vector_deinit(&server->links);
        runstore_writer_end(&server->writer);
        runstore_reader_end(&server->reader);
        for (RunStoreTask *task; (task = runstore_tasks_take(&server->waiting));)
                runstore_task_free(task);
        sd_event_source_disable_unref(server->listen_source);
        sd_event_source_disable_unref(server->write_source);
        sd_event_source_disable_unref(server->read_source);
        sd_event_unref(server->event);
        if (server->socket)
                (void) unlink(server->socket);
        fd_close(server->listen_fd);
        fd_close(server->lock_fd);
        record_writer_deinit(&server->frame);
        free(server->sentence);
        free(server);
        return NULL;
}

int runstore_server_run(RunStoreServer *server) {
        return sd_event_loop(server->event);
}
