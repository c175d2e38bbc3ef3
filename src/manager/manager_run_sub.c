/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes with Flow=: runs of other flows
 *
 * The key of a sub-run names the attempt that it is. So it is submitted again
 * until its number is known, by whatever core, and is one run all the same.
 * From then on the attempt looks at the run, and passes down what was said to
 * its parent; both are told by what is, not by what happens, so that nothing is
 * lost with a core. The end of the run counts when it is durable: otherwise it
 * might go on after a restart, while its node has ended.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_keep.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_sub.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_value.h"

#define DEPTH_MAX 16U /* of runs within runs */
#define ASK_AGAIN USEC_PER_SEC

/* — what is above — */

/* The run that @run is a part of; NULL: it is none, or nobody waits for it any more. */
static const ManagerRun *parent_of(const ManagerRuns *runs, const ManagerRun *run) {
        return run->facts.parent > 0 ? manager_run_find(runs, run->facts.parent) : NULL;
}

/* "a.flow, b.flow, a.flow": the units from the outermost run to @unit. */
static int refuse_cycle(const ManagerRuns *runs, const ManagerRun *run, const char *unit, Failure *ret_failure) {
        const ManagerRun *above[DEPTH_MAX];
        cleanup_(text_deinit) Text text = {};
        cleanup_free_ char *chain = NULL;
        unsigned n = 0;

        for (; run && n < DEPTH_MAX; run = parent_of(runs, run))
                above[n++] = run;
        while (n > 0)
                text_addf(&text, "%s, ", above[--n]->facts.unit);
        text_add(&text, unit);
        if (text_finish(&text, &chain) < 0)
                return -ENOMEM;
        return failure_set(ret_failure, -ELOOP, "LoadFailed", "A run of %s would be a part of itself: %s.", unit,
                           chain);
}

/* No flow is a part of itself, over however many runs. */
static int check_above(const ManagerRuns *runs, const ManagerRun *run, const char *unit, Failure *ret_failure) {
        unsigned depth = 0;

        for (const ManagerRun *at = run; at; at = parent_of(runs, at)) {
                if (strcmp(at->facts.unit, unit) == 0)
                        return refuse_cycle(runs, run, unit, ret_failure);
                if (++depth == DEPTH_MAX)
                        return failure_set(ret_failure, -ELOOP, "LoadFailed",
                                           "A run of %s would be the last of more than %u runs, each of which is a "
                                           "part of the one before.", unit, DEPTH_MAX);
        }
        return 0;
}

/* — ends — */

void manager_run_sub_end(ManagerSub *sub, RunEndKind kind, const char *problem) {
        sub->has_end = true;
        sub->kind = kind;
        free(sub->problem);
        sub->problem = problem ? strdup(problem) : NULL;
}

static void end_by_state(ManagerSub *sub, RunState state) {
        static const RunEndKind kinds[_RUN_STATE_MAX] = {
                [RUN_SUCCEEDED] = RUN_END_EXITED, [RUN_PARTIAL] = RUN_END_EXITED,      [RUN_FAILED] = RUN_END_FAILED,
                [RUN_TIMEOUT] = RUN_END_TIMEOUT,  [RUN_CANCELLED] = RUN_END_CANCELLED,
        };
        cleanup_free_ char *problem = NULL;

        if (kinds[state] != RUN_END_EXITED)
                (void) text_format(&problem, "Run %" PRIu32 ", which it was, has ended: %s.", sub->run,
                                   run_state_to_string(state));
        manager_run_sub_end(sub, kinds[state], problem);
}

void manager_run_sub_ask_later(const ManagerRuns *runs, ManagerSub *sub) {
        sub->not_before = usec_add(runs->host.attempts.turn->now, ASK_AGAIN);
}

/*
 * A run that the manager or its store cannot make at present is asked for again. A refusal that may be otherwise later
 * is a failure, after which the node may be tried again; any other stays a refusal.
 */
static void fail(const ManagerRuns *runs, ManagerSub *sub, const Failure *failure) {
        switch (-failure->code) {
        case EAGAIN:
        case ENOMEM:
        case ENOTCONN:
        case EHOSTDOWN:
        case ESHUTDOWN:
                manager_run_sub_ask_later(runs, sub);
                break;
        case EBUSY:
        case ENOBUFS:
        case EEXIST:
                manager_run_sub_end(sub, RUN_END_FAILED, failure_message(failure));
                break;
        default:
                manager_run_sub_end(sub, RUN_END_REFUSED, failure_message(failure));
        }
}

/* — submitting — */

