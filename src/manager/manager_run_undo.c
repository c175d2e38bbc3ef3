/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compensations of nodes with Flow=: runs that have succeeded are undone
 *
 * The run is found by the key of the attempt that it was. It is undone if
 * something of it can be; that it was told to is recorded when the store has
 * that, so that a core that comes later does not tell it twice. What counts in
 * the end is that nothing is left to undo, whoever has seen to that.
 *
 * Of a node with Foreach= one run after the other is undone, the last success
 * first. How far that has come is the number of the success that was undone
 * last.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_part.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_sub.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_undo.h"

/* — which — */

static bool is_next(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, const ManagerSub *sub,
                    RunNodeRow *ret_row) {
        RunWhy why;

        return run_engine_get_node(runs->engine, run->id, node, ret_row, &why) == 0 &&
               ret_row->state == RUN_NODE_SUCCEEDED && (sub->undone == 0 || ret_row->at < sub->undone);
}

/* The node, or the instance of it, whose run is to be undone next: false if there is none. */
static bool find_next(const ManagerRuns *runs, const ManagerRun *run, uint32_t undo, const ManagerSub *sub,
                      RunNodeRow *ret_row) {
        const uint32_t node = run_graph_partner(run->graph, undo), n = run_graph_count_items(run->graph, node);
        bool has_found = false;
        RunNodeRow row;

        if (!run_graph_policy(run->graph, node)->is_foreach)
                return is_next(runs, run, node, sub, ret_row);
        for (uint32_t i = 0; i < n; i++)
                if (is_next(runs, run, run_graph_find_item(run->graph, node, i), sub, &row) &&
                    (!has_found || row.at > ret_row->at)) {
                        *ret_row = row;
                        has_found = true;
                }
        return has_found;
}

/* Nothing is left of the run of @row, or there was none. */
static void go_on(ManagerRuns *runs, const ManagerRun *run, const RunAttemptKey *key, ManagerSub *sub,
                  const RunNodeRow *row) {
        RunNodeRow next;

        sub->undone = row->at;
        sub->is_undoing = sub->is_unknown = false;
        sub->has_changed = true;
        if (!find_next(runs, run, key->node, sub, &next)) {
                manager_run_sub_end(sub, RUN_END_EXITED, NULL);
                return;
        }
        sub->run = 0;
        manager_run_note_work(runs);
        manager_turn_wake(runs->host.attempts.turn);
}

static void end_gone(const ManagerRun *run, const RunNodeRow *row, ManagerSub *sub) {
        cleanup_free_ char *problem = NULL;

        if (sub->run > 0)
                (void) text_format(&problem, "Run %" PRIu32 ", which node %s was, is not in the store of runs any "
                                   "more; whether what it has done is to be undone is for a person to say.", sub->run,
                                   run_graph_name(run->graph, row->node));
        else
                (void) text_format(&problem, "The run that node %s was is not in the store of runs any more; whether "
                                   "what it has done is to be undone is for a person to say.",
                                   run_graph_name(run->graph, row->node));
        manager_run_sub_end(sub, RUN_END_LOST, problem);
}

static void end_incomplete(ManagerSub *sub) {
        cleanup_free_ char *problem = NULL;

        (void) text_format(&problem, "Not all that run %" PRIu32 " has done is undone: see 'jobctl flow show "
                           "%" PRIu32 "'.", sub->run, sub->run);
        manager_run_sub_end(sub, RUN_END_FAILED, problem);
}

/* — telling the run — */

/* A refusal may stay until a person has done something. */
static void take_refusal(ManagerRuns *runs, ManagerSub *sub, const Failure *failure) {
        sub->refusal = strdup(failure_message(failure));
        manager_run_sub_ask_later(runs, sub);
}

static void take_answer(ManagerRuns *runs, ManagerSub *sub, const ManagerRunAnswer *answer) {
        const int code = answer->failure ? answer->failure->code : 0;

        sub->is_asked = false;
        free(take_ptr(sub->refusal));
        if (code == -EALREADY)
                sub->is_undone = true;
        else if (code == -ENOENT)
                sub->is_unknown = true;
        else if (code < 0)
                take_refusal(runs, sub, answer->failure);
        else if (sub->is_undoing)
                end_incomplete(sub);
        else
                sub->is_undoing = sub->has_changed = true;
}

/* A run that has been told already is asked whether something is left. */
static void tell_to_undo(ManagerRuns *runs, const ManagerRun *run, ManagerSub *sub) {
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_free_ char *comment = NULL;
        ManagerRunCommand command = {
                .run = sub->run,
                .verb = RUN_VERB_COMPENSATE,
                .is_question = sub->is_undoing,
                .operator= run->facts.operator,
                .reqid = run->facts.reqid,
                .uid = run->facts.uid,
        };
        int r;

        (void) text_format(&comment, "as run %" PRIu32 ", which it is a part of", run->id);
        sub->ticket = ++runs->last_sub;
        sub->is_asked = true;
        command.comment = comment;
        command.ticket = (ManagerRunTicket) { .a = MANAGER_RUN_OF_SUB, .b = sub->ticket };
        r = manager_runs_command(runs, &command, &failure);
        if (r < 0)
                take_answer(runs, sub, &(ManagerRunAnswer) { .kind = MANAGER_RUN_DONE, .failure = &failure });
}

