/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Attempts: from READY to what the node becomes
 */

#include <string.h>

#include "run/run_private.h"
#include "run/run_retry.h"

/* Nothing is tried again, and nobody decides about it: that is for what ends the run alone. */
static bool is_stopping(const Run *run, uint32_t node) {
        return run->row.state == RUN_STOPPING && !run_node_is_extra(run, node);
}

/* — making — */

RunReason run_attempt_reason(const Run *run, uint32_t node) {
        switch (run_graph_policy(run->graph, node)->action) {
        case RUN_ACTION_JOB:
                return RUN_REASON_JOB;
        case RUN_ACTION_RUN:
                return RUN_REASON_SUB_RUN;
        case RUN_ACTION_RANGE:
                return RUN_REASON_RANGE;
        case RUN_ACTION_PROCESS:
        case _RUN_ACTION_MAX:
                break;
        }
        return RUN_REASON_NONE;
}

static void sleep_on(Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        const RunEngine *engine = run->flow->engine;

        run->nodes[node].at = policy->sleeps_until ? engine->host->wake(engine->userdata, run->row.id, node)
                                                   : usec_add(engine->now, policy->sleep);
        run_node_idle(run, node, RUN_REASON_SLEEP);
}

void run_attempt_make(Run *run, uint32_t node) {
        RunNode *entry = &run->nodes[node];

        if (run_graph_policy(run->graph, node)->is_foreach) {
                run_items_begin(run, node);
                return;
        }
        if (run_policy_sleeps(run_graph_policy(run->graph, node))) {
                sleep_on(run, node);
                return;
        }
        if (run_graph_payload(run->graph, node) == RUN_NODE_NONE) {
                run_node_become(run, node, RUN_NODE_SUCCEEDED, RUN_REASON_NONE);
                return;
        }
        entry->is_put = false;
        entry->attempt = RUN_ATTEMPT_IS_HELD;
        entry->at = 0;
        if (entry->first_at == 0)
                entry->first_at = run->flow->engine->now;
        run_hold_attempt(run, node, true);
        run_node_become(run, node, RUN_NODE_RUNNING, run_attempt_reason(run, node));
        entry->number++;
}

void run_attempt_release(Run *run) {
        const RunEngine *engine = run->flow->engine;

        if (run->n_held == 0)
                return;
        for (uint32_t i = 0; (i = run_set_next(run, RUN_SET_HELD, i, run->n)) < run->n; i++) {
                const bool repeats = run_graph_policy(run->graph, i)->recover == RUN_RECOVER_RETRY;
                RunNode *entry = &run->nodes[i];
                RunAttemptKey key;

                if (!entry->is_put || !run_batch_is_before(entry->batch, repeats ? engine->accepted : engine->durable))
                        continue;
                entry->attempt = RUN_ATTEMPT_IS_ASKED;
                /* After a restart it may be there: its start is told before the host is asked. */
                if (engine->is_restoring)
                        continue;
                run_hold_attempt(run, i, false);
                key = run_attempt_key(run, i);
                engine->host->spawn(engine->userdata, &key);
        }
}

/* — ends — */

static void defer(Run *run, uint32_t node, RunReason reason, usec_t delay) {
        run->nodes[node].at = usec_add(run->flow->engine->now, delay);
        run_node_become(run, node, RUN_NODE_DEFERRED, reason);
}

/* @reason: if no try is left. */
static void fail(Run *run, uint32_t node, RunNodeState state, RunReason reason, bool can_retry) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        const RunEngine *engine = run->flow->engine;
        RunNode *entry = &run->nodes[node];
        usec_t delay;

        if (!can_retry || is_stopping(run, node) || entry->failures >= policy->retry || entry->failures == UINT16_MAX) {
                run_node_fail(run, node, state, reason);
                return;
        }
        delay = run_retry_delay(policy, entry->failures + 1U,
                                policy->jitter > 0 ? engine->host->random(engine->userdata) : 0);
        if (policy->window != USEC_INFINITY &&
            usec_add(engine->now, delay) > usec_add(entry->first_at, policy->window)) {
                run_node_fail(run, node, state, reason);
                return;
        }
        entry->failures++;
        defer(run, node, RUN_REASON_RETRY, delay);
}

/* The outcome that it was told to end for decides, whatever its exit says. */
static void end_as_told(Run *run, uint32_t node) {
        switch ((RunOutcome) run->nodes[node].outcome) {
        case RUN_OUTCOME_TIMEOUT:
                fail(run, node, RUN_NODE_TIMEOUT, RUN_REASON_NONE, true);
                break;
        case RUN_OUTCOME_TOTAL:
                fail(run, node, RUN_NODE_TIMEOUT, RUN_REASON_NONE, false);
                break;
        case RUN_OUTCOME_DEADLINE:
                run_node_become(run, node, RUN_NODE_TIMEOUT, RUN_REASON_DEADLINE);
                break;
        case RUN_OUTCOME_ENDED:
                run_node_become(run, node, RUN_NODE_CANCELLED, RUN_REASON_ENDED);
                break;
        case RUN_OUTCOME_UNNEEDED:
                run_node_become(run, node, RUN_NODE_CANCELLED, RUN_REASON_UNNEEDED);
                break;
        case RUN_OUTCOME_CANCELLED:
        case RUN_OUTCOME_OPEN:
        case _RUN_OUTCOME_MAX:
                run_node_become(run, node, RUN_NODE_CANCELLED, RUN_REASON_NONE);
        }
}

