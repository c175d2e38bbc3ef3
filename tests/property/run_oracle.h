/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Readiness by brute force
 *
 * Says of a rule only when its demand is met by parents that are as they are.
 * All else is tried: a node is ready if the demand is met now, it never will
 * be if no future of its parents meets it, and it is blocked if no future in
 * which pending parents stay pending does.
 */

#include "run_trial.h"

#define RUN_ORACLE_PARENTS_MAX 5

/* A rule with its parents; what stands in .parents of the node does not matter. */
TrialVerdict run_oracle_verdict(const TrialNode *node, const TrialParent *parents);

/* Any other implementation of the rules. */
typedef TrialVerdict (*RunOracleOther)(const TrialNode *node, const TrialParent *parents, void *userdata);

typedef struct RunOracleCount {
        uint64_t tried, different;
        /* The first that differs. */
        TrialNode node;
        TrialParent parents[RUN_ORACLE_PARENTS_MAX];
        TrialVerdict expected, found;
} RunOracleCount;

/*
 * Compares @other with the brute force for @readiness, for one to five parents in each combination of states, with
 * each amount and each choice of marked parents that the rule knows.
 */
void run_oracle_compare(TrialReadiness readiness, RunOracleOther other, void *userdata, RunOracleCount *count);
