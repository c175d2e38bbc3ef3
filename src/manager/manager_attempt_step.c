/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One attempt
 *
 * Whatever ends a process or its time calls proceed(), which takes the next
 * step. A question to a command that judges a node has a command alone, whose
 * output is the answer; it has the number 0, and none of an earlier core is
 * kept: it is asked again. A restored attempt waits for the definition of its
 * run before it takes the next step: exits are noted meanwhile.
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "basic/clock.h"
#include "basic/random.h"
#include "basic/text.h"
#include "exec/exec_kill.h"
#include "manager/manager_attempt_control.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_attempt_kill.h"
#include "manager/manager_attempt_launch.h"
#include "manager/manager_attempt_request.h"
#include "manager/manager_attempt_result.h"
#include "manager/manager_attempt_step.h"

/* Without control groups nothing tells that the last process is gone. */
#define LOOK_AGAIN (100 * USEC_PER_MSEC)
/* How long a process of an attempt that is to end may be on its way, before it is killed without having its program. */
#define ARRIVAL (2 * USEC_PER_SEC)
#define NAME_BYTES 64U

struct ManagerAttempt {
        ProcessOwner owner;
        ManagerAttemptShared *shared; /* borrowed */
        ManagerAttemptState state;
        ManagerAttemptBasis basis; /* .unit: a reference; .name: as below; .folder: owned */
        char name[NAME_BYTES];
        ManagerAttemptCommand *command; /* owned, as the other parts */
        ManagerAttemptRequest *request;
        ManagerAttemptControl *control;
        ManagerAttemptResult *result;
        ManagerAttemptReport *report;
        ManagerUses uses; /* of units */
        ManagerSub sub; /* a run of another flow */
        ManagerLaunch launch; /* of a batch */
        bool is_late; /* a question that was not answered in time */
        bool is_due; /* the time of its step was over before its definition was there */
        bool leaves_rest; /* which cannot be killed */
        bool has_no_folder; /* any more */
        bool is_known; /* a run has asked for it */
        bool is_forced; /* its processes end though it is not defined */
};

static void proceed(ManagerAttempt *attempt);

ManagerAttempt *manager_attempt_of(ProcessOwner *owner) {
        return container_of(owner, ManagerAttempt, owner);
}

static usec_t now(const ManagerAttempt *attempt) {
        return attempt->basis.host->turn->now;
}

void manager_attempt_mark(const ManagerAttempt *attempt) {
        ManagerTurn *turn = attempt->basis.host->turn;

        turn->has_news = true;
        state_mark(turn->state, STORE_ATTEMPTS, attempt->basis.number);
}

static void keep_problem(ManagerAttempt *attempt, const char *problem) {
        if (manager_attempt_report_keep_problem(attempt->report, problem))
                manager_attempt_mark(attempt);
}

void manager_attempt_complain(ManagerAttempt *attempt, const char *problem) {
        manager_attempt_say(&attempt->basis, LOG_LEVEL_ERROR, "%s", problem);
        keep_problem(attempt, problem);
}

static bool is_defined(const ManagerAttempt *attempt) {
        return manager_attempt_command_is_defined(attempt->command);
}

static int open_command(ManagerAttempt *attempt) {
        return manager_attempt_command_open(attempt->command);
}

static const ExecCommand *command_of(const ManagerAttempt *attempt) {
        return manager_attempt_command_find(attempt->command);
}

static const FlowSettings *flow_of(const ManagerAttempt *attempt) {
        return manager_attempt_command_flow(attempt->command);
}

/* — life — */

static int make_parts(ManagerAttempt *attempt) {
        int r = manager_attempt_command_new(&attempt->command, &attempt->state);

        attempt->basis.command = attempt->command;
        if (r == 0)
                r = manager_attempt_request_new(&attempt->request, &attempt->basis);
        if (r == 0)
                r = manager_attempt_control_new(&attempt->control, &attempt->basis, &attempt->shared->watches);
        if (r == 0)
                r = manager_attempt_result_new(&attempt->result, &attempt->basis, &attempt->shared->n_to_store);
        if (r == 0)
                r = manager_attempt_report_new(&attempt->report, &attempt->basis, &attempt->shared->n_told);
        return r;
}

int manager_attempt_new(ManagerAttempt **ret_attempt, ManagerAttemptShared *shared, const RunAttemptKey *key,
                        Unit *unit, uint32_t number) {
        ManagerAttempt *attempt = calloc(1, sizeof(*attempt));
        char *folder = NULL;
        int r;

        if (!attempt)
                return -ENOMEM;
        snprintf(attempt->name, sizeof(attempt->name), MANAGER_ATTEMPT_NAME, key->run, key->node, key->generation,
                 key->number);
        manager_attempt_state_init(&attempt->state, key);
        attempt->shared = shared;
        attempt->owner = (ProcessOwner) { .ops = shared->ops, .name = attempt->name };
        r = manager_attempt_folder_path(shared->host.folder, attempt->name, &folder);
        attempt->basis = (ManagerAttemptBasis) {
                .host = &shared->host,
                .number = number,
                .state = &attempt->state,
                .unit = unit_ref(unit),
                .name = attempt->name,
                .folder = folder,
        };
        if (r == 0)
                r = make_parts(attempt);
        if (r < 0) {
                manager_attempt_free(attempt);
                return r;
        }
        *ret_attempt = attempt;
        return 0;
}