static int make_key(const ManagerRun *run, const RunAttemptKey *key, char **ret_key) {
        return text_format(ret_key, MANAGER_RUN_SUB_KEY "%" PRIu32 "/%s/%" PRIu32 "/%" PRIu32, key->run,
                           run_graph_name(run->graph, key->node), key->generation, key->number);
}

static int submit_as(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key, const FlowNode *node,
                     uint64_t ticket, Failure *ret_failure) {
        cleanup_free_ char *name = NULL, *problem = NULL;
        cleanup_(strv_freep) char **params = NULL;
        ManagerRunRequest request = {
                .unit = node->flow,
                .operator= run->facts.operator,
                .client = run->facts.client,
                .namespace = run->facts.namespace,
                .reqid = run->facts.reqid,
                .environment = run->facts.environment,
                .uid = run->facts.uid,
                .parent = key->run,
                .parent_node = run_graph_name(run->graph, key->node),
                .ticket = { .a = MANAGER_RUN_OF_SUB, .b = ticket },
        };
        int r = check_above(runs, run, node->flow, ret_failure);

        if (r == 0)
                r = make_key(run, key, &name);
        if (r < 0)
                return r;
        r = manager_run_make_params(runs, run, key->node, node->sub_params, &params, &problem);
        if (r < 0)
                return r == -ENOMEM ? r : failure_set(ret_failure, -EINVAL, "InvalidArgs", "SubParams=: %s",
                                                      problem ? problem : strerror(-r));
        request.key = name;
        request.params = params;
        return manager_runs_submit(runs, &request, ret_failure);
}

static void submit(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key, ManagerSub *sub) {
        cleanup_(failure_deinit) Failure failure = {};
        FlowCommand command;
        int r = manager_run_open_command(run, key->node, &command);

        sub->ticket = ++runs->last_sub;
        if (r == 0) {
                r = submit_as(runs, run, key, command.node, sub->ticket, &failure);
                flow_command_close(&command);
        }
        sub->is_asked = r == 0;
        if (r < 0 && failure.code == 0)
                failure_set(&failure, r, "Failed", "Its run cannot be submitted: %s.", strerror(-r));
        if (r < 0)
                fail(runs, sub, &failure);
}

/* — the store — */

static void ask_store(ManagerRuns *runs, ManagerSub *sub, RunStoreQuery *query) {
        cleanup_(failure_deinit) Failure failure = {};

        query->table = RUNSTORE_RUN;
        query->columns = UINT64_C(1) << RUN_ROW_ID | UINT64_C(1) << RUN_ROW_STATE | UINT64_C(1) << RUN_ROW_RESULT;
        query->limit = 1;
        sub->ticket = ++runs->last_sub;
        sub->is_asked = runs->query(runs, query, sub->run,
                                    (ManagerRunTicket) { .a = MANAGER_RUN_OF_SUB, .b = sub->ticket }, &failure) == 0;
        if (!sub->is_asked)
                manager_run_sub_ask_later(runs, sub);
}

/* The run has ended, and is in the store alone. */
static void ask_for_run(ManagerRuns *runs, ManagerSub *sub) {
        RunStoreQuery query = {
                .n_filters = 1,
                .filters = { { .column = RUN_ROW_ID,
                               .compare = RUNSTORE_EQUAL,
                               .value = { .type = RUNSTORE_INTEGER, .integer = sub->run } } },
        };

        ask_store(runs, sub, &query);
}

static RunStoreFilter equal_text(uint32_t column, const char *text) {
        return (RunStoreFilter) {
                .column = column,
                .compare = RUNSTORE_EQUAL,
                .value = { .type = RUNSTORE_TEXT, .bytes = text, .n = strlen(text) },
        };
}

/* The unit that runs of @node belong to, whatever name of it the node has; NULL: it cannot be found. */
static const Unit *unit_of(const ManagerRuns *runs, const ManagerRun *run, uint32_t node) {
        FlowCommand command;
        Unit *unit = NULL;

        if (manager_run_open_command(run, node, &command) < 0)
                return NULL;
        if (unit_table_load(runs->host.units, command.node->flow, &unit) < 0)
                unit = NULL;
        flow_command_close(&command);
        return unit;
}

/* NULL: there is none here. */
static const ManagerRun *find_key(const ManagerRuns *runs, const Unit *unit, const char *key) {
        const ManagerFlow *flow = manager_run_find_flow(runs, unit);

        for (const ManagerRun *run = flow ? flow->first : NULL; run; run = run->next)
                if (text_equal(run->facts.key, key))
                        return run;
        return NULL;
}

