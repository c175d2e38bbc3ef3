/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Waiting for jobs
 *
 * The jobs of a request (or those named to "wait") are added before or after
 * signals were asked for; the wait is over when each anchor has a result. It
 * outlives a restart of jobd, which still answers for jobs that ended.
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
        bool is_anchor;         /* waited for; the others are only counted */
} WaitJob;

typedef struct JobWait {
        VECTOR(WaitJob) jobs;
        IdMap by_id;            /* id → place in .jobs, plus one */
        size_t n_ended;
        size_t n_anchors_left;
        uint64_t transaction;   /* 0 if they are not all of one */
        unsigned n_connections; /* Jobctl's, when all was known of the jobs that had ended */
        usec_t since;           /* when the wait began */
        usec_t next_look;       /* when the progress is drawn again */
} JobWait;

void job_wait_deinit(JobWait *wait);

/* Adds a job; one that is there already stays once. 0 or -ENOMEM. */
int job_wait_add(JobWait *wait, uint32_t id, const char *unit, const char *type, bool is_anchor);

/* Notes how a job ended; unknown ids are no concern of ours. 0 or -ENOMEM. */
int job_wait_ended(JobWait *wait, uint32_t id, const char *result);

/* Waits. 0, an exit status if the wait was given up (interrupted, daemon gone; said to the user), or < 0. */
int job_wait_run(Jobctl *ctl, JobWait *wait);

/* Waits until a unit is at rest, without a job. 0, an exit status (said to the user), or < 0. */
int unit_wait_for_end(Jobctl *ctl, const char *unit, bool *ret_has_failed);

/* For each anchor that did not end well: says so, and why. Returns EXIT_OK or EXIT_FAILED, or < 0. */
int job_wait_report(Jobctl *ctl, const JobWait *wait);

/* The jobs as JSON: id, unit, type, anchor, result (null while it is not over). NULL if memory ran out. */
json_t *job_wait_to_json(const JobWait *wait);

/* The progress line, e.g. "[3/12] 4s  start a.service (3s), …": @running are entries of Query. 0 or -ENOMEM. */
int job_wait_format_progress(const JobWait *wait, const json_t *running, usec_t now, char **ret_line);
