/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Words for what is on trial
 */

#include <string.h>

#include "run_trial.h"

bool trial_run_is_terminal(TrialRunState state) {
        return state >= TRIAL_RUN_SUCCEEDED;
}

bool trial_node_is_terminal(TrialNodeState state) {
        return state >= TRIAL_NODE_SUCCEEDED;
}

bool trial_is_verb(TrialEventKind kind) {
        return kind >= TRIAL_PAUSE && kind <= TRIAL_COMPLETE;
}

unsigned trial_n_views(const TrialDefinition *definition) {
        bool has_some = definition->has_final;

        for (unsigned i = 0; i < definition->n_nodes; i++)
                has_some = has_some || definition->nodes[i].has_undo;
        return has_some ? definition->n_nodes * 2U + 1 : definition->n_nodes;
}

unsigned trial_undo_of(const TrialDefinition *definition, unsigned node) {
        return definition->n_nodes + node;
}

void trial_lay_ends(TrialDefinition *definition) {
        const unsigned n = trial_n_views(definition);

        for (unsigned i = definition->n_nodes; i < n; i++)
                definition->nodes[i] = (TrialNode) {
                        .policy = i < n - 1 ? TRIAL_POLICY_SUSPEND : TRIAL_POLICY_CONTINUE,
                        .recover = TRIAL_RECOVER_PENDING, .timeout = definition->end_timeout,
                        .retry_delay = 5, .retry_max_delay = 5,
                        /* A node that was a run is undone by that: nobody waits for a process of its own. */
                        .action = i < n - 1 && definition->nodes[i - definition->n_nodes].action == TRIAL_ACTION_RUN
                                          ? TRIAL_ACTION_RUN
                                          : TRIAL_ACTION_PROCESS,
                };
}

unsigned trial_n_own(const TrialDefinition *definition) {
        return definition->n_nodes - definition->n_items;
}

void trial_strip_items(TrialDefinition *definition) {
        const unsigned n = trial_n_own(definition);

        memset(definition->nodes + n, 0, definition->n_items * sizeof(*definition->nodes));
        definition->n_nodes = (uint8_t) n;
        definition->n_items = 0;
}

/* Conditions, gates and ends of runs are the node's. A failure, too; but a person is asked about an instance. */
static TrialNode item_of(const TrialNode *node, unsigned of, unsigned item) {
        TrialNode spec = *node;

        spec.n_parents = 0;
        memset(spec.parents, 0, sizeof(spec.parents));
        memset(spec.is_marked, 0, sizeof(spec.is_marked));
        memset(spec.skip_counts, 0, sizeof(spec.skip_counts));
        memset(spec.skip_counts_as, 0, sizeof(spec.skip_counts_as));
        spec.readiness = TRIAL_ALL_SUCCEEDED;
        spec.amount = 0;
        spec.when = TRIAL_WHEN_NONE;
        spec.is_otherwise = spec.has_gate = spec.asks_policy = spec.is_foreach = false;
        spec.end_run = TRIAL_END_RUN_NO;
        if (spec.policy == TRIAL_POLICY_END)
                spec.policy = TRIAL_POLICY_CONTINUE;
        spec.is_item = true;
        spec.item_of = (uint8_t) of;
        spec.item = (uint8_t) item;
        return spec;
}

static unsigned most_items(const TrialNode *node) {
        unsigned most = 0;

        for (unsigned i = 0; i < 2 && node->is_foreach; i++)
                if (node->items[i] <= TRIAL_ITEMS_MAX && node->items[i] > most)
                        most = node->items[i];
        return most;
}

void trial_lay_items(TrialDefinition *definition) {
        const unsigned n = definition->n_nodes;

        for (unsigned i = 0; i < n; i++)
                for (unsigned k = 0; k < most_items(&definition->nodes[i]); k++) {
                        definition->nodes[definition->n_nodes++] = item_of(&definition->nodes[i], i, k);
                        definition->n_items++;
                }
}

unsigned trial_find_item(const TrialDefinition *definition, unsigned node, unsigned item) {
        for (unsigned i = trial_n_own(definition); i < definition->n_nodes; i++)
                if (definition->nodes[i].item_of == node && definition->nodes[i].item == item)
                        return i;
        return TRIAL_NODES_MAX;
}

bool trial_is_expanded(const TrialDefinition *definition, const TrialNodeView *views, unsigned node) {
        for (unsigned i = trial_n_own(definition); i < definition->n_nodes; i++)
                if (definition->nodes[i].item_of == node && views[i].state != TRIAL_NODE_ABSENT)
                        return true;
        return false;
}