ManagerAttempt *manager_attempt_free(ManagerAttempt *attempt) {
        const ManagerAttemptsHost *host = attempt->basis.host;
        Unit *unit = attempt->basis.unit;

        attempt->shared->n_using -= manager_attempt_uses_others(attempt);
        manager_attempt_report_free(attempt->report);
        manager_attempt_result_free(attempt->result);
        manager_attempt_control_free(attempt->control);
        manager_attempt_request_free(attempt->request);
        process_timers_forget_owner(host->timers, &attempt->owner);
        process_table_forget_owner(host->processes, &attempt->owner);
        process_errands_forget_owner(host->errands, &attempt->owner);
        process_groups_forget_owner(&attempt->owner);
        free(attempt->sub.refusal);
        free(attempt->sub.problem);
        free(attempt->sub.result);
        free(attempt->state.item_text);
        manager_launch_deinit(&attempt->launch);
        manager_uses_deinit(&attempt->uses);
        manager_attempt_command_free(attempt->command);
        free((char *) attempt->basis.folder);
        free(attempt);
        unit_unref(unit);
        return NULL;
}

static void note_end(ManagerAttempt *attempt, RunEndKind kind, const UnitExit *exit) {
        manager_attempt_state_note_end(&attempt->state, kind, exit, attempt->basis.host->turn->now_realtime);
}

/* — signals — */

static void set_timer(ManagerAttempt *attempt, usec_t delay) {
        const usec_t deadline = delay == USEC_INFINITY ? USEC_INFINITY : usec_add(now(attempt), delay);

        if (process_timers_set(attempt->basis.host->timers, &attempt->owner, UNIT_PURPOSE_STATE_LIMIT, deadline) < 0)
                manager_attempt_say(&attempt->basis, LOG_LEVEL_WARNING, "No memory for a time limit.");
}

static usec_t timeout_stop(const ManagerAttempt *attempt) {
        const FlowSettings *flow = is_defined(attempt) ? flow_of(attempt) : attempt->basis.unit->type_settings;

        return flow ? flow->timeout_stop : 90 * USEC_PER_SEC; /* the default, for a flow whose file is gone */
}

static void terminate(ManagerAttempt *attempt) {
        if (attempt->state.signal != MANAGER_ATTEMPT_UNSIGNALLED)
                return;
        attempt->state.signal = MANAGER_ATTEMPT_TERMINATED;
        manager_attempt_kill_terminate(&attempt->basis, &attempt->owner);
        set_timer(attempt, timeout_stop(attempt));
        manager_attempt_mark(attempt);
}

static void kill_finally(ManagerAttempt *attempt, int signal) {
        attempt->state.signal = MANAGER_ATTEMPT_KILLED;
        manager_attempt_kill_finally(&attempt->basis, &attempt->owner, signal);
        set_timer(attempt, timeout_stop(attempt));
        manager_attempt_mark(attempt);
}

static UnitPurpose purpose_of(const ManagerAttempt *attempt) {
        return attempt->state.step == MANAGER_ATTEMPT_MAIN ? UNIT_PURPOSE_MAIN : UNIT_PURPOSE_CONTROL;
}

/* A process that was asked for is not wanted any more. One on its way is killed. */
static void take_back(ManagerAttempt *attempt) {
        process_errands_take_back(attempt->basis.host->errands, &attempt->owner, purpose_of(attempt), NULL);
        attempt->state.is_wanted = false;
        note_end(attempt, RUN_END_FAILED, NULL);
        manager_attempt_mark(attempt);
}

/* Whether it is to end before its main process has. */
static bool is_to_end(const ManagerAttempt *attempt) {
        return attempt->state.is_stopping && attempt->state.step < MANAGER_ATTEMPT_CLEAN;
}

/* A command that judges has nothing to clean up. */
static void give_up_question(ManagerAttempt *attempt) {
        if (attempt->state.signal == MANAGER_ATTEMPT_KILLED)
                return;
        attempt->is_late |= attempt->state.step == MANAGER_ATTEMPT_MAIN;
        if (attempt->state.is_wanted) {
                take_back(attempt);
                attempt->state.step = MANAGER_ATTEMPT_CLEAN;
                proceed(attempt);
                return;
        }
        kill_finally(attempt, SIGKILL);
}

/* The time of the present step is over. */
static void take_next_signal(ManagerAttempt *attempt) {
        const KillSettings *kill = manager_attempt_kill_settings(&attempt->basis);

        if (attempt->state.is_question && attempt->state.signal != MANAGER_ATTEMPT_KILLED) {
                give_up_question(attempt);
                return;
        }
        if (attempt->state.is_wanted && is_to_end(attempt)) {
                /* The process has not got its program in all that time. */
                take_back(attempt);
                proceed(attempt);
                return;
        }
        if (attempt->state.signal == MANAGER_ATTEMPT_UNSIGNALLED) {
                if (attempt->state.is_item && !attempt->state.is_stopping)
                        note_end(attempt, RUN_END_TIMEOUT, NULL);
                terminate(attempt);
                return;
        }
        if (attempt->state.signal == MANAGER_ATTEMPT_TERMINATED && kill->send_sigkill) {
                manager_attempt_say(&attempt->basis, LOG_LEVEL_WARNING, "It has not ended in time, and is killed.");
                kill_finally(attempt, kill->final_signal);
                return;
        }
        manager_attempt_say(&attempt->basis, LOG_LEVEL_ERROR, "Processes of it do not end, and are left.");
        process_table_forget_owner(attempt->basis.host->processes, &attempt->owner);
        attempt->state.pid = 0;
        attempt->leaves_rest = true;
        attempt->state.index = 0;
        if (attempt->state.step == MANAGER_ATTEMPT_POST)
                attempt->state.step = MANAGER_ATTEMPT_CLEAN_POST;
        else if (attempt->state.step < MANAGER_ATTEMPT_CLEAN)
                attempt->state.step = MANAGER_ATTEMPT_CLEAN;
        proceed(attempt);
}

/* — steps — */

