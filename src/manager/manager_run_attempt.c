/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Questions and news of attempts to their runs
 */

#include <errno.h>
#include <stdlib.h>

#include "manager/manager_launch.h"
#include "manager/manager_run_add.h"
#include "manager/manager_run_attempt.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_input.h"
#include "manager/manager_run_policy.h"
#include "manager/manager_run_undo.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_token.h"
#include "manager/manager_run_value.h"
#include "manager/manager_stream.h"

static void attempt_started(void *userdata, const RunAttemptKey *key) {
        ManagerRuns *runs = userdata;

        (void) run_engine_started(manager_runs_engine(runs), key, manager_runs_now(runs));
}

/* An abandoned attempt has ended: that is noted, and nothing else. */
static void put_late_end(ManagerRuns *runs, const RunAttemptKey *key) {
        RecordWriter *writer = manager_run_writer(runs);
        ManagerAttemptFacts facts;

        if (writer && manager_attempts_get(manager_runs_attempts(runs), key, &facts) == 0 && facts.node)
                manager_run_row_put_attempt(writer, key, facts.node, &facts);
}

/* Before the engine judges by it what comes next. What an abandoned attempt has left is of no account. */
static void note_data(ManagerRuns *runs, const RunAttemptKey *key) {
        ManagerRun *run = manager_run_find(runs, key->run);
        ManagerAttemptFacts facts;
        RunNodeRow row;
        RunWhy why;

        if (run && run_engine_get_node(manager_runs_engine(runs), key->run, key->node, &row, &why) == 0 &&
            row.attempt != RUN_ATTEMPT_NONE && row.generation == key->generation && row.number == key->number &&
            manager_attempts_get(manager_runs_attempts(runs), key, &facts) == 0) {
                /* After a retry nobody has completed it any more. */
                manager_run_node_data(run, key->node)->is_completed &= row.completion != RUN_COMPLETION_NONE;
                manager_run_data_set(run, key, &facts);
        }
}

/* The unit is told, though it may have no runs: it may have been stopped before. */
static void note_news(ManagerRuns *runs, Unit *unit) {
        ManagerFlow *flow = manager_run_flow(runs, unit);

        if (flow)
                manager_run_note_news(flow);
}

static void attempt_dropped(void *userdata, Unit *unit) {
        note_news(userdata, unit);
}

static void attempt_ended(void *userdata, const RunAttemptKey *key, Unit *unit, RunEndKind kind, uint16_t end) {
        ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, key->run);
        ManagerAttemptFacts facts = { .again = USEC_INFINITY };

        note_news(runs, unit);
        if (manager_launch_is_item(key) && run && manager_stream_is_of(run)) {
                manager_stream_note_end(runs, run, key, kind, end);
                return;
        }
        if (manager_launch_is_item(key)) {
                manager_launch_note_end(runs, key, kind, end);
                return;
        }
        note_data(runs, key);
        (void) manager_attempts_get(manager_runs_attempts(runs), key, &facts);
        if (run && kind == RUN_END_PENDING)
                manager_run_note_pending(run, key, facts.pending);
        if (run_engine_ended_until(manager_runs_engine(runs), key, kind, end, facts.again) == -ENOENT)
                put_late_end(runs, key);
}

static void attempt_connected(void *userdata, const RunAttemptKey *key, int fd) {
        manager_launch_connect(userdata, key, fd);
}

static int attempt_add_nodes(void *userdata, const RunAttemptKey *key, const char *lines, char **ret_problem) {
        ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, key->run);
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        int r;

        if (!run)
                return -ENOENT;
        /* The name of the node is of the graph that the run has now. */
        graph = run_graph_ref(manager_run_graph(run));
        r = manager_run_add_nodes(runs, run,
                                  &(ManagerRunCommand) {
                                          .run = key->run,
                                          .node = run_graph_name(graph, key->node),
                                          .lines = lines,
                                          .uid = manager_run_facts(run)->uid,
                                  },
                                  &failure);
        if (r < 0)
                *ret_problem = take_ptr(failure.message);
        return r;
}

static void attempt_answered(void *userdata, const RunAttemptKey *key, const Unit *unit, RunAnswer answer,
                             const char *reason) {
        ManagerRuns *runs = userdata;
        ManagerFlow *flow = manager_run_find_flow(runs, unit);
        ManagerRun *run = manager_run_find(runs, key->run);
        bool has_decided;
        RunNodeRow row;
        RunWhy why;

        if (flow)
                manager_run_note_news(flow);
        manager_runs_host(runs)->attempts.turn->has_news = true;
        if (run_engine_answered(manager_runs_engine(runs), key->run, key->node, key->generation, answer) < 0 || !run ||
            answer == RUN_ANSWER_LOST)
                return;
        /* An answer that does not count, because something has changed meanwhile, has moved nothing. */
        has_decided = run_engine_get_node(manager_runs_engine(runs), key->run, key->node, &row, &why) == 0 &&
                      row.state != RUN_NODE_WAITING;
        manager_run_note_answer(run, key, answer, reason, has_decided);
        if (has_decided)
                manager_run_put_event(runs, run,
                                      (ManagerRunEvent) {
                                              .node = run_graph_name(manager_run_graph(run), key->node),
                                              .kind = "policy",
                                              .new = run_answer_to_string(answer),
                                              .comment = reason,
                                              .uid = manager_run_facts(run)->uid,
                                      });
}

static int attempt_surround(void *userdata, ExecRequest *request, ExecResult *result) {
        const ManagerRuns *runs = userdata;

        return manager_runs_host(runs)->surround(manager_runs_host(runs)->userdata, request, result);
}

static ProcessOwner *attempt_owner_of(void *userdata, Unit *unit) {
        const ManagerRuns *runs = userdata;

        return manager_runs_host(runs)->owner_of(manager_runs_host(runs)->userdata, unit);
}

static int attempt_substitute(void *userdata, const RunAttemptKey *key, const ExecCommand *command, char ***ret_argv,
                              char **ret_problem) {
        return manager_run_substitute(userdata, key, command, ret_argv, ret_problem);
}

static RunState attempt_result_of(void *userdata, uint32_t id) {
        const ManagerRuns *runs = userdata;
        RunRow row = {};
        RunWhy why;

        (void) run_engine_get(manager_runs_engine(runs), id, &row, &why);
        return row.result;
}

static char *const *attempt_environment_of(void *userdata, uint32_t id) {
        const ManagerRun *run = manager_run_find(userdata, id);

        return run ? manager_run_facts(run)->environment : NULL;
}

static int attempt_collect(void *userdata, int fd, uint64_t n_max, uint32_t id, uint64_t *ret_number) {
        const ManagerRuns *runs = userdata;

        return manager_run_link_collect(manager_runs_link(runs), fd, n_max, id, ret_number);
}

const ManagerAttemptsOps manager_run_attempts_ops = {
        .input = manager_run_input,
        .variables = manager_run_variables,
        .question = manager_run_question,
        .answered = attempt_answered,
        .add_nodes = attempt_add_nodes,
        .collect = attempt_collect,
        .token_of = manager_run_token,
        .environment_of = attempt_environment_of,
        .element_of = manager_stream_find_element,
        .result_of = attempt_result_of,
        .surround = attempt_surround,
        .owner_of = attempt_owner_of,
        .substitute = attempt_substitute,
        .started = attempt_started,
        .ended = attempt_ended,
        .connected = attempt_connected,
        .dropped = attempt_dropped,
        .step_sub = manager_run_step_part,
        .step_launch = manager_launch_step,
        .abandon_launch = manager_launch_abandon,
};
