/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What a job of a type pulls in, over which relation
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

extern const JobPullRules job_rules_start;      /* of a start, and of a restart */
extern const JobPullRules job_rules_stop;
extern const JobPullRules job_rules_restart;    /* of a restart, for those that depend on the unit */
extern const JobPullRules job_rules_reload;