/* Asks for the process of the present step. */
static void ask(ManagerAttempt *attempt) {
        const UnitPurpose purpose = purpose_of(attempt);

        attempt->state.signal = MANAGER_ATTEMPT_UNSIGNALLED;
        attempt->state.is_wanted = true;
        if (attempt->state.step == MANAGER_ATTEMPT_POST)
                set_timer(attempt, flow_of(attempt)->timeout_stop);
        /* The time of a worker's items is kept by who gives it items. */
        if (attempt->state.is_item && !attempt->state.is_worker && attempt->state.step == MANAGER_ATTEMPT_MAIN)
                set_timer(attempt, manager_attempt_command_item_timeout(attempt->command));
        if (attempt->state.is_question && manager_attempt_command_policy(attempt->command))
                set_timer(attempt, manager_attempt_command_policy(attempt->command)->timeout);
        manager_attempt_mark(attempt);
        if (process_errands_spawn(attempt->basis.host->errands, &attempt->owner, purpose) == 0)
                return;
        attempt->state.is_wanted = false;
        manager_attempt_complain(attempt, "No memory for a process.");
        note_end(attempt, RUN_END_FAILED, NULL);
        attempt->state.step = attempt->state.step < MANAGER_ATTEMPT_CLEAN ? MANAGER_ATTEMPT_CLEAN
                                                                          : MANAGER_ATTEMPT_CLEAN_POST;
        proceed(attempt);
}

static void tell_end(ManagerAttempt *attempt) {
        attempt->shared->n_items_over += attempt->state.is_item && !attempt->state.is_element;
        if (attempt->state.is_question)
                manager_attempt_report_answer(attempt->report, manager_attempt_request_answer(attempt->request),
                                              attempt->is_late);
        else
                manager_attempt_report_end(attempt->report);
}

static void end(ManagerAttempt *attempt) {
        const ManagerAttemptsHost *host = attempt->basis.host;
        const bool was_collected = attempt->state.step == MANAGER_ATTEMPT_COLLECT;

        attempt->state.step = MANAGER_ATTEMPT_OVER;
        set_timer(attempt, USEC_INFINITY);
        manager_attempt_command_close(attempt->command);
        if (attempt->owner.group)
                process_groups_follow(host->groups, &attempt->owner, false);
        note_end(attempt, RUN_END_FAILED, NULL);
        if (was_collected && attempt->state.kind == RUN_END_EXITED &&
            manager_attempt_control_get(attempt->control)->pending)
                attempt->state.kind = RUN_END_PENDING;
        manager_attempt_result_end(attempt->result);
        manager_attempt_mark(attempt);
        manager_uses_release(&attempt->uses, host->jobs);
        tell_end(attempt);
}

void manager_attempt_look_at(ManagerAttempt *attempt, usec_t delay) {
        (void) process_timers_set(attempt->basis.host->timers, &attempt->owner, UNIT_PURPOSE_PIDFILE,
                                  usec_add(now(attempt), delay));
}

void manager_attempt_look_again(ManagerAttempt *attempt) {
        manager_attempt_look_at(attempt, LOOK_AGAIN);
}

static void refuse_result(ManagerAttempt *attempt, RunEndKind kind, const char *problem) {
        cleanup_free_ char *sentence = NULL;

        if (text_format(&sentence, "What it has left in $JOBD_RESULT is no result: %s.", problem) == 0)
                manager_attempt_complain(attempt, sentence);
        attempt->state.kind = kind;
        end(attempt);
}

/*
 * Most commands leave neither a result nor lines: then all there is to do is to remove the folder. A core after this
 * one finds none, which says the same.
 */
static bool has_left_nothing(ManagerAttempt *attempt) {
        if (!attempt->leaves_rest && !manager_attempt_result_is_being_taken(attempt->result) &&
            manager_attempt_folder_remove_unused(attempt->basis.folder))
                attempt->has_no_folder = true;
        return attempt->has_no_folder;
}

/* Takes the result, in as many turns as that needs; before it, lines that the command has written up to its end. */
static void collect(ManagerAttempt *attempt) {
        int r;

        if (has_left_nothing(attempt)) {
                r = manager_attempt_result_take_none(attempt->result);
        } else if (!manager_attempt_result_is_being_taken(attempt->result) &&
                   manager_attempt_control_finish(attempt->control)) {
                manager_attempt_look_at(attempt, 0);
                return;
        } else {
                r = manager_attempt_result_take(attempt->result);
        }
        switch (r) {
        case MANAGER_TAKING_DONE:
                end(attempt);
                break;
        case MANAGER_TAKING_MORE:
                manager_attempt_look_at(attempt, 0);
                break;
        case MANAGER_TAKING_LARGE:
                break;
        case MANAGER_TAKING_INVALID:
                refuse_result(attempt, RUN_END_RESULT_INVALID, "it is not one value of JSON");
                break;
        case MANAGER_TAKING_TOO_LARGE:
                refuse_result(attempt, RUN_END_RESULT_TOO_LARGE, "it is larger than ResultMax=");
                break;
        case MANAGER_TAKING_LACKS:
                refuse_result(attempt, RUN_END_OUTPUT_MISSING, "it lacks a key of Outputs=");
                break;
        default:
                manager_attempt_say(&attempt->basis, LOG_LEVEL_WARNING,
                                    "Its result cannot be taken, which is tried again: %s", strerror(-r));
                manager_attempt_look_again(attempt);
        }
}

static void finish(ManagerAttempt *attempt) {
        if (!manager_attempt_result_is_wanted(attempt->result)) {
                end(attempt);
                return;
        }
        attempt->state.step = MANAGER_ATTEMPT_COLLECT;
        set_timer(attempt, USEC_INFINITY);
        manager_attempt_mark(attempt);
        if (open_command(attempt) < 0)
                manager_attempt_look_again(attempt);
        else
                collect(attempt);
}

/* Ends what is left of the tree. Returns true if nothing is. */
static bool clean(ManagerAttempt *attempt) {
        if (attempt->leaves_rest || manager_attempt_kill_is_done(&attempt->basis, &attempt->owner))
                return true;
        if (attempt->state.is_question)
                give_up_question(attempt);
        else
                terminate(attempt);
        if (!attempt->owner.group)
                manager_attempt_look_again(attempt);
        return false;
}