/* — additions — */

bool trial_is_missing(const TrialNode *spec, const TrialNodeView *view) {
        return spec->added_in > 0 && view->state == TRIAL_NODE_ABSENT;
}

bool trial_can_grow(const TrialDefinition *definition) {
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (definition->nodes[i].added_in > 0)
                        return true;
        return false;
}

bool trial_knows_parents(const TrialDefinition *definition, const TrialNodeView *views, unsigned addition) {
        for (unsigned i = 0; i < definition->n_nodes; i++) {
                const TrialNode *node = &definition->nodes[i];

                if (node->added_in != addition)
                        continue;
                if (views[i].state != TRIAL_NODE_ABSENT)
                        return false;
                for (unsigned k = 0; k < node->n_parents; k++) {
                        const TrialNode *above = &definition->nodes[node->parents[k]];

                        /* A parent that is added later than the child gets it then. */
                        if (above->added_in < addition && trial_is_missing(above, &views[node->parents[k]]))
                                return false;
                }
        }
        return true;
}

/* @child is there, or is to be. */
static bool may_add_edge(const TrialDefinition *definition, const TrialNodeView *views, unsigned addition,
                         unsigned child, unsigned parent) {
        const TrialNode *above = &definition->nodes[parent], *below = &definition->nodes[child];

        if (below->added_in != addition)
                return above->added_in != addition || views[child].state == TRIAL_NODE_WAITING ||
                       views[child].state == TRIAL_NODE_BLOCKED;
        return above->added_in == addition || trial_is_missing(above, &views[parent]) ||
               !trial_node_is_terminal(views[parent].state);
}

bool trial_may_add(const TrialDefinition *definition, const TrialNodeView *views, unsigned addition) {
        if (!trial_knows_parents(definition, views, addition))
                return false;
        for (unsigned i = 0; i < definition->n_nodes; i++) {
                const TrialNode *node = &definition->nodes[i];
                const bool is_new = node->added_in == addition;

                for (unsigned k = 0; k < node->n_parents; k++)
                        if ((is_new || !trial_is_missing(node, &views[i])) &&
                            !may_add_edge(definition, views, addition, i, node->parents[k]))
                                return false;
        }
        return true;
}

void trial_remove_parent(TrialNode *node, unsigned at) {
        for (unsigned k = at; k + 1 < node->n_parents; k++) {
                node->parents[k] = node->parents[k + 1];
                node->is_marked[k] = node->is_marked[k + 1];
                node->skip_counts[k] = node->skip_counts[k + 1];
                node->skip_counts_as[k] = node->skip_counts_as[k + 1];
        }
        node->n_parents--;
        node->parents[node->n_parents] = 0;
        node->is_marked[node->n_parents] = node->skip_counts[node->n_parents] = false;
        node->skip_counts_as[node->n_parents] = TRIAL_PARENT_SUCCEEDED;
}

/* Parents that come later do not change the rule: that has parents before, and counts on no more than these. */
static void trim_additions_of(const TrialDefinition *definition, TrialNode *node) {
        unsigned n_first = 0, n_marked = 0, first = 0;

        for (unsigned k = node->n_parents; k-- > 0;)
                if (definition->nodes[node->parents[k]].added_in <= node->added_in) {
                        n_first++;
                        n_marked += node->is_marked[k];
                        first = k;
                }
        if (n_first == node->n_parents)
                return;
        for (unsigned k = node->n_parents; k-- > 0;) {
                if (definition->nodes[node->parents[k]].added_in <= node->added_in)
                        continue;
                node->is_marked[k] = node->is_marked[k] && n_marked > 0;
                if (n_first == 0)
                        trial_remove_parent(node, k);
        }
        if (n_first == 0)
                node->readiness = TRIAL_ALL_SUCCEEDED;
        if (n_marked == 0 && n_first > 0 && node->readiness == TRIAL_NAMED)
                node->is_marked[first] = true;
        if (node->readiness == TRIAL_AT_LEAST && node->amount > n_first)
                node->amount = (uint8_t) n_first;
}

void trial_trim_additions(TrialDefinition *definition) {
        bool has_first = false;

        for (unsigned i = 0; i < definition->n_nodes; i++)
                has_first = has_first || definition->nodes[i].added_in == 0;
        if (!has_first)
                definition->nodes[0].added_in = 0;
        for (unsigned i = 0; i < definition->n_nodes; i++)
                trim_additions_of(definition, &definition->nodes[i]);
}

