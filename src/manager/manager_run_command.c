/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands: what people do to runs
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "exec/exec_user.h"
#include "flow/flow_add.h"
#include "manager/manager_launch.h"
#include "manager/manager_launch_mend.h"
#include "manager/manager_stream.h"
#include "manager/manager_run_add.h"
#include "manager/manager_run_answer.h"
#include "manager/manager_run_command.h"
#include "manager/manager_run_complete.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_load.h"
#include "manager/manager_run_lock.h"
#include "manager/manager_run_part.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_sub.h"
#include "manager/manager_run_submit.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_token.h"

/* A command for a run that is being loaded. */
struct ManagerPending {
        struct ManagerPending *next;
        uint32_t id;
        RunVerb verb;
        bool is_question, is_delete, stops, is_proceed, is_retry_errors;
        RunCompletion completion;
        char *token, *result; /* owned */
        char *node, *lines, *lock, *comment, *operator, *reqid; /* owned */
        uint32_t uid;
        bool must_be_allowed;
        ManagerRunTicket ticket;
};

int manager_runs_find(const ManagerRuns *runs, const char *run, uint32_t *ret_id, Failure *ret_failure) {
        const ManagerRun *named;

        /* A name is no number. */
        if (text_parse_u32(run, ret_id) == 0 && *ret_id > 0)
                return 0;
        named = manager_run_find_name(runs, run);
        if (!named)
                return failure_set(ret_failure, -ENOENT, "NoSuchRun",
                                   "No run that lives has the name '%s'; 'jobctl flow list' shows runs and their "
                                   "numbers.",
                                   run);
        *ret_id = named->id;
        return 0;
}

static const char *const verb_names[_RUN_VERB_MAX] = {
        [RUN_VERB_PAUSE] = "pause",
        [RUN_VERB_RESUME] = "resume",
        [RUN_VERB_STOP] = "stop",
        [RUN_VERB_CANCEL] = "cancel",
        [RUN_VERB_RETRY] = "retry",
        [RUN_VERB_RERUN] = "rerun",
        [RUN_VERB_AS_SUCCESS] = "resolve as success",
        [RUN_VERB_AS_FAILED] = "resolve as failed",
        [RUN_VERB_AS_RETRY] = "resolve as retry",
        [RUN_VERB_AS_SKIP] = "resolve as skip",
        [RUN_VERB_SKIP] = "skip",
        [RUN_VERB_APPROVE] = "approve",
        [RUN_VERB_REJECT] = "reject",
        [RUN_VERB_COMPENSATE] = "compensate",
        [RUN_VERB_UNLOCK] = "unlock",
};

/* A verb that would help in place of one that is refused; "": none is known here. */
static const char *find_help(RunVerb verb, RunNodeState state) {
        if (verb == RUN_VERB_RETRY && state == RUN_NODE_DEFERRED)
                return " It runs again by itself, which 'flow why' tells the time of; 'flow skip' leaves it out.";
        if (verb == RUN_VERB_RETRY && state == RUN_NODE_SUCCEEDED)
                return " 'flow rerun' executes it again when its run has ended.";
        if (verb == RUN_VERB_RERUN && !run_node_state_is_terminal(state))
                return " 'flow rerun' is for a run that has ended.";
        if (verb == RUN_VERB_AS_SUCCESS && (state == RUN_NODE_FAILED || state == RUN_NODE_TIMEOUT))
                return " What it depends on was undone; 'flow retry' executes all of that again.";
        return "";
}

static int refuse_undo(const ManagerRun *run, Failure *ret_failure) {
        return failure_set(ret_failure, -EALREADY, "InvalidTransition",
                           "Nothing is left to undo in run %" PRIu32 ": no node with Compensate= or Flow= has "
                           "succeeded since it was undone.", run->id);
}

/* A verb about a run that has nothing for it to be done. */
static int refuse_idle(const ManagerRun *run, RunVerb verb, const RunRow *row, Failure *ret_failure) {
        if (verb == RUN_VERB_COMPENSATE && run_state_is_terminal(row->state))
                return refuse_undo(run, ret_failure);
        if (verb == RUN_VERB_RETRY)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Run %" PRIu32 " is %s, and no node of it has failed or waits for a person.",
                                   run->id, run_state_to_string(row->state));
        return 0;
}