static bool is_cleaning(const ManagerAttempt *attempt) {
        return attempt->state.step == MANAGER_ATTEMPT_CLEAN || attempt->state.step == MANAGER_ATTEMPT_CLEAN_POST;
}

bool manager_attempt_waits_for_units(const ManagerAttempt *attempt) {
        const ManagerAttemptState *state = &attempt->state;

        return state->step == MANAGER_ATTEMPT_PRE && state->index == 0 && !state->has_begun && !state->is_stopping &&
               !manager_uses_are_met(&attempt->uses);
}

static void proceed(ManagerAttempt *attempt) {
        /* See manager_attempts_step(). */
        if (attempt->state.is_job && attempt->state.step != MANAGER_ATTEMPT_COLLECT)
                return;
        if (!is_defined(attempt) && attempt->state.is_abandoned && attempt->is_known) {
                /* The run is over, and nobody knows its commands any more: the one that ran was the last. */
                finish(attempt);
                return;
        }
        if (!is_defined(attempt) && attempt->is_forced && is_cleaning(attempt) && !clean(attempt)) {
                attempt->state.waits = false;
                return;
        }
        if (!is_defined(attempt)) {
                attempt->state.waits = true;
                if (attempt->is_forced)
                        set_timer(attempt, USEC_INFINITY);
                manager_attempt_mark(attempt);
                return;
        }
        if (open_command(attempt) < 0) {
                manager_attempt_look_again(attempt);
                return;
        }
        if (attempt->state.step == MANAGER_ATTEMPT_COLLECT) {
                collect(attempt);
                return;
        }
        if (manager_attempt_waits_for_units(attempt))
                return;
        if (attempt->state.step == MANAGER_ATTEMPT_PRE && !command_of(attempt)) {
                attempt->state.step = MANAGER_ATTEMPT_MAIN;
                attempt->state.index = 0;
        }
        if (attempt->state.step < MANAGER_ATTEMPT_CLEAN && attempt->state.is_stopping)
                attempt->state.step = MANAGER_ATTEMPT_CLEAN;
        if (attempt->state.step == MANAGER_ATTEMPT_CLEAN && clean(attempt)) {
                attempt->state.step = MANAGER_ATTEMPT_POST;
                attempt->state.index = 0;
        }
        /* Without a process there is nothing to clean up after. */
        if (attempt->state.step == MANAGER_ATTEMPT_POST && (!attempt->state.has_begun || !command_of(attempt))) {
                attempt->state.step = MANAGER_ATTEMPT_CLEAN_POST;
                if (attempt->state.index == 0) {
                        finish(attempt);
                        return;
                }
        }
        if (attempt->state.step == MANAGER_ATTEMPT_CLEAN_POST && clean(attempt))
                finish(attempt);
        else if (attempt->state.step < MANAGER_ATTEMPT_CLEAN || attempt->state.step == MANAGER_ATTEMPT_POST)
                ask(attempt);
}

/* The process of the present step has ended, or there was none. */
static void end_step(ManagerAttempt *attempt, const UnitExit *exit) {
        const bool is_open = manager_attempt_command_node(attempt->command);
        const ExecCommand *command = is_open ? command_of(attempt) : NULL;
        const bool is_lost = exit && !unit_exit_is_known(exit);
        const bool is_well = exit && ((exit->code == CLD_EXITED && exit->status == 0 && !is_lost) ||
                                      (command && command->flags & EXEC_IGNORE_FAILURE));

        set_timer(attempt, USEC_INFINITY);
        attempt->is_due = false;
        if (attempt->state.step == MANAGER_ATTEMPT_POST || (attempt->state.step == MANAGER_ATTEMPT_PRE && is_well)) {
                attempt->state.index++;
                if (exit && exit->code != CLD_EXITED && attempt->state.step == MANAGER_ATTEMPT_PRE)
                        manager_attempt_request_look_for_folder(attempt->request);
        } else {
                if (attempt->state.step == MANAGER_ATTEMPT_PRE && exit && !is_lost)
                        keep_problem(attempt, "A command of ExecStartPre= has failed.");
                note_end(attempt,
                         is_lost                                               ? RUN_END_LOST
                         : exit && attempt->state.step == MANAGER_ATTEMPT_MAIN ? RUN_END_EXITED
                                                                               : RUN_END_FAILED,
                         exit);
                attempt->state.step = MANAGER_ATTEMPT_CLEAN;
                attempt->state.index = 0;
        }
        attempt->state.signal = MANAGER_ATTEMPT_UNSIGNALLED;
        manager_attempt_mark(attempt);
        proceed(attempt);
}

/* — what processes tell — */

static void read_control(ManagerAttempt *attempt) {
        if (manager_attempt_control_read(attempt->control))
                manager_attempt_look_at(attempt, 0);
}

