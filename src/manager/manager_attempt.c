/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attempts
 *
 * Steps follow each other: ExecStartPre= commands, the command, the end of
 * what is left of the tree, ExecStopPost= commands, and again the end of the
 * tree. The attempt of a node with Unit= has none of them: it begins when its
 * job was asked for, and is over when that has ended. A question to a command
 * that judges a node has a command alone, whose output is the answer; it has the
 * number 0, and none of an earlier core is kept: it is asked again. A restored attempt waits
 * for the definition of its run before it takes
 * the next step: exits are noted meanwhile.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/fd.h"
#include "basic/log.h"
#include "basic/random.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "exec/exec_credentials.h"
#include "exec/exec_kill.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_attempt.h"
#include "manager/manager_control.h"
#include "manager/manager_policy.h"
#include "manager/manager_run_folder.h"
#include "process/process_rest.h"
#include "types/exec_context.h"
#include "types/exec_sandbox.h"
#include "types/unit_process.h"

/* Without control groups nothing tells that the last process is gone. */
#define LOOK_AGAIN (100 * USEC_PER_MSEC)
#define NAME_BYTES 64U

typedef enum AttemptStep {
        ATTEMPT_PRE, /* ExecStartPre= */
        ATTEMPT_MAIN, /* Exec= */
        ATTEMPT_CLEAN, /* what the command has left is ended */
        ATTEMPT_POST, /* ExecStopPost= */
        ATTEMPT_CLEAN_POST,
        ATTEMPT_OVER,
        ATTEMPT_COLLECT, /* before it is over: what it has left is taken */
        _ATTEMPT_STEP_MAX,
} AttemptStep;

/* How far the end of the processes of the present step is. */
typedef enum AttemptSignal {
        ATTEMPT_UNSIGNALLED,
        ATTEMPT_TERMINATED,
        ATTEMPT_KILLED,
        _ATTEMPT_SIGNAL_MAX,
} AttemptSignal;

typedef struct Attempt {
        ProcessOwner owner;
        ManagerAttempts *attempts; /* borrowed */
        uint32_t number; /* of its record */
        RunAttemptKey key;
        uint64_t id;
        Unit *unit; /* a reference */
        FlowDefinition *definition; /* a reference; NULL: not known yet */
        RunGraph *graph; /* the same, of its run */
        FlowCommand command; /* of the process at hand */
        char **argv; /* owned: its words with values of the run; NULL: they have none */
        char name[NAME_BYTES];
        char *folder, *input; /* owned: paths; .input: NULL if it is not known yet */
        char *run_folder; /* owned: path; NULL: not known yet, or RunDirectory=no */
        ManagerTake *take; /* owned: of its result; NULL: it is not being taken */
        bool must_be_stored; /* its result, at the end of the turn */
        uint64_t collection; /* of the store, that has its result; 0: none */
        ManagerResult *result; /* a reference; NULL: none */
        ManagerControl control; /* what it has said */
        int watch; /* of its folder, which tells that it has said more; -1: nobody looks before its end */
        ManagerUses uses; /* of units */
        bool is_job; /* and of no process */
        bool is_question; /* to a command that judges the node … */
        bool is_late; /* … and has not answered in time */
        int answer, answer_in; /* owned: the ends of a pipe for its answer; -1 */
        char *problem; /* owned: the first that it has failed by, or why there is no answer; NULL: nothing is known */
        uint8_t invocation[16];
        AttemptStep step;
        AttemptSignal signal;
        uint32_t index; /* of the command in its list */
        bool is_wanted; /* a process was asked for */
        bool has_begun; /* a process was made */
        bool is_stopping; /* it was told to end */
        bool is_interrupted; /* … by a stop of the unit */
        bool waits; /* for its definition, to take the next step */
        bool leaves_rest; /* which cannot be killed */
        bool is_known; /* a run has asked for it */
        bool is_abandoned; /* no run waits for its end */
        bool is_told; /* its end was, and is in the next batch of the store */
        bool is_stored; /* its end is in .batch */
        uint64_t batch;
        pid_t pid; /* of the process at hand; 0: none */
        pid_t main_pid;
        bool has_end; /* the following are set */
        RunEndKind kind;
        uint16_t end;
        int exit, exit_signal; /* -1: none */
        usec_t started, ended; /* wall clock */
} Attempt;

struct ManagerAttempts {
        ManagerAttemptsHost host;
        VECTOR(Attempt *) all; /* by number; NULL: free */
        size_t n, n_told, n_stored, n_to_store;
        size_t n_using; /* that have uses of units */
        char holder[512]; /* the answer of manager_attempts_find_holder() */
        size_t n_questions;
        ManagerControlWatches watches;
};

static void proceed(Attempt *attempt);
static void look_again(Attempt *attempt);
static void look_at(Attempt *attempt, usec_t delay);
static void on_control(void *userdata, int watch);
static void note_end(Attempt *attempt, RunEndKind kind, const UnitExit *exit);
static void cancel_job(Attempt *attempt);
static void stop(Attempt *attempt);

static Attempt *of(ProcessOwner *owner) {
        return container_of(owner, Attempt, owner);
}

static usec_t now(const Attempt *attempt) {
        return attempt->attempts->host.turn->now;
}

static void mark(const Attempt *attempt) {
        ManagerTurn *turn = attempt->attempts->host.turn;

        turn->has_news = true;
        state_mark(turn->state, STORE_ATTEMPTS, attempt->number);
}

static void say(const Attempt *attempt, LogLevel level, const char *format, ...) printf_(3, 4);

static void say(const Attempt *attempt, LogLevel level, const char *format, ...) {
        cleanup_free_ char *message = NULL;
        va_list arguments;
        int r;

        va_start(arguments, format);
        r = text_vformat(&message, format, arguments);
        va_end(arguments);
        if (r == 0 && attempt->definition)
                log_write(level, attempt->unit->id, "Run %" PRIu32 ", node %s: %s", attempt->key.run,
                          run_graph_name(attempt->graph, attempt->key.node), message);
        else if (r == 0)
                log_write(level, attempt->unit->id, "Run %" PRIu32 ": %s", attempt->key.run, message);
}

/* The first problem is what the attempt fails by; others follow from it. */
static void keep_problem(Attempt *attempt, const char *problem) {
        if (!attempt->problem && text_copy(problem, &attempt->problem) == 0)
                mark(attempt);
}

static void complain(Attempt *attempt, const char *problem) {
        say(attempt, LOG_LEVEL_ERROR, "%s", problem);
        keep_problem(attempt, problem);
}

static Attempt *find(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                Attempt *attempt = attempts->all.items[i];

                if (attempt && memcmp(&attempt->key, key, sizeof(*key)) == 0)
                        return attempt;
        }
        return NULL;
}

/* — life — */

static void drop_take(Attempt *attempt) {
        if (attempt->take)
                manager_take_deinit(attempt->take);
        free(take_ptr(attempt->take));
}

static void release(Attempt *attempt) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        Unit *unit = attempt->unit;

        attempt->attempts->n_told -= attempt->is_told;
        attempt->attempts->n_to_store -= attempt->must_be_stored;
        drop_take(attempt);
        manager_result_unref(attempt->result);
        manager_control_unwatch(&attempt->attempts->watches, attempt->watch);
        manager_control_deinit(&attempt->control);
        free(attempt->folder);
        free(attempt->run_folder);
        free(attempt->input);
        free(attempt->problem);
        fd_close(attempt->answer);
        fd_close(attempt->answer_in);
        attempt->attempts->n_questions -= attempt->is_question;
        process_timers_forget_owner(host->timers, &attempt->owner);
        process_table_forget_owner(host->processes, &attempt->owner);
        process_errands_forget_owner(host->errands, &attempt->owner);
        process_groups_forget_owner(&attempt->owner);
        attempt->attempts->n_using -= attempt->uses.n > 0;
        manager_uses_deinit(&attempt->uses);
        flow_command_close(&attempt->command);
        strv_free(attempt->argv);
        run_graph_unref(attempt->graph);
        flow_definition_unref(attempt->definition);
        attempt->attempts->all.items[attempt->number] = NULL;
        attempt->attempts->n--;
        free(attempt);
        unit_unref(unit);
}

int manager_attempts_new(ManagerAttempts **ret_attempts, const ManagerAttemptsHost *host) {
        ManagerAttempts *attempts = calloc(1, sizeof(*attempts));

        if (!attempts)
                return -ENOMEM;
        attempts->host = *host;
        attempts->watches = (ManagerControlWatches) { .changed = on_control, .userdata = attempts };
        *ret_attempts = attempts;
        return 0;
}

ManagerAttempts *manager_attempts_free(ManagerAttempts *attempts) {
        if (!attempts)
                return NULL;
        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i])
                        release(attempts->all.items[i]);
        vector_deinit(&attempts->all);
        manager_control_end(&attempts->watches);
        free(attempts);
        return NULL;
}

static int find_number(ManagerAttempts *attempts, uint32_t *ret_number) {
        size_t i = attempts->n < attempts->all.n ? 0 : attempts->all.n;
        int r;

        while (i < attempts->all.n && attempts->all.items[i])
                i++;
        *ret_number = (uint32_t) i;
        if (i < attempts->all.n)
                return 0;
        r = vector_push(&attempts->all, NULL);
        return r;
}

