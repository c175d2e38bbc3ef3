/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workers
 *
 * All sockets are in an epoll set of their own, which is one source of the
 * event loop: an answer costs a read and a write, and no turn of the manager.
 * Workers with room are in lists by the length of their queues. One timer is
 * set to the first of all deadlines; a later deadline does not move it, so that
 * it may elapse for nothing, once in each time limit.
 */

#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/fd.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "manager/manager_priority.h"
#include "manager/manager_workers_private.h"

#define READ_BYTES (64U * 1024U)
#define EVENTS_MAX 16 /* those that have something to say take turns */
#define ROUNDS_A_TURN 64U
#define ANSWERS_A_TURN 512U
#define BYTES_A_TURN (1024U * 1024U)
#define AGAIN_TIME (100 * USEC_PER_MSEC) /* after which what needs memory is tried again */
#define SENTENCES_A_SECOND 10U
#define STRANGE_MAX 100U /* answers of a worker that were dropped */
#define FIRST_PAUSE (20 * USEC_PER_MSEC) /* after a worker that was of no use; it doubles, … */
#define PAUSES_MAX 8U /* … so many times */

/* — deadlines — */

void workers_arm(ManagerWorkers *workers, usec_t at) {
        if (at >= workers->alarm)
                return;
        workers->alarm = at;
        (void) sd_event_source_set_time(workers->timer, at);
        (void) sd_event_source_set_enabled(workers->timer, SD_EVENT_ONESHOT);
}

static void set_deadline(ManagerWorkers *workers, Worker *worker, usec_t delay) {
        worker->deadline = delay == USEC_INFINITY ? USEC_INFINITY : usec_add(workers->now, delay);
        workers_arm(workers, worker->deadline);
}

/* — lists — */

/* One that does not read gets nothing more: what waits to be written has a limit so. */
static bool has_room(const ManagerWorkers *workers, const Worker *worker) {
        return worker->state == WORKER_READY && worker->fault == WORKER_FAULT_NONE && !worker->waits_to_write &&
               worker->n < worker->depth && worker->n < workers->settings.depth &&
               (workers->settings.max_items == 0 || worker->done + worker->n < workers->settings.max_items);
}

/* To be called before .n changes. */
static void unlist(ManagerWorkers *workers, Worker *worker) {
        if (!worker->is_listed)
                return;
        if (worker->previous)
                worker->previous->next = worker->next;
        else
                workers->by_length[worker->n] = worker->next;
        if (worker->next)
                worker->next->previous = worker->previous;
        worker->is_listed = false;
}

void workers_enlist(ManagerWorkers *workers, Worker *worker) {
        if (worker->is_listed || !has_room(workers, worker))
                return;
        worker->previous = NULL;
        worker->next = workers->by_length[worker->n];
        if (worker->next)
                worker->next->previous = worker;
        workers->by_length[worker->n] = worker;
        workers->lowest = MIN(workers->lowest, worker->n);
        worker->is_listed = true;
}

/* The worker with room that has the fewest items; NULL: none has room. */
static Worker *find_room(ManagerWorkers *workers) {
        while (workers->lowest < workers->settings.depth && !workers->by_length[workers->lowest])
                workers->lowest++;
        return workers->lowest < workers->settings.depth ? workers->by_length[workers->lowest] : NULL;
}

/* — a worker — */

QueueEntry *workers_entry(const Worker *worker, uint32_t i) {
        const uint32_t place = worker->first + i;

        return &worker->queue[place < worker->depth ? place : place - worker->depth];
}

static Worker *find(const ManagerWorkers *workers, uint32_t number) {
        for (size_t i = 0; i < workers->all.n; i++)
                if (workers->all.items[i]->number == number)
                        return workers->all.items[i];
        return NULL;
}

Worker *workers_free_worker(Worker *worker) {
        run_line_reader_deinit(&worker->reader);
        vector_deinit(&worker->out);
        free(worker->queue);
        free(worker);
        return NULL;
}