/* — looking at it — */

static bool is_being_undone(const RunRow *row) {
        return row->reason == RUN_REASON_COMPENSATE && (row->state == RUN_STOPPING || row->state == RUN_SUSPENDED);
}

/* The run lives. With an end of the attempt it gives up what it waits with. */
static void look_at(ManagerRuns *runs, const RunAttemptKey *key, ManagerRun *part, const RunRow *row, ManagerSub *sub,
                    bool ends) {
        /* Whoever had it undone before has not had it take its locks from the step. */
        if (!sub->is_undoing && is_being_undone(row) && run_engine_sub_joins(runs->engine, part->id))
                manager_run_note_work(runs);
        if (!sub->is_undoing && is_being_undone(row) && manager_run_sub_is_kept(runs, part, row))
                sub->is_undoing = sub->has_changed = true;
        if (ends && !is_being_undone(row))
                manager_run_sub_end(sub, RUN_END_CANCELLED, NULL);
        else if (ends && row->state == RUN_SUSPENDED)
                (void) manager_run_sub_tell(runs, part, RUN_VERB_CANCEL, "cancel");
        else if (run_engine_sub_waits(runs->engine, key, !ends && manager_run_sub_waits_for_person(row, sub)) > 0)
                manager_run_note_work(runs);
}

/* A part of it that goes on, because of which it is not undone, may wait for a person. */
static void wait_with_live_part(ManagerRuns *runs, const RunAttemptKey *key, const ManagerSub *sub) {
        const ManagerRun *live = sub->refusal ? manager_run_find_live_part(runs, sub->run) : NULL;
        RunRow row;
        const bool waits = live && run_engine_get_row(runs->engine, live->id, &row) == 0 &&
                           manager_run_sub_waits_for_person(&row, sub);

        if (run_engine_sub_waits(runs->engine, key, waits) > 0)
                manager_run_note_work(runs);
}

/* The run has ended. */
static void look_at_ended(ManagerRuns *runs, const ManagerRun *run, const RunAttemptKey *key, const ManagerRun *part,
                          ManagerSub *sub, const RunNodeRow *row, bool ends) {
        if (part && !manager_run_sub_has_ended(runs, part))
                return;
        if (sub->is_undone || (part && !run_engine_can_undo(runs->engine, part->id))) {
                sub->is_undone = false;
                go_on(runs, run, key, sub, row);
        } else if (ends)
                manager_run_sub_end(sub, RUN_END_CANCELLED, NULL);
        else if (part && sub->is_undoing)
                end_incomplete(sub);
        else {
                wait_with_live_part(runs, key, sub);
                tell_to_undo(runs, run, sub);
        }
}

static void step(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key, ManagerSub *sub, bool ends) {
        ManagerRun *part = sub->run > 0 ? manager_run_find(runs, sub->run) : NULL;
        RunAttemptKey part_key;
        RunNodeRow row;
        RunRow part_row;

        sub->is_undo = true;
        if (!find_next(runs, run, key->node, sub, &row)) {
                manager_run_sub_end(sub, RUN_END_EXITED, NULL);
                return;
        }
        part_key = (RunAttemptKey) { run->id, row.node, row.generation, row.number };
        /* Without an attempt, or a run of it, a person has called it a success. */
        if (row.number == 0 || (sub->is_unknown && sub->run == 0 && row.reason == RUN_REASON_OPERATOR))
                go_on(runs, run, key, sub, &row);
        else if (sub->is_unknown)
                end_gone(run, &row, sub);
        else if (sub->run == 0 && ends)
                manager_run_sub_end(sub, RUN_END_CANCELLED, NULL);
        else if (sub->run == 0)
                manager_run_sub_find(runs, run, &part_key, sub);
        else if (part && run_engine_get_row(runs->engine, part->id, &part_row) == 0 &&
                 !run_state_is_terminal(part_row.state))
                look_at(runs, key, part, &part_row, sub, ends);
        else
                look_at_ended(runs, run, key, part, sub, &row, ends);
}

/* — attempts — */

void manager_run_step_part(void *userdata, const RunAttemptKey *key, ManagerSub *sub, bool ends) {
        ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, key->run);

        if (!run || !run_graph_is_extra(run->graph, key->node))
                manager_run_step_sub(runs, key, sub, ends);
        else if (!sub->is_asked)
                step(runs, run, key, sub, ends);
}

void manager_run_answer_part(ManagerRuns *runs, const ManagerRunAnswer *answer) {
        ManagerSub *sub = manager_attempts_change_sub(runs->attempts, answer->ticket.b);

        if (!sub || !sub->is_undo || answer->kind == MANAGER_RUN_ROWS) {
                manager_run_answer_sub(runs, answer);
                return;
        }
        /* Without a number the store was asked for that. */
        if (sub->run > 0)
                take_answer(runs, sub, answer);
        else {
                sub->is_asked = false;
                manager_run_sub_ask_later(runs, sub);
        }
        manager_run_note_work(runs);
        manager_turn_wake(runs->host.attempts.turn);
}