bool trial_needs_no_attempt(const TrialNode *spec) {
        return spec->action >= TRIAL_ACTION_SLEEP;
}

bool trial_needs_place(const TrialNode *spec) {
        return spec->action == TRIAL_ACTION_PROCESS && !spec->is_foreach;
}

bool trial_waits_with_sub_run(const TrialNodeView *view) {
        return view->state == TRIAL_NODE_PENDING && view->reason == TRIAL_REASON_SUB_RUN;
}

bool trial_is_idle(const TrialNode *spec, const TrialNodeView *view) {
        return view->state == TRIAL_NODE_RUNNING &&
               (trial_needs_no_attempt(spec) || spec->is_foreach || view->reason == TRIAL_REASON_CALLBACK);
}

bool trial_takes(const TrialNode *spec) {
        return (spec->locks != 0 || spec->need > 0) && !spec->is_foreach;
}

bool trial_run_takes(const TrialDefinition *definition) {
        return definition->run_slots > 0 || definition->run_need > 0;
}

TrialParent trial_parent(const TrialNode *spec, unsigned k, const TrialNodeView *parent) {
        switch (parent->state) {
        case TRIAL_NODE_SUCCEEDED:
                return TRIAL_PARENT_SUCCEEDED;
        case TRIAL_NODE_FAILED:
        case TRIAL_NODE_TIMEOUT:
        case TRIAL_NODE_CANCELLED:
                return TRIAL_PARENT_FAILED;
        case TRIAL_NODE_SKIPPED:
                if (spec->skip_counts[k])
                        return spec->skip_counts_as[k];
                if (parent->reason == TRIAL_REASON_UPSTREAM_FAILED && spec->readiness != TRIAL_ONE_DONE)
                        return TRIAL_PARENT_FAILED;
                return TRIAL_PARENT_SKIPPED;
        case TRIAL_NODE_PENDING:
        case TRIAL_NODE_BLOCKED:
                return TRIAL_PARENT_PENDING;
        case TRIAL_NODE_WAITING:
        case TRIAL_NODE_READY:
        case TRIAL_NODE_RUNNING:
        case TRIAL_NODE_DEFERRED:
        case TRIAL_NODE_ABSENT:
        case _TRIAL_NODE_STATE_MAX:
                break;
        }
        return TRIAL_PARENT_UNFINISHED;
}

static void add_to_family(const TrialNode *spec, unsigned k, const TrialNodeView *parent, bool is_many,
                          TrialFamily *family) {
        family->as[family->n] = trial_parent(spec, k, parent);
        family->is_marked[family->n] = spec->is_marked[k];
        family->is_many[family->n++] = is_many;
}

void trial_find_family(const TrialDefinition *definition, const TrialNodeView *views, unsigned node,
                       TrialFamily *ret_family) {
        const TrialNode *spec = &definition->nodes[node];

        ret_family->n = 0;
        for (unsigned k = 0; k < spec->n_parents; k++) {
                const unsigned parent = spec->parents[k];

                if (trial_is_missing(&definition->nodes[parent], &views[parent]))
                        continue;
                if (!definition->nodes[parent].is_foreach || !trial_is_expanded(definition, views, parent)) {
                        add_to_family(spec, k, &views[parent],
                                      definition->nodes[parent].is_foreach &&
                                              !trial_node_is_terminal(views[parent].state),
                                      ret_family);
                        continue;
                }
                for (unsigned i = trial_n_own(definition); i < definition->n_nodes; i++)
                        if (definition->nodes[i].item_of == parent && views[i].state != TRIAL_NODE_ABSENT)
                                add_to_family(spec, k, &views[i], false, ret_family);
        }
}

static bool has_parent(const TrialNode *node, unsigned parent) {
        for (unsigned i = 0; i < node->n_parents; i++)
                if (node->parents[i] == parent)
                        return true;
        return false;
}

bool trial_decides_about(const TrialNode *node, const TrialNode *otherwise) {
        if (node->when == TRIAL_WHEN_NONE || !otherwise->is_otherwise || node->n_parents != otherwise->n_parents)
                return false;
        for (unsigned i = 0; i < node->n_parents; i++)
                if (!has_parent(otherwise, node->parents[i]))
                        return false;
        return true;
}