/* The caller gives it its number. 0 or -ENOMEM. */
int workers_add(ManagerWorkers *workers, Worker **ret_worker) {
        Worker *worker = calloc(1, sizeof(*worker));

        if (!worker || vector_push(&workers->all, worker) < 0) {
                free(worker);
                return -ENOMEM;
        }
        worker->fd = -1;
        worker->deadline = USEC_INFINITY;
        run_line_reader_init(&worker->reader, MANAGER_WORKER_RESULT_MAX);
        workers->n_greeting++;
        *ret_worker = worker;
        return 0;
}

static void become(ManagerWorkers *workers, Worker *worker, WorkerState state) {
        unlist(workers, worker);
        workers->n_greeting -= worker->state <= WORKER_GREETING;
        worker->state = state;
        workers->n_greeting += worker->state <= WORKER_GREETING;
        workers_enlist(workers, worker);
}

void workers_watch(ManagerWorkers *workers, Worker *worker, bool waits_to_write) {
        struct epoll_event event = { .events = EPOLLIN | (waits_to_write ? (uint32_t) EPOLLOUT : 0U),
                                     .data.ptr = worker };

        if (worker->is_watched && worker->waits_to_write == waits_to_write)
                return;
        if (epoll_ctl(workers->epoll, worker->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, worker->fd, &event) < 0)
                return;
        worker->is_watched = true;
        worker->waits_to_write = waits_to_write;
}

static void unwatch(ManagerWorkers *workers, Worker *worker) {
        if (worker->is_watched)
                (void) epoll_ctl(workers->epoll, EPOLL_CTL_DEL, worker->fd, NULL);
        worker->is_watched = worker->waits_to_write = false;
}

/* False: the owner had its reasons before, and no fault of the worker counts. */
static bool ask_to_end(ManagerWorkers *workers, Worker *worker) {
        become(workers, worker, WORKER_ENDING);
        worker->deadline = USEC_INFINITY;
        worker->was_told = !workers->ops->end(workers->userdata, worker->number);
        return !worker->was_told;
}

/* As many items as there are may each be a reason. */
static void say(ManagerWorkers *workers, const char *sentence) {
        if (usec_add(workers->said_at, USEC_PER_SEC) <= workers->now) {
                workers->said_at = workers->now;
                workers->n_said = 0;
        }
        if (workers->n_said++ < SENTENCES_A_SECOND)
                workers->ops->say(workers->userdata, sentence);
}

static void note_problem(ManagerWorkers *workers, char *problem) {
        if (!problem)
                return;
        free(workers->problem);
        workers->problem = problem;
        say(workers, problem);
}

/* The output of the worker counts no more. */
static void refuse(ManagerWorkers *workers, Worker *worker, const char *why) {
        char *problem = NULL;

        worker->fault = WORKER_FAULT_REFUSED;
        unwatch(workers, worker);
        if (worker->was_told || (worker->state != WORKER_ENDING && !ask_to_end(workers, worker)))
                return;
        workers->counts.refused++;
        if (text_format(&problem, "Worker %" PRIu32 " is ended: %s.", worker->number, why) == 0)
                note_problem(workers, problem);
}

static void end_input(ManagerWorkers *workers, Worker *worker) {
        (void) shutdown(worker->fd, SHUT_WR);
        worker->is_closed = true;
        become(workers, worker, WORKER_CLOSED);
        set_deadline(workers, worker, workers->settings.end_timeout);
}

/* Nothing is out to it. */
static void rest(ManagerWorkers *workers, Worker *worker) {
        if (worker->state != WORKER_READY || worker->fault != WORKER_FAULT_NONE)
                return;
        if (workers->is_draining ||
            (workers->settings.max_items > 0 && worker->done >= workers->settings.max_items))
                end_input(workers, worker);
        else
                set_deadline(workers, worker, workers->settings.idle);
}

/* — to a worker — */

static void make_dirty(ManagerWorkers *workers, Worker *worker) {
        if (worker->is_dirty)
                return;
        worker->is_dirty = true;
        worker->next_dirty = workers->dirty;
        workers->dirty = worker;
}

