/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Readiness by counts against readiness by brute force, for each rule, and against cases of Airflow's own tests
 *
 * S000-11, S000-12, S000-13, S000-22, S000-44, S002-17, S002-18, S004-29,
 * S004-36
 */

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "basic/macro.h"
#include "property/run_oracle.h"
#include "run/run_ready.h"

/* TRIAL_MUST is all that succeeds, of the parents that are waited for; the engine counts no others. */
static const RunReadiness readiness_of[_TRIAL_READINESS_MAX] = {
        [TRIAL_ALL_SUCCEEDED] = RUN_READY_ALL_SUCCEEDED,
        [TRIAL_ALL_FINISHED] = RUN_READY_ALL_FINISHED,
        [TRIAL_AT_LEAST] = RUN_READY_AT_LEAST,
        [TRIAL_AT_LEAST_PERCENT] = RUN_READY_AT_LEAST_PERCENT,
        [TRIAL_ANY] = RUN_READY_ANY,
        [TRIAL_NAMED] = RUN_READY_NAMED,
        [TRIAL_MUST] = RUN_READY_ALL_SUCCEEDED,
        [TRIAL_OPTIONAL] = RUN_READY_ANY,
        [TRIAL_NONE_FAILED] = RUN_READY_NONE_FAILED,
        [TRIAL_ONE_FAILED] = RUN_READY_ONE_FAILED,
        [TRIAL_ALL_FAILED] = RUN_READY_ALL_FAILED,
        [TRIAL_ALWAYS] = RUN_READY_ALWAYS,
        [TRIAL_NONE_SKIPPED] = RUN_READY_NONE_SKIPPED,
        [TRIAL_ONE_DONE] = RUN_READY_ONE_DONE,
        [TRIAL_ALL_SKIPPED] = RUN_READY_ALL_SKIPPED,
        [TRIAL_NONE_FAILED_MIN_ONE] = RUN_READY_NONE_FAILED_MIN_ONE,
        [TRIAL_ONE_SUCCESS] = RUN_READY_AT_LEAST,
};

static const RunNodeState state_of[_TRIAL_PARENT_MAX] = {
        [TRIAL_PARENT_SUCCEEDED] = RUN_NODE_SUCCEEDED,
        [TRIAL_PARENT_FAILED] = RUN_NODE_TIMEOUT,
        [TRIAL_PARENT_SKIPPED] = RUN_NODE_SKIPPED,
        [TRIAL_PARENT_PENDING] = RUN_NODE_BLOCKED,
        [TRIAL_PARENT_UNFINISHED] = RUN_NODE_DEFERRED,
};

/* The engine counts the parents that its rule looks at: those of a name, or that are not optional. */
static bool is_counted(const TrialNode *node, unsigned parent) {
        return (node->readiness != TRIAL_NAMED && node->readiness != TRIAL_MUST) || node->is_marked[parent];
}

static TrialVerdict verdict_of(RunNodeEvent event) {
        switch ((int) event) {
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

static TrialVerdict by_counts(const TrialNode *node, const TrialParent *parents, void *userdata) {
        const RunPolicy policy = { .readiness = readiness_of[node->readiness],
                                   .amount = node->readiness == TRIAL_ONE_SUCCESS ? 1U : node->amount };
        RunCounts counts;
        uint32_t n = 0;

        for (unsigned i = 0; i < node->n_parents; i++)
                n += is_counted(node, i);
        run_counts_init(&counts, n);
        for (unsigned i = 0; i < node->n_parents; i++)
                if (is_counted(node, i))
                        run_counts_move(&counts, RUN_PARENT_UNFINISHED,
                                        run_parent_of(state_of[parents[i]], RUN_REASON_NONE, 0));
        return verdict_of(run_ready(&policy, &counts));
}

static uint64_t compare(TrialReadiness readiness) {
        RunOracleCount count = {};

        run_oracle_compare(readiness, by_counts, NULL, &count);
        cr_assert(eq(u64, count.different, 0), "rule %d, %u parents, amount %u", (int) readiness,
                  count.node.n_parents, count.node.amount);
        return count.tried;
}

Test(run_ready, agrees_with_brute_force) {
        const uint64_t tried = compare(TRIAL_ALL_SUCCEEDED) + compare(TRIAL_ALL_FINISHED) + compare(TRIAL_AT_LEAST);

        cr_assert(eq(u64, tried, 26365));
        for (TrialReadiness readiness = TRIAL_AT_LEAST_PERCENT; readiness < _TRIAL_READINESS_MAX; readiness++)
                cr_assert(le(u64, 3905, compare(readiness)), "rule %d", (int) readiness);
}

/* — Airflow's cases — */

/* The rule of Airflow as the readiness of a node. */
static RunPolicy policy_of(const char *rule) {
        static const struct {
                const char *name;
                RunReadiness readiness;
        } rules[] = {
                { "all_success", RUN_READY_ALL_SUCCEEDED },
                { "all_done", RUN_READY_ALL_FINISHED },
                { "none_failed", RUN_READY_NONE_FAILED },
                { "none_failed_min_one_success", RUN_READY_NONE_FAILED_MIN_ONE },
                { "all_failed", RUN_READY_ALL_FAILED },
                { "one_success", RUN_READY_AT_LEAST },
                { "one_failed", RUN_READY_ONE_FAILED },
                { "one_done", RUN_READY_ONE_DONE },
                { "all_skipped", RUN_READY_ALL_SKIPPED },
                { "none_skipped", RUN_READY_NONE_SKIPPED },
                { "always", RUN_READY_ALWAYS },
        };

        for (size_t i = 0; i < ELEMENTSOF(rules); i++)
                if (strcmp(rules[i].name, rule) == 0)
                        return (RunPolicy) { .readiness = rules[i].readiness, .amount = 1 };
        cr_fatal("there is no rule %s", rule);
}

/* What joins a parent to a node with this rule, as a graph has it. */
static uint8_t edge_of(RunReadiness readiness) {
        const char *const of_child[] = { "parent" };
        RunNodeSpec nodes[] = { { .name = "parent" },
                                { .name = "child", .parents = of_child, .n_parents = 1,
                                  .policy = { .readiness = readiness, .amount = 1 } } };
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        uint8_t edge;

        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { .nodes = nodes, .n_nodes = 2 }, &graph, NULL), 0));
        cr_assert(run_graph_find_edge(graph, 0, 1, &edge));
        return edge;
}

