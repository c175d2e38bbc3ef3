/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The futures of a handful of parents, one by one
 */

#include <string.h>

#include "run_oracle.h"

static unsigned count(const TrialParent *parents, unsigned n, TrialParent wanted) {
        unsigned found = 0;

        for (unsigned i = 0; i < n; i++)
                found += parents[i] == wanted;
        return found;
}

static bool marked_succeeded(const TrialNode *node, const TrialParent *parents) {
        for (unsigned i = 0; i < node->n_parents; i++)
                if (node->is_marked[i] && parents[i] != TRIAL_PARENT_SUCCEEDED)
                        return false;
        return true;
}

/* The demand of each rule, in its own words. */
static bool is_met(const TrialNode *node, const TrialParent *parents) {
        const unsigned n = node->n_parents;
        const unsigned succeeded = count(parents, n, TRIAL_PARENT_SUCCEEDED);
        const unsigned failed = count(parents, n, TRIAL_PARENT_FAILED);
        const unsigned skipped = count(parents, n, TRIAL_PARENT_SKIPPED);
        const bool all_finished = succeeded + failed + skipped == n;

        switch (node->readiness) {
        case TRIAL_ALL_SUCCEEDED:
                return succeeded == n;
        case TRIAL_ALL_FINISHED:
                return all_finished;
        case TRIAL_AT_LEAST:
                return succeeded >= node->amount;
        case TRIAL_AT_LEAST_PERCENT:
                return succeeded * 100 >= node->amount * n;
        case TRIAL_ANY:
        case TRIAL_OPTIONAL:
        case TRIAL_ONE_SUCCESS:
                return succeeded >= 1;
        case TRIAL_NAMED:
        case TRIAL_MUST:
                return marked_succeeded(node, parents);
        case TRIAL_NONE_FAILED:
                return all_finished && failed == 0;
        case TRIAL_ONE_FAILED:
                return failed >= 1;
        case TRIAL_ALL_FAILED:
                return failed == n;
        case TRIAL_ALWAYS:
                return true;
        case TRIAL_NONE_SKIPPED:
                return all_finished && skipped == 0;
        case TRIAL_ONE_DONE:
                return succeeded + failed >= 1;
        case TRIAL_ALL_SKIPPED:
                return skipped == n;
        case TRIAL_NONE_FAILED_MIN_ONE:
                return all_finished && failed == 0 && succeeded >= 1;
        case _TRIAL_READINESS_MAX:
                break;
        }
        return false;
}

/* Whether one of the futures of @parents meets the demand; those that are pending may be freed, or not. */
static bool can_be_met(const TrialNode *node, const TrialParent *parents, bool frees_pending) {
        TrialParent later[RUN_ORACLE_PARENTS_MAX];
        unsigned open[RUN_ORACLE_PARENTS_MAX], n_open = 0, futures = 1;

        for (unsigned i = 0; i < node->n_parents; i++) {
                later[i] = parents[i];
                if (parents[i] != TRIAL_PARENT_UNFINISHED && (parents[i] != TRIAL_PARENT_PENDING || !frees_pending))
                        continue;
                open[n_open++] = i;
                futures *= 4;
        }
        for (unsigned future = 0; future < futures; future++) {
                unsigned rest = future;

                /* One that is unfinished may be pending then, too. */
                for (unsigned i = 0; i < n_open; i++, rest /= 4)
                        later[open[i]] = (TrialParent) (rest % 4);
                if (is_met(node, later))
                        return true;
        }
        return false;
}

TrialVerdict run_oracle_verdict(const TrialNode *node, const TrialParent *parents) {
        if (is_met(node, parents))
                return TRIAL_READY;
        if (!can_be_met(node, parents, true))
                return TRIAL_NEVER_READY;
        return can_be_met(node, parents, false) ? TRIAL_WAIT : TRIAL_BLOCKED;
}

static void compare(const TrialNode *node, RunOracleOther other, void *userdata, RunOracleCount *count_) {
        unsigned combinations = 1;

        for (unsigned i = 0; i < node->n_parents; i++)
                combinations *= _TRIAL_PARENT_MAX;
        for (unsigned combination = 0; combination < combinations; combination++) {
                TrialParent parents[RUN_ORACLE_PARENTS_MAX] = {};
                unsigned rest = combination;
                TrialVerdict expected, found;

                for (unsigned i = 0; i < node->n_parents; i++, rest /= _TRIAL_PARENT_MAX)
                        parents[i] = (TrialParent) (rest % _TRIAL_PARENT_MAX);
                expected = run_oracle_verdict(node, parents);
                found = other(node, parents, userdata);
                count_->tried++;
                if (expected == found || count_->different++ > 0)
                        continue;
                count_->node = *node;
                memcpy(count_->parents, parents, sizeof(parents));
                count_->expected = expected;
                count_->found = found;
        }
}

void run_oracle_compare(TrialReadiness readiness, RunOracleOther other, void *userdata, RunOracleCount *count_) {
        for (uint8_t n = 1; n <= RUN_ORACLE_PARENTS_MAX; n++) {
                TrialNode node = { .readiness = readiness, .n_parents = n };
                const bool has_marks = readiness == TRIAL_NAMED || readiness == TRIAL_MUST;
                uint8_t first = 0, last = 0;

                if (readiness == TRIAL_AT_LEAST) {
                        first = 1;
                        last = n;
                } else if (readiness == TRIAL_AT_LEAST_PERCENT) {
                        first = 1;
                        last = 100;
                } else if (has_marks) {
                        first = 1;
                        last = (uint8_t) ((1U << n) - 1);
                }
                for (unsigned k = first; k <= last; k++) {
                        node.amount = (uint8_t) k;
                        for (unsigned i = 0; i < n; i++)
                                node.is_marked[i] = has_marks && (k >> i & 1) != 0;
                        compare(&node, other, userdata, count_);
                }
        }
}