static const ProcessOwnerOps attempt_ops;

static int add(ManagerAttempts *attempts, const RunAttemptKey *key, Unit *unit, uint32_t number, Attempt **ret) {
        Attempt *attempt = calloc(1, sizeof(*attempt));
        int r = attempt ? 0 : -ENOMEM;

        while (r == 0 && attempts->all.n <= number)
                r = vector_push(&attempts->all, NULL);
        if (r == 0) {
                snprintf(attempt->name, sizeof(attempt->name), MANAGER_ATTEMPT_NAME, key->run, key->node,
                         key->generation, key->number);
                r = manager_attempt_folder_path(attempts->host.folder, attempt->name, &attempt->folder);
        }
        if (r < 0) {
                free(attempt);
                return r;
        }
        attempt->attempts = attempts;
        attempt->key = *key;
        attempt->number = number;
        attempt->unit = unit_ref(unit);
        attempt->exit = attempt->exit_signal = -1;
        attempt->watch = -1;
        manager_control_init(&attempt->control);
        attempt->answer = attempt->answer_in = -1;
        attempt->owner = (ProcessOwner) { .ops = &attempt_ops, .name = attempt->name };
        attempts->all.items[number] = attempt;
        attempts->n++;
        *ret = attempt;
        return 0;
}

/* A node whose line cannot be read again has none, and fails later. */
static int make_uses(Attempt *attempt) {
        FlowCommand command;
        int r = flow_command_open(&command, attempt->definition,
                                  run_graph_origin(attempt->graph, attempt->key.node));

        if (r < 0)
                return r == -ENOMEM ? r : 0;
        attempt->is_job = command.node->unit && !command.is_extra;
        if (!command.is_extra)
                r = manager_uses_make(&attempt->uses, command.node);
        attempt->attempts->n_using += attempt->uses.n > 0;
        flow_command_close(&command);
        return r;
}

static int make(ManagerAttempts *attempts, const RunAttemptKey *key, Unit *unit, FlowDefinition *definition,
                RunGraph *graph, Attempt **ret_attempt) {
        uint32_t number;
        int r = find_number(attempts, &number);

        if (r == 0)
                r = add(attempts, key, unit, number, ret_attempt);
        if (r < 0)
                return r;
        (*ret_attempt)->definition = flow_definition_ref(definition);
        (*ret_attempt)->graph = run_graph_ref(graph);
        (*ret_attempt)->is_known = true;
        (void) random_bytes((*ret_attempt)->invocation, sizeof((*ret_attempt)->invocation));
        return 0;
}

int manager_attempts_begin(ManagerAttempts *attempts, const RunAttemptKey *key, uint64_t id, Unit *unit,
                           FlowDefinition *definition, RunGraph *graph) {
        Attempt *attempt;
        int r;

        if (find(attempts, key))
                return -EEXIST;
        r = make(attempts, key, unit, definition, graph, &attempt);
        if (r < 0)
                return r;
        attempt->id = id;
        r = make_uses(attempt);
        if (r < 0) {
                release(attempt);
                return r;
        }
        mark(attempt);
        proceed(attempt);
        return 0;
}

/* Without telling anybody: kills what is left of it. */
static void drop(Attempt *attempt) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;

        if (attempt->is_wanted)
                process_errands_take_back(host->errands, &attempt->owner, UNIT_PURPOSE_MAIN);
        cancel_job(attempt);
        manager_uses_release(&attempt->uses, host->jobs);
        if (attempt->step != ATTEMPT_OVER &&
            process_groups_signal(host->groups, &attempt->owner, SIGKILL, 0, 0) < 0 && attempt->pid > 0)
                (void) exec_kill(attempt->pid, -1, SIGKILL, true);
        mark(attempt);
        attempt->attempts->n_stored -= attempt->is_stored;
        manager_attempt_folder_remove(attempt->folder);
        release(attempt);
}

int manager_attempts_ask(ManagerAttempts *attempts, const RunAttemptKey *key, Unit *unit, FlowDefinition *definition,
                         RunGraph *graph) {
        Attempt *attempt = find(attempts, key);
        int r;

        assert(key->number == 0);

        if (attempt)
                drop(attempt);
        r = make(attempts, key, unit, definition, graph, &attempt);
        if (r < 0)
                return r;
        attempt->is_question = true;
        attempts->n_questions++;
        mark(attempt);
        proceed(attempt);
        return 0;
}

void manager_attempts_note_batch(ManagerAttempts *attempts, uint64_t batch) {
        for (size_t i = 0; i < attempts->all.n && attempts->n_told > 0; i++) {
                Attempt *attempt = attempts->all.items[i];

                if (!attempt || !attempt->is_told)
                        continue;
                attempt->is_told = false;
                attempt->is_stored = true;
                attempt->batch = batch;
                attempts->n_told--;
                attempts->n_stored++;
        }
}

void manager_attempts_forget_stored(ManagerAttempts *attempts, uint64_t durable) {
        for (size_t i = 0; i < attempts->all.n && attempts->n_stored > 0; i++) {
                Attempt *attempt = attempts->all.items[i];

                if (!attempt || !attempt->is_stored || attempt->batch > durable)
                        continue;
                attempts->n_stored--;
                mark(attempt);
                manager_attempt_folder_remove(attempt->folder);
                release(attempt);
        }
}

/* — commands — */

static const FlowSettings *flow_of(const Attempt *attempt) {
        return flow_definition_settings(attempt->definition);
}

/* The command of a node with Script=, behind whose words the path of the script follows. */
static char *const script_words[] = { (char *) "/bin/sh", (char *) "-eu", NULL };
static const ExecCommand script_command = {
        .path = (char *) "/bin/sh", .argv = (char **) script_words, .flags = EXEC_NO_EXPANSION
};

/* Script= of the node, if that is what the attempt runs; NULL. */
static const char *script_of(const Attempt *attempt) {
        return attempt->command.is_extra ? NULL : attempt->command.node->script;
}

/* A compensation, or the final command. */
static bool is_of_end(const Attempt *attempt) {
        return run_graph_is_extra(attempt->graph, attempt->key.node);
}

static int open_command(Attempt *attempt) {
        int r;

        if (attempt->command.node)
                return 0;
        r = flow_command_open(&attempt->command, attempt->definition,
                              run_graph_origin(attempt->graph, attempt->key.node));
        if (r == 0 && attempt->is_question)
                attempt->command.process = &flow_of(attempt)->process;
        return r;
}

/* NULL: nobody is asked, or the flow has no such policy. */
static const FlowPolicy *policy_of(const Attempt *attempt) {
        const char *name = attempt->is_question ? attempt->command.node->policy : NULL;

        return name ? flow_policy_find(flow_of(attempt), name) : NULL;
}

/* The command of the present step; NULL: there is none (any more). */
static const ExecCommand *command_of(const Attempt *attempt) {
        const FlowProcess *process = attempt->command.process;
        const FlowPolicy *policy = policy_of(attempt);
        const ExecCommand *command = NULL;

        if (attempt->is_question)
                return policy && attempt->step == ATTEMPT_MAIN ? policy->command : NULL;
        if (attempt->step == ATTEMPT_MAIN)
                command = script_of(attempt) ? &script_command : attempt->command.command;
        else if (attempt->command.is_extra)
                return NULL;
        else if (attempt->step == ATTEMPT_PRE)
                command = process->commands[FLOW_EXEC_START_PRE];
        else if (attempt->step == ATTEMPT_POST)
                command = process->commands[FLOW_EXEC_STOP_POST];
        for (uint32_t i = 0; command && i < attempt->index; i++)
                command = command->next;
        return command;
}

static int set_key(const Attempt *attempt, char ***environment) {
        const RunAttemptKey *key = &attempt->key;
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        const char *node = run_graph_name(attempt->graph, key->node);
        const char *token = host->ops->token_of(host->userdata, key);
        int r;

        r = unit_process_add_variable(environment, "JOBD_UNIT=%s", attempt->unit->id);
        if (r == 0 && token)
                r = unit_process_add_variable(environment, "JOBD_TOKEN=%s", token);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_RUN=%" PRIu32, key->run);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_NODE=%s", node);
        if (attempt->is_question)
                return r < 0 ? r
                             : unit_process_add_variable(environment, "JOBD_POLICY=%s", attempt->command.node->policy);
        if (r == 0)
                r = unit_process_add_variable(environment, "JOBD_ATTEMPT=%" PRIu32, key->number);
        /* Equal for all tries, so that a command can tell whether it has done its work before. */
        return r < 0 ? r
                     : unit_process_add_variable(environment, "JOBD_ATTEMPT_KEY=%" PRIu32 "/%s/%" PRIu32, key->run,
                                                 node, key->generation);
}