/* Whether @node may say "not yet" once more. */
static bool can_say_again(const Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        const RunNode *entry = &run->nodes[node];

        return policy->again > 0 && !is_stopping(run, node) &&
               (policy->again_max == 0 || entry->agains < policy->again_max) &&
               run->flow->engine->now < run_again_bound(run, node);
}

/* The command has ended well: with a callback somebody else says what the node becomes. */
static void succeed(Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];

        if (!run_graph_policy(run->graph, node)->has_callback || entry->completion == RUN_COMPLETION_SUCCESS)
                run_node_become(run, node, RUN_NODE_SUCCEEDED, RUN_REASON_NONE);
        else if (entry->reason == RUN_REASON_SHORT_CIRCUIT)
                run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_SHORT_CIRCUIT);
        else if (entry->completion == RUN_COMPLETION_FAILURE)
                run_node_fail(run, node, RUN_NODE_FAILED, RUN_REASON_CALLBACK);
        else if (is_stopping(run, node))
                run_node_end_idle(run, node);
        else
                run_node_idle(run, node, RUN_REASON_CALLBACK);
}

static void end_exited(Run *run, uint32_t node, uint16_t end, usec_t again) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        RunNode *entry = &run->nodes[node];

        if (end == 0 || run_end_set_has(policy->success_ends, end)) {
                succeed(run, node);
                return;
        }
        if (run_end_set_has(policy->pending_ends, end) && !is_stopping(run, node)) {
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_STATUS);
                return;
        }
        if (run_end_set_has(policy->again_ends, end) && can_say_again(run, node)) {
                entry->agains += entry->agains < UINT16_MAX;
                defer(run, node, RUN_REASON_AGAIN, again == USEC_INFINITY ? policy->again : again);
                return;
        }
        fail(run, node, RUN_NODE_FAILED, RUN_REASON_NONE, run_policy_retries(policy, end));
}

/* Whether a node that has said "not yet" for too long is retried: as after the exit that says so. */
static bool is_again_retried(const RunPolicy *policy) {
        for (uint16_t end = 0; end < RUN_ENDS; end++)
                if (run_end_set_has(policy->again_ends, end))
                        return run_policy_retries(policy, end);
        return true;
}

/* Nobody knows what it did, or has heard that it was interrupted. */
static void end_unknown(Run *run, uint32_t node, RunReason reason) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        RunNode *entry = &run->nodes[node];

        if (is_stopping(run, node) || policy->recover == RUN_RECOVER_FAIL) {
                run_node_fail(run, node, RUN_NODE_FAILED, reason);
                return;
        }
        if (reason == RUN_REASON_LOST && ++entry->losses == RUN_LOSSES_MAX)
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_POISON);
        else if (policy->recover == RUN_RECOVER_PENDING)
                run_node_become(run, node, RUN_NODE_PENDING, reason);
        else if (reason == RUN_REASON_LOST)
                defer(run, node, reason, run_retry_delay(policy, 1, 0));
        else
                run_node_become(run, node, RUN_NODE_READY, RUN_REASON_NONE);
}

static bool is_success_end(const Run *run, uint32_t node, uint16_t end) {
        return end == 0 || run_end_set_has(run_graph_policy(run->graph, node)->success_ends, end);
}

static bool is_success(const Run *run, uint32_t node, RunEndKind kind, uint16_t end) {
        return run->nodes[node].outcome == RUN_OUTCOME_OPEN && kind == RUN_END_EXITED && is_success_end(run, node, end);
}

/* The command has ended well, and what was left as the result is none: another try may leave a better one. */
static void end_without_result(Run *run, uint32_t node, RunReason reason, uint16_t end, usec_t again) {
        if (is_success_end(run, node, end))
                fail(run, node, RUN_NODE_FAILED, reason, run_policy_retries(run_graph_policy(run->graph, node), end));
        else
                end_exited(run, node, end, again);
}

/* A run that is stopped waits for no person: what the command says by its end counts. */
static void end_pending(Run *run, uint32_t node, uint16_t end, usec_t again) {
        if (is_stopping(run, node))
                end_exited(run, node, end, again);
        else
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_STATUS);
}

