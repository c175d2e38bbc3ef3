/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The rules of readiness
 *
 * Each rule is three questions, asked in this order: is it met, can it still
 * be met at all, can it be met without a person?
 */

#include <assert.h>

#include "run/run_ready.h"

RunParent run_parent_of(RunNodeState state) {
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
                return RUN_PARENT_SKIPPED;
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
        const uint32_t failed = counts->n[RUN_PARENT_FAILED], skipped = counts->n[RUN_PARENT_SKIPPED];
        const uint32_t pending = counts->n[RUN_PARENT_PENDING], unfinished = counts->n[RUN_PARENT_UNFINISHED];
        uint64_t n = 0;

        for (unsigned i = 0; i < _RUN_PARENT_MAX; i++)
                n += counts->n[i];
        switch (policy->readiness) {
        case RUN_READY_ALL_SUCCEEDED:
                return judge(counts->n[RUN_PARENT_SUCCEEDED] == n, failed > 0 || skipped > 0, pending > 0);
        case RUN_READY_ALL_FINISHED:
                return judge(unfinished == 0 && pending == 0, false, pending > 0);
        case RUN_READY_AT_LEAST:
                return judge_amount(policy->amount, counts);
        case RUN_READY_AT_LEAST_PERCENT:
                return judge_amount((n * policy->amount + 99) / 100, counts);
        case _RUN_READINESS_MAX:
                break;
        }
        assert(false);
        return RUN_NODE_EVENT_WAIT;
}