const TrialAttempt *trial_find_attempt(const TrialView *view, const TrialEvent *event) {
        for (unsigned i = 0; i < view->n_attempts; i++) {
                const TrialAttempt *attempt = &view->attempts[i];

                if (attempt->run == event->run && attempt->node == event->node &&
                    attempt->generation == event->generation && attempt->number == event->number)
                        return attempt;
        }
        return NULL;
}

const char *trial_event_name(TrialEventKind kind) {
        static const char *const names[_TRIAL_EVENT_MAX] = {
                [TRIAL_SUBMIT] = "submit",
                [TRIAL_STARTED] = "started",
                [TRIAL_EXITED] = "exited",
                [TRIAL_LOST] = "lost",
                [TRIAL_INTERRUPTED] = "interrupted",
                [TRIAL_TIME] = "time",
                [TRIAL_ACCEPTED] = "accepted",
                [TRIAL_DURABLE] = "durable",
                [TRIAL_SUB_WAITS] = "sub-waits",
                [TRIAL_ANSWERED] = "answered",
                [TRIAL_PAUSE] = "pause",
                [TRIAL_RESUME] = "resume",
                [TRIAL_STOP] = "stop",
                [TRIAL_CANCEL] = "cancel",
                [TRIAL_RETRY] = "retry",
                [TRIAL_RERUN] = "rerun",
                [TRIAL_RESOLVE] = "resolve",
                [TRIAL_SKIP] = "skip",
                [TRIAL_APPROVE] = "approve",
                [TRIAL_REJECT] = "reject",
                [TRIAL_COMPLETE] = "complete",
                [TRIAL_COMPENSATE] = "compensate",
                [TRIAL_UNLOCK] = "unlock",
                [TRIAL_ADD] = "add-nodes",
                [TRIAL_UNIT_ACTIVE] = "unit-active",
                [TRIAL_UNIT_FAILED] = "unit-failed",
                [TRIAL_UNIT_CANCELLED] = "unit-cancelled",
                [TRIAL_UNIT_STOP] = "unit-stop",
                [TRIAL_UNIT_INACTIVE] = "unit-inactive",
                [TRIAL_TURN] = "turn",
                [TRIAL_RESTART] = "restart",
        };

        return names[kind];
}

const char *trial_run_state_name(TrialRunState state) {
        static const char *const names[_TRIAL_RUN_STATE_MAX] = {
                [TRIAL_RUN_CREATED] = "CREATED",   [TRIAL_RUN_QUEUED] = "QUEUED",
                [TRIAL_RUN_RUNNING] = "RUNNING",   [TRIAL_RUN_PAUSING] = "PAUSING",
                [TRIAL_RUN_PAUSED] = "PAUSED",     [TRIAL_RUN_SUSPENDED] = "SUSPENDED",
                [TRIAL_RUN_STOPPING] = "STOPPING", [TRIAL_RUN_SUCCEEDED] = "SUCCEEDED",
                [TRIAL_RUN_PARTIAL] = "PARTIAL",   [TRIAL_RUN_FAILED] = "FAILED",
                [TRIAL_RUN_TIMEOUT] = "TIMEOUT",   [TRIAL_RUN_CANCELLED] = "CANCELLED",
        };

        return names[state];
}

const char *trial_node_state_name(TrialNodeState state) {
        static const char *const names[_TRIAL_NODE_STATE_MAX] = {
                [TRIAL_NODE_WAITING] = "WAITING",     [TRIAL_NODE_BLOCKED] = "BLOCKED",
                [TRIAL_NODE_READY] = "READY",         [TRIAL_NODE_RUNNING] = "RUNNING",
                [TRIAL_NODE_DEFERRED] = "DEFERRED",   [TRIAL_NODE_PENDING] = "PENDING",
                [TRIAL_NODE_SUCCEEDED] = "SUCCEEDED", [TRIAL_NODE_FAILED] = "FAILED",
                [TRIAL_NODE_TIMEOUT] = "TIMEOUT",     [TRIAL_NODE_CANCELLED] = "CANCELLED",
                [TRIAL_NODE_SKIPPED] = "SKIPPED",     [TRIAL_NODE_ABSENT] = "ABSENT",
        };

        return names[state];
}

