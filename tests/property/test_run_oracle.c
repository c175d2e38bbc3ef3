/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Readiness by counting against readiness by brute force, for each rule and up to five parents; and the rules that are
 * Airflow's against cases of Airflow's own tests
 */

#include <stdio.h>
#include <string.h>

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

/* — Airflow's cases — */

typedef struct Row {
        char rule[40], n_upstream[8], outcome[40];
        unsigned success, skipped, failed, upstream_failed, removed, done;
} Row;

static bool read_row(FILE *file, Row *row) {
        char line[256];

        while (fgets(line, sizeof(line), file)) {
                const int n = sscanf(line, "%39s %7s %u %u %u %u %u %u %39[^\n]", row->rule, row->n_upstream,
                                     &row->success, &row->skipped, &row->failed, &row->upstream_failed, &row->removed,
                                     &row->done, row->outcome);

                if (line[0] != '#' && n == 9)
                        return true;
        }
        return false;
}

static TrialReadiness rule_of(const char *airflow) {
        static const struct {
                const char *name;
                TrialReadiness readiness;
        } rules[] = {
                { "all_success", TRIAL_ALL_SUCCEEDED },
                { "all_done", TRIAL_ALL_FINISHED },
                { "none_failed", TRIAL_NONE_FAILED },
                { "none_failed_min_one_success", TRIAL_NONE_FAILED_MIN_ONE },
                { "all_failed", TRIAL_ALL_FAILED },
                { "one_success", TRIAL_ONE_SUCCESS },
                { "one_failed", TRIAL_ONE_FAILED },
                { "one_done", TRIAL_ONE_DONE },
                { "all_skipped", TRIAL_ALL_SKIPPED },
                { "none_skipped", TRIAL_NONE_SKIPPED },
                { "always", TRIAL_ALWAYS },
        };

        for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
                if (strcmp(rules[i].name, airflow) == 0)
                        return rules[i].readiness;
        cr_assert(false, "there is no rule %s", airflow);
        return _TRIAL_READINESS_MAX;
}

/* Parents as in the row; those that it does not count are WAITING. */
static uint8_t make_parents(const Row *row, TrialNodeView *parents) {
        uint8_t n = 0;
        unsigned all = 0;

        for (unsigned i = 0; i < row->success; i++)
                parents[n++] = (TrialNodeView) { .state = TRIAL_NODE_SUCCEEDED };
        for (unsigned i = 0; i < row->skipped; i++)
                parents[n++] = (TrialNodeView) { .state = TRIAL_NODE_SKIPPED, .reason = TRIAL_REASON_WHEN };
        for (unsigned i = 0; i < row->failed; i++)
                parents[n++] = (TrialNodeView) { .state = TRIAL_NODE_FAILED };
        for (unsigned i = 0; i < row->upstream_failed; i++)
                parents[n++] = (TrialNodeView) { .state = TRIAL_NODE_SKIPPED, .reason = TRIAL_REASON_UPSTREAM_FAILED };
        if (sscanf(row->n_upstream, "%u", &all) == 1)
                while (n < all)
                        parents[n++] = (TrialNodeView) { .state = TRIAL_NODE_WAITING };
        return n;
}

static const char *outcome_of(TrialVerdict verdict, TrialReason reason) {
        if (verdict != TRIAL_NEVER_READY)
                return trial_verdict_name(verdict);
        return reason == TRIAL_REASON_UPSTREAM_FAILED ? "UPSTREAM_FAILED" : "SKIPPED";
}

static void check_row(const Row *row) {
        TrialNode node = { .readiness = rule_of(row->rule) };
        TrialParent parents[RUN_ORACLE_PARENTS_MAX] = {};
        TrialNodeView views[RUN_ORACLE_PARENTS_MAX];
        TrialReason reason;
        const char *by_model;

        node.n_parents = make_parents(row, views);
        for (unsigned i = 0; i < node.n_parents; i++)
                parents[i] = trial_parent(&node, i, &views[i]);
        reason = run_model_skip_reason(&node, parents);
        by_model = outcome_of(run_model_verdict(&node, parents), reason);
        cr_expect(strncmp(row->outcome, by_model, strlen(by_model)) == 0, "%s of %u: %s, not %s", row->rule,
                  node.n_parents, by_model, row->outcome);
        cr_expect(eq(int, (int) run_oracle_verdict(&node, parents), (int) run_model_verdict(&node, parents)));
}

/* Cases with removed tasks are left out: a run has none. */
Test(run_oracle, airflows_rules_are_as_in_airflows_tests) {
        FILE *file = fopen(TEST_DATA "/trigger-rules.tsv", "r");
        unsigned checked = 0, left_out = 0;
        Row row;

        cr_assert(file != NULL);
        while (read_row(file, &row))
                if (row.removed > 0)
                        left_out++;
                else {
                        check_row(&row);
                        checked++;
                }
        fclose(file);
        cr_assert(eq(uint, checked, 30));
        cr_assert(eq(uint, left_out, 5));
}