static void write_out(ManagerWorkers *workers, Worker *worker) {
        const ssize_t n = send(worker->fd, worker->out.items + worker->n_sent, worker->out.n - worker->n_sent,
                               MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n >= 0)
                worker->n_sent += (size_t) n;
        else if (errno != EAGAIN && errno != EINTR)
                worker->n_sent = worker->out.n; /* it is about to be gone */
        if (worker->n_sent == worker->out.n) {
                vector_clear(&worker->out);
                worker->n_sent = 0;
        }
        if (worker->is_watched)
                workers_watch(workers, worker, worker->out.n > 0);
        if (worker->waits_to_write)
                unlist(workers, worker);
        else
                workers_enlist(workers, worker);
}

static void write_all(ManagerWorkers *workers) {
        while (workers->dirty) {
                Worker *worker = workers->dirty;

                workers->dirty = worker->next_dirty;
                worker->is_dirty = false;
                if (!worker->waits_to_write && worker->out.n > 0)
                        write_out(workers, worker);
        }
}

static int put_line(Worker *worker, const ManagerWorkerItem *item) {
        size_t n_free, n;
        int r;

        for (;;) {
                n_free = worker->out.allocated - worker->out.n;
                n = run_line_write(worker->out.items + worker->out.n, n_free, item->index, item->data, item->length);
                if (n <= n_free)
                        break;
                r = n == SIZE_MAX ? -ENOMEM : vector_reserve(&worker->out, n);
                if (r < 0)
                        return r;
        }
        worker->out.n += n;
        return 0;
}

/* False: there is no memory for it, and it came back. */
static bool give(ManagerWorkers *workers, Worker *worker, const ManagerWorkerItem *item) {
        if (put_line(worker, item) < 0) {
                workers->ops->ended(workers->userdata, item, MANAGER_WORKER_RETURNED);
                return false;
        }
        unlist(workers, worker);
        *workers_entry(worker, worker->n) = (QueueEntry) { item->index, item->tries };
        if (worker->n++ == 0)
                set_deadline(workers, worker, workers->settings.item_timeout);
        workers->counts.out++;
        workers_enlist(workers, worker);
        make_dirty(workers, worker);
        return true;
}

/* Another worker is about to have room: a second item for one that has an item would be too early. */
static bool is_growing(const ManagerWorkers *workers) {
        return workers->n_greeting > 0 || (workers->all.n < workers->settings.n_max &&
                                           !manager_workers_has_failed(workers) && workers->start_at <= workers->now);
}

static void fill(ManagerWorkers *workers) {
        ManagerWorkerItem item = {};
        Worker *worker;

        workers->counts.is_dry = false;
        while (!workers->is_draining && (worker = find_room(workers)) && (worker->n == 0 || !is_growing(workers))) {
                if (!workers->ops->next(workers->userdata, &item)) {
                        workers->counts.is_dry = true;
                        break;
                }
                if (!give(workers, worker, &item)) {
                        workers_arm(workers, usec_add(workers->now, AGAIN_TIME));
                        break;
                }
        }
        write_all(workers);
}

/* The worker may be gone when this returns. */
static int start_one(ManagerWorkers *workers) {
        Worker *worker;
        int r = workers_add(workers, &worker);

        if (r < 0)
                return r;
        r = workers->ops->start(workers->userdata, &worker->number);
        if (r == 0) {
                workers->counts.started++;
                return 0;
        }
        workers->n_greeting--;
        (void) vector_pop(&workers->all);
        workers_free_worker(worker);
        return r;
}

/* The first worker shows how it goes; then there may be as many that begin as there are others. */
static bool may_start(ManagerWorkers *workers) {
        const uint32_t n = (uint32_t) workers->all.n;
        const Worker *room = find_room(workers);

        return !workers->is_draining && !manager_workers_has_failed(workers) && n < workers->settings.n_max &&
               workers->n_greeting < MAX(1U, n - workers->n_greeting) && (!room || room->n > 0);
}

static void start(ManagerWorkers *workers) {
        while (may_start(workers)) {
                workers->counts.is_dry = !workers->ops->has_next(workers->userdata);
                if (workers->counts.is_dry)
                        return;
                if (workers->start_at <= workers->now) {
                        if (start_one(workers) == 0)
                                continue;
                        workers->start_at = usec_add(workers->now, FIRST_PAUSE);
                }
                workers_arm(workers, workers->start_at);
                return;
        }
}

