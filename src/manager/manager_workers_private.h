/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Workers, for their own files
 */

#include "basic/vector.h"
#include "manager/manager_workers.h"
#include "run/run_line.h"

typedef enum WorkerState {
        WORKER_STARTING, /* its process was asked for */
        WORKER_GREETING, /* it has not said hello */
        WORKER_READY,
        WORKER_CLOSED, /* it has got the end of its input, and is to end */
        WORKER_ENDING, /* the owner was asked to end it */
        _WORKER_STATE_MAX,
} WorkerState;

/* Why it gets nothing more. */
typedef enum WorkerFault {
        WORKER_FAULT_NONE,
        WORKER_FAULT_SILENT, /* its output has ended */
        WORKER_FAULT_REFUSED,
        WORKER_FAULT_LATE,
        _WORKER_FAULT_MAX,
} WorkerFault;

typedef struct QueueEntry {
        uint64_t index;
        uint32_t tries;
} QueueEntry;

typedef struct Worker {
        uint32_t number;
        WorkerState state;
        WorkerFault fault;
        int fd; /* borrowed; -1: none yet */
        RunLineReader reader;
        QueueEntry *queue; /* owned ring of .depth places */
        uint32_t depth, first, n;
        uint64_t done;
        uint32_t n_strange; /* answers that were dropped */
        usec_t deadline; /* of what its state waits for */
        VECTOR(char) out; /* to be written, … */
        size_t n_sent; /* … but for so many */
        bool is_dirty, is_watched, waits_to_write;
        bool was_told; /* by the owner, before it had a fault */
        bool is_closed; /* it has got the end of its input */
        bool is_at_end; /* its output has been read to the end */
        bool is_listed; /* it has room */
        struct Worker *previous, *next; /* in its list */
        struct Worker *next_dirty;
} Worker;

struct ManagerWorkers {
        ManagerTurn *turn; /* borrowed */
        ManagerWorkersSettings settings;
        const ManagerWorkersOps *ops;
        void *userdata;
        VECTOR(Worker *) all; /* owned */
        Worker **by_length; /* owned: lists of those with room, by the length of their queues */
        uint32_t lowest; /* no list below has a worker */
        Worker *dirty; /* those with something to be written */
        uint32_t n_greeting; /* as well as those that start */
        int epoll; /* owned */
        sd_event_source *io, *timer; /* owned */
        usec_t alarm, now;
        unsigned n_useless; /* workers in a row, while no other was ready */
        unsigned n_pauses; /* after workers that were of no use, since the last answer */
        usec_t start_at; /* none is started before */
        bool is_draining;
        char *problem; /* owned */
        usec_t said_at; /* the first of … */
        unsigned n_said; /* … so many sentences */
        char *buffer; /* owned: READ_BYTES */
        uint64_t n_read; /* bytes, in all */
        ManagerWorkersCounts counts;
};

void workers_arm(ManagerWorkers *workers, usec_t at); /* the timer elapses then, or earlier */
/* A worker, which the caller gives its number. 0 or -ENOMEM. */
int workers_add(ManagerWorkers *workers, Worker **ret_worker);
Worker *workers_free_worker(Worker *worker);
void workers_enlist(ManagerWorkers *workers, Worker *worker); /* if it has room */
void workers_watch(ManagerWorkers *workers, Worker *worker, bool waits_to_write);
QueueEntry *workers_entry(const Worker *worker, uint32_t i); /* of its queue */
void workers_remove_entry(Worker *worker, uint32_t i);
