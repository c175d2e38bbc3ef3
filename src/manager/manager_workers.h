/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Workers: processes that take items one after the other
 *
 * A worker speaks the lines of run_line.h on its standard input and output,
 * which are one socket to the manager. What items are, where they come from and
 * what becomes of them is the owner's: it is asked for the next one when a
 * worker has room (.next), and is told each end, once. Nothing here knows a
 * batch, a range or an attempt; a worker has the number that the owner has
 * given it.
 *
 * A worker has at most Depth= items, or as many as its first line says. They
 * are its queue; only the first of them, its head, is being worked on, and only
 * the head has a time limit. Items go to the worker that has the fewest, and none
 * gets a second one while another worker can be started, or has not said hello.
 *
 *     start     there is an item, each worker has one, and there are not .n_max: .start is called
 *     hello     within .hello_timeout, or it is ended
 *     answers   in any order, for items in its queue; one for another item is counted and dropped, up to a limit
 *     idle      .idle without an item, or .max_items answers: it gets the end of its input, and is to end
 *     refused   its lines break the rules, or the time of its head is over: .end is called
 *     gone      the owner says so (…_note_gone()): its output is read to the end, then its items come back
 *
 * When a worker is gone, its head has been lost with it (MANAGER_WORKER_DIED), unless the time of the head was over
 * (MANAGER_WORKER_LATE) or the owner has ended the worker itself; then, and for all other items of its queue, nothing
 * has happened (MANAGER_WORKER_RETURNED). While workers are gone without an answer there is a growing pause before
 * another is started. If MANAGER_WORKERS_FAILURES in a row are gone without an item, while no other is ready, they are
 * of no use: then no more are started, and …_has_failed() says so.
 *
 * A turn of answers takes a bounded time. It need not be a turn of the whole
 * manager: .settle says whether something has happened that others must know.
 * Once buffers have grown nothing is allocated for an item.
 */

#include "basic/record.h"
#include "manager/manager_turn.h"

#define MANAGER_WORKERS_FAILURES 5U
#define MANAGER_WORKER_RESULT_MAX (64U * 1024U) /* bytes of an answer's result */

typedef struct ManagerWorkers ManagerWorkers;

typedef struct ManagerWorkerItem {
        uint64_t index;
        uint32_t tries; /* given back with the end */
        const char *data; /* borrowed until the next call */
        size_t length;
} ManagerWorkerItem;

/* An end without an answer. */
typedef enum ManagerWorkerEnd {
        MANAGER_WORKER_DIED, /* the worker has, with this item as its head */
        MANAGER_WORKER_LATE, /* the time of the item was over */
        MANAGER_WORKER_RETURNED, /* it was not worked on, or its worker was ended for another reason than this item */
} ManagerWorkerEnd;

typedef struct ManagerWorkersOps {
        bool (*has_next)(void *userdata);
        bool (*next)(void *userdata, ManagerWorkerItem *ret_item); /* it is out from now on */
        /* @result is as the worker wrote it, with no NUL behind it. */
        void (*answered)(void *userdata, const ManagerWorkerItem *item, uint8_t status, const char *result,
                         size_t length);
        void (*ended)(void *userdata, const ManagerWorkerItem *item, ManagerWorkerEnd end);
        bool (*claim)(void *userdata, uint64_t index); /* after a restart: it is out; false: it cannot be */
        /*
         * Asks for a process: …_connect() or …_note_gone() follows, for the number that was set first. 0 or -errno: it
         * is tried again later.
         */
        int (*start)(void *userdata, uint32_t *ret_number);
        /* Ends the processes: …_note_gone() follows. False: the owner had told them to, for no fault of the worker. */
        bool (*end)(void *userdata, uint32_t number);
        bool (*settle)(void *userdata); /* after answers: true: a whole turn is to follow */
        void (*say)(void *userdata, const char *sentence); /* for the log */
        void (*release)(void *userdata); /* the workers are freed; NULL: that is nothing to the owner */
} ManagerWorkersOps;

typedef struct ManagerWorkersSettings {
        uint32_t n_max; /* at least 1, as the next */
        uint32_t depth;
        uint32_t max_items; /* answers of a worker; 0: any number */
        usec_t idle, item_timeout, hello_timeout; /* USEC_INFINITY: no limit */
        usec_t end_timeout; /* from the end of its input to .end */
} ManagerWorkersSettings;

/* 0 or -errno. @turn, @ops and @userdata are borrowed. */
int manager_workers_new(ManagerWorkers **ret_workers, ManagerTurn *turn, const ManagerWorkersSettings *settings,
                        const ManagerWorkersOps *ops, void *userdata);
/* Accepts NULL. Nothing is told of what is out; descriptors are the owner's. */
ManagerWorkers *manager_workers_free(ManagerWorkers *workers);

/* — what the owner tells — */

/* There may be items: gives them to workers, and starts workers. */
void manager_workers_feed(ManagerWorkers *workers);
/* No more items: each worker gets the end of its input when nothing is out to it. Until the next …_feed(). */
void manager_workers_drain(ManagerWorkers *workers);
/* The process of a worker runs; @fd, which is borrowed until …_note_gone(), is non-blocking. */
void manager_workers_connect(ManagerWorkers *workers, uint32_t number, int fd);
/* All of its processes are gone. @is_told: the owner has ended it, for no fault of the worker. */
void manager_workers_note_gone(ManagerWorkers *workers, uint32_t number, bool is_told);

/* — what can be asked — */

typedef struct ManagerWorkersCounts {
        uint32_t alive, ready; /* ready: have said hello, and get items */
        uint32_t out; /* items */
        uint64_t started;
        uint64_t deaths; /* that nobody has asked for */
        uint64_t refused; /* were ended: broke the rules of the lines, no hello in time */
        uint64_t late; /* were ended: the time of an item was over */
        uint64_t strange; /* answers that were dropped */
        bool is_dry; /* an item would go to a worker at once, or to a new one, and there was none */
        bool is_pausing; /* a worker was of no use: the next one is not started yet */
        const char *problem; /* of the last that was refused or has died; NULL: none */
} ManagerWorkersCounts;

usec_t manager_workers_now(const ManagerWorkers *workers); /* CLOCK_BOOTTIME, when .next or an end is told */
void manager_workers_count(const ManagerWorkers *workers, ManagerWorkersCounts *ret_counts);
bool manager_workers_has_failed(const ManagerWorkers *workers);

typedef struct ManagerWorkerFacts {
        uint32_t number, out;
        uint64_t done; /* answers that have counted */
        bool is_ready;
} ManagerWorkerFacts;

bool manager_workers_has(const ManagerWorkers *workers, uint32_t number);
/* Worker @i of those that are alive; false: there are not as many. */
bool manager_workers_get(const ManagerWorkers *workers, uint32_t i, ManagerWorkerFacts *ret_facts);

/* — for another image of the program: queues, time limits, what is half-read and half-written — */

void manager_workers_write(const ManagerWorkers *workers, RecordWriter *writer);
/*
 * Into workers without any. @find: the descriptor of a worker whose process is there; -EAGAIN: it was asked for, and
 * …_connect() or …_note_gone() follows; another value below 0: it is gone or to be ended, and nothing of it is kept. 0,
 * -EBADMSG or -ENOMEM; in any case what was read so far counts.
 */
int manager_workers_read(ManagerWorkers *workers, RecordReader *reader, int (*find)(void *userdata, uint32_t number));