int manager_attempt_prepare(ManagerAttempt *attempt, UnitPurpose purpose, ExecRequest *request, ExecResult *result) {
        const ManagerAttemptsHost *host = attempt->basis.host;
        bool lacks_input;
        int r;

        if (!attempt->state.is_wanted)
                return -ECANCELED;
        if (is_to_end(attempt)) {
                /* The process was on its way when core died, and has not arrived. */
                attempt->state.is_wanted = false;
                note_end(attempt, RUN_END_FAILED, NULL);
                manager_attempt_look_again(attempt);
                manager_attempt_mark(attempt);
                return -ECANCELED;
        }
        if (!is_defined(attempt) || open_command(attempt) < 0) {
                /* A restored attempt whose run is not there yet asks again. */
                attempt->state.is_wanted = false;
                if (is_defined(attempt))
                        manager_attempt_look_again(attempt);
                attempt->state.waits = !is_defined(attempt);
                manager_attempt_mark(attempt);
                return -ECANCELED;
        }
        r = host->ops->surround(host->userdata, request, result);
        if (r < 0)
                return r;
        r = manager_attempt_request_fill(attempt->request, request, result, &lacks_input);
        if (r == -EAGAIN && result->step == EXEC_STEP_NONE) {
                /* The element is being read from the store. */
                attempt->state.is_wanted = false;
                manager_attempt_look_again(attempt);
                manager_attempt_mark(attempt);
                return -ECANCELED;
        }
        if (lacks_input)
                note_end(attempt, RUN_END_INPUT_MISSING, NULL);
        if (r < 0 && result->step != EXEC_STEP_NONE)
                return r;
        if (r < 0) {
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare the command: %s", strerror(-r));
                return r;
        }
        r = process_groups_enter(host->groups, &attempt->owner, purpose, &request->cgroup, result);
        if (r < 0)
                return r;
        manager_attempt_request_add_log(attempt->request, request);
        return 0;
}

void manager_attempt_note_process(ManagerAttempt *attempt, pid_t pid, const ExecResult *result) {
        const ManagerAttemptsHost *host = attempt->basis.host;
        bool is_retried;

        if (!attempt->state.is_wanted) {
                if (pid > 0)
                        (void) process_errands_kill(host->errands, &attempt->owner, pid, SIGKILL, true);
                return;
        }
        attempt->state.is_wanted = false;
        is_retried = pid <= 0 && manager_attempt_request_has_failed(attempt->request, result);
        manager_attempt_request_let_go(attempt->request);
        manager_attempt_mark(attempt);
        if (is_retried && !is_to_end(attempt)) {
                ask(attempt);
                return;
        }
        if (pid <= 0) {
                const int status = exec_step_exit_status(result->step);
                const UnitExit exit = { .code = CLD_EXITED, .status = status, .time = now(attempt) };

                manager_attempt_complain(attempt, result->message);
                if (!attempt->state.started)
                        attempt->state.started = host->turn->now_realtime;
                note_end(attempt, RUN_END_FAILED, status > 0 ? &exit : NULL);
                end_step(attempt, NULL);
                return;
        }
        attempt->state.pid = pid;
        if (attempt->state.step == MANAGER_ATTEMPT_MAIN)
                attempt->state.main_pid = pid;
        /* The process may have made the folder: before that there is nothing to watch. */
        if (!attempt->state.is_question)
                manager_attempt_control_watch_later(attempt->control, !attempt->state.has_begun);
        if (attempt->state.is_worker && attempt->state.step == MANAGER_ATTEMPT_MAIN)
                host->ops->connected(host->userdata, &attempt->state.key, manager_attempt_worker_fd(attempt));
        if (!attempt->state.has_begun) {
                attempt->state.has_begun = true;
                attempt->state.started = host->turn->now_realtime;
                if (!attempt->state.is_question)
                        host->ops->started(host->userdata, &attempt->state.key);
        }
        if (is_to_end(attempt) && open_command(attempt) == 0)
                terminate(attempt);
}

void manager_attempt_note_exit(ManagerAttempt *attempt, const UnitExit *exit) {
        if (exit->pid != attempt->state.pid)
                return;
        attempt->state.pid = 0;
        end_step(attempt, exit);
}

void manager_attempt_note_time(ManagerAttempt *attempt, UnitPurpose purpose) {
        if (purpose == UNIT_PURPOSE_PIDFILE) {
                if (attempt->state.pid == 0 && !attempt->state.is_wanted)
                        proceed(attempt);
                else if (manager_attempt_control_get(attempt->control)->has_more && is_defined(attempt))
                        read_control(attempt);
        } else if (!is_defined(attempt) && !attempt->is_forced) {
                attempt->is_due = true;
                /* For a core after this one, if this one does not come to load the run. */
                if (!attempt->is_known)
                        set_timer(attempt, USEC_PER_SEC);
        } else if (!is_defined(attempt) || open_command(attempt) == 0) {
                take_next_signal(attempt);
        }
}

void manager_attempt_note_empty(ManagerAttempt *attempt) {
        if (attempt->state.pid == 0 && is_cleaning(attempt))
                proceed(attempt);
}

/* — how it begins and ends — */

static void define(ManagerAttempt *attempt, FlowDefinition *definition, RunGraph *graph) {
        manager_attempt_command_define(attempt->command, definition, graph);
        attempt->is_known = true;
}

/* A node whose line cannot be read again has none, and fails later. */
static int make_uses(ManagerAttempt *attempt) {
        const FlowNode *node;
        int r = open_command(attempt);

        if (r < 0)
                return r == -ENOMEM ? r : 0;
        attempt->state.is_sub = manager_attempt_command_undoes_run(attempt->command);
        node = manager_attempt_command_node(attempt->command);
        if (manager_attempt_command_is_extra(attempt->command))
                node = NULL;
        attempt->state.is_sub |= node && node->flow;
        attempt->state.is_range = node && node->is_range;
        attempt->state.is_job = attempt->state.is_sub || attempt->state.is_range || (node && node->unit);
        if (node)
                r = manager_uses_make(&attempt->uses, node);
        attempt->shared->n_using += manager_attempt_uses_others(attempt);
        manager_attempt_command_close(attempt->command);
        return r;
}

int manager_attempt_begin(ManagerAttempt *attempt, uint64_t id, FlowDefinition *definition, RunGraph *graph) {
        int r;

        define(attempt, definition, graph);
        (void) random_bytes(attempt->state.invocation, sizeof(attempt->state.invocation));
        attempt->state.id = id;
        r = make_uses(attempt);
        if (r < 0)
                return r;
        manager_attempt_mark(attempt);
        proceed(attempt);
        return 0;
}