void manager_run_sub_find(ManagerRuns *runs, const ManagerRun *run, const RunAttemptKey *key, ManagerSub *sub) {
        cleanup_free_ char *name = NULL;
        const Unit *unit = unit_of(runs, run, key->node);
        const ManagerRun *child;
        RunStoreQuery query = {};

        if (make_key(run, key, &name) < 0) {
                manager_run_sub_ask_later(runs, sub);
                return;
        }
        /* One that the store does not have yet, because it cannot be asked to keep anything, is here. */
        child = unit ? find_key(runs, unit, name) : NULL;
        if (child) {
                sub->run = child->id;
                sub->has_changed = true;
                manager_run_note_work(runs);
                return;
        }
        query.filters[query.n_filters++] = equal_text(RUN_ROW_KEY, name);
        /* With the unit there is an index. */
        if (unit)
                query.filters[query.n_filters++] = equal_text(RUN_ROW_UNIT, unit->id);
        ask_store(runs, sub, &query);
}

static void take_row(ManagerRuns *runs, ManagerSub *sub, RunStorePage *page) {
        ManagerRunValues values;
        const bool has_row = manager_run_values_next(page, &values) > 0;
        const int state = has_row ? run_state_from_string(manager_run_values_text(&values, RUN_ROW_STATE)) : -1;
        const char *result = has_row ? manager_run_values_text(&values, RUN_ROW_RESULT) : "";

        if (sub->run == 0) {
                sub->run = has_row ? (uint32_t) manager_run_values_number(&values, RUN_ROW_ID) : 0;
                sub->is_unknown = !has_row;
        } else if (state >= 0 && run_state_is_terminal((RunState) state)) {
                if (text_copy(*result ? result : NULL, &sub->result) < 0)
                        manager_run_sub_ask_later(runs, sub);
                else
                        end_by_state(sub, (RunState) state);
        } else if (!manager_run_find(runs, sub->run)) {
                manager_run_sub_end(sub, RUN_END_LOST, "Nobody knows how its run has ended.");
        }
}

void manager_run_answer_sub(ManagerRuns *runs, const ManagerRunAnswer *answer) {
        ManagerSub *sub = manager_attempts_change_sub(runs->attempts, answer->ticket.b);

        if (!sub)
                return;
        sub->is_asked = false;
        if (answer->kind == MANAGER_RUN_ROWS)
                take_row(runs, sub, answer->page);
        else if (answer->failure && sub->run == 0)
                fail(runs, sub, answer->failure);
        else if (answer->failure)
                manager_run_sub_ask_later(runs, sub);
        else if (answer->run == 0)
                manager_run_sub_end(sub, RUN_END_FAILED,
                                    "No run was made, because others of its flow run and OnBusy=skip.");
        else
                sub->run = answer->run;
        manager_run_note_work(runs);
        manager_turn_wake(runs->host.attempts.turn);
}

/* — what becomes of it — */

bool manager_run_sub_tell(ManagerRuns *runs, ManagerRun *run, RunVerb verb, const char *name) {
        cleanup_free_ char *comment = NULL;

        if (run_engine_verb(runs->engine, run->id, verb, 0) < 0)
                return false;
        (void) text_format(&comment, "as run %" PRIu32 ", which it is a part of", run->facts.parent);
        manager_run_put_event(runs, run,
                              (ManagerRunEvent) {
                                      .kind = "verb",
                                      .new = name,
                                      .comment = comment,
                                      .uid = run->facts.uid,
                              });
        manager_run_note_work(runs);
        return true;
}

bool manager_run_sub_is_kept(const ManagerRuns *runs, const ManagerRun *run, const RunRow *row) {
        return run->put_state == row->state && run->is_put && !run->is_new && run->batch <= runs->durable;
}

static void note_paused(ManagerSub *sub, bool is_paused) {
        sub->is_paused = sub->is_told_pause = is_paused;
        sub->has_changed = true;
}

/*
 * A run that is not begun yet cannot be paused: it is when it begins. What was passed on is recorded when the store has
 * it: core may die after the record of the attempt was written, and before the store has the row.
 */
static void pass_pause(ManagerRuns *runs, ManagerRun *run, const RunRow *row, ManagerSub *sub) {
        if (!row->is_paused && !sub->is_told_pause && !sub->is_paused)
                sub->is_told_pause = manager_run_sub_tell(runs, run, RUN_VERB_PAUSE, "pause");
        else if (row->is_paused && !sub->is_paused) {
                sub->is_told_pause = true;
                if (manager_run_sub_is_kept(runs, run, row))
                        note_paused(sub, true);
        }
}

static void pass_resume(ManagerRuns *runs, ManagerRun *run, const RunRow *row, ManagerSub *sub) {
        if (!sub->is_paused && !sub->is_told_pause)
                return;
        if (row->is_paused)
                (void) manager_run_sub_tell(runs, run, RUN_VERB_RESUME, "resume");
        else if (manager_run_sub_is_kept(runs, run, row))
                note_paused(sub, false);
}