/* The node is a run of another flow, or undoes one: the decision that it waits for is one about a node of that run. */
static int refuse_for_sub(const ManagerRun *run, RunVerb verb, const char *name, uint32_t node, const ManagerRun *sub,
                          Failure *ret_failure) {
        const bool is_undo = run_graph_is_extra(run->graph, node);

        return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                           "Node %s of run %" PRIu32 " is PENDING, because run %" PRIu32 " of %s, which it %s, waits "
                           "for a person: '%s' does not apply to it. 'jobctl flow why %" PRIu32 "' says what run "
                           "%" PRIu32 " waits for; 'jobctl flow cancel %" PRIu32 "' ends it.",
                           name, run->id, sub->id, sub->flow->unit->id, is_undo ? "undoes" : "is", verb_names[verb],
                           sub->id, sub->id, sub->id);
}

/* A verb that is not for the present state: the sentence names both. */
static int refuse_verb(ManagerRuns *runs, const ManagerRun *run, RunVerb verb, const char *name, uint32_t node,
                       Failure *ret_failure) {
        const ManagerRun *sub;
        RunNodeRow node_row;
        RunRow row;
        RunWhy why;

        if (name && run_engine_get_node(runs->engine, run->id, node, &node_row, &why) == 0) {
                sub = manager_run_find_waiting_sub(runs, run, &node_row);
                if (sub)
                        return refuse_for_sub(run, verb, name, node, sub, ret_failure);
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Node %s of run %" PRIu32 " is %s: '%s' does not apply to it.%s", name, run->id,
                                   run_node_state_to_string(node_row.state), verb_names[verb],
                                   find_help(verb, node_row.state));
        }
        if (run_engine_get(runs->engine, run->id, &row, &why) < 0)
                return failure_set(ret_failure, -ENOENT, "NoSuchRun", "There is no run %" PRIu32 ".", run->id);
        if (refuse_idle(run, verb, &row, ret_failure) < 0)
                return -EINVAL;
        return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                           "Run %" PRIu32 " is %s: '%s' does not apply to it.", run->id, run_state_to_string(row.state),
                           verb_names[verb]);
}

/* All nodes that have failed, or wait for a person. -EINVAL: there is none. */
static int retry_failed(ManagerRuns *runs, const ManagerRun *run) {
        RunNodeRow row;
        RunWhy why;
        int r = -EINVAL;

        for (uint32_t i = 0; run_engine_get_node(runs->engine, run->id, i, &row, &why) == 0; i++)
                if ((row.state == RUN_NODE_FAILED || row.state == RUN_NODE_TIMEOUT || row.state == RUN_NODE_PENDING) &&
                    run_engine_verb(runs->engine, run->id, RUN_VERB_RETRY, i) == 0)
                        r = 0;
        return r;
}

static bool makes_attempts(RunVerb verb) {
        return verb == RUN_VERB_RETRY || verb == RUN_VERB_RERUN || verb == RUN_VERB_AS_SUCCESS ||
               verb == RUN_VERB_COMPENSATE;
}

/*
 * Beside a process or a part that TimeoutMode=abandon has left, or a part that a person has had go on, no other attempt
 * of its run begins.
 */
static int refuse_abandoned(ManagerRuns *runs, const ManagerRun *run, Failure *ret_failure) {
        const char *node = manager_attempts_find_abandoned(runs->attempts, run->id);
        const ManagerRun *part = manager_run_find_live_part(runs, run->id);

        if (part)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Run %" PRIu32 " of %s has run %" PRIu32 " of %s as a part, which still goes on: "
                                   "wait for its end, or 'jobctl flow cancel %" PRIu32 "' it.",
                                   run->id, run->flow->unit->id, part->id, part->flow->unit->id, part->id);
        if (!node)
                return 0;
        return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                           "Run %" PRIu32 " of %s has an attempt of node %s that its deadline has abandoned and that "
                           "still runs: wait for its end, or stop the unit.",
                           run->id, run->flow->unit->id, node);
}

static bool is_batch(const ManagerRun *run) {
        return run_graph_policy(run->graph, 0)->action == RUN_ACTION_RANGE;
}