/* As ExecStopPost= of a service knows it. */
static int set_end(const Attempt *attempt, char ***environment) {
        const bool is_signal = attempt->exit_signal >= 0;
        const char *signal = is_signal ? sigabbrev_np(attempt->exit_signal) : NULL;
        const char *result = attempt->kind != RUN_END_EXITED ? "resources"
                             : is_signal                     ? "signal"
                             : attempt->exit > 0             ? "exit-code"
                                                             : "success";
        int r = unit_process_add_variable(environment, "SERVICE_RESULT=%s", result);

        if (r < 0 || !attempt->has_end || attempt->kind != RUN_END_EXITED)
                return r;
        r = unit_process_add_variable(environment, "EXIT_CODE=%s", is_signal ? "killed" : "exited");
        if (r < 0)
                return r;
        return signal ? unit_process_add_variable(environment, "EXIT_STATUS=%s", signal)
                      : unit_process_add_variable(environment, "EXIT_STATUS=%i",
                                                  is_signal ? attempt->exit_signal : attempt->exit);
}

static int set_trigger(const Attempt *attempt, char ***environment) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        int r = 0;

        strv_foreach(variable, host->ops->environment_of(host->userdata, attempt->key.run))
                if (r == 0)
                        r = strv_push(environment, *variable);
        return r;
}

static int set_environment(const Attempt *attempt, char ***environment) {
        char hex[2 * sizeof(attempt->invocation) + 1];
        int r;

        text_write_hex(hex, attempt->invocation, sizeof(attempt->invocation));
        r = unit_process_add_variable(environment, "INVOCATION_ID=%s", hex);
        if (r == 0)
                r = set_key(attempt, environment);
        if (r == 0)
                r = set_trigger(attempt, environment);
        if (r == 0 && is_of_end(attempt))
                r = unit_process_add_variable(
                        environment, "JOBD_RUN_RESULT=%s",
                        run_state_to_string(attempt->attempts->host.ops->result_of(attempt->attempts->host.userdata,
                                                                                   attempt->key.run)));
        if (r == 0 && attempt->step == ATTEMPT_POST)
                r = set_end(attempt, environment);
        return r;
}

/* — data — */

/* Compensations and final commands leave no result, and get none. */
static const FlowData *data_of(const Attempt *attempt) {
        static const FlowData none;

        return attempt->command.is_extra ? &none : &attempt->command.node->data;
}

/* Fills the folder and gives it to the user of the attempt, before its first process. */
static int make_folder(Attempt *attempt, const ExecRequest *request, ExecResult *result) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        cleanup_free_ char *json = NULL, *problem = NULL;
        int r = manager_attempt_folder_make(host->folder, attempt->folder);

        if (r == 0 && attempt->is_question)
                r = host->ops->question(host->userdata, &attempt->key, attempt->folder, &json);
        else if (r == 0)
                r = host->ops->input(host->userdata, &attempt->key, attempt->folder, &json, &problem);
        if (r == -ENODATA) {
                note_end(attempt, RUN_END_INPUT_MISSING, NULL);
                exec_result_set(result, EXEC_STEP_RESOURCES, 0, "%s", problem ? problem : strerror(-r));
                return r;
        }
        if (r == 0)
                r = manager_attempt_folder_write(attempt->folder, "input", json);
        if (r == 0 && script_of(attempt))
                r = manager_attempt_folder_write(attempt->folder, "script", script_of(attempt));
        if (r == 0)
                return manager_attempt_folder_give(attempt->folder, request, result);
        exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare %s: %s", attempt->folder, strerror(-r));
        return r;
}

/* RunDirectory=: the user of the flow owns it, whoever this attempt runs as. */
static int set_run_folder(Attempt *attempt, ExecRequest *request, ExecResult *result) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        ExecRequest owner = { .is_user_manager = request->is_user_manager };
        ExecCredentials credentials = {};
        int r = 0;

        if (!flow_of(attempt)->run_directory || !host->run_folders)
                return 0;
        if (!attempt->run_folder)
                r = manager_run_folder_path(host->run_folders, attempt->key.run, &attempt->run_folder);
        if (r == 0)
                r = unit_process_add_variable(&request->own_environment, "JOBD_RUN_DIR=%s", attempt->run_folder);
        if (r < 0)
                return r;
        exec_context_fill_user(&flow_of(attempt)->process.exec, &owner);
        r = exec_credentials_resolve(&owner, &credentials, result);
        request->common_folder = attempt->run_folder;
        request->common_uid = credentials.owner;
        request->common_gid = credentials.owner_group;
        exec_credentials_deinit(&credentials);
        return r;
}

static int set_input(Attempt *attempt, ExecRequest *request, ExecResult *result) {
        int r = attempt->has_begun ? 0 : make_folder(attempt, request, result);

        if (r == 0 && !attempt->input)
                r = text_join_path(attempt->folder, "input", &attempt->input);
        if (r == 0)
                r = unit_process_add_variable(&request->own_environment, "JOBD_INPUT=%s", attempt->input);
        request->own_folder = attempt->folder;
        return r;
}

/* — what commands say while they run — */

static void add_nodes(void *userdata, const char *file) {
        const Attempt *attempt = userdata;
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        cleanup_free_ char *lines = NULL, *problem = NULL;
        int r = manager_control_read_nodes(attempt->folder, file, &lines);

        if (r == 0)
                r = host->ops->add_nodes(host->userdata, &attempt->key, lines, &problem);
        if (r < 0)
                say(attempt, LOG_LEVEL_ERROR, "add-nodes %s: %s", file,
                    problem       ? problem
                    : r == -EFBIG ? "It has more than 1 MiB."
                                  : strerror(-r));
}

static void refuse_line(void *userdata, uint64_t line, const char *sentence) {
        say(userdata, LOG_LEVEL_WARNING, "Line %" PRIu64 " of $JOBD_CONTROL is ignored: %s.", line, sentence);
}

static const ManagerControlOps control_ops = { .add_nodes = add_nodes, .refuse = refuse_line };

static void read_control(Attempt *attempt, bool is_over, const ManagerControlOps *ops) {
        const int r = manager_control_read(&attempt->control, attempt->folder, is_over, ops, attempt);

        if (r < 0)
                say(attempt, LOG_LEVEL_WARNING, "$JOBD_CONTROL cannot be read: %s", strerror(-r));
        if (r > 0)
                attempt->attempts->host.turn->has_news = true;
}

/* In as many turns as that needs. */
static void read_more(Attempt *attempt) {
        read_control(attempt, false, &control_ops);
        if (attempt->control.has_more)
                look_at(attempt, 0);
}

static void on_control(void *userdata, int watch) {
        const ManagerAttempts *attempts = userdata;

        for (size_t i = 0; i < attempts->all.n; i++) {
                Attempt *attempt = attempts->all.items[i];

                if (attempt && attempt->watch >= 0 && (watch < 0 || attempt->watch == watch) && attempt->is_known &&
                    attempt->definition)
                        read_more(attempt);
        }
}

/* Without it, what the command says is read when it has ended. */
static void watch_control(Attempt *attempt) {
        ManagerAttempts *attempts = attempt->attempts;

        if (attempt->watch >= 0 || !attempts->host.turn->event)
                return;
        attempt->watch = manager_control_watch(&attempts->watches, attempts->host.turn->event, attempt->folder);
        if (attempt->watch < 0)
                say(attempt, LOG_LEVEL_DEBUG, "$JOBD_CONTROL is read at the end only: %s", strerror(-attempt->watch));
}

static int set_data(Attempt *attempt, ExecRequest *request, ExecResult *result) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        const bool has_results = data_of(attempt)->input_mode == FLOW_INPUT_ENV;
        int r = set_input(attempt, request, result);

        if (r == 0)
                r = unit_process_add_variable(&request->own_environment, "JOBD_RESULT=%s/result", attempt->folder);
        if (r == 0)
                r = unit_process_add_variable(&request->own_environment, "JOBD_CONTROL=%s/" MANAGER_CONTROL_FILE,
                                              attempt->folder);
        if (r == 0)
                watch_control(attempt);
        if (r == 0 && (has_results || script_of(attempt)))
                r = host->ops->variables(host->userdata, &attempt->key, has_results, &request->own_environment);
        if (r == -E2BIG)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "%s have more than 64 KiB; use InputMode=file",
                                has_results ? "InputMode=env: parameters and results" : "Script=: parameters");
        if (data_of(attempt)->input_mode == FLOW_INPUT_STDIN && attempt->step == ATTEMPT_MAIN)
                request->standard_input_file = attempt->input;
        return r;
}

/* The command reads the question and writes its answer, which has to fit into the pipe; its errors go to the log. */
static int set_streams(Attempt *attempt, ExecRequest *request) {
        int ends[2];

        if (attempt->answer < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
                return -errno;
        if (attempt->answer < 0) {
                attempt->answer = ends[0];
                attempt->answer_in = ends[1];
        }
        /* The end of the manager does not wait, that of the command does. */
        if (fcntl(attempt->answer_in, F_SETFL, 0) < 0)
                return -errno;
        request->standard_input_file = attempt->input;
        request->standard_output = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = attempt->answer_in };
        if (request->standard_error.kind == EXEC_STREAM_SAME)
                request->standard_error.kind = EXEC_STREAM_DEFAULT;
        return 0;
}

static int set_question(Attempt *attempt, ExecRequest *request, ExecResult *result) {
        int r = set_input(attempt, request, result);

        return r < 0 ? r : set_streams(attempt, request);
}

