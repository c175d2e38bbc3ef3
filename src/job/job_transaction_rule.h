/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The pull rules: which jobs a job of each type pulls in, and over which
 * relations
 */

#include <stddef.h>

#include "job/job_type.h"

typedef struct JobPullRule {
        UnitRelationKind relation;
        JobType type;
        bool is_needed;
        bool conflicts;
} JobPullRule;

typedef struct JobPullRules {
        const JobPullRule *items;
        size_t n;
} JobPullRules;

extern const JobPullRules job_rules_start;      /* for start and restart */
extern const JobPullRules job_rules_stop;
extern const JobPullRules job_rules_restart;    /* for restart, over the inverse relations */
extern const JobPullRules job_rules_reload;
