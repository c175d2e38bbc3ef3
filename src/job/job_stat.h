/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Counters for people and metrics; no decision of the engine depends on them
 */

#include <stdint.h>

#include "basic/sink.h"
#include "job/job_entry.h"

typedef struct JobStat {
        uint64_t n_committed;           /* transactions */
        uint64_t n_refused;
        uint64_t n_planned;
        uint64_t n_installed;           /* jobs */
        uint64_t n_joined;              /* merged into, covered by, or turned into a restart of, an installed job */
        uint64_t n_triggered;
        uint64_t n_interrupted;
        uint64_t n_follow_ups;
        uint64_t n_cycles_broken;
        uint64_t n_by_type[_JOB_TYPE_MAX_IN_TABLE];
        uint64_t n_by_result[_JOB_RESULT_MAX];
} JobStat;

/* Writes the entries of an open a{sv}; @n_jobs is the number of jobs in the table. */
void job_stat_write(const JobStat *stat, uint64_t n_jobs, uint64_t n_ready, Sink *sink);
