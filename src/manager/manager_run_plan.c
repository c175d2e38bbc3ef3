/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan of a run that was submitted now
 *
 * Nothing is kept of it, and nothing happens. It is made in one turn, so that a
 * flow of very many nodes, whose file takes longer to read, has none before it
 * has been read for a run.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "flow/flow_spec.h"
#include "manager/manager_run_nodes.h"
#include "manager/manager_run_submit.h"
#include "manager/manager_run_table.h"
#include "run/run_forecast.h"
#include "run/run_value.h"

#define LINES_MAX 5000U /* of NodesFile= */
#define NODES_MAX 20000U
#define UNITS_MAX 100U /* whose jobs are planned */

typedef struct Plan {
        ManagerRuns *runs; /* borrowed */
        const Unit *unit; /* borrowed */
        const ManagerFlow *flow; /* that of the unit; NULL: it has no runs */
        FlowDefinition *definition; /* a reference */
        JsonTree params; /* owned; no values: there are none */
        RunForecastNode *nodes; /* owned */
        uint32_t n_units;
        RunScope scope;
        bool is_unknown; /* a value that a condition wants is not there before the run is */
} Plan;

static void plan_deinit(Plan *plan) {
        flow_definition_unref(plan->definition);
        json_tree_deinit(&plan->params);
        free(plan->nodes);
}

static RunGraph *graph_of(const Plan *plan) {
        return flow_definition_graph(plan->definition);
}

/* — conditions — */

static void find_state(Plan *plan, const RunReference *reference, JsonValue *made, const JsonValue **ret_value) {
        const uint32_t node = run_graph_find(graph_of(plan), reference->name);
        const char *state;

        if (node == RUN_NODE_NONE || plan->nodes[node].forecast != RUN_FORECAST_SKIPPED) {
                plan->is_unknown = true;
                return;
        }
        state = run_node_state_to_string(RUN_NODE_SKIPPED);
        *made = JSON_VALUE_STRING(state, strlen(state));
        *ret_value = made;
}

/* An evaluation that has come to what is not known ends. */
static int find_value(const RunScope *base, const RunReference *reference, JsonValue *made,
                      const JsonValue **ret_value) {
        Plan *plan = container_of((RunScope *) base, Plan, scope);
        size_t budget = RUN_PARAMS_MAX;

        switch (reference->kind) {
        case RUN_REFERENCE_PARAM:
                if (plan->params.values)
                        *ret_value = json_value_find(plan->params.values, reference->name, &budget);
                break;
        case RUN_REFERENCE_STATE:
                find_state(plan, reference, made, ret_value);
                break;
        case RUN_REFERENCE_RESULT:
        case RUN_REFERENCE_CAUSE:
        case RUN_REFERENCE_RUN_ID:
        case RUN_REFERENCE_RUN_NAME:
                plan->is_unknown = true;
                break;
        case RUN_REFERENCE_TRIGGER:
        case RUN_REFERENCE_ITEM:
        case RUN_REFERENCE_ELEMENT:
        case RUN_REFERENCE_RETRY:
                break;
        }
        return plan->is_unknown ? -EFBIG : 0;
}

/* A condition for which memory is missing is not known, either. */
static int judge(void *userdata, uint32_t node, RunCondition *ret_condition) {
        Plan *plan = userdata;
        cleanup_(run_expression_freep) RunExpression *expression = NULL;
        cleanup_free_ char *problem = NULL;
        FlowCommand command = {};
        RunValue value;
        int r = flow_command_open(&command, plan->definition, node);

        plan->is_unknown = false;
        if (r == 0)
                r = run_expression_parse(command.node->when, &expression, &problem);
        flow_command_close(&command);
        if (r == 0)
                r = run_expression_evaluate(expression, &plan->scope, RUN_WANTED_BOOLEAN, &value, &problem);
        if (plan->is_unknown || r == -ENOMEM)
                return 1;
        *ret_condition = r < 0                                  ? RUN_CONDITION_BROKEN
                         : value.value->kind == JSON_TOKEN_TRUE ? RUN_CONDITION_TRUE
                                                                : RUN_CONDITION_FALSE;
        return 0;
}

/* — locks and resources — */