static void prepare_log(Attempt *attempt, ExecRequest *request) {
        const char *node = run_graph_name(attempt->graph, attempt->key.node);
        char run[32], number[32], name[300], *fields[] = { run, name, number, NULL };

        snprintf(run, sizeof(run), "RUN=%" PRIu32, attempt->key.run);
        snprintf(name, sizeof(name), "NODE=%s", node);
        snprintf(number, sizeof(number), "ATTEMPT=%" PRIu32, attempt->key.number);
        manager_log_prepare_attempt(*attempt->attempts->host.log,
                                    &(ManagerLogAttempt) {
                                            .unit = attempt->unit->id,
                                            .invocation = attempt->invocation,
                                            .exec = &attempt->command.process->exec,
                                            .fields = fields,
                                    },
                                    request);
}

static bool has_values(const ExecCommand *command) {
        strv_foreach(word, command->argv)
                if (strstr(*word, "%{"))
                        return true;
        return false;
}

static int make_script_words(Attempt *attempt, ExecRequest *request) {
        char *path;
        int r = strv_copy(script_command.argv, &attempt->argv);

        if (r == 0)
                r = text_join_path(attempt->folder, "script", &path);
        if (r == 0)
                r = strv_consume(&attempt->argv, path);
        request->argv = attempt->argv;
        return r;
}

/* The words of @command, with the values that they name. */
static int make_words(Attempt *attempt, const ExecCommand *command, ExecRequest *request, ExecResult *result) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        cleanup_free_ char *problem = NULL;
        int r;

        attempt->argv = strv_free(attempt->argv);
        if (command == &script_command)
                return make_script_words(attempt, request);
        request->argv = command->argv;
        if (!has_values(command))
                return 0;
        r = host->ops->substitute(host->userdata, &attempt->key, command, &attempt->argv, &problem);
        if (r < 0)
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "%s=: %s", request->label,
                                problem ? problem : strerror(-r));
        request->argv = attempt->argv;
        return r;
}

static int prepare_command(Attempt *attempt, ExecRequest *request, ExecResult *result) {
        const ExecCommand *command = command_of(attempt);
        int r;

        if (!command || !command->path || !command->argv || !command->argv[0])
                return -ENOEXEC;
        request->label = command == &script_command     ? "Script"
                         : attempt->is_question           ? "Command"
                         : attempt->step == ATTEMPT_MAIN ? attempt->command.setting
                         : attempt->step == ATTEMPT_PRE ? "ExecStartPre"
                                                        : "ExecStopPost";
        request->path = command->path;
        r = make_words(attempt, command, request, result);
        if (r < 0)
                return r;
        exec_context_fill(&attempt->command.process->exec, command, request);
        request->unit = attempt->unit->id;
        r = exec_sandbox_share(attempt->unit, request);
        if (r == 0)
                r = set_environment(attempt, &request->own_environment);
        if (r < 0)
                return r;
        if (attempt->is_question)
                return set_question(attempt, request, result);
        r = set_run_folder(attempt, request, result);
        return r < 0 ? r : set_data(attempt, request, result);
}

static int attempt_prepare(ProcessOwner *owner, UnitPurpose purpose, ExecRequest *request, ExecResult *result) {
        Attempt *attempt = of(owner);
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        int r;

        if (!attempt->is_wanted)
                return -ECANCELED;
        if (!attempt->definition || open_command(attempt) < 0) {
                /* A restored attempt whose run is not there yet asks again. */
                attempt->is_wanted = false;
                if (attempt->definition)
                        look_again(attempt);
                attempt->waits = !attempt->definition;
                mark(attempt);
                return -ECANCELED;
        }
        r = host->ops->surround(host->userdata, request, result);
        if (r < 0)
                return r;
        r = prepare_command(attempt, request, result);
        if (r < 0 && result->step != EXEC_STEP_NONE)
                return r;
        if (r < 0) {
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare the command: %s", strerror(-r));
                return r;
        }
        r = process_groups_enter(host->groups, owner, purpose, &request->cgroup, result);
        if (r < 0)
                return r;
        prepare_log(attempt, request);
        return 0;
}

/* — signals — */

static void set_timer(Attempt *attempt, usec_t delay) {
        const usec_t deadline = delay == USEC_INFINITY ? USEC_INFINITY : usec_add(now(attempt), delay);

        if (process_timers_set(attempt->attempts->host.timers, &attempt->owner, UNIT_PURPOSE_STATE_LIMIT, deadline) < 0)
                say(attempt, LOG_LEVEL_WARNING, "No memory for a time limit.");
}

static int count_rest(Attempt *attempt) {
        const int n = process_errands_kill_rest(attempt->attempts->host.errands, &attempt->owner, 0, attempt->pid, 0);

        return MAX(n, 0);
}

static void signal_all(Attempt *attempt, int signal, bool is_final) {
        ProcessErrands *errands = attempt->attempts->host.errands;
        const KillMode mode = attempt->command.process->kill.mode;
        const bool with_rest = mode == KILL_MODE_CONTROL_GROUP || (mode == KILL_MODE_MIXED && is_final);

        if (mode == KILL_MODE_NONE)
                return;
        if (attempt->pid > 0)
                (void) process_errands_kill(errands, &attempt->owner, attempt->pid, signal, with_rest);
        if (with_rest)
                (void) process_errands_kill_rest(errands, &attempt->owner, signal, attempt->pid, 0);
}

static void terminate(Attempt *attempt) {
        const KillSettings *kill = &attempt->command.process->kill;

        if (attempt->signal != ATTEMPT_UNSIGNALLED)
                return;
        attempt->signal = ATTEMPT_TERMINATED;
        signal_all(attempt, kill->signal, false);
        if (kill->send_sighup)
                signal_all(attempt, SIGHUP, false);
        /* A stopped process would not handle the signal. */
        if (kill->signal != SIGKILL)
                signal_all(attempt, SIGCONT, false);
        set_timer(attempt, flow_of(attempt)->timeout_stop);
        mark(attempt);
}

/* A command that judges has nothing to clean up. */
static void give_up_question(Attempt *attempt) {
        if (attempt->signal == ATTEMPT_KILLED)
                return;
        attempt->is_late |= attempt->step == ATTEMPT_MAIN;
        if (attempt->is_wanted) {
                process_errands_take_back(attempt->attempts->host.errands, &attempt->owner, UNIT_PURPOSE_MAIN);
                attempt->is_wanted = false;
                note_end(attempt, RUN_END_FAILED, NULL);
                attempt->step = ATTEMPT_CLEAN;
                proceed(attempt);
                return;
        }
        attempt->signal = ATTEMPT_KILLED;
        signal_all(attempt, SIGKILL, true);
        set_timer(attempt, flow_of(attempt)->timeout_stop);
        mark(attempt);
}

/* The time of the present step is over. */
static void take_next_signal(Attempt *attempt) {
        const KillSettings *kill = &attempt->command.process->kill;

        if (attempt->is_question && attempt->signal != ATTEMPT_KILLED) {
                give_up_question(attempt);
                return;
        }
        if (attempt->signal == ATTEMPT_UNSIGNALLED) {
                terminate(attempt);
                return;
        }
        if (attempt->signal == ATTEMPT_TERMINATED && kill->send_sigkill) {
                say(attempt, LOG_LEVEL_WARNING, "It has not ended in time, and is killed.");
                attempt->signal = ATTEMPT_KILLED;
                signal_all(attempt, kill->final_signal, true);
                set_timer(attempt, flow_of(attempt)->timeout_stop);
                mark(attempt);
                return;
        }
        say(attempt, LOG_LEVEL_ERROR, "Processes of it do not end, and are left.");
        process_table_forget_owner(attempt->attempts->host.processes, &attempt->owner);
        attempt->pid = 0;
        attempt->leaves_rest = true;
        attempt->index = 0;
        if (attempt->step == ATTEMPT_POST)
                attempt->step = ATTEMPT_CLEAN_POST;
        else if (attempt->step < ATTEMPT_CLEAN)
                attempt->step = ATTEMPT_CLEAN;
        proceed(attempt);
}

/* — steps — */

static void note_end(Attempt *attempt, RunEndKind kind, const UnitExit *exit) {
        if (attempt->has_end)
                return;
        attempt->has_end = true;
        attempt->kind = attempt->is_interrupted ? RUN_END_INTERRUPTED : kind;
        attempt->ended = attempt->attempts->host.turn->now_realtime;
        if (!exit || exit->is_lost)
                return;
        if (exit->code == CLD_EXITED)
                attempt->exit = exit->status;
        else
                attempt->exit_signal = exit->status;
        attempt->end = (uint16_t) (exit->code == CLD_EXITED ? exit->status & 0xff
                                                            : RUN_END_BY_SIGNAL(exit->status & 0x7f));
}

/* Asks for the process of the present step. */
static void ask(Attempt *attempt) {
        const UnitPurpose purpose = attempt->step == ATTEMPT_MAIN ? UNIT_PURPOSE_MAIN : UNIT_PURPOSE_CONTROL;

        attempt->signal = ATTEMPT_UNSIGNALLED;
        attempt->is_wanted = true;
        if (attempt->step == ATTEMPT_POST)
                set_timer(attempt, flow_of(attempt)->timeout_stop);
        if (attempt->is_question && policy_of(attempt))
                set_timer(attempt, policy_of(attempt)->timeout);
        mark(attempt);
        if (process_errands_spawn(attempt->attempts->host.errands, &attempt->owner, purpose) == 0)
                return;
        attempt->is_wanted = false;
        complain(attempt, "No memory for a process.");
        note_end(attempt, RUN_END_FAILED, NULL);
        attempt->step = attempt->step < ATTEMPT_CLEAN ? ATTEMPT_CLEAN : ATTEMPT_CLEAN_POST;
        proceed(attempt);
}