const char *trial_reason_name(TrialReason reason) {
        static const char *const names[_TRIAL_REASON_MAX] = {
                [TRIAL_REASON_NONE] = "",
                [TRIAL_REASON_RETRY] = "(retry)",
                [TRIAL_REASON_AGAIN] = "(again)",
                [TRIAL_REASON_STATUS] = "(status)",
                [TRIAL_REASON_LOST] = "(lost)",
                [TRIAL_REASON_INTERRUPTED] = "(interrupted)",
                [TRIAL_REASON_POISON] = "(poison)",
                [TRIAL_REASON_FAILED] = "(failed)",
                [TRIAL_REASON_UPSTREAM] = "(upstream)",
                [TRIAL_REASON_UPSTREAM_FAILED] = "(upstream-failed)",
                [TRIAL_REASON_ENDED] = "(ended)",
                [TRIAL_REASON_OPERATOR] = "(operator)",
                [TRIAL_REASON_UNNEEDED] = "(unneeded)",
                [TRIAL_REASON_DEADLINE] = "(deadline)",
                [TRIAL_REASON_UNIT] = "(unit)",
                [TRIAL_REASON_DEPENDENCY] = "(dependency)",
                [TRIAL_REASON_QUEUE] = "(queue)",
                [TRIAL_REASON_WHEN] = "(when)",
                [TRIAL_REASON_EXPRESSION] = "(expression)",
                [TRIAL_REASON_SHORT_CIRCUIT] = "(short-circuit)",
                [TRIAL_REASON_POLICY] = "(policy)",
                [TRIAL_REASON_SLEEP] = "(sleep)",
                [TRIAL_REASON_JOB] = "(job)",
                [TRIAL_REASON_GATE] = "(gate)",
                [TRIAL_REASON_REJECTED] = "(rejected)",
                [TRIAL_REASON_RESULT_INVALID] = "(result-invalid)",
                [TRIAL_REASON_RESULT_TOO_LARGE] = "(result-too-large)",
                [TRIAL_REASON_OUTPUT_MISSING] = "(output-missing)",
                [TRIAL_REASON_INPUT_MISSING] = "(input-missing)",
                [TRIAL_REASON_REFUSED] = "(refused)",
                [TRIAL_REASON_CALLBACK] = "(callback)",
                [TRIAL_REASON_COMPENSATE] = "(compensate)",
                [TRIAL_REASON_FINAL] = "(final)",
                [TRIAL_REASON_FOREACH] = "(foreach)",
                [TRIAL_REASON_TOO_MANY] = "(too-many)",
                [TRIAL_REASON_SUB_RUN] = "(sub-run)",
        };

        return names[reason];
}

const char *trial_readiness_name(TrialReadiness readiness) {
        static const char *const names[_TRIAL_READINESS_MAX] = {
                [TRIAL_ALL_SUCCEEDED] = "all-succeeded",
                [TRIAL_ALL_FINISHED] = "all-finished",
                [TRIAL_AT_LEAST] = "at-least",
                [TRIAL_AT_LEAST_PERCENT] = "at-least-percent",
                [TRIAL_ANY] = "any",
                [TRIAL_NAMED] = "named",
                [TRIAL_MUST] = "must",
                [TRIAL_OPTIONAL] = "optional",
                [TRIAL_NONE_FAILED] = "none-failed",
                [TRIAL_ONE_FAILED] = "one-failed",
                [TRIAL_ALL_FAILED] = "all-failed",
                [TRIAL_ALWAYS] = "always",
                [TRIAL_NONE_SKIPPED] = "none-skipped",
                [TRIAL_ONE_DONE] = "one-done",
                [TRIAL_ALL_SKIPPED] = "all-skipped",
                [TRIAL_NONE_FAILED_MIN_ONE] = "none-failed-min-one",
                [TRIAL_ONE_SUCCESS] = "one-success",
        };

        return names[readiness];
}

const char *trial_why_name(TrialWhy why) {
        static const char *const names[_TRIAL_WHY_MAX] = {
                "nothing",   "parents", "a human", "time",     "a process", "the end of a process",
                "the store", "a place", "the run", "the unit", "a gate",    "a job",
                "a policy",  "a lock",  "a resource", "a callback",
                "a compensation", "the final command", "its instances", "a sub-run",
        };

        return names[why];
}

const char *trial_verdict_name(TrialVerdict verdict) {
        static const char *const names[] = { "READY", "WAIT", "BLOCKED", "NEVER" };

        return names[verdict];
}

const char *trial_feature_name(unsigned bit) {
        static const char *const names[] = {
                "optional", "airflow",     "skip-counts", "short-circuit", "skip-all", "abandon",
                "queue",    "again-bound", "end-run",     "default",       "when",     "gate",
                "sleep",    "job",         "result",        "policy",   "lock",
                "priority", "callback", "undo", "foreach", "growth", "growth-wakes", "sub-run", "sub-run-ends",
        };

        return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}