static void put_demand(const RunDemand *demand, Sink *sink) {
        if (!demand)
                return;
        sink_entry_open(sink, "locks", "aa{sv}");
        sink_open(sink, 'a', "a{sv}");
        for (size_t i = 0; i < demand->n_locks; i++) {
                sink_open(sink, 'a', "{sv}");
                sink_entry_string(sink, "lock", demand->locks[i].name);
                sink_entry_u64(sink, "slots", demand->locks[i].slots);
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);
        sink_entry_open(sink, "needs", "aa{sv}");
        sink_open(sink, 'a', "a{sv}");
        for (size_t i = 0; i < demand->n_needs; i++) {
                sink_open(sink, 'a', "{sv}");
                sink_entry_string(sink, "resource", demand->needs[i].name);
                sink_entry_u64(sink, "amount", demand->needs[i].amount);
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);
}

/* — jobs — */

static bool stops_flow(const JobPlanJob *job, const char *flow) {
        return (job->type == JOB_STOP || job->type == JOB_RESTART) && text_equal(job->unit, flow);
}

static void put_jobs(const Plan *plan, const JobPlan *jobs, Sink *sink) {
        bool stops = false;

        sink_entry_open(sink, "jobs", "a(ss)");
        sink_open(sink, 'a', "(ss)");
        for (size_t i = 0; i < jobs->jobs.n; i++) {
                const JobPlanJob *job = &jobs->jobs.items[i];

                stops |= stops_flow(job, plan->unit->id);
                sink_open(sink, 'r', "ss");
                sink_string(sink, job->unit);
                sink_string(sink, job_type_to_string(job->type));
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);
        if (stops)
                sink_entry_string(sink, "refused", "WouldStopItself: it would stop the flow that it is part of.");
}

/* The jobs that a node with Unit= would have now; when the node begins they may be others. */
static void plan_jobs(Plan *plan, const FlowNode *node, Sink *sink) {
        cleanup_(job_plan_freep) JobPlan *jobs = NULL;
        const JobRequester requester = { .reason = "a plan of a run" };
        const JobOptions options = { .mode = node->job_mode, .requester = &requester,
                                     .now = manager_runs_host(plan->runs)->attempts.turn->now };
        JobRequest request = { .unit = node->unit, .is_manual = true };
        int r;

        if (plan->n_units++ >= UNITS_MAX)
                return;
        r = job_type_from_request(flow_operation_to_string(node->operation), &request.type,
                                  &request.reload_if_possible);
        if (r == 0)
                r = manager_jobs_plan(manager_runs_host(plan->runs)->jobs, &request, &options, &jobs);
        if (r == JOB_MANAGER_E_SUCCESS)
                put_jobs(plan, jobs, sink);
        else
                sink_entry_string(sink, "refused", jobs && jobs->failure.code != 0 ? failure_message(&jobs->failure)
                                                                                  : strerror(r < 0 ? -r : ECANCELED));
}

/* — nodes — */

static int put_command(const FlowNode *node, Sink *sink) {
        cleanup_free_ char *words = NULL;
        int r = strv_join(node->command->argv, " ", &words);

        if (r == 0)
                sink_entry_string(sink, "command", words);
        return r;
}

/* The first line of a script that is no comment, which says more than that there is one. */
static int put_script(const char *script, Sink *sink) {
        cleanup_free_ char *line = NULL;
        int r = 0;

        for (const char *at = script; r == 0 && !line && *at; at += strcspn(at, "\n"), at += *at == '\n') {
                const char *first = at + strspn(at, " \t");

                if (*first != '#' && *first != '\n' && *first)
                        r = text_format(&line, "%.*s", (int) strcspn(first, "\n"), first);
        }
        if (r == 0)
                sink_entry_string(sink, "script", line ? line : "");
        return r;
}

/* "exec", "script", "job", "run", "sleep" or "checkpoint", and what belongs to it. */
static int put_action(Plan *plan, uint32_t number, const FlowNode *node, Sink *sink) {
        const RunForecast forecast = plan->nodes[number].forecast;

        sink_entry_string(sink, "action",
                          node->command  ? "exec"
                          : node->script ? "script"
                          : node->unit   ? "job"
                          : node->flow   ? "run"
                          : node->sleep > 0 || node->sleep_until ? "sleep"
                                                                 : "checkpoint");
        if (node->command)
                return put_command(node, sink);
        if (node->script)
                return put_script(node->script, sink);
        if (node->flow)
                sink_entry_string(sink, "flow", node->flow);
        if (node->sleep > 0)
                sink_entry_u64(sink, "sleep", node->sleep);
        if (!node->unit)
                return 0;
        sink_entry_string(sink, "unit", node->unit);
        sink_entry_string(sink, "operation", flow_operation_to_string(node->operation));
        if (forecast == RUN_FORECAST_RUNS || forecast == RUN_FORECAST_MAY_RUN)
                plan_jobs(plan, node, sink);
        return 0;
}

