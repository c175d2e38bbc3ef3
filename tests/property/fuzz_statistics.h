/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What was met: a search that never comes by a rule says nothing about it
 */

#include "job/job_plan.h"
#include "job/job_reason.h"
#include "model.h"

#define FUZZ_ERRORS_MAX 24

/* How often each error occurred, in the order of the first occurrences. */
typedef struct FuzzErrors {
        struct {
                char name[48];
                uint64_t n;
        } items[FUZZ_ERRORS_MAX];
} FuzzErrors;

typedef struct FuzzStatistics {
        uint64_t n_cases, n_steps, n_endless;
        uint64_t relations[_UNIT_RELATION_MAX];         /* cases with one */
        uint64_t loads[_UNIT_LOAD_STATE_MAX];           /* units */
        uint64_t accepted[_JOB_MODE_MAX][_JOB_TYPE_MAX], refused[_JOB_MODE_MAX][_JOB_TYPE_MAX];
        FuzzErrors errors, follow_ups;                  /* of requests, and of the engine's own */
        uint64_t dropped[_JOB_MODE_MAX][_JOB_DROP_RULE_MAX];
        uint64_t actions[_JOB_MODE_MAX][_JOB_PLAN_ACTION_MAX];
        uint64_t ended[_JOB_RESULT_MAX][JOB_END_CYCLE + 1];
        uint64_t n_cycles_broken;                       /* among installed jobs or in a stage */
        uint64_t cancels[3];                            /* done, no such job, not cancelable */
        uint64_t restarts[2];                           /* without jobs, with some */
        uint64_t relates[2];
        uint64_t renamed[2];                            /* plans: without ties, with some */
        ModelCounters model;
} FuzzStatistics;

/* NULL: no statistics are collected. */
extern FuzzStatistics *fuzz_statistics;

#define fuzz_count(counter) (fuzz_statistics ? (void) fuzz_statistics->counter++ : (void) 0)

void fuzz_count_error(FuzzErrors *errors, const char *name);
/* Prints tables; a zero is a dash. */
void fuzz_statistics_print(const FuzzStatistics *statistics);