int manager_attempt_begin_item(ManagerAttempt *attempt, const ManagerAttemptItem *item, FlowDefinition *definition,
                               RunGraph *graph) {
        if (text_copy(item->text, &attempt->state.item_text) < 0)
                return -ENOMEM;
        define(attempt, definition, graph);
        (void) random_bytes(attempt->state.invocation, sizeof(attempt->state.invocation));
        attempt->state.is_item = true;
        attempt->state.item = item->number;
        attempt->state.item_tries = item->tries;
        attempt->state.is_element = item->issue > 0;
        attempt->state.issue = item->issue;
        manager_attempt_mark(attempt);
        proceed(attempt);
        return 0;
}

int manager_attempt_begin_worker(ManagerAttempt *attempt, FlowDefinition *definition, RunGraph *graph) {
        attempt->state.is_worker = true;
        return manager_attempt_begin_item(attempt, &(ManagerAttemptItem) {}, definition, graph);
}

void manager_attempt_ask(ManagerAttempt *attempt, FlowDefinition *definition, RunGraph *graph) {
        define(attempt, definition, graph);
        (void) random_bytes(attempt->state.invocation, sizeof(attempt->state.invocation));
        attempt->state.is_question = true;
        manager_attempt_mark(attempt);
        proceed(attempt);
}

void manager_attempt_stop(ManagerAttempt *attempt) {
        if (attempt->state.step >= MANAGER_ATTEMPT_CLEAN || attempt->state.is_stopping)
                return;
        attempt->state.is_stopping = true;
        manager_attempt_mark(attempt);
        if (attempt->state.is_job)
                return;
        if (attempt->state.is_wanted &&
            process_errands_are_coming(attempt->basis.host->errands, &attempt->owner, purpose_of(attempt))) {
                /* The program may run already: manager_attempt_note_process() terminates it as any other. */
                set_timer(attempt, MIN(timeout_stop(attempt), ARRIVAL));
                return;
        }
        if (attempt->state.is_wanted)
                take_back(attempt);
        if (attempt->state.pid == 0)
                proceed(attempt);
        else if (is_defined(attempt) && open_command(attempt) == 0)
                terminate(attempt);
}

void manager_attempt_interrupt(ManagerAttempt *attempt) {
        if (attempt->state.step >= MANAGER_ATTEMPT_CLEAN || attempt->state.is_stopping)
                return;
        attempt->state.is_interrupted = true;
        manager_attempt_stop(attempt);
}

void manager_attempt_force(ManagerAttempt *attempt) {
        if (is_defined(attempt) || attempt->is_forced || attempt->state.is_job || attempt->state.is_question)
                return;
        attempt->is_forced = true;
        if (attempt->state.pid == 0 && is_cleaning(attempt))
                proceed(attempt);
        else if (attempt->state.pid > 0 && attempt->is_due)
                take_next_signal(attempt);
        else if (attempt->state.pid > 0 && attempt->state.signal != MANAGER_ATTEMPT_UNSIGNALLED)
                set_timer(attempt, timeout_stop(attempt));
        else if (attempt->state.pid > 0 && attempt->state.step < MANAGER_ATTEMPT_CLEAN)
                terminate(attempt);
        attempt->is_due = false;
}

void manager_attempt_abandon(ManagerAttempt *attempt) {
        attempt->state.is_abandoned = true;
        manager_attempt_mark(attempt);
        /* Nobody gives it items or reads its answers any more: it must not wait for that. */
        if (manager_attempt_worker_fd(attempt) >= 0)
                (void) shutdown(manager_attempt_worker_fd(attempt), SHUT_RDWR);
        if (attempt->state.is_wanted || attempt->state.is_job)
                manager_attempt_stop(attempt);
        else
                manager_attempt_say(&attempt->basis, LOG_LEVEL_WARNING,
                                    "Attempt %" PRIu32 " is left alone: RunTimeoutSec= is over.",
                                    attempt->state.key.number);
}

void manager_attempt_drop(ManagerAttempt *attempt) {
        const ManagerAttemptsHost *host = attempt->basis.host;

        if (attempt->state.is_wanted)
                process_errands_take_back(host->errands, &attempt->owner, UNIT_PURPOSE_MAIN, NULL);
        manager_attempt_cancel_job(attempt);
        manager_uses_release(&attempt->uses, host->jobs);
        if (attempt->state.step != MANAGER_ATTEMPT_OVER &&
            process_groups_signal(host->groups, &attempt->owner, SIGKILL, 0, 0) < 0 && attempt->state.pid > 0)
                (void) exec_kill(attempt->state.pid, -1, SIGKILL, true);
        manager_attempt_forget(attempt);
}

/* — what it is told — */

void manager_attempt_hear(ManagerAttempt *attempt, int watch) {
        if (manager_attempt_control_hears(attempt->control, watch) && attempt->is_known && is_defined(attempt))
                read_control(attempt);
}

void manager_attempt_watch(ManagerAttempt *attempt, usec_t at, usec_t *next) {
        if (!attempt->has_no_folder && attempt->state.step < MANAGER_ATTEMPT_OVER &&
            manager_attempt_control_watch_due(attempt->control, at, next) && attempt->is_known && is_defined(attempt))
                read_control(attempt);
}

int manager_attempt_output(const ManagerAttempt *attempt) {
        return manager_attempt_request_answer(attempt->request);
}

void manager_attempt_store(ManagerAttempt *attempt) {
        if (manager_attempt_result_store(attempt->result) < 0)
                manager_attempt_look_again(attempt);
}

void manager_attempt_store_again(ManagerAttempt *attempt, uint64_t durable) {
        manager_attempt_result_ask_again(attempt->result, durable);
}