/* The nodes whose end it waits for. */
static void put_parents(const RunGraph *graph, uint32_t node, Sink *sink) {
        uint32_t n;
        const uint32_t *parents = run_graph_parents(graph, node, &n);
        const uint8_t *edges = run_graph_parent_edges(graph, node);

        sink_entry_open(sink, "after", "as");
        sink_open(sink, 'a', "s");
        for (uint32_t i = 0; i < n; i++)
                if (!(edges[i] & RUN_EDGE_OTHERWISE))
                        sink_string(sink, run_graph_name(graph, parents[i]));
        sink_close(sink);
        sink_entry_close(sink);
}

static int put_node(Plan *plan, uint32_t number, Sink *sink) {
        const RunForecastNode *node = &plan->nodes[number];
        FlowCommand command = {};
        int r = flow_command_open(&command, plan->definition, number);

        if (r < 0)
                return r;
        sink_open(sink, 'a', "{sv}");
        sink_entry_string(sink, "node", run_graph_name(graph_of(plan), number));
        sink_entry_u64(sink, "step", node->step);
        sink_entry_u64(sink, "urgency", run_graph_urgency(graph_of(plan), number));
        put_parents(graph_of(plan), number, sink);
        sink_entry_string(sink, "forecast", run_forecast_to_string(node->forecast));
        if (node->reason != RUN_REASON_NONE)
                sink_entry_string(sink, "reason", run_reason_to_string(node->reason));
        if (command.node->when && node->reason == RUN_REASON_WHEN)
                sink_entry_string(sink, "when", command.node->when);
        if (command.node->foreach)
                sink_entry_string(sink, "foreach", command.node->foreach);
        if (command.node->policy)
                sink_entry_string(sink, "policy", command.node->policy);
        r = put_action(plan, number, command.node, sink);
        if (command.node->compensation || command.node->flow)
                sink_entry_string(sink, "undo", command.node->compensation ? "exec" : "run");
        if (node->step > 0)
                put_demand(run_graph_demand(graph_of(plan), number), sink);
        sink_close(sink);
        flow_command_close(&command);
        return r;
}

/* The step, and behind all steps what does not run. */
static uint32_t place_of(const Plan *plan, uint32_t node, uint32_t n) {
        return plan->nodes[node].step > 0 ? plan->nodes[node].step : n + 1;
}

/*
 * Without those of the end of a run, in the order of steps; in each as the definition has them, and those that do not
 * run at the end.
 */
static int put_nodes(Plan *plan, Sink *sink) {
        const uint32_t n = run_graph_count(graph_of(plan));
        cleanup_free_ uint32_t *first = calloc((size_t) n + 3, sizeof(*first)); /* of each step; step 0 is last */
        cleanup_free_ uint32_t *sorted = calloc((size_t) n + 1, sizeof(*sorted));
        int r = first && sorted ? 0 : -ENOMEM;

        if (r < 0)
                return r;
        for (uint32_t i = 0; i < n; i++)
                first[place_of(plan, i, n) + 1]++;
        for (uint32_t i = 1; i < n + 3; i++)
                first[i] += first[i - 1];
        for (uint32_t i = 0; i < n; i++)
                sorted[first[place_of(plan, i, n)]++] = i;
        sink_entry_open(sink, "nodes", "aa{sv}");
        sink_open(sink, 'a', "a{sv}");
        for (uint32_t i = 0; i < n && r == 0; i++)
                if (!run_graph_is_extra(graph_of(plan), sorted[i]))
                        r = put_node(plan, sorted[i], sink);
        sink_close(sink);
        sink_entry_close(sink);
        return r;
}

/* — the run — */

static const char *busy_word(const Plan *plan, uint32_t n_live) {
        const FlowSettings *settings = flow_definition_settings(plan->definition);

        if (n_live < settings->max_runs)
                return "run";
        return flow_busy_to_string(settings->on_busy);
}

static uint32_t max_parallel(const Plan *plan) {
        const FlowSettings *settings = flow_definition_settings(plan->definition);
        RunSettings run;

        flow_spec_settings(settings, settings->on_busy, manager_runs_processors(plan->runs), &run);
        return run.max_parallel;
}

