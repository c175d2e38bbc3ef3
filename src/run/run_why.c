/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Questions: states, and what is waited for
 */

#include <errno.h>
#include <string.h>

#include "run/run_private.h"

static const char *const reasons[_RUN_REASON_MAX] = {
        [RUN_REASON_NONE] = "",
        [RUN_REASON_RETRY] = "retry",
        [RUN_REASON_AGAIN] = "again",
        [RUN_REASON_STATUS] = "status",
        [RUN_REASON_LOST] = "lost",
        [RUN_REASON_INTERRUPTED] = "interrupted",
        [RUN_REASON_POISON] = "poison",
        [RUN_REASON_FAILED] = "failed",
        [RUN_REASON_UPSTREAM] = "upstream",
        [RUN_REASON_UPSTREAM_FAILED] = "upstream-failed",
        [RUN_REASON_ENDED] = "ended",
        [RUN_REASON_OPERATOR] = "operator",
        [RUN_REASON_UNNEEDED] = "unneeded",
        [RUN_REASON_DEADLINE] = "deadline",
        [RUN_REASON_UNIT] = "unit",
        [RUN_REASON_DEPENDENCY] = "dependency",
        [RUN_REASON_QUEUE] = "queue",
        [RUN_REASON_SHORT_CIRCUIT] = "short-circuit",
        [RUN_REASON_WHEN] = "when",
        [RUN_REASON_EXPRESSION] = "expression",
        [RUN_REASON_POLICY] = "policy",
        [RUN_REASON_SLEEP] = "sleep",
        [RUN_REASON_GATE] = "gate",
        [RUN_REASON_REJECTED] = "rejected",
        [RUN_REASON_DEADLOCK] = "deadlock",
        [RUN_REASON_RESULT_INVALID] = "result-invalid",
        [RUN_REASON_RESULT_TOO_LARGE] = "result-too-large",
        [RUN_REASON_OUTPUT_MISSING] = "output-missing",
        [RUN_REASON_INPUT_MISSING] = "input-missing",
        [RUN_REASON_JOB] = "job",
        [RUN_REASON_REFUSED] = "refused",
        [RUN_REASON_FOREACH] = "foreach",
        [RUN_REASON_TOO_MANY] = "too-many",
        [RUN_REASON_COMPENSATE] = "compensate",
        [RUN_REASON_FINAL] = "final",
        [RUN_REASON_CALLBACK] = "callback",
        [RUN_REASON_SUB_RUN] = "sub-run",
        [RUN_REASON_RANGE] = "items",
        [RUN_REASON_ITEM_ERRORS] = "item-errors",
        [RUN_REASON_ERROR_BUDGET] = "error-budget",
        [RUN_REASON_PREPARE] = "prepare",
        [RUN_REASON_ITEMS] = "items",
};

static const char *const whys[_RUN_WHY_MAX] = {
        [RUN_WHY_NOTHING] = "nothing",   [RUN_WHY_PARENTS] = "parents", [RUN_WHY_HUMAN] = "human",
        [RUN_WHY_TIME] = "time",         [RUN_WHY_PROCESS] = "process", [RUN_WHY_END] = "end",
        [RUN_WHY_STORE] = "store",       [RUN_WHY_PLACE] = "place",     [RUN_WHY_RUN] = "run",
        [RUN_WHY_UNIT] = "unit",         [RUN_WHY_POLICY] = "policy",   [RUN_WHY_LOCK] = "lock",
        [RUN_WHY_RESOURCE] = "resource", [RUN_WHY_GATE] = "gate",       [RUN_WHY_JOB] = "job",
        [RUN_WHY_ITEMS] = "items",
        [RUN_WHY_COMPENSATE] = "compensate", [RUN_WHY_FINAL] = "final",
        [RUN_WHY_CALLBACK] = "callback", [RUN_WHY_SUB_RUN] = "sub-run",
        [RUN_WHY_RANGE] = "range", [RUN_WHY_PROCEED] = "proceed",
};

static const char *const answers[_RUN_ANSWER_MAX] = {
        [RUN_ANSWER_READY] = "READY", [RUN_ANSWER_WAIT] = "WAIT",       [RUN_ANSWER_NEVER] = "NEVER",
        [RUN_ANSWER_FAIL] = "FAIL",   [RUN_ANSWER_PENDING] = "PENDING", [RUN_ANSWER_LOST] = "LOST",
};

DEFINE_STRING_TABLE(run_answer, RunAnswer, answers)
DEFINE_STRING_TABLE(run_reason, RunReason, reasons)
DEFINE_STRING_TABLE(run_why, RunWhy, whys)