static void give_out(ManagerWorkers *workers) {
        bool is_held;

        fill(workers);
        is_held = is_growing(workers);
        start(workers);
        /* The next one has to wait. */
        if (is_held && !is_growing(workers))
                fill(workers);
}

/* — from a worker — */

static void greet(ManagerWorkers *workers, Worker *worker) {
        worker->depth = MIN(worker->reader.depth, workers->settings.depth);
        worker->queue = calloc(worker->depth, sizeof(*worker->queue));
        if (!worker->queue) {
                worker->depth = 0;
                refuse(workers, worker, "there is no memory for its items");
                return;
        }
        if (worker->state != WORKER_GREETING)
                return;
        become(workers, worker, WORKER_READY);
        rest(workers, worker);
}

static void drop_answer(ManagerWorkers *workers, Worker *worker, uint64_t index) {
        cleanup_free_ char *sentence = NULL;

        workers->counts.strange++;
        if (++worker->n_strange >= STRANGE_MAX)
                refuse(workers, worker, "it answers what it was not asked");
        else if (worker->n_strange == 1 &&
                 text_format(&sentence, "Worker %" PRIu32 " has answered for item %" PRIu64 ", which is not out to it: "
                             "such answers are dropped.", worker->number, index) == 0)
                say(workers, sentence);
}

void workers_remove_entry(Worker *worker, uint32_t i) {
        worker->n--;
        if (i == 0) {
                worker->first = (worker->first + 1) % worker->depth;
                return;
        }
        for (; i < worker->n; i++)
                *workers_entry(worker, i) = *workers_entry(worker, i + 1);
}

static void take_answer(ManagerWorkers *workers, Worker *worker, const RunLineAnswer *answer) {
        ManagerWorkerItem item = { .index = answer->index };
        uint32_t i = 0;

        while (i < worker->n && workers_entry(worker, i)->index != answer->index)
                i++;
        if (i == worker->n) {
                drop_answer(workers, worker, answer->index);
                return;
        }
        if (i == 0 && worker->fault == WORKER_FAULT_LATE) {
                workers->counts.strange++;
                return;
        }
        item.tries = workers_entry(worker, i)->tries;
        unlist(workers, worker);
        workers_remove_entry(worker, i);
        worker->done++;
        workers->counts.out--;
        workers->n_useless = workers->n_pauses = 0;
        workers->ops->answered(workers->userdata, &item, answer->status, answer->result, answer->length);
        if (worker->n == 0)
                rest(workers, worker);
        else if (i == 0 && worker->state == WORKER_READY)
                set_deadline(workers, worker, workers->settings.item_timeout);
        workers_enlist(workers, worker);
}

static unsigned take_bytes(ManagerWorkers *workers, Worker *worker, const char *bytes, size_t n) {
        unsigned n_answers = 0;

        while (n > 0 && worker->fault != WORKER_FAULT_REFUSED) {
                RunLineAnswer answer;
                const int r = run_line_read(&worker->reader, &bytes, &n, &answer);

                if (r == RUN_LINE_HELLO) {
                        greet(workers, worker);
                } else if (r == RUN_LINE_ANSWER) {
                        take_answer(workers, worker, &answer);
                        n_answers++;
                } else if (r < 0) {
                        refuse(workers, worker, r == -EPROTO ? worker->reader.problem : strerror(-r));
                }
        }
        return n_answers;
}

static void note_silence(ManagerWorkers *workers, Worker *worker) {
        worker->is_at_end = true;
        unwatch(workers, worker);
        unlist(workers, worker);
        if (worker->fault == WORKER_FAULT_NONE)
                worker->fault = WORKER_FAULT_SILENT;
        /* The end of the process follows, or is asked for. */
        if (worker->state != WORKER_ENDING)
                set_deadline(workers, worker, workers->settings.end_timeout);
}

/* Returns how many answers it has read; -1: there is nothing more for now. */
static int read_in(ManagerWorkers *workers, Worker *worker) {
        const ssize_t n = read(worker->fd, workers->buffer, READ_BYTES);

        if (n < 0 && errno == EINTR)
                return 0;
        if (n < 0 && errno == EAGAIN)
                return -1;
        if (n > 0) {
                workers->n_read += (size_t) n;
                return (int) take_bytes(workers, worker, workers->buffer, (size_t) n);
        }
        note_silence(workers, worker);
        return -1;
}

