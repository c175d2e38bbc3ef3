/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a run would do: certain, possible, and left out
 *
 * S002-14, S004-18
 */

#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "run/run_forecast.h"

#define NODES 12U

typedef struct World {
        RunNodeSpec nodes[NODES];
        const char *parents[NODES][NODES];
        uint32_t n;
        int conditions[NODES]; /* RunCondition; -1: not known */
        RunGraph *graph;
        RunForecastNode result[NODES];
} World;

/* A node with that rule, and its parents, with blanks between. */
static RunPolicy *add(World *world, const char *name, RunReadiness readiness, char *parents) {
        const uint32_t at = world->n++;
        RunNodeSpec *node = &world->nodes[at];
        char *rest = NULL;

        *node = (RunNodeSpec) { .name = name, .parents = world->parents[at] };
        node->policy.readiness = readiness;
        node->policy.amount = 1;
        node->policy.timeout = node->policy.total_timeout = node->policy.window = USEC_INFINITY;
        for (char *parent = strtok_r(parents, " ", &rest); parent; parent = strtok_r(NULL, " ", &rest))
                world->parents[at][node->n_parents++] = parent;
        return &node->policy;
}

static RunPolicy *add_when(World *world, const char *name, int condition, char *parents) {
        RunPolicy *policy = add(world, name, RUN_READY_ALL_SUCCEEDED, parents);

        world->conditions[world->n - 1] = condition;
        policy->has_condition = true;
        return policy;
}

static int judge(void *userdata, uint32_t node, RunCondition *ret_condition) {
        const World *world = userdata;

        if (world->conditions[node] < 0)
                return 1;
        *ret_condition = (RunCondition) world->conditions[node];
        return 0;
}

static void expect(World *world, const char *expected) {
        const RunForecastHost host = { .judge = judge, .userdata = world };
        char text[1024] = "", *problem = NULL;

        cr_assert(run_graph_new(&(RunGraphSpec) { world->nodes, world->n }, &world->graph, &problem) == 0, "%s", problem);
        run_forecast(world->graph, &host, world->result);
        for (uint32_t i = 0; i < world->n; i++) {
                const RunForecastNode *node = &world->result[i];
                const char *reason = run_reason_to_string(node->reason);

                snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s=%s%s%s:%u", i > 0 ? " " : "",
                         world->nodes[i].name, run_forecast_to_string(node->forecast), *reason ? "/" : "", reason,
                         node->step);
        }
        assert_string(text, expected);
        run_graph_unref(world->graph);
}

Test(run_forecast, what_succeeds_leads_on) {
        World world = {};

        add(&world, "a", RUN_READY_ALL_SUCCEEDED, (char[]) { "" });
        add(&world, "b", RUN_READY_ALL_SUCCEEDED, (char[]) { "a" });
        add(&world, "c", RUN_READY_ALL_FINISHED, (char[]) { "a" });
        add(&world, "d", RUN_READY_AT_LEAST, (char[]) { "b c" });
        /* A branch for failures is not taken. */
        add(&world, "e", RUN_READY_ONE_FAILED, (char[]) { "b c" });
        add(&world, "f", RUN_READY_ALL_SUCCEEDED, (char[]) { "e" });
        expect(&world, "a=runs:1 b=runs:2 c=runs:2 d=runs:3 e=skipped/upstream:0 f=skipped/upstream:0");
}

Test(run_forecast, conditions_that_are_known_decide) {
        World world = {};

        add(&world, "a", RUN_READY_ALL_SUCCEEDED, (char[]) { "" });
        add_when(&world, "yes", RUN_CONDITION_TRUE, (char[]) { "a" });
        add_when(&world, "no", RUN_CONDITION_FALSE, (char[]) { "a" });
        add(&world, "other", RUN_READY_ALL_SUCCEEDED, (char[]) { "a" })->is_otherwise = true;
        add(&world, "behind", RUN_READY_ALL_SUCCEEDED, (char[]) { "no" });
        add(&world, "join", RUN_READY_ALL_FINISHED, (char[]) { "yes no" });
        expect(&world, "a=runs:1 yes=runs:2 no=skipped/when:0 other=skipped/when:0 behind=skipped/upstream:0 join=runs:3");
}

Test(run_forecast, otherwise_follows_from_conditions) {
        World world = {};

        add(&world, "a", RUN_READY_ALL_SUCCEEDED, (char[]) { "" });
        add_when(&world, "no", RUN_CONDITION_FALSE, (char[]) { "a" });
        add(&world, "other", RUN_READY_ALL_SUCCEEDED, (char[]) { "a" })->is_otherwise = true;
        expect(&world, "a=runs:1 no=skipped/when:0 other=runs:2");
}

Test(run_forecast, what_is_not_known_is_possible) {
        World world = {};

        add(&world, "a", RUN_READY_ALL_SUCCEEDED, (char[]) { "" });
        add_when(&world, "if", -1, (char[]) { "a" });
        add(&world, "else", RUN_READY_ALL_SUCCEEDED, (char[]) { "a" })->is_otherwise = true;
        add(&world, "then", RUN_READY_ALL_SUCCEEDED, (char[]) { "if" });
        /* It runs in either case. */
        add(&world, "join", RUN_READY_ALL_FINISHED, (char[]) { "if else" });
        add(&world, "one", RUN_READY_AT_LEAST, (char[]) { "a then" });
        expect(&world, "a=runs:1 if=may-run/when:2 else=may-run/when:2 then=may-run/upstream:3 join=runs:3 one=runs:4");
}

Test(run_forecast, people_and_commands_decide_later) {
        World world = {};

        add(&world, "a", RUN_READY_ALL_SUCCEEDED, (char[]) { "" })->has_gate = true;
        add(&world, "b", RUN_READY_BY_POLICY, (char[]) { "a" });
        add_when(&world, "c", RUN_CONDITION_BROKEN, (char[]) { "a" });
        add(&world, "d", RUN_READY_ONE_FAILED, (char[]) { "c" });
        expect(&world, "a=runs/gate:1 b=may-run/policy:2 c=fails/expression:0 d=runs:1");
}

/* A list is one parent at least, and maybe more. */
Test(run_forecast, how_long_a_list_is_shows_later) {
        World world = {};

        add(&world, "a", RUN_READY_ALL_SUCCEEDED, (char[]) { "" })->is_foreach = true;
        add(&world, "one", RUN_READY_AT_LEAST, (char[]) { "a" });
        add(&world, "three", RUN_READY_AT_LEAST, (char[]) { "a" })->amount = 3;
        add(&world, "all", RUN_READY_AT_LEAST_PERCENT, (char[]) { "a" })->amount = 100;
        expect(&world, "a=runs:1 one=runs:2 three=may-run/upstream:2 all=runs:2");
}
