/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workers, for another image of the program
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manager/manager_workers_private.h"

static void write_worker(const Worker *worker, RecordWriter *writer) {
        record_put(writer, worker->number);
        record_put(writer, worker->state);
        record_put(writer, worker->fault);
        record_put(writer, worker->was_told);
        record_put(writer, worker->is_closed);
        record_put(writer, worker->done);
        record_put_time(writer, worker->deadline);
        record_put(writer, worker->depth);
        record_put(writer, worker->n);
        for (uint32_t i = 0; i < worker->n; i++) {
                record_put(writer, workers_entry(worker, i)->index);
                record_put(writer, workers_entry(worker, i)->tries);
        }
        run_line_save(&worker->reader, writer);
        record_put_bytes(writer, worker->out.items + worker->n_sent, worker->out.n - worker->n_sent);
}

void manager_workers_write(const ManagerWorkers *workers, RecordWriter *writer) {
        record_put(writer, workers->counts.started);
        record_put(writer, workers->counts.deaths);
        record_put(writer, workers->counts.refused);
        record_put(writer, workers->counts.late);
        record_put(writer, workers->counts.strange);
        record_put(writer, workers->n_useless);
        record_put(writer, workers->all.n);
        for (size_t i = 0; i < workers->all.n; i++)
                write_worker(workers->all.items[i], writer);
}

static int read_queue(ManagerWorkers *workers, Worker *worker, RecordReader *reader) {
        uint64_t n;

        worker->depth = (uint32_t) record_get_below(reader, RUN_LINE_DEPTH_MAX + 1);
        n = record_get_below(reader, (uint64_t) worker->depth + 1);
        if (worker->depth > 0)
                worker->queue = calloc(worker->depth, sizeof(*worker->queue));
        if (worker->depth > 0 && !worker->queue)
                return -ENOMEM;
        for (; n > 0 && !reader->has_failed; n--) {
                const uint64_t index = record_get(reader);
                const uint32_t tries = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);

                *workers_entry(worker, worker->n++) = (QueueEntry) { index, tries };
        }
        return 0;
}

/* Another limit than it had: the queue that it has may be longer. */
static void fit(const ManagerWorkers *workers, Worker *worker) {
        if (worker->depth > workers->settings.depth && worker->n == 0)
                worker->depth = workers->settings.depth;
}

static int read_worker(ManagerWorkers *workers, Worker *worker, RecordReader *reader) {
        const void *bytes;
        size_t n;
        int r;

        worker->number = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        worker->state = (WorkerState) record_get_below(reader, _WORKER_STATE_MAX);
        worker->fault = (WorkerFault) record_get_below(reader, _WORKER_FAULT_MAX);
        worker->was_told = record_get_below(reader, 2);
        worker->is_closed = record_get_below(reader, 2);
        worker->done = record_get(reader);
        worker->deadline = record_get_time(reader);
        r = read_queue(workers, worker, reader);
        if (r == 0)
                r = run_line_restore(&worker->reader, reader);
        bytes = record_get_bytes(reader, &n);
        if (r == 0 && reader->has_failed)
                r = -EBADMSG;
        if (r == 0 && n > 0)
                r = vector_reserve(&worker->out, n);
        if (r < 0 || n == 0)
                return r;
        memcpy(worker->out.items, bytes, n);
        worker->out.n = n;
        return 0;
}

/* Items that cannot be out are none of it: its answers for them are dropped. */
static void claim(ManagerWorkers *workers, Worker *worker) {
        for (uint32_t i = worker->n; i > 0; i--)
                if (!workers->ops->claim(workers->userdata, workers_entry(worker, i - 1)->index))
                        workers_remove_entry(worker, i - 1);
        workers->counts.out += worker->n;
}

/* The process may have been made while nobody could be told. */
static void begin_to_greet(const ManagerWorkers *workers, Worker *worker) {
        const usec_t limit = workers->settings.hello_timeout;

        worker->state = WORKER_GREETING;
        worker->deadline = limit == USEC_INFINITY ? USEC_INFINITY : usec_add(workers->now, limit);
}

static void take_over(ManagerWorkers *workers, Worker *worker, int fd) {
        worker->fd = MAX(fd, -1);
        if (fd >= 0 && worker->state == WORKER_STARTING)
                begin_to_greet(workers, worker);
        claim(workers, worker);
        workers->n_greeting += worker->state <= WORKER_GREETING;
        workers->n_greeting--; /* workers_add() has counted it */
        fit(workers, worker);
        if (fd >= 0 && worker->fault != WORKER_FAULT_REFUSED && worker->fault != WORKER_FAULT_SILENT)
                workers_watch(workers, worker, worker->out.n > 0);
        workers_arm(workers, worker->deadline);
        workers_enlist(workers, worker);
}

int manager_workers_read(ManagerWorkers *workers, RecordReader *reader,
                         int (*find_fd)(void *userdata, uint32_t number)) {
        uint64_t n;
        int r = 0;

        workers->counts.started = record_get(reader);
        workers->counts.deaths = record_get(reader);
        workers->counts.refused = record_get(reader);
        workers->counts.late = record_get(reader);
        workers->counts.strange = record_get(reader);
        workers->n_useless = (unsigned) record_get_below(reader, MANAGER_WORKERS_FAILURES + 1);
        for (n = record_get(reader); n > 0 && r == 0 && !reader->has_failed; n--) {
                Worker *worker;
                int fd;

                r = workers_add(workers, &worker);
                if (r < 0)
                        break;
                r = read_worker(workers, worker, reader);
                fd = r == 0 ? find_fd(workers->userdata, worker->number) : r;
                if (r == 0 && (fd >= 0 || (fd == -EAGAIN && worker->state == WORKER_STARTING))) {
                        take_over(workers, worker, fd);
                        continue;
                }
                workers->n_greeting--;
                (void) vector_pop(&workers->all);
                workers_free_worker(worker);
        }
        return reader->has_failed ? -EBADMSG : r;
}