/* Pause, resume, stop and cancel pass to sub-runs; each run passes them on to its own. */
static void pass_down(ManagerRuns *runs, ManagerRun *run, const RunRow *row, ManagerSub *sub, bool ends) {
        RunRow parent;

        /* A core before has told the run: whether it is undone to its end is for a person to say. */
        if (row->state == RUN_SUSPENDED && row->result == RUN_CANCELLED)
                sub->is_told = sub->is_stopped = true;
        if (ends && !sub->is_told)
                sub->is_told = manager_run_sub_tell(runs, run, RUN_VERB_CANCEL, "cancel");
        if (ends || run_engine_get_row(runs->engine, run->facts.parent, &parent) < 0)
                return;
        if (parent.state == RUN_STOPPING && parent.result == RUN_CANCELLED && !sub->is_stopped)
                sub->is_stopped = manager_run_sub_tell(runs, run, RUN_VERB_STOP, "stop");
        if (run_state_is_terminal(parent.state) || parent.state == RUN_STOPPING)
                return;
        if (parent.is_paused)
                pass_pause(runs, run, row, sub);
        else
                pass_resume(runs, run, row, sub);
}

bool manager_run_sub_waits_for_person(const RunRow *row, const ManagerSub *sub) {
        const bool is_paused = row->is_paused && !sub->is_paused && !sub->is_told_pause;

        return row->state == RUN_SUSPENDED || (row->state == RUN_PAUSED && (is_paused || row->is_held_by_person));
}

bool manager_run_sub_has_ended(const ManagerRuns *runs, const ManagerRun *run) {
        return run->is_over && run->is_put && !run->is_new && run->batch <= runs->durable;
}

static void look_at(ManagerRuns *runs, const RunAttemptKey *key, ManagerRun *run, ManagerSub *sub, bool ends) {
        RunRow row;

        if (run_engine_get_row(runs->engine, run->id, &row) < 0)
                return;
        if (!run_state_is_terminal(row.state))
                pass_down(runs, run, &row, sub, ends);
        if (run_engine_get_row(runs->engine, run->id, &row) < 0)
                return;
        /* The node waits with the run as it is now, until that moves. */
        if (run_engine_sub_waits(runs->engine, key, !ends && manager_run_sub_waits_for_person(&row, sub)) > 0)
                manager_run_note_work(runs);
        if (run_state_is_terminal(row.state) && manager_run_sub_has_ended(runs, run) &&
            manager_run_make_result(runs, run, &sub->result) == 0)
                end_by_state(sub, row.state);
}

void manager_run_step_sub(void *userdata, const RunAttemptKey *key, ManagerSub *sub, bool ends) {
        ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, key->run), *child = sub->run > 0 ? manager_run_find(runs, sub->run)
                                                                                : NULL;

        if (sub->is_asked || !run)
                return;
        if (child)
                look_at(runs, key, child, sub, ends);
        else if (sub->run > 0)
                ask_for_run(runs, sub);
        else if (!ends)
                submit(runs, run, key, sub);
        else if (sub->is_unknown)
                manager_run_sub_end(sub, RUN_END_CANCELLED, NULL);
        else
                /* An earlier core may have submitted it. */
                manager_run_sub_find(runs, run, key, sub);
}

void manager_run_explain_sub(const ManagerRuns *runs, const RunAttemptKey *key, Text *text) {
        const ManagerSub *sub = manager_attempts_get_sub(runs->attempts, key);
        const ManagerRun *run = sub && sub->run > 0 ? manager_run_find(runs, sub->run) : NULL;
        const bool is_undo = sub && sub->is_undo;
        RunRow row;

        if (run && run_engine_get_row(runs->engine, run->id, &row) == 0)
                text_addf(text,
                          "it waits for %srun %" PRIu32 " of %s%s, which is %s: see 'jobctl flow why %" PRIu32 "'",
                          is_undo ? "what " : "", run->id, run->facts.unit, is_undo ? " has done to be undone" : "",
                          run_state_to_string(row.state), run->id);
        else if (is_undo && sub->refusal)
                text_addf(text, "it waits for what run %" PRIu32 " has done to be undone", sub->run);
        else if (is_undo)
                text_add(text, "the run whose work it undoes is looked for in the store");
        else if (sub && sub->run > 0)
                text_addf(text, "it waits for the end of run %" PRIu32, sub->run);
        else
                text_add(text, "its run is about to be submitted");
        if (sub && sub->refusal)
                text_addf(text, "; at last that was refused: %.*s", (int) MAX(strlen(sub->refusal), 1U) - 1,
                          sub->refusal);
}