static bool is_over_with_errors(const ManagerRuns *runs, const ManagerRun *run) {
        RunRow row;

        return is_batch(run) && run_engine_get_row(runs->engine, run->id, &row) == 0 && row.state == RUN_PARTIAL;
}

static int take_verb(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        const RunVerb verb = command->verb;
        const char *name = command->node;
        uint32_t node;
        int r = manager_run_find_node(run, name, &node, ret_failure);

        if (r == 0 && run->is_over && makes_attempts(verb))
                r = refuse_abandoned(runs, run, ret_failure);
        if (r < 0)
                return r;
        /* Of a batch the launch would have nothing to do. */
        if (verb == RUN_VERB_RETRY && is_over_with_errors(runs, run))
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Run %" PRIu32 " is PARTIAL, and all its items are over: 'jobctl batch "
                                   "retry-errors %" PRIu32 "' issues those again that are errors.",
                                   run->id, run->id);
        if (verb == RUN_VERB_RETRY && run->is_over && manager_stream_is_of(run))
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Run %" PRIu32 " of %s has ended, and its elements with it: the next push makes "
                                   "another run.", run->id, run->flow->unit->id);
        r = verb == RUN_VERB_RETRY && !name ? retry_failed(runs, run)
                                            : run_engine_verb(runs->engine, run->id, verb, node);
        if (r < 0)
                return refuse_verb(runs, run, verb, name, node, ret_failure);
        manager_run_put_event(runs, run,
                              (ManagerRunEvent) {
                                      .node = name,
                                      .kind = "verb",
                                      .new = verb_names[verb],
                                      .comment = command->comment,
                                      .operator= command->operator,
                                      .reqid = command->reqid,
                                      .uid = command->uid,
                              });
        manager_run_ask_for_unit(runs, run->flow);
        manager_run_note_work(runs);
        return 0;
}

/* A run that was deleted takes stop and cancel, from the run above it also that it is undone, and nothing else. */
static int refuse_deleted(const ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        const bool ends = !command->is_delete && (command->verb == RUN_VERB_STOP || command->verb == RUN_VERB_CANCEL);

        /* Whoever deletes a part does not say that what it has done is to stay. */
        if (run->facts.deleted == 0 || ends || command->ticket.a == MANAGER_RUN_OF_SUB)
                return 0;
        return failure_set(ret_failure, -ENOENT, "NoSuchRun", "Run %" PRIu32 " was deleted.", run->id);
}

/* The run is listed no more, and its name is free; its rows stay as long as those of others. */
static int delete_run(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        RecordWriter *writer;
        RunRow row;
        RunWhy why;
        int r = run_engine_get(runs->engine, run->id, &row, &why);

        if (r < 0)
                return r;
        if (!run_state_is_terminal(row.state) && !command->stops)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Run %" PRIu32 " is %s: it is deleted when it has ended, or with --stop.", run->id,
                                   run_state_to_string(row.state));
        if (!run_state_is_terminal(row.state))
                (void) run_engine_verb(runs->engine, run->id, RUN_VERB_STOP, 0);
        writer = manager_run_writer(runs);
        if (!writer)
                return failure_set(ret_failure, -EAGAIN, "StoreBusy",
                                   "The store of runs does not take more at present; try again.");
        run->facts.deleted = runs->host.attempts.turn->now_realtime;
        manager_run_put_event(runs, run,
                              (ManagerRunEvent) {
                                      .kind = "verb",
                                      .new = command->stops ? "stop and delete" : "delete",
                                      .operator= command->operator,
                                      .reqid = command->reqid,
                                      .uid = command->uid,
                              });
        if (run->is_put)
                manager_run_row_put_deleted(writer, run->id, run->facts.deleted);
        manager_run_note_work(runs);
        return 0;
}

/* — batches — */

static void put_verb(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, const char *verb) {
        manager_run_put_event(runs, run,
                              (ManagerRunEvent) {
                                      .kind = "verb",
                                      .new = verb,
                                      .operator= command->operator,
                                      .reqid = command->reqid,
                                      .uid = command->uid,
                              });
}