/* Why something that could go on has not: @node, or with RUN_NODE_NONE the run. */
static RunWhy why_not_yet(const Run *run, uint32_t node, bool has_place) {
        RunClaimWhy why;

        if (!has_place || !run_lock_why(run, node, &why))
                return RUN_WHY_PLACE;
        return why.is_lock ? RUN_WHY_LOCK : RUN_WHY_RESOURCE;
}

static bool has_begun_its_end(const Run *run) {
        return run->extra_tally[RUN_NODE_READY] + run->extra_tally[RUN_NODE_RUNNING] > 0;
}

static RunWhy why_of_end(const Run *run) {
        if (!has_begun_its_end(run))
                return RUN_WHY_END;
        if (run->row.is_held || !run->flow->is_active)
                return RUN_WHY_UNIT;
        return run->row.reason == RUN_REASON_FINAL ? RUN_WHY_FINAL : RUN_WHY_COMPENSATE;
}

static RunWhy why_of_run(const Run *run) {
        switch (run->row.state) {
        case RUN_CREATED:
        case RUN_QUEUED:
                if (run->row.is_paused)
                        return RUN_WHY_HUMAN;
                if (run->row.is_held || !run->flow->is_active)
                        return RUN_WHY_UNIT;
                return why_not_yet(run, RUN_NODE_NONE, run_has_place(run->flow));
        case RUN_PAUSED:
                return run->row.is_held && !run->row.is_paused ? RUN_WHY_UNIT : RUN_WHY_HUMAN;
        case RUN_SUSPENDED:
                return RUN_WHY_HUMAN;
        case RUN_AWAITING:
                return RUN_WHY_PROCEED;
        case RUN_PAUSING:
                return RUN_WHY_END;
        case RUN_STOPPING:
                return why_of_end(run);
        case RUN_RUNNING:
        case RUN_SUCCEEDED:
        case RUN_PARTIAL:
        case RUN_FAILED:
        case RUN_TIMEOUT:
        case RUN_CANCELLED:
        case _RUN_STATE_MAX:
                break;
        }
        return RUN_WHY_NOTHING;
}

static RunWhy why_of_attempt(const Run *run, uint32_t number) {
        const RunNode *node = &run->nodes[number];

        if (node->outcome != RUN_OUTCOME_OPEN)
                return RUN_WHY_END;
        if (node->attempt == RUN_ATTEMPT_IS_HELD)
                return RUN_WHY_STORE;
        switch (run_graph_policy(run->graph, number)->action) {
        case RUN_ACTION_JOB:
                return RUN_WHY_JOB;
        case RUN_ACTION_RUN:
                return RUN_WHY_SUB_RUN;
        case RUN_ACTION_RANGE:
                return run->row.state == RUN_AWAITING ? RUN_WHY_PROCEED : RUN_WHY_RANGE;
        case RUN_ACTION_PROCESS:
        case _RUN_ACTION_MAX:
                break;
        }
        return RUN_WHY_PROCESS;
}

/* A node that only has to wait until it is its turn: what else keeps it back, or that. */
static RunWhy why_not_begun(const Run *run, uint32_t node) {
        if (run->row.state != RUN_RUNNING && !run_node_is_extra(run, node))
                return RUN_WHY_RUN;
        if (!run->flow->is_active || (run_node_is_extra(run, node) && run->row.is_held))
                return RUN_WHY_UNIT;
        return run->flow->engine->store != RUN_STORE_OPEN ? RUN_WHY_STORE : RUN_WHY_PLACE;
}

static RunWhy why_of_node(const Run *run, uint32_t node) {
        RunWhy why;

        switch ((RunNodeState) run->nodes[node].state) {
        case RUN_NODE_WAITING:
                if (run->nodes[node].is_unused)
                        return RUN_WHY_NOTHING;
                if (!run_is_judged(run) || run_node_is_extra(run, node))
                        return RUN_WHY_RUN;
                if (run_node_is_root(run, node))
                        return why_not_begun(run, node);
                return run->nodes[node].is_asked || run_set_has(run, RUN_SET_TO_ASK, node) ? RUN_WHY_POLICY
                                                                                           : RUN_WHY_PARENTS;
        case RUN_NODE_BLOCKED:
                return RUN_WHY_HUMAN;
        case RUN_NODE_PENDING:
                if (run_node_waits_with_sub(&run->nodes[node]))
                        return RUN_WHY_SUB_RUN;
                return run_node_is_at_gate(&run->nodes[node]) ? RUN_WHY_GATE : RUN_WHY_HUMAN;
        case RUN_NODE_READY:
                why = why_not_begun(run, node);
                if (why != RUN_WHY_PLACE)
                        return why;
                if (!run_item_has_turn(run, node))
                        return RUN_WHY_PLACE;
                return why_not_yet(run, node, !run_is_full(run) || run_node_needs_no_place(run, node));
        case RUN_NODE_RUNNING:
                if (run_node_is_split(run, node))
                        return RUN_WHY_ITEMS;
                return run_node_sleeps(run, node)  ? RUN_WHY_TIME
                       : run->nodes[node].is_idle ? RUN_WHY_CALLBACK
                                                  : why_of_attempt(run, node);
        case RUN_NODE_DEFERRED:
                return RUN_WHY_TIME;
        case RUN_NODE_SUCCEEDED:
        case RUN_NODE_FAILED:
        case RUN_NODE_TIMEOUT:
        case RUN_NODE_CANCELLED:
        case RUN_NODE_SKIPPED:
        case _RUN_NODE_STATE_MAX:
                break;
        }
        return RUN_WHY_NOTHING;
}

