/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The manager's link to jobd-runstore, and the process at its other end
 *
 * jobd-runstore outlives core, which finds it by its socket; it is started
 * when there is none, and again when it has died. Nothing here waits. What is
 * put while there is no link is sent over the next one.
 */

#include "basic/failure.h"
#include "basic/usec.h"
#include "runstore/runstore_client.h"

typedef struct sd_event sd_event;
typedef struct ManagerRunLink ManagerRunLink;

#define MANAGER_LAUNCHERS 5U

typedef struct ManagerRunOptions {
        const char *program; /* jobd-runstore; NULL: there is none */
        const char *path; /* of the file; NULL: runs are not kept, so there are none */
        char *const *resources; /* as of Resources=: "cpu:4"; valid words, each name once; used by manager_runs_new() */
        uint32_t max_launchers; /* launches of batches at a time; 0: MANAGER_LAUNCHERS */
        bool is_normal_sync; /* what is durable outlives every process, but no loss of power */
} ManagerRunOptions;

/* Functions called back may use the link, but not free it. */
typedef struct ManagerRunLinkOps {
        /* The store can be written and asked. @has_lost: what was durable is not in its file. */
        void (*opened)(void *userdata, uint64_t durable, bool has_lost);
        void (*stored)(void *userdata, uint64_t accepted, uint64_t durable);
        void (*rows)(void *userdata, uint64_t query, RunStorePage *page);
        void (*collected)(void *userdata, uint64_t number, const uint8_t *hash);
        /* @number: of a batch or query that is given up; 0: about the store. */
        void (*refused)(void *userdata, uint64_t number, const RunStoreRefusal *refusal);
} ManagerRunLinkOps;

/* @options is copied; @folder: for the socket. @event and @ops are borrowed. 0 or -ENOMEM. */
int manager_run_link_new(ManagerRunLink **ret_link, const ManagerRunOptions *options, const char *folder,
                         sd_event *event, const ManagerRunLinkOps *ops, void *userdata);
ManagerRunLink *manager_run_link_free(ManagerRunLink *link);

/* Opens the link if it is not open: then .opened is called in a later turn. Keeps it open from here on. */
void manager_run_link_open(ManagerRunLink *link);
/* All processes are being ended: jobd-runstore is not started again. */
void manager_run_link_end(ManagerRunLink *link);
/* The same for a caller who cannot do without: 0, or -EOPNOTSUPP with @ret_failure if runs are not kept. */
int manager_run_link_require(ManagerRunLink *link, Failure *ret_failure);
/* Why there is no link, a sentence; NULL: there is one, or nothing has failed. */
const char *manager_run_link_problem(const ManagerRunLink *link);
/* For how many µs the store has not answered, though there is something for it. */
usec_t manager_run_link_silence(const ManagerRunLink *link);
/* For how many µs there has been no link, after one was lost. */
usec_t manager_run_link_absence(const ManagerRunLink *link);
/* Whether the store is there, but has said that it cannot be used. */
bool manager_run_link_is_refused(const ManagerRunLink *link);
bool manager_run_link_is_open(const ManagerRunLink *link);
/* Whether there is a file of an earlier manager. */
bool manager_run_link_has_file(const ManagerRunLink *link);
bool manager_run_link_is_daemon(const ManagerRunLink *link, pid_t pid);

/* As in runstore_client.h. */
int manager_run_link_begin(ManagerRunLink *link, RecordWriter **ret_writer);
void manager_run_link_put_after(ManagerRunLink *link);
int manager_run_link_end_batch(ManagerRunLink *link, uint64_t *ret_number);
int manager_run_link_collect(ManagerRunLink *link, int fd, uint64_t n_max, uint32_t run, uint64_t *ret_number);
int manager_run_link_query(ManagerRunLink *link, const RunStoreQuery *query, uint64_t *ret_number);
size_t manager_run_link_bytes(const ManagerRunLink *link);

/* At the end of a turn: sends what the socket takes. */
void manager_run_link_send(ManagerRunLink *link);
