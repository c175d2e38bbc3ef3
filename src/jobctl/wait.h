/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Waiting for jobs
 *
 * The jobs of a request (or those named to "wait") are added before or after
 * subscribing to signals; the wait is over when each requested job has a
 * result. It survives a restart of jobd, which still knows jobs that have
 * ended.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/id_map.h"
#include "basic/vector.h"
#include "jobctl/jobctl.h"

typedef struct WaitJob {
        uint32_t id;
        char *unit;             /* owned */
        char *type;             /* owned */
        char *result;           /* owned; NULL until it ended */
        char *reason;           /* owned; why it failed or did nothing: set by job_wait_report() */
        bool is_anchor;         /* a requested job, which is waited for; others are only counted */
} WaitJob;

typedef struct JobWait {
        VECTOR(WaitJob) jobs;
        IdMap by_id;            /* id → index in .jobs, plus one */
        size_t n_ended;
        size_t n_anchors_left;
        uint64_t transaction;   /* 0 if the jobs belong to several */
        unsigned n_connections; /* Jobctl.n_connections when the ended jobs were last queried */
        usec_t since;           /* when the wait began */
        usec_t next_look;       /* the time of the next progress line */
} JobWait;

void job_wait_deinit(JobWait *wait);

/* Adds a job, unless it was added before. 0 or -ENOMEM. */
int job_wait_add(JobWait *wait, uint32_t id, const char *unit, const char *type, bool is_anchor);

/* Records the result of a job; unknown ids are ignored. 0 or -ENOMEM. */
int job_wait_ended(JobWait *wait, uint32_t id, const char *result);

/* Waits. 0, an exit status if the wait was given up (interrupted, jobd gone; reported), or < 0. */
int job_wait_run(Jobctl *ctl, JobWait *wait);

/* Waits until a unit is at rest, without a job. 0, an exit status (reported), or < 0. */
int unit_wait_for_end(Jobctl *ctl, const char *unit, bool *ret_has_failed);

/*
 * Reports each requested job that did not succeed, with the reason, and each start that was skipped by a condition.
 * Returns EXIT_OK or EXIT_FAILED, or < 0.
 */
int job_wait_report(Jobctl *ctl, JobWait *wait);

/* The jobs as JSON: id, unit, type, anchor, result (null until the end), reason. NULL without memory. */
json_t *job_wait_to_json(const JobWait *wait);

/* The progress line, e.g. "[3/12] 4s  start a.service (3s), …": @running are entries of Query. 0 or -ENOMEM. */
int job_wait_format_progress(const JobWait *wait, const json_t *running, usec_t now, char **ret_line);