/* Of the columns of a row: success, skipped, failed, upstream failed. */
static void count_parents(RunCounts *counts, uint8_t edge, const unsigned *n) {
        static const struct {
                RunNodeState state;
                RunReason reason;
        } columns[] = {
                { RUN_NODE_SUCCEEDED, RUN_REASON_NONE },
                { RUN_NODE_SKIPPED, RUN_REASON_WHEN },
                { RUN_NODE_FAILED, RUN_REASON_NONE },
                { RUN_NODE_SKIPPED, RUN_REASON_UPSTREAM_FAILED },
        };

        for (unsigned column = 0; column < ELEMENTSOF(columns); column++)
                for (unsigned i = 0; i < n[column]; i++)
                        run_counts_move(counts, RUN_PARENT_UNFINISHED,
                                        run_parent_of(columns[column].state, columns[column].reason, edge));
}

/* The outcome has the reason of a skip behind it, which run_node.c chooses. */
static bool is_as_in_row(TrialVerdict verdict, const char *outcome) {
        if (verdict == TRIAL_NEVER_READY)
                return strncmp(outcome, "SKIPPED", strlen("SKIPPED")) == 0 ||
                       strncmp(outcome, "UPSTREAM_FAILED", strlen("UPSTREAM_FAILED")) == 0;
        return strncmp(outcome, verdict == TRIAL_READY ? "READY" : "WAIT", verdict == TRIAL_READY ? 5 : 4) == 0;
}

/* Rows with removed tasks are left out: a run has none. */
Test(run_ready, airflows_rules_are_as_in_airflows_tests) {
        char line[256], rule[40], n_upstream[8], outcome[40];
        unsigned n[4], removed, done, checked = 0, left_out = 0;
        FILE *file = fopen(TEST_DATA "/trigger-rules.tsv", "r");

        cr_assert(file != NULL);
        while (fgets(line, sizeof(line), file)) {
                unsigned n_parents = 0;
                RunCounts counts;
                RunPolicy policy;

                if (line[0] == '#' || sscanf(line, "%39s %7s %u %u %u %u %u %u %39[^\n]", rule, n_upstream, &n[0], &n[1],
                                             &n[2], &n[3], &removed, &done, outcome) != 9)
                        continue;
                left_out += removed > 0;
                if (removed > 0)
                        continue;
                /* Where there is no number all parents stand in the columns. */
                if (sscanf(n_upstream, "%u", &n_parents) != 1 || n_parents < n[0] + n[1] + n[2] + n[3])
                        n_parents = n[0] + n[1] + n[2] + n[3];
                policy = policy_of(rule);
                run_counts_init(&counts, n_parents);
                count_parents(&counts, edge_of(policy.readiness), n);
                cr_expect(is_as_in_row(verdict_of(run_ready(&policy, &counts)), outcome), "%s", line);
                checked++;
        }
        fclose(file);
        cr_assert(eq(uint, checked, 30));
        cr_assert(eq(uint, left_out, 5));
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
