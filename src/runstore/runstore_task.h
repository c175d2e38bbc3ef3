/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Work for the threads of jobd-runstore
 *
 * A thread that waits for the disk must not keep batches from being read. So
 * one thread reads and answers, one writes, and one looks for rows. A task
 * goes to a worker, is done there, and comes back in order; its owner is who
 * holds it. Nothing else is shared.
 */

#include <pthread.h>

#include "basic/macro.h"
#include "runstore/runstore_batch.h"

typedef enum RunStoreTaskKind {
        RUNSTORE_TASK_BATCH,
        RUNSTORE_TASK_COLLECT,
        RUNSTORE_TASK_QUERY,
        RUNSTORE_TASK_OPENED,           /* from the writer: its file has been opened, .file says which */
        RUNSTORE_TASK_NOTICE,           /* from the writer: .refused and .sentence say what is wrong */
        RUNSTORE_TASK_DAMAGED,          /* to the writer: the reader has found the file .file_identity damaged */
} RunStoreTaskKind;

typedef struct RunStoreTask RunStoreTask;
struct RunStoreTask {
        RunStoreTask *next;
        RunStoreTaskKind kind;
        uint64_t link, number;
        uint64_t epoch, instance;       /* of the link that it came over */
        uint8_t *bytes;                 /* owned: operations, or the query */
        size_t n;
        int fd;                         /* owned; -1: none */
        uint64_t n_max;                 /* COLLECT: bytes */
        uint32_t run;                   /* COLLECT: that has the result; 0: it is not known */

        int refused;                    /* a RunStoreReason; -1: done */
        char *sentence;                 /* owned; NULL for no memory */
        uint8_t hash[RUNSTORE_HASH_BYTES];      /* COLLECT */
        uint64_t n_stored;
        RecordWriter answer;            /* QUERY: a whole frame */
        uint64_t file_identity, file_number, file_epoch, file_instance, file_refused; /* OPENED */
        bool is_damaged;                /* QUERY: .file_identity is that of the file */
};

RunStoreTask *runstore_task_new(RunStoreTaskKind kind);         /* NULL without memory */
RunStoreTask *runstore_task_free(RunStoreTask *task);
DEFINE_CLEANUP(RunStoreTask, runstore_task_free)
void runstore_task_refuse(RunStoreTask *task, RunStoreReason reason, const char *format, ...) printf_(3, 4);

typedef struct RunStoreTasks {
        RunStoreTask *first, *last;
} RunStoreTasks;

void runstore_tasks_add(RunStoreTasks *tasks, RunStoreTask *task);
RunStoreTask *runstore_tasks_take(RunStoreTasks *tasks);        /* the first, or NULL */

typedef struct RunStoreWorker {
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t wake;
        int done_fd;                    /* owned: an eventfd, readable while .done may have tasks */
        bool is_running, is_leaving;
        RunStoreTasks todo, done;
} RunStoreWorker;

/* @run gets @userdata; it asks for work with runstore_worker_wait() until that says no. 0 or -errno. */
int runstore_worker_start(RunStoreWorker *worker, void *(*run)(void *), void *userdata);
/* Ends the thread, which must have no work that waits for a disk, and frees its tasks. */
void runstore_worker_end(RunStoreWorker *worker);
void runstore_worker_give(RunStoreWorker *worker, RunStoreTask *task);
RunStoreTasks runstore_worker_done(RunStoreWorker *worker);

/* — within the thread — */

/* Waits for tasks, @msec at most unless that is 0, and gives all that there are; false: the thread has to end. */
bool runstore_worker_wait(RunStoreWorker *worker, unsigned msec, RunStoreTasks *ret_tasks);
/* A pause before something is tried again; false: the thread has to end. */
bool runstore_worker_pause(RunStoreWorker *worker, unsigned msec);
void runstore_worker_return(RunStoreWorker *worker, RunStoreTasks *tasks);
