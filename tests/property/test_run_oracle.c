/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Readiness by counting against readiness by brute force, for each rule and up to five parents
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "run_model.h"
#include "run_oracle.h"

static TrialVerdict by_counts(const TrialNode *node, const TrialParent *parents, void *userdata) {
        return run_model_verdict(node, parents);
}

static RunOracleCount compare(TrialReadiness readiness, RunOracleOther other) {
        RunOracleCount count = {};

        run_oracle_compare(readiness, other, NULL, &count);
        return count;
}

Test(run_oracle, first_three_rules_have_26365_combinations) {
        const uint64_t tried = compare(TRIAL_ALL_SUCCEEDED, by_counts).tried +
                               compare(TRIAL_ALL_FINISHED, by_counts).tried + compare(TRIAL_AT_LEAST, by_counts).tried;

        cr_assert(eq(u64, tried, 26365));
}

Test(run_oracle, counts_agree_with_brute_force_for_each_rule) {
        for (TrialReadiness readiness = 0; readiness < _TRIAL_READINESS_MAX; readiness++) {
                const RunOracleCount count = compare(readiness, by_counts);

                cr_assert(eq(u64, count.different, 0), "%s of %d, with %d parents: %s, not %s",
                          trial_readiness_name(readiness), count.node.amount, count.node.n_parents,
                          trial_verdict_name(count.found), trial_verdict_name(count.expected));
                cr_assert(count.tried >= 3905, "%s: %lu combinations", trial_readiness_name(readiness),
                          (unsigned long) count.tried);
        }
}

/* Mistakes that a hand would make. */

static TrialVerdict blocked_first(const TrialNode *node, const TrialParent *parents, void *userdata) {
        for (unsigned i = 0; i < node->n_parents; i++)
                if (parents[i] == TRIAL_PARENT_PENDING)
                        return TRIAL_BLOCKED;
        return run_model_verdict(node, parents);
}

static TrialVerdict too_late(const TrialNode *node, const TrialParent *parents, void *userdata) {
        for (unsigned i = 0; i < node->n_parents; i++)
                if (parents[i] == TRIAL_PARENT_UNFINISHED)
                        return TRIAL_WAIT;
        return run_model_verdict(node, parents);
}

static TrialVerdict rounded_down(const TrialNode *node, const TrialParent *parents, void *userdata) {
        TrialNode other = *node;

        other.readiness = TRIAL_AT_LEAST;
        other.amount = (uint8_t) (node->amount * node->n_parents / 100);
        return run_model_verdict(&other, parents);
}

static TrialVerdict unmarked(const TrialNode *node, const TrialParent *parents, void *userdata) {
        TrialNode other = *node;

        other.readiness = TRIAL_ALL_SUCCEEDED;
        return run_model_verdict(&other, parents);
}

Test(run_oracle, planted_mistakes_are_found) {
        cr_assert(ne(u64, compare(TRIAL_ALL_SUCCEEDED, blocked_first).different, 0));
        cr_assert(ne(u64, compare(TRIAL_AT_LEAST, blocked_first).different, 0));
        cr_assert(ne(u64, compare(TRIAL_ALL_SUCCEEDED, too_late).different, 0));
        cr_assert(ne(u64, compare(TRIAL_AT_LEAST, too_late).different, 0));
        cr_assert(ne(u64, compare(TRIAL_AT_LEAST_PERCENT, rounded_down).different, 0));
        cr_assert(ne(u64, compare(TRIAL_NAMED, unmarked).different, 0));
        cr_assert(ne(u64, compare(TRIAL_MUST, unmarked).different, 0));
}