static bool leaves_rest(const Attempt *attempt) {
        const KillMode mode = attempt->command.process->kill.mode;

        return mode == KILL_MODE_NONE || mode == KILL_MODE_PROCESS;
}

/* The answer to a question; without one a person is asked. */
static RunAnswer take_answer(const Attempt *attempt, char **ret_reason) {
        const ManagerPolicyEnd end = {
                .answer = attempt->answer,
                .exit = attempt->exit,
                .signal = attempt->exit_signal,
                .is_late = attempt->is_late,
                .problem = attempt->problem,
        };

        if (attempt->is_stopping || attempt->kind == RUN_END_LOST || attempt->kind == RUN_END_INTERRUPTED)
                return RUN_ANSWER_LOST;
        return manager_policy_read(&end, ret_reason);
}

static void tell_end(Attempt *attempt) {
        ManagerAttempts *attempts = attempt->attempts;
        const ManagerAttemptsHost *host = &attempts->host;
        cleanup_free_ char *reason = NULL;

        attempts->n_told += !attempt->is_told;
        attempt->is_told = true;
        if (attempt->is_question) {
                const RunAnswer answer = take_answer(attempt, &reason);

                host->ops->answered(host->userdata, &attempt->key, attempt->unit, answer, reason);
                return;
        }
        host->ops->ended(host->userdata, &attempt->key, attempt->unit, attempt->kind, attempt->end);
}

static void end(Attempt *attempt) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        const bool was_collected = attempt->step == ATTEMPT_COLLECT;

        attempt->step = ATTEMPT_OVER;
        set_timer(attempt, USEC_INFINITY);
        flow_command_close(&attempt->command);
        if (attempt->owner.group)
                process_groups_follow(host->groups, &attempt->owner, false);
        note_end(attempt, RUN_END_FAILED, NULL);
        if (was_collected && attempt->control.pending && attempt->kind == RUN_END_EXITED)
                attempt->kind = RUN_END_PENDING;
        drop_take(attempt);
        mark(attempt);
        manager_uses_release(&attempt->uses, host->jobs);
        tell_end(attempt);
}

static void look_at(Attempt *attempt, usec_t delay) {
        (void) process_timers_set(attempt->attempts->host.timers, &attempt->owner, UNIT_PURPOSE_PIDFILE,
                                  usec_add(now(attempt), delay));
}

static void look_again(Attempt *attempt) {
        look_at(attempt, LOOK_AGAIN);
}

/* — results — */

/* A result counts only from the command itself, and only if it was not told to end. */
static bool has_result(const Attempt *attempt) {
        return !attempt->is_question && attempt->has_end && attempt->kind == RUN_END_EXITED &&
               !attempt->is_abandoned && !attempt->is_stopping && attempt->definition && !is_of_end(attempt);
}

static bool has_succeeded(const Attempt *attempt) {
        const RunPolicy *policy = run_graph_policy(attempt->graph, attempt->key.node);

        return attempt->end == 0 || policy->success_ends[attempt->end / 64] >> attempt->end % 64 & 1;
}

static int begin_take(Attempt *attempt) {
        cleanup_free_ char *from = NULL, *copy = NULL;
        ManagerTake *take;
        int r = text_join_path(attempt->folder, "result", &from);

        if (r == 0)
                r = manager_attempt_folder_result_path(attempt->attempts->host.folder, attempt->name, &copy);
        take = r == 0 ? calloc(1, sizeof(*take)) : NULL;
        if (!take)
                return -ENOMEM;
        take->path = take_ptr(from);
        take->copy_path = take_ptr(copy);
        /* With Callback= the keys may be in the result of whoever completes the node. */
        take->outputs = has_succeeded(attempt) && !attempt->command.node->has_callback ? data_of(attempt)->outputs
                                                                                       : NULL;
        take->max = data_of(attempt)->result_max;
        attempt->take = take;
        return 0;
}

/* The file is ours and judged: the store gets it, and the node runs until that is done. */
static void store_result(Attempt *attempt) {
        ManagerAttempts *attempts = attempt->attempts;

        if (attempt->collection != 0 || attempt->must_be_stored)
                return;
        attempt->must_be_stored = true;
        attempts->n_to_store++;
        attempts->host.turn->has_news = true;
}

void manager_attempts_store(ManagerAttempts *attempts) {
        const ManagerAttemptsHost *host = &attempts->host;

        for (size_t i = 0; i < attempts->all.n && attempts->n_to_store > 0; i++) {
                Attempt *attempt = attempts->all.items[i];

                if (!attempt || !attempt->must_be_stored)
                        continue;
                attempt->must_be_stored = false;
                attempts->n_to_store--;
                if (host->ops->collect(host->userdata, attempt->take->copy, data_of(attempt)->result_max,
                                       attempt->key.run, &attempt->collection) < 0)
                        look_again(attempt);
        }
}

/* Lines that the command has written up to its end. */
static void take_control(Attempt *attempt) {
        manager_control_unwatch(&attempt->attempts->watches, attempt->watch);
        attempt->watch = -1;
        read_control(attempt, true, &control_ops);
}

static void refuse_result(Attempt *attempt, RunEndKind kind, const char *problem) {
        cleanup_free_ char *sentence = NULL;

        if (text_format(&sentence, "What it has left in $JOBD_RESULT is no result: %s.", problem) == 0)
                complain(attempt, sentence);
        attempt->kind = kind;
        end(attempt);
}

/* Takes the result, in as many turns as that needs. */
static void collect(Attempt *attempt) {
        int r = 0;

        if (!attempt->take) {
                take_control(attempt);
                if (attempt->control.has_more) {
                        look_at(attempt, 0);
                        return;
                }
                r = begin_take(attempt);
        }
        if (r == 0)
                r = manager_take_step(attempt->take);
        switch (r) {
        case MANAGER_TAKING_DONE:
                attempt->result = take_ptr(attempt->take->result);
                end(attempt);
                break;
        case MANAGER_TAKING_MORE:
                look_at(attempt, 0);
                break;
        case MANAGER_TAKING_LARGE:
                store_result(attempt);
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
                say(attempt, LOG_LEVEL_WARNING, "Its result cannot be taken, which is tried again: %s", strerror(-r));
                drop_take(attempt);
                look_again(attempt);
        }
}

static Attempt *find_collection(const ManagerAttempts *attempts, uint64_t number) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                Attempt *attempt = attempts->all.items[i];

                if (attempt && attempt->step == ATTEMPT_COLLECT && attempt->collection == number && attempt->take)
                        return attempt;
        }
        return NULL;
}

bool manager_attempts_stored(ManagerAttempts *attempts, uint64_t number, const uint8_t *hash) {
        Attempt *attempt = find_collection(attempts, number);

        if (!attempt)
                return false;
        attempt->collection = 0;
        if (manager_result_new_large(&attempt->result, attempt->take->copy_path, hash, attempt->take->n) < 0)
                look_again(attempt);
        else
                end(attempt);
        return true;
}

bool manager_attempts_refused(ManagerAttempts *attempts, uint64_t number, bool is_too_large) {
        Attempt *attempt = find_collection(attempts, number);

        if (!attempt)
                return false;
        attempt->collection = 0;
        if (is_too_large)
                refuse_result(attempt, RUN_END_RESULT_TOO_LARGE, "it is larger than ResultMax=");
        else
                look_again(attempt);
        return true;
}

static void finish(Attempt *attempt) {
        if (!has_result(attempt)) {
                end(attempt);
                return;
        }
        attempt->step = ATTEMPT_COLLECT;
        set_timer(attempt, USEC_INFINITY);
        mark(attempt);
        if (open_command(attempt) < 0)
                look_again(attempt);
        else
                collect(attempt);
}

/* Ends what is left of the tree. Returns true if nothing is. */
static bool clean(Attempt *attempt) {
        if (attempt->leaves_rest || leaves_rest(attempt) || count_rest(attempt) == 0)
                return true;
        if (attempt->is_question)
                give_up_question(attempt);
        else
                terminate(attempt);
        if (!attempt->owner.group)
                look_again(attempt);
        return false;
}

/* See manager_attempts_step(). */
static bool waits_for_units(const Attempt *attempt) {
        return attempt->step == ATTEMPT_PRE && attempt->index == 0 && !attempt->has_begun && !attempt->is_stopping &&
               !manager_uses_are_met(&attempt->uses);
}