static void end_by_itself(Run *run, uint32_t node, RunEndKind kind, uint16_t end, usec_t again) {
        switch (kind) {
        case RUN_END_EXITED:
                end_exited(run, node, end, again);
                break;
        case RUN_END_FAILED:
                fail(run, node, RUN_NODE_FAILED, RUN_REASON_NONE, true);
                break;
        case RUN_END_LOST:
                end_unknown(run, node, RUN_REASON_LOST);
                break;
        case RUN_END_INTERRUPTED:
                end_unknown(run, node, RUN_REASON_INTERRUPTED);
                break;
        case RUN_END_TIMEOUT:
                fail(run, node, RUN_NODE_TIMEOUT, RUN_REASON_NONE, true);
                break;
        case RUN_END_CANCELLED:
                run_node_fail(run, node, RUN_NODE_CANCELLED, run_attempt_reason(run, node));
                break;
        case RUN_END_REFUSED:
                run_node_fail(run, node, RUN_NODE_FAILED, RUN_REASON_REFUSED);
                break;
        case RUN_END_RESULT_INVALID:
                end_without_result(run, node, RUN_REASON_RESULT_INVALID, end, again);
                break;
        case RUN_END_RESULT_TOO_LARGE:
                end_without_result(run, node, RUN_REASON_RESULT_TOO_LARGE, end, again);
                break;
        case RUN_END_OUTPUT_MISSING:
                end_without_result(run, node, RUN_REASON_OUTPUT_MISSING, end, again);
                break;
        case RUN_END_INPUT_MISSING:
                fail(run, node, RUN_NODE_FAILED, RUN_REASON_INPUT_MISSING, false);
                break;
        case RUN_END_PENDING:
                end_pending(run, node, end, again);
                break;
        case RUN_END_WITH_ERRORS:
                run_node_become(run, node, RUN_NODE_SUCCEEDED, RUN_REASON_ITEM_ERRORS);
                break;
        case _RUN_END_KIND_MAX:
                break;
        }
}

void run_attempt_end(Run *run, uint32_t node, RunEndKind kind, uint16_t end, usec_t again) {
        /* The launch that made it wait is over. */
        if (run->row.state == RUN_AWAITING)
                run_become(run, RUN_RUNNING, RUN_REASON_NONE);
        if (run->nodes[node].reason == RUN_REASON_SHORT_CIRCUIT && !is_success(run, node, kind, end))
                run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_SHORT_CIRCUIT);
        else if (run->nodes[node].outcome != RUN_OUTCOME_OPEN)
                end_as_told(run, node);
        else
                end_by_itself(run, node, kind, end, again);
}

/* One that nobody was asked to spawn has ended with that. */
static void tell_end(Run *run, uint32_t node, RunOutcome outcome) {
        RunNode *entry = &run->nodes[node];

        /* A node ends with its instances. */
        if (entry->outcome != RUN_OUTCOME_OPEN || run_node_is_split(run, node))
                return;
        if (!entry->is_idle && !run_set_has(run, RUN_SET_HELD, node)) {
                run_node_tell_end(run, node, outcome);
                return;
        }
        entry->outcome = outcome;
        run_attempt_end(run, node, RUN_END_EXITED, 0, USEC_INFINITY);
}

void run_attempt_tell_all(Run *run, RunOutcome outcome) {
        for (uint32_t i = 0; i < run->n && run->tally[RUN_NODE_RUNNING] > 0; i++)
                if (run->nodes[i].state == RUN_NODE_RUNNING && !run_node_is_extra(run, i))
                        tell_end(run, i, outcome);
}

void run_attempt_abandon_all(Run *run) {
        const RunEngine *engine = run->flow->engine;

        for (uint32_t i = 0; i < run->n && run->tally[RUN_NODE_RUNNING] > 0; i++) {
                const bool is_held = run_set_has(run, RUN_SET_HELD, i) || run->nodes[i].is_idle;
                const RunAttemptKey key = run_attempt_key(run, i);

                /* An attempt that was told to end before keeps that outcome: the first signal has decided. */
                if (run->nodes[i].state != RUN_NODE_RUNNING || run->nodes[i].outcome != RUN_OUTCOME_OPEN ||
                    run_node_is_extra(run, i) || run_node_is_split(run, i))
                        continue;
                run->nodes[i].outcome = RUN_OUTCOME_DEADLINE;
                run_attempt_end(run, i, RUN_END_EXITED, 0, USEC_INFINITY);
                if (!is_held)
                        engine->host->abandon(engine->userdata, &key);
        }
}

/* — time — */

void run_attempt_meet_bound(Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        const usec_t now = run->flow->engine->now;
        const RunNode *entry = &run->nodes[node];
        const bool is_total = entry->first_at > 0 && usec_add(entry->first_at, policy->total_timeout) <= now;

        if (run_node_waits_with_sub(entry))
                run_node_go_on_with_sub(run, node);

        if (entry->state == RUN_NODE_DEFERRED && is_total)
                fail(run, node, RUN_NODE_TIMEOUT, RUN_REASON_NONE, false);
        else if (entry->state == RUN_NODE_DEFERRED) {
                if (entry->reason == RUN_REASON_AGAIN && run_again_bound(run, node) <= now)
                        fail(run, node, RUN_NODE_FAILED, RUN_REASON_NONE, is_again_retried(policy));
        } else if (entry->state == RUN_NODE_READY)
                run_node_fail(run, node, RUN_NODE_TIMEOUT, RUN_REASON_QUEUE);
        else if (entry->state == RUN_NODE_RUNNING && !run_node_sleeps(run, node))
                tell_end(run, node, is_total ? RUN_OUTCOME_TOTAL : RUN_OUTCOME_TIMEOUT);
}