static unsigned take_event(ManagerWorkers *workers, Worker *worker, uint32_t events) {
        if (events & EPOLLOUT && worker->out.n > 0)
                write_out(workers, worker);
        return events & (EPOLLIN | EPOLLHUP | EPOLLERR) ? (unsigned) MAX(read_in(workers, worker), 0) : 0;
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata) {
        ManagerWorkers *workers = userdata;
        const uint64_t end = workers->n_read + BYTES_A_TURN;
        unsigned n_answers = 0;

        for (unsigned round = 0; round < ROUNDS_A_TURN && n_answers < ANSWERS_A_TURN && workers->n_read < end;
             round++) {
                struct epoll_event events[EVENTS_MAX];
                const int n = epoll_wait(workers->epoll, events, EVENTS_MAX, 0);

                if (n <= 0)
                        break;
                workers->now = clock_boottime();
                for (int i = 0; i < n; i++)
                        n_answers += take_event(workers, events[i].data.ptr, events[i].events);
                give_out(workers);
        }
        workers->turn->is_quiet = !workers->ops->settle(workers->userdata);
        return 0;
}

/* — time — */

static void expire(ManagerWorkers *workers, Worker *worker) {
        char *problem = NULL;
        bool is_late;

        worker->deadline = USEC_INFINITY;
        if (worker->state == WORKER_GREETING && worker->fault == WORKER_FAULT_NONE) {
                refuse(workers, worker, "it has not said hello in time");
                return;
        }
        if (worker->state == WORKER_READY && worker->fault == WORKER_FAULT_NONE && worker->n == 0) {
                end_input(workers, worker);
                return;
        }
        is_late = worker->state == WORKER_READY && worker->fault == WORKER_FAULT_NONE;
        if (worker->state == WORKER_ENDING || !ask_to_end(workers, worker) || !is_late)
                return;
        worker->fault = WORKER_FAULT_LATE;
        workers->counts.late++;
        if (text_format(&problem, "Worker %" PRIu32 " is ended: the time of item %" PRIu64 " is over.",
                        worker->number, workers_entry(worker, 0)->index) == 0)
                note_problem(workers, problem);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata) {
        ManagerWorkers *workers = userdata;

        workers->alarm = USEC_INFINITY;
        workers->now = clock_boottime();
        for (size_t i = workers->all.n; i > 0; i--)
                if (i <= workers->all.n && workers->all.items[i - 1]->deadline <= workers->now)
                        expire(workers, workers->all.items[i - 1]);
        for (size_t i = 0; i < workers->all.n; i++)
                workers_arm(workers, workers->all.items[i]->deadline);
        give_out(workers);
        (void) workers->ops->settle(workers->userdata);
        return 0;
}

/* — life — */

/* Of workers that the owner never gets. */
static const ManagerWorkersOps no_ops;

static int open_sources(ManagerWorkers *workers) {
        sd_event *event = workers->turn->event;
        int r;

        workers->epoll = epoll_create1(EPOLL_CLOEXEC);
        if (workers->epoll < 0)
                return -errno;
        r = sd_event_add_io(event, &workers->io, workers->epoll, EPOLLIN, on_io, workers);
        /* As what goes on by itself: each in its turn. */
        if (r >= 0)
                r = sd_event_source_set_priority(workers->io, MANAGER_PRIORITY_IDLE);
        if (r >= 0)
                r = sd_event_add_time(event, &workers->timer, CLOCK_BOOTTIME, USEC_INFINITY, USEC_PER_MSEC, on_timer,
                                      workers);
        if (r >= 0)
                r = sd_event_source_set_priority(workers->timer, MANAGER_PRIORITY_TIMERS);
        return r < 0 ? r : sd_event_source_set_enabled(workers->timer, SD_EVENT_OFF);
}

