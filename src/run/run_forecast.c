/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * One walk over the graph
 *
 * A parent that may run ends as a success or as a skip. A rule of readiness
 * that says the same for both ends is certain; between them, it says nothing
 * else for the counts that lie between.
 */

#include "run/run_forecast.h"
#include "run/run_ready.h"

static const char *const forecasts[_RUN_FORECAST_MAX] = {
        [RUN_FORECAST_RUNS] = "runs",
        [RUN_FORECAST_MAY_RUN] = "may-run",
        [RUN_FORECAST_SKIPPED] = "skipped",
        [RUN_FORECAST_FAILS] = "fails",
};

DEFINE_STRING_TABLE_TO(run_forecast, RunForecast, forecasts)

/* @succeeds: what a parent that may run comes to. */
static RunParent parent_of(const RunForecastNode *parent, uint8_t edge, bool succeeds) {
        switch (parent->forecast) {
        case RUN_FORECAST_RUNS:
                return RUN_PARENT_SUCCEEDED;
        case RUN_FORECAST_MAY_RUN:
                return succeeds ? RUN_PARENT_SUCCEEDED
                                : run_parent_of(RUN_NODE_SKIPPED, RUN_REASON_UPSTREAM, edge);
        case RUN_FORECAST_SKIPPED:
                return run_parent_of(RUN_NODE_SKIPPED, parent->reason, edge);
        case RUN_FORECAST_FAILS:
        case _RUN_FORECAST_MAX:
                break;
        }
        return RUN_PARENT_FAILED;
}

/* Nobody knows how many parents a list is (C12): it is one at least, and as many as are wanted if all goes well. */
static RunNodeEvent ask_parents(const RunGraph *graph, uint32_t node, const RunForecastNode *nodes, bool succeed) {
        const uint8_t *edges = run_graph_parent_edges(graph, node);
        RunCounts counts = {};
        uint32_t n_lists = 0;
        uint32_t n;
        const uint32_t *parents = run_graph_parents(graph, node, &n);

        for (uint32_t i = 0; i < n; i++)
                if (edges[i] & RUN_EDGE_IS_JUDGED) {
                        const RunParent parent = parent_of(&nodes[parents[i]], edges[i], succeed);

                        counts.n[parent]++;
                        n_lists += succeed && parent == RUN_PARENT_SUCCEEDED &&
                                   nodes[parents[i]].forecast != RUN_FORECAST_SKIPPED &&
                                   run_graph_policy(graph, parents[i])->is_foreach;
                }
        run_counts_add_lists(&counts, RUN_PARENT_SUCCEEDED, n_lists);
        return run_ready(run_graph_policy(graph, node), &counts);
}

/* The forecast of a node with Otherwise=, by its siblings with When=; the same rule as ask_siblings() of run_node.c. */
static RunForecast ask_siblings(const RunGraph *graph, uint32_t node, const RunForecastNode *nodes) {
        const uint8_t *edges = run_graph_parent_edges(graph, node);
        RunForecast forecast = RUN_FORECAST_RUNS;
        uint32_t n;
        const uint32_t *parents = run_graph_parents(graph, node, &n);

        for (uint32_t i = 0; i < n; i++) {
                const RunForecastNode *sibling = &nodes[parents[i]];

                if (!(edges[i] & RUN_EDGE_OTHERWISE))
                        continue;
                if (sibling->forecast == RUN_FORECAST_MAY_RUN)
                        forecast = RUN_FORECAST_MAY_RUN;
                else if (sibling->forecast != RUN_FORECAST_SKIPPED || sibling->reason != RUN_REASON_WHEN)
                        return RUN_FORECAST_SKIPPED;
        }
        return forecast;
}

static uint32_t step_of(const RunGraph *graph, uint32_t node, const RunForecastNode *nodes) {
        const uint8_t *edges = run_graph_parent_edges(graph, node);
        uint32_t n, step = 0;
        const uint32_t *parents = run_graph_parents(graph, node, &n);

        for (uint32_t i = 0; i < n; i++)
                if (edges[i] & RUN_EDGE_IS_JUDGED)
                        step = MAX(step, nodes[parents[i]].step);
        return step + 1;
}

static RunForecastNode by_parents(const RunGraph *graph, uint32_t node, const RunForecastNode *nodes) {
        RunNodeEvent at_best, at_worst;

        if (run_graph_policy(graph, node)->readiness == RUN_READY_BY_POLICY)
                return (RunForecastNode) { .forecast = RUN_FORECAST_MAY_RUN, .reason = RUN_REASON_POLICY };
        at_best = ask_parents(graph, node, nodes, true);
        at_worst = ask_parents(graph, node, nodes, false);
        if (at_best == RUN_NODE_EVENT_FIT && at_worst == RUN_NODE_EVENT_FIT)
                return (RunForecastNode) { .forecast = RUN_FORECAST_RUNS };
        if (at_best != RUN_NODE_EVENT_FIT && at_worst != RUN_NODE_EVENT_FIT)
                return (RunForecastNode) { .forecast = RUN_FORECAST_SKIPPED, .reason = RUN_REASON_UPSTREAM };
        return (RunForecastNode) { .forecast = RUN_FORECAST_MAY_RUN, .reason = RUN_REASON_UPSTREAM };
}

static RunForecastNode by_condition(const RunForecastHost *host, uint32_t node, RunForecastNode before) {
        RunCondition condition = RUN_CONDITION_TRUE;

        if (host->judge(host->userdata, node, &condition) > 0)
                return (RunForecastNode) { .forecast = RUN_FORECAST_MAY_RUN, .reason = RUN_REASON_WHEN };
        if (condition == RUN_CONDITION_FALSE)
                return (RunForecastNode) { .forecast = RUN_FORECAST_SKIPPED, .reason = RUN_REASON_WHEN };
        if (condition == RUN_CONDITION_BROKEN && before.forecast == RUN_FORECAST_RUNS)
                return (RunForecastNode) { .forecast = RUN_FORECAST_FAILS, .reason = RUN_REASON_EXPRESSION };
        return before;
}

static RunForecastNode forecast_node(const RunGraph *graph, const RunForecastHost *host, uint32_t node,
                                     const RunForecastNode *nodes) {
        const RunPolicy *policy = run_graph_policy(graph, node);
        RunForecastNode result = by_parents(graph, node, nodes);

        if (result.forecast == RUN_FORECAST_SKIPPED)
                return result;
        if (policy->is_otherwise) {
                const RunForecast others = ask_siblings(graph, node, nodes);

                if (others != RUN_FORECAST_RUNS)
                        result = (RunForecastNode) { .forecast = others, .reason = RUN_REASON_WHEN };
        }
        if (policy->has_condition && result.forecast != RUN_FORECAST_SKIPPED)
                result = by_condition(host, node, result);
        if (policy->has_gate && result.forecast == RUN_FORECAST_RUNS)
                result.reason = RUN_REASON_GATE;
        if (result.forecast == RUN_FORECAST_RUNS || result.forecast == RUN_FORECAST_MAY_RUN)
                result.step = step_of(graph, node, nodes);
        return result;
}

void run_forecast(const RunGraph *graph, const RunForecastHost *host, RunForecastNode *ret_nodes) {
        const uint32_t *order = run_graph_order(graph);

        for (uint32_t i = 0; i < run_graph_count(graph); i++)
                ret_nodes[order[i]] = forecast_node(graph, host, order[i], ret_nodes);
}
