/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Work for the threads of jobd-runstore
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "runstore/runstore_task.h"

RunStoreTask *runstore_task_new(RunStoreTaskKind kind) {
        RunStoreTask *task = calloc(1, sizeof(*task));

        if (!task)
                return NULL;
        task->kind = kind;
        task->fd = -1;
        task->refused = -1;
        return task;
}

RunStoreTask *runstore_task_free(RunStoreTask *task) {
        if (!task)
                return NULL;
        fd_close(task->fd);
        free(task->bytes);
        free(task->sentence);
        record_writer_deinit(&task->answer);
        free(task);
        return NULL;
}

void runstore_task_refuse(RunStoreTask *task, RunStoreReason reason, const char *format, ...) {
        va_list args;

        task->refused = (int) reason;
        free(task->sentence);
        task->sentence = NULL;
        va_start(args, format);
        (void) text_vformat(&task->sentence, format, args);
        va_end(args);
}

void runstore_tasks_add(RunStoreTasks *tasks, RunStoreTask *task) {
        task->next = NULL;
        if (tasks->last)
                tasks->last->next = task;
        else
                tasks->first = task;
        tasks->last = task;
}

/* Empties @more. */
static void join(RunStoreTasks *tasks, RunStoreTasks *more) {
        if (!more->first)
                return;
        if (tasks->last)
                tasks->last->next = more->first;
        else
                tasks->first = more->first;
        tasks->last = more->last;
        *more = (RunStoreTasks) {};
}

RunStoreTask *runstore_tasks_take(RunStoreTasks *tasks) {
        RunStoreTask *task = tasks->first;

        if (!task)
                return NULL;
        tasks->first = task->next;
        if (!tasks->first)
                tasks->last = NULL;
        return task;
}

static void free_tasks(RunStoreTasks *tasks) {
        RunStoreTask *task;

        while ((task = runstore_tasks_take(tasks)))
                runstore_task_free(task);
}

int runstore_worker_start(RunStoreWorker *worker, void *(*run)(void *), void *userdata) {
        pthread_condattr_t attributes;
        int r;

        *worker = (RunStoreWorker) { .done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
        if (worker->done_fd < 0)
                return -errno;
        pthread_mutex_init(&worker->lock, NULL);
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&worker->wake, &attributes);
        pthread_condattr_destroy(&attributes);
        r = pthread_create(&worker->thread, NULL, run, userdata);
        worker->is_running = r == 0;
        return -r;
}

void runstore_worker_end(RunStoreWorker *worker) {
        if (worker->is_running) {
                pthread_mutex_lock(&worker->lock);
                worker->is_leaving = true;
                pthread_cond_signal(&worker->wake);
                pthread_mutex_unlock(&worker->lock);
                pthread_join(worker->thread, NULL);
                worker->is_running = false;
        }
        free_tasks(&worker->todo);
        free_tasks(&worker->done);
        worker->done_fd = fd_close(worker->done_fd);
}

void runstore_worker_give(RunStoreWorker *worker, RunStoreTask *task) {
        pthread_mutex_lock(&worker->lock);
        runstore_tasks_add(&worker->todo, task);
        pthread_cond_signal(&worker->wake);
        pthread_mutex_unlock(&worker->lock);
}

RunStoreTasks runstore_worker_done(RunStoreWorker *worker) {
        RunStoreTasks tasks;
        uint64_t n;

        (void) !read(worker->done_fd, &n, sizeof(n));
        pthread_mutex_lock(&worker->lock);
        tasks = worker->done;
        worker->done = (RunStoreTasks) {};
        pthread_mutex_unlock(&worker->lock);
        return tasks;
}

static struct timespec in_msec(unsigned msec) {
        struct timespec until;

        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += msec / 1000;
        until.tv_nsec += (long) (msec % 1000) * 1000000;
        if (until.tv_nsec >= 1000000000) {
                until.tv_nsec -= 1000000000;
                until.tv_sec++;
        }
        return until;
}

bool runstore_worker_wait(RunStoreWorker *worker, unsigned msec, RunStoreTasks *ret_tasks) {
        const struct timespec until = in_msec(msec);
        bool is_leaving;
        int r = 0;

        pthread_mutex_lock(&worker->lock);
        while (!worker->todo.first && !worker->is_leaving && r != ETIMEDOUT)
                r = msec == 0 ? pthread_cond_wait(&worker->wake, &worker->lock)
                              : pthread_cond_timedwait(&worker->wake, &worker->lock, &until);
        *ret_tasks = worker->todo;
        worker->todo = (RunStoreTasks) {};
        is_leaving = worker->is_leaving;
        pthread_mutex_unlock(&worker->lock);
        return !is_leaving;
}

bool runstore_worker_pause(RunStoreWorker *worker, unsigned msec) {
        const struct timespec until = in_msec(msec);
        bool is_leaving;

        pthread_mutex_lock(&worker->lock);
        while (!worker->is_leaving && pthread_cond_timedwait(&worker->wake, &worker->lock, &until) != ETIMEDOUT)
                ;
        is_leaving = worker->is_leaving;
        pthread_mutex_unlock(&worker->lock);
        return !is_leaving;
}

void runstore_worker_return(RunStoreWorker *worker, RunStoreTasks *tasks) {
        const uint64_t one = 1;

        pthread_mutex_lock(&worker->lock);
        join(&worker->done, tasks);
        pthread_mutex_unlock(&worker->lock);
        (void) !write(worker->done_fd, &one, sizeof(one));
}