int manager_workers_new(ManagerWorkers **ret_workers, ManagerTurn *turn, const ManagerWorkersSettings *settings,
                        const ManagerWorkersOps *ops, void *userdata) {
        ManagerWorkers *workers = calloc(1, sizeof(*workers));
        int r = -ENOMEM;

        if (!workers)
                return r;
        *workers = (ManagerWorkers) {
                .turn = turn,
                .settings = *settings,
                .ops = ops,
                .userdata = userdata,
                .epoll = -1,
                .alarm = USEC_INFINITY,
                .now = clock_boottime(),
        };
        workers->by_length = calloc(settings->depth, sizeof(*workers->by_length));
        workers->buffer = malloc(READ_BYTES);
        if (workers->by_length && workers->buffer)
                r = open_sources(workers);
        if (r < 0) {
                workers->ops = &no_ops;
                manager_workers_free(workers);
                return r;
        }
        *ret_workers = workers;
        return 0;
}

ManagerWorkers *manager_workers_free(ManagerWorkers *workers) {
        if (!workers)
                return NULL;
        sd_event_source_disable_unref(workers->io);
        sd_event_source_disable_unref(workers->timer);
        for (size_t i = 0; i < workers->all.n; i++)
                workers_free_worker(workers->all.items[i]);
        vector_deinit(&workers->all);
        fd_close(workers->epoll);
        free(workers->by_length);
        free(workers->problem);
        free(workers->buffer);
        if (workers->ops->release)
                workers->ops->release(workers->userdata);
        free(workers);
        return NULL;
}

/* — what the owner tells — */

void manager_workers_feed(ManagerWorkers *workers) {
        workers->now = clock_boottime();
        workers->is_draining = false;
        give_out(workers);
}

void manager_workers_drain(ManagerWorkers *workers) {
        if (workers->is_draining)
                return;
        workers->now = clock_boottime();
        workers->is_draining = true;
        for (size_t i = 0; i < workers->all.n; i++) {
                Worker *worker = workers->all.items[i];

                if (worker->state == WORKER_GREETING)
                        end_input(workers, worker);
                else if (worker->n == 0)
                        rest(workers, worker);
        }
}

void manager_workers_connect(ManagerWorkers *workers, uint32_t number, int fd) {
        Worker *worker = find(workers, number);

        if (!worker || worker->fd >= 0)
                return;
        workers->now = clock_boottime();
        worker->fd = fd;
        workers_watch(workers, worker, false);
        if (worker->state != WORKER_STARTING)
                return;
        become(workers, worker, WORKER_GREETING);
        set_deadline(workers, worker, workers->settings.hello_timeout);
        if (workers->is_draining)
                end_input(workers, worker);
}

/* What was there when the worker was gone: who has left its tree may write for ever. */
static void read_rest(ManagerWorkers *workers, Worker *worker) {
        int n = 0;
        uint64_t end;

        if (worker->fd < 0 || ioctl(worker->fd, SIOCINQ, &n) < 0)
                return;
        end = workers->n_read + (uint64_t) n;
        while (workers->n_read < end && worker->fault != WORKER_FAULT_REFUSED && !worker->is_at_end)
                if (read_in(workers, worker) < 0)
                        break;
}

static bool has_ready_beside(const ManagerWorkers *workers, const Worker *worker) {
        for (size_t i = 0; i < workers->all.n; i++)
                if (workers->all.items[i] != worker && workers->all.items[i]->state == WORKER_READY)
                        return true;
        return false;
}

static void note_useless(ManagerWorkers *workers, const Worker *worker) {
        workers->start_at = usec_add(workers->now, FIRST_PAUSE << workers->n_pauses);
        workers->n_pauses = MIN(workers->n_pauses + 1, PAUSES_MAX);
        /* While others are at work, a beginner may only have come at a bad time. */
        if (worker->n > 0)
                workers->n_useless = 0;
        else if (!has_ready_beside(workers, worker))
                workers->n_useless = MIN(workers->n_useless + 1, MANAGER_WORKERS_FAILURES);
}