static void proceed(Attempt *attempt) {
        /* See manager_attempts_step(). */
        if (attempt->is_job)
                return;
        if (!attempt->definition && attempt->is_abandoned && attempt->is_known) {
                /* The run is over, and nobody knows its commands any more: the one that ran was the last. */
                finish(attempt);
                return;
        }
        if (!attempt->definition) {
                attempt->waits = true;
                mark(attempt);
                return;
        }
        if (open_command(attempt) < 0) {
                look_again(attempt);
                return;
        }
        if (attempt->step == ATTEMPT_COLLECT) {
                collect(attempt);
                return;
        }
        if (waits_for_units(attempt))
                return;
        if (attempt->step == ATTEMPT_PRE && !command_of(attempt)) {
                attempt->step = ATTEMPT_MAIN;
                attempt->index = 0;
        }
        if (attempt->step < ATTEMPT_CLEAN && attempt->is_stopping)
                attempt->step = ATTEMPT_CLEAN;
        if (attempt->step == ATTEMPT_CLEAN && clean(attempt)) {
                attempt->step = ATTEMPT_POST;
                attempt->index = 0;
        }
        /* Without a process there is nothing to clean up after. */
        if (attempt->step == ATTEMPT_POST && (!attempt->has_begun || !command_of(attempt))) {
                attempt->step = ATTEMPT_CLEAN_POST;
                if (attempt->index == 0) {
                        finish(attempt);
                        return;
                }
        }
        if (attempt->step == ATTEMPT_CLEAN_POST && clean(attempt))
                finish(attempt);
        else if (attempt->step < ATTEMPT_CLEAN || attempt->step == ATTEMPT_POST)
                ask(attempt);
}

/* The process of the present step has ended, or there was none. */
static void end_step(Attempt *attempt, const UnitExit *exit) {
        const ExecCommand *command = attempt->command.node ? command_of(attempt) : NULL;
        const bool is_well = exit && ((exit->code == CLD_EXITED && exit->status == 0) ||
                                      (command && command->flags & EXEC_IGNORE_FAILURE));

        set_timer(attempt, USEC_INFINITY);
        if (attempt->step == ATTEMPT_POST || (attempt->step == ATTEMPT_PRE && is_well)) {
                attempt->index++;
        } else {
                if (attempt->step == ATTEMPT_PRE && exit && !exit->is_lost)
                        keep_problem(attempt, "A command of ExecStartPre= has failed.");
                note_end(attempt,
                         exit && exit->is_lost                   ? RUN_END_LOST
                         : exit && attempt->step == ATTEMPT_MAIN ? RUN_END_EXITED
                                                                 : RUN_END_FAILED,
                         exit);
                attempt->step = ATTEMPT_CLEAN;
                attempt->index = 0;
        }
        attempt->signal = ATTEMPT_UNSIGNALLED;
        mark(attempt);
        proceed(attempt);
}

/* — what processes tell — */

static void attempt_spawned(ProcessOwner *owner, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        Attempt *attempt = of(owner);
        const ManagerAttemptsHost *host = &attempt->attempts->host;

        if (!attempt->is_wanted) {
                if (pid > 0)
                        (void) process_errands_kill(host->errands, owner, pid, SIGKILL, true);
                return;
        }
        attempt->is_wanted = false;
        attempt->answer_in = fd_close(attempt->answer_in);
        mark(attempt);
        if (pid <= 0) {
                const int status = exec_step_exit_status(result->step);
                const UnitExit exit = { .code = CLD_EXITED, .status = status, .time = now(attempt) };

                complain(attempt, result->message);
                if (!attempt->started)
                        attempt->started = host->turn->now_realtime;
                note_end(attempt, RUN_END_FAILED, status > 0 ? &exit : NULL);
                end_step(attempt, NULL);
                return;
        }
        attempt->pid = pid;
        if (attempt->step == ATTEMPT_MAIN)
                attempt->main_pid = pid;
        if (attempt->has_begun)
                return;
        attempt->has_begun = true;
        attempt->started = host->turn->now_realtime;
        if (!attempt->is_question)
                host->ops->started(host->userdata, &attempt->key);
}

static void attempt_exited(ProcessOwner *owner, const UnitExit *exit) {
        Attempt *attempt = of(owner);

        if (exit->pid != attempt->pid)
                return;
        attempt->pid = 0;
        end_step(attempt, exit);
}

static void attempt_elapsed(ProcessOwner *owner, UnitPurpose purpose) {
        Attempt *attempt = of(owner);

        if (purpose == UNIT_PURPOSE_PIDFILE) {
                if (attempt->pid == 0 && !attempt->is_wanted)
                        proceed(attempt);
                else if (attempt->control.has_more && attempt->definition)
                        read_more(attempt);
        } else if (attempt->definition && open_command(attempt) == 0) {
                take_next_signal(attempt);
        }
}

static void attempt_group_emptied(ProcessOwner *owner) {
        Attempt *attempt = of(owner);

        if (attempt->pid == 0 && (attempt->step == ATTEMPT_CLEAN || attempt->step == ATTEMPT_CLEAN_POST))
                proceed(attempt);
}

static int attempt_count_group(ProcessOwner *owner, pid_t main_pid, pid_t control_pid) {
        return process_groups_count(of(owner)->attempts->host.groups, owner, main_pid, control_pid);
}

static int attempt_signal_group(ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid) {
        return process_groups_signal(of(owner)->attempts->host.groups, owner, signal, main_pid, control_pid);
}

static void attempt_describe_rest(ProcessOwner *owner, ExecRest *rest) {
        rest->invocation_id = of(owner)->invocation;
}

static ProcessOwner *owner_of_unit(const Attempt *attempt) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;

        return host->ops->owner_of(host->userdata, attempt->unit);
}

static bool attempt_describe_group(ProcessOwner *owner, ProcessGroupTerms *terms) {
        Attempt *attempt = of(owner);

        *terms = (ProcessGroupTerms) {
                .parent = owner_of_unit(attempt),
                .resources = attempt->command.node && !attempt->is_question ? attempt->command.node->resources : NULL,
                .is_begun = attempt->has_begun,
                .is_over = attempt->step == ATTEMPT_OVER,
        };
        return terms->parent;
}

/* The flow is as a slice to it. */
static size_t attempt_list_slices(ProcessOwner *owner, ProcessSlice slices[static PROCESS_SLICES_MAX]) {
        const Attempt *attempt = of(owner);

        return process_slices_below(owner_of_unit(attempt), attempt->unit->id,
                                    attempt->definition ? flow_of(attempt)->resources : NULL, slices);
}

static void attempt_changed(ProcessOwner *owner) {
        mark(of(owner));
}

static const ProcessOwnerOps attempt_ops = {
        .prepare = attempt_prepare,
        .spawned = attempt_spawned,
        .exited = attempt_exited,
        .elapsed = attempt_elapsed,
        .count_group = attempt_count_group,
        .signal_group = attempt_signal_group,
        .describe_rest = attempt_describe_rest,
        .describe_group = attempt_describe_group,
        .list_slices = attempt_list_slices,
        .group_emptied = attempt_group_emptied,
        .changed = attempt_changed,
};

/* — jobs instead of processes — */

static void cancel_job(Attempt *attempt) {
        const ManagerUseContext context = {
                .jobs = attempt->attempts->host.jobs, .flow = attempt->unit, .who = "its node was ended"
        };

        manager_uses_cancel(&attempt->uses, &context);
}

static void end_job(Attempt *attempt, RunEndKind kind) {
        note_end(attempt, kind, NULL);
        finish(attempt);
}

static ManagerUseResult step_uses(Attempt *attempt, RunEndKind *ret_kind, char **ret_problem) {
        const char *node = run_graph_name(attempt->graph, attempt->key.node);
        cleanup_free_ char *who = NULL;
        bool has_changed = false;
        ManagerUseContext context = { .jobs = attempt->attempts->host.jobs, .flow = attempt->unit };
        ManagerUseResult result;

        if (text_format(&who, "run %" PRIu32 ", node %s", attempt->key.run, node) < 0)
                return MANAGER_USES_WAIT;
        context.who = who;
        result = manager_uses_step(&attempt->uses, &context, ret_kind, ret_problem, &has_changed);
        if (has_changed)
                mark(attempt);
        return result;
}

/* A job is in the state of the manager with its attempt: both are there after a death of core, or neither. */
static void tell_job(Attempt *attempt) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;

        if (attempt->has_begun || manager_uses_job(&attempt->uses) == JOB_ID_NONE)
                return;
        attempt->has_begun = true;
        attempt->started = host->turn->now_realtime;
        mark(attempt);
        host->ops->started(host->userdata, &attempt->key);
}

/* Goes on when the units and folders that the command needs are there, or cannot be had. True: it has gone on. */
static bool step_process(Attempt *attempt) {
        cleanup_free_ char *problem = NULL;
        RunEndKind kind = RUN_END_FAILED;
        ManagerUseResult result;

        if (!attempt->definition)
                return false;
        result = step_uses(attempt, &kind, &problem);
        if (result == MANAGER_USES_WAIT)
                return false;
        if (problem)
                complain(attempt, problem);
        if (result == MANAGER_USES_ENDED) {
                note_end(attempt, kind, NULL);
                attempt->step = ATTEMPT_CLEAN;
        }
        mark(attempt);
        proceed(attempt);
        return true;
}

/* A unit that the attempt is bound to is gone, and with it what the attempt could do. */
static bool end_lost(Attempt *attempt) {
        const ManagerAttemptsHost *host = &attempt->attempts->host;
        cleanup_free_ char *sentence = NULL;
        const char *unit = attempt->step < ATTEMPT_CLEAN && !attempt->is_stopping
                                   ? manager_uses_find_lost(&attempt->uses, host->jobs)
                                   : NULL;

        if (!unit)
                return false;
        if (text_format(&sentence, "It ends, because %s, which it is bound to, is gone.", unit) == 0)
                complain(attempt, sentence);
        attempt->is_interrupted = manager_jobs_is_stopping(host->jobs, attempt->unit);
        note_end(attempt, RUN_END_FAILED, NULL);
        stop(attempt);
        return true;
}