static int proceed(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        RunRow row;

        if (run_engine_get_row(runs->engine, run->id, &row) < 0)
                return failure_set(ret_failure, -ENOENT, "NoSuchRun", "There is no run %" PRIu32 ".", run->id);
        if (manager_launch_proceed(runs, run->id) < 0)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Run %" PRIu32 " is %s%s: 'proceed' does not apply to it.", run->id,
                                   run_state_to_string(row.state),
                                   row.state == RUN_AWAITING ? ", and prepares" : "");
        put_verb(runs, run, command, "proceed");
        manager_run_note_work(runs);
        return 0;
}

static int refuse_retry_errors(const ManagerRun *run, int r, Failure *ret_failure) {
        if (r == -ENOENT)
                return failure_set(ret_failure, -EALREADY, "InvalidTransition",
                                   "No item of run %" PRIu32 " is an error: there is nothing to issue again.",
                                   run->id);
        if (r == -EAGAIN)
                return failure_set(ret_failure, r, "StoreBusy",
                                   "Run %" PRIu32 " is about to go on with its items; try again.", run->id);
        return failure_set(ret_failure, r, "Failed", r == -ENOMEM ? "Out of memory."
                                                     : "The items of the run that are over cannot be read.");
}

static int retry_errors(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        RunRow row;
        int r = run_engine_get_row(runs->engine, run->id, &row);

        if (r < 0)
                return failure_set(ret_failure, -ENOENT, "NoSuchRun", "There is no run %" PRIu32 ".", run->id);
        if (!is_batch(run))
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Run %" PRIu32 " is one of %s, which is a flow and has no items: 'retry' executes "
                                   "nodes again that have failed.", run->id, run->flow->unit->id);
        if (run->is_over)
                r = refuse_abandoned(runs, run, ret_failure);
        if (r < 0)
                return r;
        r = manager_launch_retry_errors(runs, run);
        if (r == -EINVAL)
                return failure_set(ret_failure, r, "InvalidTransition",
                                   "Run %" PRIu32 " is %s: 'retry-errors' does not apply to it.", run->id,
                                   run_state_to_string(row.state));
        if (r < 0)
                return refuse_retry_errors(run, r, ret_failure);
        put_verb(runs, run, command, "retry-errors");
        manager_run_ask_for_unit(runs, run->flow);
        return 0;
}

/* — rights — */

/* The unit as it is now: who is taken off the list may not go on. */
static const FlowSettings *settings_of(const Unit *unit) {
        return unit && unit_type_has_runs(unit->type) && unit->load_state == UNIT_LOADED ? unit->type_settings : NULL;
}

bool manager_run_may_submit(const Unit *unit, uid_t uid) {
        const FlowSettings *settings = settings_of(unit);

        return settings && exec_user_is_listed(settings->allow_submit, uid);
}

/* A sub-run is the submitter's by the run above it alone: its flow may have gates that are for others to approve. */
static bool may_control(const ManagerRun *run, uid_t uid) {
        const FlowSettings *settings = settings_of(run->flow->unit);

        return (run->facts.uid == uid && run->facts.parent == 0) ||
               (settings && exec_user_is_listed(settings->allow_control, uid));
}

bool manager_runs_has(const ManagerRuns *runs, uint32_t run) {
        return manager_run_find(runs, run);
}

bool manager_runs_may_control(const ManagerRuns *runs, uint32_t id, uid_t uid) {
        const ManagerRun *run = manager_run_find(runs, id);

        return run && may_control(run, uid);
}

static int refuse_other(const ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        if (!command->must_be_allowed || may_control(run, command->uid))
                return 0;
        return failure_set(ret_failure, -EACCES, "AccessDenied",
                           "Only root, the owner of the manager, the user who has submitted it, and users whom "
                           "AllowControl= of %s names, may control run %" PRIu32 "; the caller is uid %" PRIu32 ".",
                           run->flow->unit->id, run->id, command->uid);
}

/* From the run above it a batch takes a stop. */
static bool is_stop_of_batch(const ManagerRun *run, const ManagerRunCommand *command) {
        return command->verb == RUN_VERB_STOP && !command->is_delete && !command->is_proceed && !command->token &&
               !command->lines && !command->is_question && !command->is_retry_errors &&
               command->ticket.a != MANAGER_RUN_OF_SUB && is_batch(run);
}

