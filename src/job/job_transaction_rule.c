/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pull rules: which jobs a job of each type pulls in, and over which
 * relations
 */

#include "basic/macro.h"
#include "job/job_transaction_rule.h"

static const JobPullRule start_rules[] = {
        { UNIT_REQUIRES,      JOB_START,         true,  false },
        { UNIT_BINDS_TO,      JOB_START,         true,  false },
        { UNIT_WANTS,         JOB_START,         false, false },
        { UNIT_UPHOLDS,       JOB_START,         false, false },
        { UNIT_REQUISITE,     JOB_VERIFY_ACTIVE, true,  false },
        { UNIT_CONFLICTS,     JOB_STOP,          true,  true  },
        { UNIT_CONFLICTED_BY, JOB_STOP,          false, false },
};

static const JobPullRule stop_rules[] = {
        { UNIT_REQUIRED_BY,  JOB_STOP, true, false },
        { UNIT_REQUISITE_OF, JOB_STOP, true, false },
        { UNIT_BOUND_BY,     JOB_STOP, true, false },
        { UNIT_CONSISTS_OF,  JOB_STOP, true, false },
};

static const JobPullRule restart_rules[] = {
        { UNIT_REQUIRED_BY,  JOB_TRY_RESTART, true, false },
        { UNIT_REQUISITE_OF, JOB_TRY_RESTART, true, false },
        { UNIT_BOUND_BY,     JOB_TRY_RESTART, true, false },
        { UNIT_CONSISTS_OF,  JOB_TRY_RESTART, true, false },
};

static const JobPullRule reload_rules[] = {
        { UNIT_PROPAGATES_RELOAD_TO, JOB_TRY_RELOAD, false, false },
};

const JobPullRules job_rules_start = { start_rules, ELEMENTSOF(start_rules) };
const JobPullRules job_rules_stop = { stop_rules, ELEMENTSOF(stop_rules) };
const JobPullRules job_rules_restart = { restart_rules, ELEMENTSOF(restart_rules) };
const JobPullRules job_rules_reload = { reload_rules, ELEMENTSOF(reload_rules) };