/* True if the end was told. */
static bool step_attempt(Attempt *attempt) {
        cleanup_free_ char *problem = NULL;
        RunEndKind kind = RUN_END_EXITED;
        ManagerUseResult result;
        bool has_lost;

        has_lost = end_lost(attempt);
        if (attempt->is_stopping) {
                if (!attempt->is_abandoned)
                        cancel_job(attempt);
                end_job(attempt, has_lost ? RUN_END_FAILED : RUN_END_CANCELLED);
                return true;
        }
        if (!attempt->definition)
                return false;
        result = step_uses(attempt, &kind, &problem);
        if (problem)
                complain(attempt, problem);
        if (result != MANAGER_USES_ENDED)
                tell_job(attempt);
        if (result == MANAGER_USES_WAIT)
                return false;
        end_job(attempt, kind);
        return true;
}

bool manager_attempts_step(ManagerAttempts *attempts) {
        bool has_told = false;

        for (size_t i = 0; i < attempts->all.n && attempts->n_using > 0; i++) {
                Attempt *attempt = attempts->all.items[i];

                if (!attempt || !attempt->is_known || attempt->step == ATTEMPT_OVER || attempt->uses.n == 0)
                        continue;
                if (attempt->is_job)
                        has_told |= step_attempt(attempt);
                else if (waits_for_units(attempt))
                        has_told |= step_process(attempt);
                else
                        has_told |= end_lost(attempt);
        }
        return has_told;
}

/* — ends that are asked for — */

static void stop(Attempt *attempt) {
        if (attempt->step >= ATTEMPT_CLEAN || attempt->is_stopping)
                return;
        attempt->is_stopping = true;
        mark(attempt);
        if (attempt->is_job)
                return;
        if (attempt->is_wanted) {
                process_errands_take_back(attempt->attempts->host.errands, &attempt->owner,
                                          attempt->step == ATTEMPT_MAIN ? UNIT_PURPOSE_MAIN : UNIT_PURPOSE_CONTROL);
                attempt->is_wanted = false;
                note_end(attempt, RUN_END_FAILED, NULL);
        }
        if (attempt->pid == 0)
                proceed(attempt);
        else if (attempt->definition && open_command(attempt) == 0)
                terminate(attempt);
}

void manager_attempts_end(ManagerAttempts *attempts, const RunAttemptKey *key) {
        Attempt *attempt = find(attempts, key);

        if (attempt)
                stop(attempt);
}

void manager_attempts_end_question(ManagerAttempts *attempts, uint32_t run, uint32_t node, uint32_t generation) {
        Attempt *attempt = attempts->n_questions > 0 ? find(attempts, &(RunAttemptKey) { run, node, generation, 0 })
                                                     : NULL;

        if (attempt)
                stop(attempt);
}

void manager_attempts_abandon(ManagerAttempts *attempts, const RunAttemptKey *key) {
        Attempt *attempt = find(attempts, key);

        if (!attempt)
                return;
        attempt->is_abandoned = true;
        mark(attempt);
        if (attempt->is_wanted || attempt->is_job)
                stop(attempt);
        else
                say(attempt, LOG_LEVEL_WARNING, "Attempt %" PRIu32 " is left alone: RunTimeoutSec= is over.",
                    attempt->key.number);
}

void manager_attempts_interrupt(ManagerAttempts *attempts, const Unit *unit) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                Attempt *attempt = attempts->all.items[i];

                if (!attempt || attempt->unit != unit || attempt->step >= ATTEMPT_CLEAN || attempt->is_stopping)
                        continue;
                attempt->is_interrupted = true;
                stop(attempt);
        }
}

/* — after a restart — */

/* The earlier core has told of it. */
static void ignore_line(void *userdata, uint64_t line, const char *sentence) {}

/* Control lines are not recorded: the file still has them. The run has the nodes of add-nodes, or gets them now. */
static void resume_control(Attempt *attempt) {
        static const ManagerControlOps ops = { .add_nodes = add_nodes, .refuse = ignore_line };

        if (attempt->step != ATTEMPT_OVER)
                watch_control(attempt);
        do
                read_control(attempt, attempt->step == ATTEMPT_OVER, &ops);
        while (attempt->control.has_more);
}

int manager_attempts_resume(ManagerAttempts *attempts, const RunAttemptKey *key, FlowDefinition *definition,
                            RunGraph *graph) {
        Attempt *attempt = find(attempts, key);
        const ManagerAttemptsHost *host = &attempts->host;

        if (!attempt)
                return -ENOENT;
        attempt->is_known = true;
        if (!attempt->definition) {
                attempt->definition = flow_definition_ref(definition);
                attempt->graph = run_graph_ref(graph);
        }
        if (attempt->has_begun)
                host->ops->started(host->userdata, &attempt->key);
        if (attempt->has_begun && !attempt->is_question && !is_of_end(attempt))
                resume_control(attempt);
        if (attempt->step == ATTEMPT_OVER)
                tell_end(attempt);
        else if (attempt->is_job)
                attempt->attempts->host.turn->has_news = true;
        else if (attempt->is_stopping && attempt->pid > 0 && open_command(attempt) == 0)
                terminate(attempt);
        else if (attempt->waits || (attempt->pid == 0 && !attempt->is_wanted)) {
                attempt->waits = false;
                attempt->attempts->host.turn->has_news = true;
                proceed(attempt);
        }
        return 0;
}

static bool has_folder(const void *userdata, const char *name) {
        return manager_attempts_find_owner(userdata, name);
}

void manager_attempts_drop_unknown(ManagerAttempts *attempts) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                Attempt *attempt = attempts->all.items[i];

                if (!attempt || attempt->is_known)
                        continue;
                if (attempt->is_abandoned && attempt->step != ATTEMPT_OVER) {
                        attempt->is_known = true;
                        if (attempt->pid == 0)
                                proceed(attempt);
                        continue;
                }
                if (attempt->step == ATTEMPT_OVER) {
                        /* Core has died before it could forget an end that is durable. */
                        mark(attempt);
                        manager_attempt_folder_remove(attempt->folder);
                        release(attempt);
                        continue;
                }
                if (!attempt->is_question)
                        log_write(LOG_LEVEL_WARNING, attempt->unit->id,
                                  "The store knows no attempt %s: what is left of it is killed.", attempt->name);
                drop(attempt);
        }
        manager_attempt_folder_sweep(attempts->host.folder, "attempts", has_folder, attempts);
}

/* — what can be asked — */

bool manager_attempts_has(const ManagerAttempts *attempts, const RunAttemptKey *key) {
        return find(attempts, key);
}

static RunAttemptState state_of(const Attempt *attempt) {
        if (attempt->is_abandoned)
                return RUN_ATTEMPT_ABANDONED;
        if (attempt->step != ATTEMPT_OVER)
                return attempt->has_begun ? RUN_ATTEMPT_RUNNING : RUN_ATTEMPT_STARTING;
        return attempt->kind == RUN_END_LOST          ? RUN_ATTEMPT_LOST
               : attempt->kind == RUN_END_INTERRUPTED ? RUN_ATTEMPT_INTERRUPTED
                                                      : RUN_ATTEMPT_DONE;
}

int manager_attempts_get(const ManagerAttempts *attempts, const RunAttemptKey *key, ManagerAttemptFacts *ret_facts) {
        const Attempt *attempt = find(attempts, key);

        if (!attempt)
                return -ENOENT;
        *ret_facts = (ManagerAttemptFacts) {
                .id = attempt->id,
                .node = attempt->definition
                                ? run_graph_name(attempt->graph, attempt->key.node)
                                : NULL,
                .exit = attempt->exit,
                .signal = attempt->exit_signal,
                .pid = attempt->main_pid,
                .job = manager_uses_job(&attempt->uses),
                .started = attempt->started,
                .ended = attempt->ended,
                .invocation = attempt->invocation,
                .state = state_of(attempt),
                .result = attempt->step == ATTEMPT_OVER ? attempt->result : NULL,
                .pending = attempt->control.pending,
                .status = attempt->control.status,
                .progress = attempt->control.progress,
                .progress_of = attempt->control.progress_of,
                .again = attempt->control.again,
                .problem = attempt->problem,
        };
        return 0;
}

bool manager_attempts_explain(const ManagerAttempts *attempts, const RunAttemptKey *key, Text *text) {
        const Attempt *attempt = find(attempts, key);

        return attempt && attempt->step != ATTEMPT_OVER &&
               manager_uses_explain(&attempt->uses, attempts->host.jobs, attempt->unit, text);
}

const char *manager_attempts_find_holder(ManagerAttempts *attempts, const Unit *unit) {
        for (size_t i = 0; i < attempts->all.n && attempts->n_using > 0; i++) {
                const Attempt *attempt = attempts->all.items[i];

                if (!attempt || attempt->step == ATTEMPT_OVER || !manager_uses_hold(&attempt->uses, unit))
                        continue;
                snprintf(attempts->holder, sizeof(attempts->holder), "run %" PRIu32 "%s%s", attempt->key.run,
                         attempt->definition ? ", node " : "",
                         attempt->definition
                                 ? run_graph_name(attempt->graph, attempt->key.node)
                                 : "");
                return attempts->holder;
        }
        return NULL;
}

