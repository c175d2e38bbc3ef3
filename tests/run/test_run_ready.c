/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Readiness by counts against readiness by brute force
 *
 * S000-11, S000-12, S000-13, S000-22, S000-44, S002-17, S002-18, S004-29,
 * S004-36
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "property/run_oracle.h"
#include "run/run_ready.h"

static const RunReadiness readiness_of[] = {
        [TRIAL_ALL_SUCCEEDED] = RUN_READY_ALL_SUCCEEDED,
        [TRIAL_ALL_FINISHED] = RUN_READY_ALL_FINISHED,
        [TRIAL_AT_LEAST] = RUN_READY_AT_LEAST,
        [TRIAL_AT_LEAST_PERCENT] = RUN_READY_AT_LEAST_PERCENT,
};

static const RunNodeState state_of[_TRIAL_PARENT_MAX] = {
        [TRIAL_PARENT_SUCCEEDED] = RUN_NODE_SUCCEEDED,
        [TRIAL_PARENT_FAILED] = RUN_NODE_TIMEOUT,
        [TRIAL_PARENT_SKIPPED] = RUN_NODE_SKIPPED,
        [TRIAL_PARENT_PENDING] = RUN_NODE_BLOCKED,
        [TRIAL_PARENT_UNFINISHED] = RUN_NODE_DEFERRED,
};

static TrialVerdict by_counts(const TrialNode *node, const TrialParent *parents, void *userdata) {
        const RunPolicy policy = { .readiness = readiness_of[node->readiness], .amount = node->amount };
        RunCounts counts;

        run_counts_init(&counts, node->n_parents);
        for (unsigned i = 0; i < node->n_parents; i++)
                run_counts_move(&counts, RUN_PARENT_UNFINISHED, run_parent_of(state_of[parents[i]], RUN_REASON_NONE, 0));
        switch ((int) run_ready(&policy, &counts)) {
        case RUN_NODE_EVENT_FIT:
                return TRIAL_READY;
        case RUN_NODE_EVENT_WAIT:
                return TRIAL_WAIT;
        case RUN_NODE_EVENT_BLOCK:
                return TRIAL_BLOCKED;
        case RUN_NODE_EVENT_NEVER:
                return TRIAL_NEVER_READY;
        default:
                cr_fatal("no verdict");
        }
}

static uint64_t compare(TrialReadiness readiness, uint64_t different) {
        RunOracleCount count = {};

        run_oracle_compare(readiness, by_counts, NULL, &count);
        cr_assert(eq(u64, count.different, different), "%u parents, amount %u", count.node.n_parents,
                  count.node.amount);
        return count.tried;
}

Test(run_ready, agrees_with_brute_force) {
        const uint64_t tried = compare(TRIAL_ALL_SUCCEEDED, 0) + compare(TRIAL_ALL_FINISHED, 0) +
                               compare(TRIAL_AT_LEAST, 0);

        cr_assert(eq(u64, tried, 26365));
        compare(TRIAL_AT_LEAST_PERCENT, 0);
}

/* Whatever way the counts went, they are those of the present states. */
Test(run_ready, counts_move_with_the_states) {
        RunParent parents[5] = {};
        RunCounts counts;
        uint32_t random = 1;

        run_counts_init(&counts, 5);
        for (unsigned step = 0; step < 10000; step++) {
                unsigned at, to, n[_RUN_PARENT_MAX] = {};

                random = random * 1664525U + 1013904223U;
                at = (random >> 8) % 5;
                to = (random >> 16) % _RUN_PARENT_MAX;
                run_counts_move(&counts, parents[at], to);
                parents[at] = to;
                for (unsigned i = 0; i < 5; i++)
                        n[parents[i]]++;
                for (unsigned i = 0; i < _RUN_PARENT_MAX; i++)
                        cr_assert(eq(u32, counts.n[i], n[i]));
        }
}

Test(run_ready, without_parents) {
        RunCounts counts;

        run_counts_init(&counts, 0);
        cr_assert(eq(int, run_ready(&(RunPolicy) { .readiness = RUN_READY_ALL_SUCCEEDED }, &counts),
                     RUN_NODE_EVENT_FIT));
        cr_assert(eq(int, run_ready(&(RunPolicy) { .readiness = RUN_READY_ALL_FINISHED }, &counts),
                     RUN_NODE_EVENT_FIT));
        cr_assert(eq(int, run_ready(&(RunPolicy) { .readiness = RUN_READY_AT_LEAST_PERCENT, .amount = 90 }, &counts),
                     RUN_NODE_EVENT_FIT));
}

Test(run_ready, what_each_state_counts_as) {
        const RunParent expected[_RUN_NODE_STATE_MAX] = {
                [RUN_NODE_BLOCKED] = RUN_PARENT_PENDING, [RUN_NODE_PENDING] = RUN_PARENT_PENDING,
                [RUN_NODE_SUCCEEDED] = RUN_PARENT_SUCCEEDED, [RUN_NODE_FAILED] = RUN_PARENT_FAILED,
                [RUN_NODE_TIMEOUT] = RUN_PARENT_FAILED, [RUN_NODE_CANCELLED] = RUN_PARENT_FAILED,
                [RUN_NODE_SKIPPED] = RUN_PARENT_SKIPPED,
        };

        for (unsigned s = 0; s < _RUN_NODE_STATE_MAX; s++)
                cr_assert(eq(int, run_parent_of(s, RUN_REASON_NONE, 0), expected[s]), "%s", run_node_state_to_string(s));
}