static int take_command(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        int r = refuse_other(run, command, ret_failure);

        if (r == 0)
                r = refuse_deleted(run, command, ret_failure);

        if (r < 0)
                return r;
        if (command->is_question)
                return run_engine_can_undo(runs->engine, run->id) ? 0 : refuse_undo(run, ret_failure);
        if (command->token)
                return manager_run_complete(runs, run, command, ret_failure);
        if (command->lines)
                return manager_run_add_nodes(runs, run, command, ret_failure);
        if (is_stop_of_batch(run, command))
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Run %" PRIu32 " is one of a batch, which is paused or cancelled, but not stopped: "
                                   "after a pause, too, nothing of it runs.", run->id);
        if (command->is_proceed)
                return proceed(runs, run, command, ret_failure);
        if (command->is_retry_errors)
                return retry_errors(runs, run, command, ret_failure);
        if (command->verb == RUN_VERB_UNLOCK && !command->is_delete)
                return manager_run_unlock(runs, run, command, ret_failure);
        return command->is_delete ? delete_run(runs, run, command, ret_failure)
                                  : take_verb(runs, run, command, ret_failure);
}

static void free_pending(ManagerPending *pending) {
        free(pending->token);
        free(pending->result);
        free(pending->node);
        free(pending->lines);
        free(pending->lock);
        free(pending->comment);
        free(pending->operator);
        free(pending->reqid);
        free(pending);
}

static int add_pending(ManagerRuns *runs, uint32_t id, const ManagerRunCommand *command) {
        ManagerPending *pending = calloc(1, sizeof(*pending)), **last = &runs->pending;

        if (!pending)
                return -ENOMEM;
        if (text_copy(command->node, &pending->node) < 0 || text_copy(command->lines, &pending->lines) < 0 ||
            text_copy(command->comment, &pending->comment) < 0 || text_copy(command->lock, &pending->lock) < 0 ||
            text_copy(command->token, &pending->token) < 0 || text_copy(command->result, &pending->result) < 0 ||
            text_copy(command->reqid, &pending->reqid) < 0 ||
            text_copy(command->operator, & pending->operator) < 0) {
                free_pending(pending);
                return -ENOMEM;
        }
        pending->id = id;
        pending->verb = command->verb;
        pending->completion = command->completion;
        pending->is_question = command->is_question;
        pending->is_delete = command->is_delete;
        pending->is_proceed = command->is_proceed;
        pending->is_retry_errors = command->is_retry_errors;
        pending->stops = command->stops;
        pending->uid = command->uid;
        pending->must_be_allowed = command->must_be_allowed;
        pending->ticket = command->ticket;
        while (*last)
                last = &(*last)->next;
        *last = pending;
        return 0;
}

/*
 * Whether a run that is submitted now would have another definition, or there can be none, as far as the unit's own
 * files say that. To the text of the run nodes may have been added.
 */
static bool is_outdated(const ManagerRuns *runs, const ManagerRun *run) {
        const FlowSettings *settings = settings_of(run->flow->unit);
        const char *text = flow_definition_text(run->definition);

        if (!settings)
                return true;
        if (!settings->text)
                return false;
        return unit_file_has_changed(runs->host.loader, run->flow->unit) ||
               !(flow_addition_count(text) > 0 ? text_starts_with(text, settings->text)
                                               : text_equal(text, settings->text));
}

static ManagerRunAnswerKind answer_to(const ManagerRuns *runs, const ManagerRun *run,
                                      const ManagerRunCommand *command) {
        const bool is_verb = !command->token && !command->lines && !command->is_delete && !command->is_proceed &&
                             !command->is_retry_errors;

        if (!is_verb || (command->verb != RUN_VERB_RETRY && command->verb != RUN_VERB_RERUN))
                return MANAGER_RUN_DONE;
        return is_outdated(runs, run) ? MANAGER_RUN_AGAIN_OUTDATED : MANAGER_RUN_AGAIN;
}

static void await(ManagerRuns *runs, const ManagerRun *run, const ManagerRunCommand *command) {
        if (command->is_retry_errors)
                manager_run_await_count(runs, command->ticket, run->id,
                                        (uint32_t) MIN(run->facts.n_failed, (uint64_t) UINT32_MAX));
        else
                manager_run_await(runs, command->ticket, answer_to(runs, run, command), run->id);
}

