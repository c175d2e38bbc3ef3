/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The rules of readiness
 *
 * Each rule is three questions, asked in this order: is it met, can it still
 * be met at all, can it be met without a person?
 */

#include <assert.h>

#include "basic/macro.h"
#include "run/run_ready.h"

static RunParent parent_of_skip(RunReason reason, uint8_t edge) {
        if (edge & RUN_EDGE_SKIP_SUCCEEDS)
                return RUN_PARENT_SUCCEEDED;
        if (edge & RUN_EDGE_SKIP_FAILS || (edge & RUN_EDGE_HANDS_FAILURE && reason == RUN_REASON_UPSTREAM_FAILED))
                return RUN_PARENT_FAILED;
        return RUN_PARENT_SKIPPED;
}

RunParent run_parent_of(RunNodeState state, RunReason reason, uint8_t edge) {
        switch (state) {
        case RUN_NODE_WAITING:
        case RUN_NODE_READY:
        case RUN_NODE_RUNNING:
        case RUN_NODE_DEFERRED:
                return RUN_PARENT_UNFINISHED;
        case RUN_NODE_BLOCKED:
        case RUN_NODE_PENDING:
                return RUN_PARENT_PENDING;
        case RUN_NODE_SUCCEEDED:
                return RUN_PARENT_SUCCEEDED;
        case RUN_NODE_FAILED:
        case RUN_NODE_TIMEOUT:
        case RUN_NODE_CANCELLED:
                return RUN_PARENT_FAILED;
        case RUN_NODE_SKIPPED:
                return parent_of_skip(reason, edge);
        case _RUN_NODE_STATE_MAX:
                break;
        }
        assert(false);
        return RUN_PARENT_UNFINISHED;
}

void run_counts_init(RunCounts *counts, uint32_t n_parents) {
        *counts = (RunCounts) { .n = { [RUN_PARENT_UNFINISHED] = n_parents } };
}

void run_counts_move(RunCounts *counts, RunParent from, RunParent to) {
        assert(counts->n[from] > 0);
        counts->n[from]--;
        counts->n[to]++;
}

/* More instances than a node can have, and so many such nodes that their sum is a number. */
#define MANY_INSTANCES 1000000U
#define MANY_LISTS 1000U

void run_counts_add_lists(RunCounts *counts, RunParent kind, uint32_t n_lists) {
        counts->n[kind] += MIN(n_lists, MANY_LISTS) * MANY_INSTANCES;
}

static RunNodeEvent judge(bool is_met, bool is_impossible, bool needs_person) {
        if (is_met)
                return RUN_NODE_EVENT_FIT;
        if (is_impossible)
                return RUN_NODE_EVENT_NEVER;
        return needs_person ? RUN_NODE_EVENT_BLOCK : RUN_NODE_EVENT_WAIT;
}

static RunNodeEvent judge_amount(uint64_t wanted, const RunCounts *counts) {
        const uint64_t succeeded = counts->n[RUN_PARENT_SUCCEEDED];
        const uint64_t by_itself = succeeded + counts->n[RUN_PARENT_UNFINISHED];

        return judge(succeeded >= wanted, by_itself + counts->n[RUN_PARENT_PENDING] < wanted, by_itself < wanted);
}

RunNodeEvent run_ready(const RunPolicy *policy, const RunCounts *counts) {
        const uint32_t succeeded = counts->n[RUN_PARENT_SUCCEEDED], failed = counts->n[RUN_PARENT_FAILED];
        const uint32_t skipped = counts->n[RUN_PARENT_SKIPPED], pending = counts->n[RUN_PARENT_PENDING];
        const uint32_t unfinished = counts->n[RUN_PARENT_UNFINISHED], open = unfinished + pending;
        const uint64_t n = (uint64_t) succeeded + failed + skipped + open;

        /* A node without parents waits for nothing. */
        if (n == 0)
                return RUN_NODE_EVENT_FIT;
        switch (policy->readiness) {
        case RUN_READY_ALL_SUCCEEDED:
        case RUN_READY_NAMED:
                return judge(succeeded == n, failed + skipped > 0, pending > 0);
        case RUN_READY_AT_LEAST:
                return judge_amount(policy->amount, counts);
        case RUN_READY_AT_LEAST_PERCENT:
                return judge_amount((n * policy->amount + 99) / 100, counts);
        case RUN_READY_ANY:
                return judge_amount(1, counts);
        case RUN_READY_ALL_FINISHED:
                return judge(open == 0, false, pending > 0);
        case RUN_READY_NONE_FAILED:
                return judge(open == 0 && failed == 0, failed > 0, pending > 0);
        case RUN_READY_ONE_FAILED:
                return judge(failed > 0, open == 0, unfinished == 0);
        case RUN_READY_ALL_FAILED:
                return judge(failed == n, succeeded + skipped > 0, pending > 0);
        case RUN_READY_ALWAYS:
                return RUN_NODE_EVENT_FIT;
        case RUN_READY_NONE_SKIPPED:
                return judge(open == 0 && skipped == 0, skipped > 0, pending > 0);
        case RUN_READY_ONE_DONE:
                return judge(succeeded + failed > 0, open == 0, unfinished == 0);
        case RUN_READY_ALL_SKIPPED:
                return judge(skipped == n, succeeded + failed > 0, pending > 0);
        case RUN_READY_NONE_FAILED_MIN_ONE:
                return judge(open == 0 && failed == 0 && succeeded > 0, failed > 0 || succeeded + open == 0,
                             pending > 0);
        case RUN_READY_BY_POLICY:
        case _RUN_READINESS_MAX:
                break;
        }
        assert(false);
        return RUN_NODE_EVENT_WAIT;
}