/* The end of a worker that was not told to, or that had a fault. */
static void judge_end(ManagerWorkers *workers, const Worker *worker, bool has_half) {
        char *problem = NULL;
        int r = -1;

        if (worker->done == 0)
                note_useless(workers, worker);
        else
                workers->n_useless = 0;
        if (worker->fault == WORKER_FAULT_REFUSED || worker->fault == WORKER_FAULT_LATE)
                return;
        workers->counts.refused += has_half;
        workers->counts.deaths += !has_half;
        if (has_half)
                r = text_format(&problem, "Worker %" PRIu32 " counts no more: %s.", worker->number,
                                worker->reader.problem);
        else if (worker->n > 0)
                r = text_format(&problem, "Worker %" PRIu32 " has died with item %" PRIu64 ".", worker->number,
                                workers_entry(worker, 0)->index);
        else
                r = text_format(&problem, "Worker %" PRIu32 " has ended without being told to.", worker->number);
        if (r == 0)
                note_problem(workers, problem);
}

static void return_items(ManagerWorkers *workers, const Worker *worker, bool is_told) {
        for (uint32_t i = 0; i < worker->n; i++) {
                const QueueEntry *entry = workers_entry(worker, i);
                const ManagerWorkerItem item = { .index = entry->index, .tries = entry->tries };

                workers->counts.out--;
                workers->ops->ended(workers->userdata, &item,
                                    i > 0 || is_told                      ? MANAGER_WORKER_RETURNED
                                    : worker->fault == WORKER_FAULT_LATE ? MANAGER_WORKER_LATE
                                                                          : MANAGER_WORKER_DIED);
        }
}

static void forget(ManagerWorkers *workers, Worker *worker) {
        size_t i = 0;

        unwatch(workers, worker);
        unlist(workers, worker);
        for (Worker **dirty = &workers->dirty; *dirty; dirty = &(*dirty)->next_dirty)
                if (*dirty == worker) {
                        *dirty = worker->next_dirty;
                        break;
                }
        workers->n_greeting -= worker->state <= WORKER_GREETING;
        while (workers->all.items[i] != worker)
                i++;
        memmove(&workers->all.items[i], &workers->all.items[i + 1],
                (--workers->all.n - i) * sizeof(workers->all.items[0]));
        workers_free_worker(worker);
}

void manager_workers_note_gone(ManagerWorkers *workers, uint32_t number, bool is_told) {
        Worker *worker = find(workers, number);
        bool is_own, has_half;

        if (!worker)
                return;
        workers->now = clock_boottime();
        /* The owner had its reasons before the worker had a fault. */
        is_own = is_told && (worker->state != WORKER_ENDING || worker->was_told);
        worker->was_told |= is_own;
        read_rest(workers, worker);
        unlist(workers, worker);
        if (!is_own && !worker->is_closed) {
                has_half = worker->reader.depth > 0 && run_line_end(&worker->reader) < 0;
                judge_end(workers, worker, has_half);
        }
        return_items(workers, worker, is_own);
        forget(workers, worker);
        /* Items that have come back may go to another worker. */
        give_out(workers);
}

/* — what can be asked — */

bool manager_workers_has_failed(const ManagerWorkers *workers) {
        return workers->n_useless >= MANAGER_WORKERS_FAILURES;
}

usec_t manager_workers_now(const ManagerWorkers *workers) {
        return workers->now;
}

void manager_workers_count(const ManagerWorkers *workers, ManagerWorkersCounts *ret_counts) {
        *ret_counts = workers->counts;
        ret_counts->alive = (uint32_t) workers->all.n;
        ret_counts->problem = workers->problem;
        ret_counts->is_pausing = workers->start_at > clock_boottime();
        for (size_t i = 0; i < workers->all.n; i++)
                ret_counts->ready += workers->all.items[i]->state == WORKER_READY;
}

bool manager_workers_has(const ManagerWorkers *workers, uint32_t number) {
        return find(workers, number);
}

bool manager_workers_get(const ManagerWorkers *workers, uint32_t i, ManagerWorkerFacts *ret_facts) {
        const Worker *worker = i < workers->all.n ? workers->all.items[i] : NULL;

        if (!worker)
                return false;
        *ret_facts = (ManagerWorkerFacts) {
                .number = worker->number,
                .out = worker->n,
                .done = worker->done,
                .is_ready = worker->state == WORKER_READY,
        };
        return true;
}