static void put_run(const Plan *plan, const char *params, Sink *sink) {
        const bool has_runs = plan->flow && manager_run_flow_engine(plan->flow);
        const uint32_t n_live = has_runs ? manager_run_count_live(plan->runs, plan->flow) : 0;
        const ManagerRun *run = plan->flow ? manager_run_first(plan->flow) : NULL;

        sink_entry_string(sink, "unit", plan->unit->id);
        sink_entry_string(sink, "would", busy_word(plan, n_live));
        sink_entry_open(sink, "runs", "at");
        sink_open(sink, 'a', "t");
        for (; run; run = manager_run_next(run))
                if (!manager_run_is_over(run))
                        sink_u64(sink, manager_run_id(run));
        sink_close(sink);
        sink_entry_close(sink);
        sink_entry_bool(sink, "starts_unit", plan->unit->active_state != UNIT_ACTIVE);
        sink_entry_u64(sink, "max_parallel", max_parallel(plan));
        if (params)
                sink_entry_string(sink, "params", params);
        put_demand(run_graph_demand(graph_of(plan), RUN_NODE_NONE), sink);
}

/* Reads the definition; one that no run can be made of is refused here, too. */
static int read_definition(Plan *plan, const char *unit, Failure *ret_failure) {
        cleanup_free_ char *problem = NULL;
        ManagerNodes *nodes = NULL;
        ManagerTexts texts;
        int r;

        while ((r = manager_run_define(plan->runs, plan->unit, &nodes, SIZE_MAX, &texts, &plan->definition,
                                       ret_failure)) == MANAGER_NODES_MORE)
                ;
        manager_run_nodes_free(nodes);
        /* Others wait for the answer, so there is no pause before it would be read again. */
        if (r == MANAGER_NODES_AGAIN)
                return failure_set(ret_failure, -EINVAL, "LoadFailed",
                                   "The file of NodesFile= of %s was written to while it was read. Try again.", unit);
        if (r == 0)
                r = flow_definition_read(plan->definition, LINES_MAX, ret_failure);
        while (r > 0 && !flow_definition_has_lines(plan->definition))
                r = flow_definition_read(plan->definition, LINES_MAX, ret_failure);
        if (r > 0 || (r == 0 && run_graph_count(graph_of(plan)) > NODES_MAX))
                return failure_set(ret_failure, -E2BIG, "LimitsExceeded",
                                   "%s has too many nodes to be planned while others wait: at most %u, and %u in "
                                   "NodesFile=.",
                                   unit, NODES_MAX, LINES_MAX);
        if (r == 0)
                r = run_engine_check(manager_runs_engine(plan->runs), graph_of(plan), &problem);
        return r < 0 && problem ? failure_set(ret_failure, r, "LoadFailed",
                                              "%s: Needs=: %s See Resources= of [Engine] in jobd.conf.", unit, problem)
                                : r;
}

static int make(Plan *plan, const ManagerRunRequest *request, Sink *sink, Failure *ret_failure) {
        const RunForecastHost host = { .judge = judge, .userdata = plan };
        cleanup_free_ char *params = NULL;
        int r = read_definition(plan, request->unit, ret_failure);

        if (r == 0)
                r = manager_run_apply_params(plan->definition, request->params, &params, ret_failure);
        if (r == 0 && params)
                r = json_tree_read(params, strlen(params), &plan->params, NULL);
        if (r < 0)
                return r;
        plan->nodes = calloc(run_graph_count(graph_of(plan)), sizeof(*plan->nodes));
        if (!plan->nodes)
                return -ENOMEM;
        run_forecast(graph_of(plan), &host, plan->nodes);
        sink_open(sink, 'a', "{sv}");
        put_run(plan, params, sink);
        r = put_nodes(plan, sink);
        sink_close(sink);
        return r;
}

int manager_runs_plan(ManagerRuns *runs, const ManagerRunRequest *request, Sink *sink, Failure *ret_failure) {
        Plan plan = { .runs = runs, .scope = { .find = find_value } };
        Unit *unit;
        int r = unit_table_load(manager_runs_host(runs)->units, request->unit, &unit);

        if (r < 0)
                return failure_set(ret_failure, r, "InvalidName", "'%s' is not a valid name of a unit.", request->unit);
        if (unit->type != UNIT_FLOW)
                return failure_set(ret_failure, -EINVAL, "NotSupported",
                                   "%s is not a flow; 'jobctl plan start:%s' plans its start.", unit->id, unit->id);
        if (unit->load_state != UNIT_LOADED)
                return failure_copy(ret_failure, &unit->load_failure);
        plan.unit = unit;
        plan.flow = manager_run_find_flow(runs, unit);
        r = make(&plan, request, sink, ret_failure);
        plan_deinit(&plan);
        return r;
}