int manager_runs_command(ManagerRuns *runs, const ManagerRunCommand *command, Failure *ret_failure) {
        const uint32_t id = command->run;
        ManagerRun *run;
        int r = manager_run_link_require(runs->link, ret_failure);

        if (r < 0)
                return r;
        run = runs->is_loaded ? manager_run_find(runs, id) : NULL;
        if (run) {
                r = take_command(runs, run, command, ret_failure);
                if (r == 0)
                        await(runs, run, command);
                return r;
        }
        r = add_pending(runs, id, command);
        if (r < 0)
                return failure_set(ret_failure, r, "NoMemory", "Out of memory.");
        if (runs->is_loaded && !runs->load)
                manager_run_load_begin(runs, id);
        return 0;
}

int manager_runs_complete(ManagerRuns *runs, const ManagerRunCommand *command, Failure *ret_failure) {
        ManagerRunCommand whole = *command;
        ManagerToken token;

        if (!manager_run_read_token(command->token, &token) || token.run == 0)
                return failure_set(ret_failure, -ENOENT, "NoSuchNode", "No node has this token.");
        /* Before it is kept until the run is there. */
        if (command->result && strlen(command->result) > MANAGER_RESULT_SHORT)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "The result has more than 32 KiB; leave a larger one in $JOBD_RESULT.");
        whole.run = token.run;
        return manager_runs_command(runs, &whole, ret_failure);
}

static int refuse_missing(uint32_t id, bool has_failed, Failure *ret_failure) {
        if (has_failed)
                return failure_set(ret_failure, -EHOSTDOWN, "StoreUnavailable",
                                   "Run %" PRIu32 " cannot be read from the store of runs; try again.", id);
        return failure_set(ret_failure, -ENOENT, "NoSuchRun", "There is no run %" PRIu32 ".", id);
}

void manager_run_take_pending(ManagerRuns *runs, uint32_t id, bool has_failed) {
        ManagerPending **at = &runs->pending, *pending;

        while ((pending = *at)) {
                cleanup_(failure_deinit) Failure failure = {};
                ManagerRun *run = manager_run_find(runs, pending->id);
                const ManagerRunCommand command = { .verb = pending->verb,
                                                    .is_question = pending->is_question,
                                                    .is_delete = pending->is_delete,
                                                    .is_proceed = pending->is_proceed,
                                                    .is_retry_errors = pending->is_retry_errors,
                                                    .stops = pending->stops,
                                                    .token = pending->token,
                                                    .completion = pending->completion,
                                                    .result = pending->result,
                                                    .node = pending->node,
                                                    .lines = pending->lines,
                                                    .lock = pending->lock,
                                                    .comment = pending->comment,
                                                    .operator= pending->operator,
                                                    .reqid = pending->reqid,
                                                    .must_be_allowed = pending->must_be_allowed,
                                                    .uid = pending->uid,
                                                    .ticket = pending->ticket };
                int r;

                if (!run && pending->id != id) {
                        at = &pending->next;
                        continue;
                }
                *at = pending->next;
                r = run ? take_command(runs, run, &command, &failure)
                        : refuse_missing(pending->id, has_failed, &failure);
                if (r < 0)
                        manager_run_answer(runs, pending->ticket, 0, &failure);
                else
                        await(runs, run, &command);
                free_pending(pending);
        }
}

void manager_run_refuse_pending(ManagerRuns *runs, const Failure *failure) {
        for (const ManagerPending *pending = runs->pending; pending; pending = pending->next)
                manager_run_answer(runs, pending->ticket, 0, failure);
        manager_run_drop_pending(runs);
}

void manager_run_drop_pending(ManagerRuns *runs) {
        while (runs->pending) {
                ManagerPending *pending = runs->pending;

                runs->pending = pending->next;
                free_pending(pending);
        }
}

bool manager_run_is_pending(const ManagerRuns *runs, uint32_t id) {
        for (const ManagerPending *pending = runs->pending; pending; pending = pending->next)
                if (pending->id == id)
                        return true;
        return false;
}

uint32_t manager_run_find_pending(const ManagerRuns *runs) {
        return runs->pending ? runs->pending->id : 0;
}