bool manager_attempt_stored(ManagerAttempt *attempt, uint64_t number, const uint8_t *hash) {
        if (!manager_attempt_result_is_answered(attempt->result, number))
                return false;
        if (manager_attempt_result_keep(attempt->result, hash) < 0)
                manager_attempt_look_again(attempt);
        else
                end(attempt);
        return true;
}

bool manager_attempt_refused(ManagerAttempt *attempt, uint64_t number, bool is_too_large) {
        if (!manager_attempt_result_is_answered(attempt->result, number))
                return false;
        if (is_too_large)
                refuse_result(attempt, RUN_END_RESULT_TOO_LARGE, "it is larger than ResultMax=");
        else
                manager_attempt_look_again(attempt);
        return true;
}

static void remove_folder(const ManagerAttempt *attempt) {
        if (!attempt->has_no_folder)
                manager_attempt_folder_remove(attempt->basis.folder);
}

void manager_attempt_forget(ManagerAttempt *attempt) {
        manager_attempt_mark(attempt);
        remove_folder(attempt);
}

void manager_attempt_forget_later(ManagerAttempt *attempt) {
        ManagerTurn *turn = attempt->basis.host->turn;

        turn->has_news = true;
        manager_turn_mark_later(turn, STORE_ATTEMPTS, attempt->basis.number);
        remove_folder(attempt);
}

/* True: it has succeeded, and its result, which nobody wanted of one that was told to end, counts. */
static bool revoke_stop(ManagerAttempt *attempt) {
        manager_attempt_mark(attempt);
        return manager_attempt_state_revoke_stop(&attempt->state,
                                                 manager_attempt_command_accepts(attempt->command,
                                                                                 attempt->state.end));
}

void manager_attempt_resume(ManagerAttempt *attempt, FlowDefinition *definition, RunGraph *graph, bool has_to_end) {
        const ManagerAttemptsHost *host = attempt->basis.host;
        bool has_result = false;

        define(attempt, definition, graph);
        /* A decision to end it that was not recorded has been answered to nobody: the run decides anew. */
        if (!has_to_end && attempt->state.is_stopping)
                has_result = revoke_stop(attempt);
        if (attempt->state.has_begun)
                host->ops->started(host->userdata, &attempt->state.key);
        if (attempt->state.has_begun && !attempt->state.is_question &&
            !manager_attempt_command_is_of_end(attempt->command))
                manager_attempt_control_resume(attempt->control);
        if (attempt->state.step == MANAGER_ATTEMPT_OVER && has_result)
                finish(attempt);
        else if (attempt->state.step == MANAGER_ATTEMPT_OVER)
                tell_end(attempt);
        else if (attempt->state.is_job && attempt->state.step != MANAGER_ATTEMPT_COLLECT)
                host->turn->has_news = true;
        else if (attempt->is_due && open_command(attempt) == 0)
                take_next_signal(attempt);
        else if (is_to_end(attempt) && attempt->state.pid > 0 && open_command(attempt) == 0)
                terminate(attempt);
        else if (attempt->state.waits || (attempt->state.pid == 0 && !attempt->state.is_wanted)) {
                attempt->state.waits = false;
                host->turn->has_news = true;
                proceed(attempt);
        }
        /* A decision is recorded before the state of the attempt: that may lack it. */
        if (has_to_end)
                manager_attempt_stop(attempt);
}

/* A worker that has lost its socket, as when core has died, reads the end of its input. */
void manager_attempt_hand_over(ManagerAttempt *attempt, bool is_handed_over) {
        ProcessKept *kept = attempt->basis.host->kept;
        const int fd = manager_attempt_worker_fd(attempt);

        if (attempt->state.is_range) {
                manager_launch_hand_over(&attempt->launch, is_handed_over);
                manager_attempt_mark(attempt);
        }
        if (fd >= 0 && is_handed_over)
                (void) process_kept_store(kept, attempt->name, "worker", 0, fd);
        else if (fd >= 0)
                process_kept_drop(kept, attempt->name, "worker", 0);
}

void manager_attempt_know(ManagerAttempt *attempt) {
        attempt->is_known = true;
}

void manager_attempt_go_alone(ManagerAttempt *attempt) {
        attempt->is_known = true;
        if (attempt->state.pid == 0)
                proceed(attempt);
}

/* — what can be asked — */

const ManagerAttemptState *manager_attempt_state(const ManagerAttempt *attempt) {
        return &attempt->state;
}

const ManagerAttemptBasis *manager_attempt_basis(const ManagerAttempt *attempt) {
        return &attempt->basis;
}

const char *manager_attempt_node(const ManagerAttempt *attempt) {
        return manager_attempt_command_node_name(attempt->command);
}

ProcessOwner *manager_attempt_owner(ManagerAttempt *attempt) {
        return &attempt->owner;
}

int manager_attempt_worker_fd(const ManagerAttempt *attempt) {
        return attempt->state.is_worker ? manager_attempt_request_answer(attempt->request) : -1;
}

bool manager_attempt_is_known(const ManagerAttempt *attempt) {
        return attempt->is_known;
}

ManagerAttemptReport *manager_attempt_report(ManagerAttempt *attempt) {
        return attempt->report;
}

bool manager_attempt_is_stuck(const ManagerAttempt *attempt) {
        const bool has_processes = attempt->state.pid > 0 || (is_cleaning(attempt) && !attempt->state.waits);

        return manager_attempt_result_is_with_store(attempt->result) ||
               (attempt->state.step != MANAGER_ATTEMPT_OVER && !is_defined(attempt) &&
                !(attempt->is_forced && has_processes));
}

bool manager_attempt_uses_others(const ManagerAttempt *attempt) {
        return attempt->uses.n > 0 || attempt->state.is_sub || attempt->state.is_range;
}