int run_engine_get_row(const RunEngine *engine, uint32_t id, RunRow *ret_row) {
        const Run *run = run_find(engine, id);

        if (!run)
                return -ENOENT;
        *ret_row = run->row;
        return 0;
}

int run_engine_get(const RunEngine *engine, uint32_t id, RunRow *ret_row, RunWhy *ret_why) {
        const Run *run = run_find(engine, id);

        if (!run)
                return -ENOENT;
        *ret_row = run->row;
        *ret_why = why_of_run(run);
        return 0;
}

int run_engine_get_node(const RunEngine *engine, uint32_t id, uint32_t node, RunNodeRow *ret_row, RunWhy *ret_why) {
        const Run *run = run_find(engine, id);

        if (!run || node >= run->n)
                return -ENOENT;
        *ret_row = run_node_row(run, node);
        *ret_why = why_of_node(run, node);
        return 0;
}

bool run_engine_has_changed(const RunEngine *engine, uint32_t id, uint32_t node) {
        const Run *run = run_find(engine, id);

        return run && node < run->n && run_set_has(run, RUN_SET_CHANGED, node);
}

/* — on purpose — */

static bool has_waiting_parent(const Run *run) {
        return run->parent && run->row.parent_node < run->parent->n && !run_is_over(run) &&
               run_node_waits_with_sub(&run->parent->nodes[run->row.parent_node]);
}

/* @node of @run, or with RUN_NODE_NONE a node of it, waits with @part, or with a sub-run that waits with that. */
static bool waits_with(const Run *run, uint32_t node, const Run *part) {
        for (; has_waiting_parent(part); part = part->parent) {
                if (part->parent == run)
                        return node == RUN_NODE_NONE || part->row.parent_node == node;
                /* Somebody wants all below to stay as it is. */
                if (part->parent->row.state == RUN_PAUSED)
                        break;
        }
        return false;
}

/* False: a node waits for a person, and not before a gate. @n_subs is increased by nodes that wait with sub-runs. */
static bool is_planned(const Run *run, uint32_t first, uint32_t end, uint32_t *n_subs) {
        for (uint32_t i = first; (i = run_set_next(run, RUN_SET_PENDING, i, end)) < end; i++)
                if (run_node_waits_with_sub(&run->nodes[i]))
                        (*n_subs)++;
                else if (!run_node_is_at_gate(&run->nodes[i]))
                        return false;
        return true;
}

bool run_engine_waits_on_purpose(const RunEngine *engine, uint32_t id, uint32_t node) {
        const Run *run = run_find(engine, id);
        const bool is_one = node != RUN_NODE_NONE;
        uint32_t n_subs = 0, n_found = 0;

        if (!run || (is_one && node >= run->n) ||
            !is_planned(run, is_one ? node : 0, is_one ? node + 1 : run->n, &n_subs))
                return false;
        /* All of them: whatever is found first may wait for another one. */
        for (const RunFlow *flow = engine->flows; n_subs > 0 && flow; flow = flow->next)
                for (const Run *part = flow->first; part; part = part->next) {
                        if (!waits_with(run, node, part))
                                continue;
                        n_found++;
                        if (part->row.state != RUN_PAUSED && !is_planned(part, 0, part->n, &n_subs))
                                return false;
                }
        return n_found >= n_subs;
}

int run_engine_get_lock(const RunEngine *engine, uint32_t id, uint32_t node, RunClaimWhy *ret_why) {
        const Run *run = run_find(engine, id);

        if (!run || (node != RUN_NODE_NONE && node >= run->n))
                return -ENOENT;
        return run_lock_why(run, node, ret_why);
}

void run_engine_visit_locks(const RunEngine *engine, RunLockVisitor visit, void *userdata) {
        run_pool_visit(engine->pool, engine->now, visit, userdata);
}

int run_engine_tally(const RunEngine *engine, uint32_t id, uint32_t ret_n[static _RUN_NODE_STATE_MAX]) {
        const Run *run = run_find(engine, id);

        if (!run)
                return -ENOENT;
        memcpy(ret_n, run->tally, sizeof(run->tally));
        return 0;
}