unsigned manager_attempts_count(const ManagerAttempts *attempts, const Unit *unit) {
        unsigned n = 0;

        for (size_t i = 0; i < attempts->all.n; i++)
                n += attempts->all.items[i] && attempts->all.items[i]->unit == unit &&
                     attempts->all.items[i]->step != ATTEMPT_OVER;
        return n;
}

const char *manager_attempts_find_abandoned(const ManagerAttempts *attempts, uint32_t run) {
        for (size_t i = 0; i < attempts->all.n; i++) {
                const Attempt *attempt = attempts->all.items[i];

                if (!attempt || !attempt->is_abandoned || attempt->key.run != run || attempt->step == ATTEMPT_OVER)
                        continue;
                return attempt->definition
                               ? run_graph_name(attempt->graph, attempt->key.node)
                               : "?";
        }
        return NULL;
}

ProcessOwner *manager_attempts_find_owner(const ManagerAttempts *attempts, const char *name) {
        for (size_t i = 0; i < attempts->all.n; i++)
                if (attempts->all.items[i] && strcmp(attempts->all.items[i]->name, name) == 0)
                        return &attempts->all.items[i]->owner;
        return NULL;
}

/* — records — */

enum {
        FLAG_WANTED = 1 << 0,
        FLAG_BEGUN = 1 << 1,
        FLAG_STOPPING = 1 << 2,
        FLAG_INTERRUPTED = 1 << 3,
        FLAG_WAITS = 1 << 4,
        FLAG_HAS_END = 1 << 5,
        FLAG_ABANDONED = 1 << 6,
        FLAG_JOB = 1 << 7,
        FLAG_QUESTION = 1 << 8,
        FLAGS_END = 1 << 9,
};

static uint64_t flags_of(const Attempt *attempt) {
        return (attempt->is_wanted ? FLAG_WANTED : 0U) | (attempt->has_begun ? FLAG_BEGUN : 0U) |
               (attempt->is_stopping ? FLAG_STOPPING : 0U) | (attempt->is_interrupted ? FLAG_INTERRUPTED : 0U) |
               (attempt->waits ? FLAG_WAITS : 0U) | (attempt->has_end ? FLAG_HAS_END : 0U) |
               (attempt->is_abandoned ? FLAG_ABANDONED : 0U) | (attempt->is_job ? FLAG_JOB : 0U) |
               (attempt->is_question ? FLAG_QUESTION : 0U);
}

/* Behind all else: text, or path and hash. */
static void write_result(const ManagerResult *result, RecordWriter *writer) {
        record_put_string(writer, result && !result->path ? result->text : NULL);
        record_put_string(writer, result ? result->path : NULL);
        record_put_bytes(writer, result ? result->hash : NULL, result ? sizeof(result->hash) : 0);
        record_put(writer, result ? result->n : 0);
}

static int read_result(RecordReader *reader, ManagerResult **ret_result) {
        const char *text = record_get_string(reader), *path = record_get_string(reader);
        size_t n_hash;
        const uint8_t *hash = record_get_bytes(reader, &n_hash);
        const size_t n = record_get(reader);

        if (reader->has_failed)
                return -EBADMSG;
        if (path && n_hash == RUNSTORE_HASH_BYTES)
                return manager_result_new_large(ret_result, path, hash, n);
        return text ? manager_result_new(ret_result, text, strlen(text)) : 0;
}

void manager_attempts_write(const ManagerAttempts *attempts, uint32_t number, RecordWriter *writer) {
        const Attempt *attempt = number < attempts->all.n ? attempts->all.items[number] : NULL;

        if (!attempt)
                return;
        record_put_string(writer, attempt->unit->id);
        record_put(writer, attempt->key.run);
        record_put(writer, attempt->key.node);
        record_put(writer, attempt->key.generation);
        record_put(writer, attempt->key.number);
        record_put(writer, attempt->id);
        record_put_bytes(writer, attempt->invocation, sizeof(attempt->invocation));
        record_put(writer, attempt->step);
        record_put(writer, attempt->signal);
        record_put(writer, attempt->index);
        record_put(writer, flags_of(attempt));
        record_put(writer, (uint64_t) attempt->pid);
        record_put(writer, (uint64_t) attempt->main_pid);
        record_put(writer, attempt->kind);
        record_put(writer, attempt->end);
        record_put_signed(writer, attempt->exit);
        record_put_signed(writer, attempt->exit_signal);
        record_put_time(writer, attempt->started);
        record_put_time(writer, attempt->ended);
        process_timers_write(&attempt->owner, writer);
        process_table_write(&attempt->owner, writer);
        write_result(attempt->result, writer);
        manager_uses_write(&attempt->uses, writer);
        record_put_string(writer, attempt->problem);
}

int manager_attempts_next(const ManagerAttempts *attempts, uint32_t number, uint32_t *ret_number) {
        for (size_t i = number; i < attempts->all.n; i++)
                if (attempts->all.items[i]) {
                        *ret_number = (uint32_t) i;
                        return 1;
                }
        return 0;
}

static void read_facts(Attempt *attempt, RecordReader *reader) {
        const void *invocation;
        uint64_t flags;
        size_t n;

        attempt->id = record_get(reader);
        invocation = record_get_bytes(reader, &n);
        if (n == sizeof(attempt->invocation))
                memcpy(attempt->invocation, invocation, n);
        attempt->step = (AttemptStep) record_get_below(reader, _ATTEMPT_STEP_MAX);
        attempt->signal = (AttemptSignal) record_get_below(reader, _ATTEMPT_SIGNAL_MAX);
        attempt->index = (uint32_t) record_get_below(reader, UINT32_MAX);
        flags = record_get_below(reader, FLAGS_END);
        attempt->is_wanted = flags & FLAG_WANTED;
        attempt->has_begun = flags & FLAG_BEGUN;
        attempt->is_stopping = flags & FLAG_STOPPING;
        attempt->is_interrupted = flags & FLAG_INTERRUPTED;
        attempt->waits = flags & FLAG_WAITS;
        attempt->has_end = flags & FLAG_HAS_END;
        attempt->is_abandoned = flags & FLAG_ABANDONED;
        attempt->is_job = flags & FLAG_JOB;
        attempt->is_question = flags & FLAG_QUESTION;
        attempt->pid = (pid_t) record_get_below(reader, INT32_MAX);
        attempt->main_pid = (pid_t) record_get_below(reader, INT32_MAX);
        attempt->kind = (RunEndKind) record_get_below(reader, _RUN_END_KIND_MAX);
        attempt->end = (uint16_t) record_get_below(reader, RUN_ENDS);
        attempt->exit = (int) record_get_signed(reader);
        attempt->exit_signal = (int) record_get_signed(reader);
        attempt->started = record_get_time(reader);
        attempt->ended = record_get_time(reader);
}

static void read_key(RecordReader *reader, RunAttemptKey *ret_key) {
        ret_key->run = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        ret_key->node = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        ret_key->generation = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        ret_key->number = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
}

int manager_attempts_read(ManagerAttempts *attempts, UnitTable *units, uint32_t number, RecordReader *reader,
                          unsigned *n_processes) {
        const char *name = record_get_string(reader);
        Attempt *attempt = NULL;
        RunAttemptKey key;
        Unit *unit;
        int r;

        read_key(reader, &key);
        if (reader->has_failed || !name)
                return -EBADMSG;
        r = unit_table_load(units, name, &unit);
        if (r == 0)
                r = add(attempts, &key, unit, number, &attempt);
        if (r < 0)
                return r == -ENOMEM ? r : -EBADMSG;
        read_facts(attempt, reader);
        r = process_timers_read(attempts->host.timers, &attempt->owner, reader);
        if (r == 0)
                r = process_table_read(attempts->host.processes, &attempt->owner, reader, n_processes);
        /* An earlier version did not write it. */
        if (r == 0 && !record_is_at_end(reader))
                r = read_result(reader, &attempt->result);
        if (r == 0 && !record_is_at_end(reader))
                r = manager_uses_read(&attempt->uses, reader);
        if (r == 0 && !record_is_at_end(reader))
                r = text_copy(record_get_string(reader), &attempt->problem);
        attempts->n_using += attempt->uses.n > 0;
        attempts->n_questions += attempt->is_question;
        return reader->has_failed ? -EBADMSG : r;
}

bool manager_attempts_look(RecordReader *reader) {
        Attempt attempt = {};
        RunAttemptKey key;

        record_get_string(reader);
        read_key(reader, &key);
        read_facts(&attempt, reader);
        for (uint64_t n = record_get(reader); n > 0 && !reader->has_failed; n--) {
                record_get(reader);
                record_get(reader);
        }
        return process_table_look(reader);
}

int manager_attempts_tell_lost(ManagerAttempts *attempts) {
        int r = 0;

        for (size_t i = 0; i < attempts->all.n && r == 0; i++)
                if (attempts->all.items[i])
                        r = process_table_tell_lost(attempts->host.processes, &attempts->all.items[i]->owner);
        return r;
}