void manager_attempt_get(const ManagerAttempt *attempt, ManagerAttemptFacts *ret_facts) {
        const ManagerControl *said = manager_attempt_control_get(attempt->control);
        const ManagerAttemptState *state = &attempt->state;

        *ret_facts = (ManagerAttemptFacts) {
                .id = state->id,
                .node = manager_attempt_node(attempt),
                .exit = state->exit,
                .signal = state->exit_signal,
                .pid = state->main_pid,
                .job = manager_uses_job(&attempt->uses),
                .sub_run = attempt->sub.run,
                .started = state->started,
                .ended = state->ended,
                .invocation = state->invocation,
                .state = manager_attempt_state_get(state),
                .result = state->step == MANAGER_ATTEMPT_OVER ? manager_attempt_result_get(attempt->result) : NULL,
                .pending = said->pending,
                .status = said->status,
                .progress = said->progress,
                .progress_of = said->progress_of,
                .again = said->again,
                .problem = manager_attempt_report_problem(attempt->report),
        };
}

/* — what it is beside processes — */

ManagerUses *manager_attempt_uses(ManagerAttempt *attempt) {
        return &attempt->uses;
}

ManagerLaunch *manager_attempt_launch(ManagerAttempt *attempt) {
        return &attempt->launch;
}

ManagerSub *manager_attempt_sub(ManagerAttempt *attempt) {
        return &attempt->sub;
}

void manager_attempt_cancel_job(ManagerAttempt *attempt) {
        const ManagerUseContext context = {
                .jobs = attempt->basis.host->jobs, .flow = attempt->basis.unit, .who = "its node was ended"
        };

        manager_uses_cancel(&attempt->uses, &context);
}

void manager_attempt_note_begun(ManagerAttempt *attempt) {
        const ManagerAttemptsHost *host = attempt->basis.host;

        attempt->state.has_begun = true;
        attempt->state.started = host->turn->now_realtime;
        manager_attempt_mark(attempt);
        host->ops->started(host->userdata, &attempt->state.key);
}

void manager_attempt_go_on(ManagerAttempt *attempt) {
        manager_attempt_mark(attempt);
        proceed(attempt);
}

void manager_attempt_fail(ManagerAttempt *attempt, RunEndKind kind) {
        note_end(attempt, kind, NULL);
        attempt->state.step = MANAGER_ATTEMPT_CLEAN;
        manager_attempt_go_on(attempt);
}

void manager_attempt_end_lost(ManagerAttempt *attempt) {
        attempt->state.is_interrupted = manager_jobs_is_stopping(attempt->basis.host->jobs, attempt->basis.unit);
        note_end(attempt, RUN_END_FAILED, NULL);
        manager_attempt_stop(attempt);
}

void manager_attempt_end_job(ManagerAttempt *attempt, RunEndKind kind) {
        note_end(attempt, kind, NULL);
        finish(attempt);
}

/* — records — */

void manager_attempt_write(const ManagerAttempt *attempt, RecordWriter *writer) {
        manager_attempt_state_write(&attempt->state, attempt->sub.is_paused, writer);
        process_timers_write(&attempt->owner, writer);
        process_table_write(&attempt->owner, writer);
        manager_attempt_result_write(attempt->result, writer);
        manager_uses_write(&attempt->uses, writer);
        manager_attempt_report_write(attempt->report, writer);
        record_put(writer, attempt->sub.run);
        record_put(writer, attempt->sub.is_undoing);
        record_put(writer, attempt->sub.undone);
        record_put(writer, attempt->state.item);
        record_put(writer, attempt->state.item_tries);
        if (attempt->state.is_element)
                record_put(writer, attempt->state.issue);
        if (attempt->state.is_range)
                manager_launch_write(&attempt->launch, writer);
        else if (attempt->state.is_item)
                record_put_string(writer, attempt->state.item_text);
}

/* No other core is to have it: should this one die, the worker reads the end of its input. */
static void take_kept(ManagerAttempt *attempt) {
        ProcessKept *kept = attempt->basis.host->kept;
        const int fd = process_kept_take(kept, attempt->name, "worker", 0);

        if (fd < 0)
                return;
        manager_attempt_request_set_answer(attempt->request, fd);
        process_kept_drop(kept, attempt->name, "worker", 0);
}

int manager_attempt_read(ManagerAttempt *attempt, RecordReader *reader, unsigned *n_processes) {
        const ManagerAttemptsHost *host = attempt->basis.host;
        int r;

        manager_attempt_state_read(&attempt->state, &attempt->sub.is_paused, reader);
        r = process_timers_read(host->timers, &attempt->owner, reader);
        if (r == 0)
                r = process_table_read(host->processes, &attempt->owner, reader, n_processes);
        /* An earlier version did not write it. */
        if (r == 0 && !record_is_at_end(reader))
                r = manager_attempt_result_read(attempt->result, reader);
        if (r == 0 && !record_is_at_end(reader))
                r = manager_uses_read(&attempt->uses, reader);
        if (r == 0 && !record_is_at_end(reader))
                r = manager_attempt_report_read(attempt->report, reader);
        if (r == 0 && !record_is_at_end(reader))
                attempt->sub.run = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        if (r == 0 && !record_is_at_end(reader)) {
                attempt->sub.is_undoing = record_get_below(reader, 2);
                attempt->sub.undone = record_get(reader);
        }
        if (r == 0 && !record_is_at_end(reader)) {
                attempt->state.item = record_get(reader);
                attempt->state.item_tries = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        }
        if (r == 0 && attempt->state.is_element)
                attempt->state.issue = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        if (r == 0 && attempt->state.is_range)
                r = manager_launch_read(&attempt->launch, reader);
        else if (r == 0 && attempt->state.is_item && !record_is_at_end(reader))
                r = text_copy(record_get_string(reader), &attempt->state.item_text);
        attempt->shared->n_using += manager_attempt_uses_others(attempt);
        if (r == 0 && attempt->state.is_worker)
                take_kept(attempt);
        return reader->has_failed ? -EBADMSG : r;
}
