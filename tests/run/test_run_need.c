/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What nodes become by other nodes: short circuit, conditions, ends of runs, commands that judge
 *
 * A graph is a text with a node a line: "NAME RULE PARENT…". A parent with "?"
 * is optional, one with "*" is named. Marks before the rule: "!" the node is a goal, "=" it stays,
 * "w" it has a condition, "o" it runs otherwise, "+" and "-" it ends the run
 * well or badly, "c" a failure of it is tolerated, "d" it has a default,
 * "0" it is a checkpoint.
 *
 * S002-2, S002-5, S002-6, S002-9, S002-13, S002-14, S002-15, S002-16,
 * S002-18, S002-22, S002-24, S004-18a, S004-33, S004-38, S000-14
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "run/run_engine.h"

#define NODES 16U
#define ID 1U

typedef struct World {
        RunEngine *engine;
        RunFlow *flow;
        RunGraph *graph;
        uint32_t batch;
        uint32_t n_ended, n_abandoned, n_asked;
        RunCondition conditions[NODES];
        char shown[1024];
} World;

static void put_run(void *userdata, const RunRow *row) {
}

static void put_node(void *userdata, uint32_t run, const RunNodeRow *row) {
}

static int persist(void *userdata, uint32_t *ret_batch) {
        *ret_batch = ++((World *) userdata)->batch;
        return 0;
}

static void spawn(void *userdata, const RunAttemptKey *attempt) {
}

static void end(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome) {
        ((World *) userdata)->n_ended++;
}

static void abandon(void *userdata, const RunAttemptKey *attempt) {
        ((World *) userdata)->n_abandoned++;
}

static RunCondition judge(void *userdata, uint32_t run, uint32_t node) {
        return ((World *) userdata)->conditions[node];
}

static void ask(void *userdata, uint32_t run, uint32_t node, uint32_t generation) {
        ((World *) userdata)->n_asked++;
}

static uint32_t get_random(void *userdata) {
        return 0;
}

static const RunHost host = { .put_run = put_run,
                              .put_node = put_node,
                              .persist = persist,
                              .spawn = spawn,
                              .end = end,
                              .abandon = abandon,
                              .judge = judge,
                              .ask = ask,
                              .random = get_random };

/* — graphs — */

typedef struct Source {
        char text[1024];
        RunNodeSpec nodes[NODES];
        const char *parents[NODES][NODES];
        uint8_t edges[NODES][NODES];
        uint32_t n;
} Source;

static void read_marks(RunNodeSpec *node, const char *marks) {
        for (; *marks; marks++) {
                node->policy.is_goal = node->policy.is_goal || *marks == '!';
                node->policy.stays = node->policy.stays || *marks == '!' || *marks == '=';
                node->policy.has_condition = node->policy.has_condition || *marks == 'w';
                node->policy.is_otherwise = node->policy.is_otherwise || *marks == 'o';
                node->policy.has_default = node->policy.has_default || *marks == 'd';
                node->policy.has_callback = node->policy.has_callback || *marks == '@';
                if (*marks == '+' || *marks == '-')
                        node->policy.end_run = *marks == '+' ? RUN_END_RUN_SUCCESS : RUN_END_RUN_FAILURE;
                if (*marks == 'c' || *marks == 's')
                        node->policy.failure = *marks == 'c' ? RUN_POLICY_CONTINUE : RUN_POLICY_SUSPEND;
                if (*marks == '0')
                        node->payload = RUN_NODE_NONE;
        }
}

static RunReadiness rule_of(const char *word) {
        static const struct {
                const char *word;
                RunReadiness rule;
        } rules[] = { { "all", RUN_READY_ALL_SUCCEEDED }, { "any", RUN_READY_ANY },
                      { "1of", RUN_READY_AT_LEAST },      { "finished", RUN_READY_ALL_FINISHED },
                      { "failed", RUN_READY_ONE_FAILED }, { "none-failed", RUN_READY_NONE_FAILED },
                      { "policy", RUN_READY_BY_POLICY },  { "done", RUN_READY_ONE_DONE },
                      { "named", RUN_READY_NAMED } };

        for (size_t i = 0; i < ELEMENTSOF(rules); i++)
                if (strcmp(rules[i].word, word) == 0)
                        return rules[i].rule;
        cr_fatal("no rule \"%s\"", word);
}

static void read_node(Source *source, char *line) {
        const uint32_t at = source->n++;
        RunNodeSpec *node = &source->nodes[at];
        char *rest = NULL, *marks;

        *node = (RunNodeSpec) { .name = strtok_r(line, " ", &rest) };
        node->policy.timeout = node->policy.total_timeout = node->policy.window = USEC_INFINITY;
        node->policy.amount = 1;
        node->parents = source->parents[at];
        node->edges = source->edges[at];
        marks = strtok_r(NULL, " ", &rest);
        if (*marks == '[') {
                read_marks(node, marks);
                marks = strtok_r(NULL, " ", &rest);
        }
        node->policy.readiness = rule_of(marks);
        for (char *parent; (parent = strtok_r(NULL, " ", &rest));) {
                char *end = parent + strlen(parent) - 1;

                source->edges[at][node->n_parents] =
                        (uint8_t) (*end == '?' ? RUN_EDGE_OPTIONAL : *end == '*' ? RUN_EDGE_NAMED : 0);
                if (*end == '?' || *end == '*')
                        *end = '\0';
                source->parents[at][node->n_parents++] = parent;
        }
}

static void set_up(World *world, const char *text, RunTimeoutMode mode) {
        const RunSettings settings = { .max_parallel = 100,
                                       .max_runs = 1,
                                       .timeout_mode = mode,
                                       .timeout = 1000,
                                       .queue_timeout = USEC_INFINITY };
        static Source source;
        char *problem = NULL, *rest = NULL;

        source = (Source) {};
        snprintf(source.text, sizeof(source.text), "%s", text);
        for (char *line = strtok_r(source.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
                read_node(&source, line);
        *world = (World) {};
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { source.nodes, source.n }, &world->graph, &problem), 0), "%s",
                  problem);
        cr_assert(eq(int, run_engine_new(&world->engine, &host, world), 0));
        cr_assert(eq(int, run_flow_new(world->engine, &settings, &world->flow), 0));
        run_engine_time(world->engine, 1);
        run_flow_unit(world->flow, RUN_UNIT_ACTIVE, false);
}

static void turn(World *world) {
        while (run_engine_turn(world->engine, 100))
                ;
        run_engine_stored(world->engine, world->batch, world->batch);
}

static void begin(World *world, const char *text) {
        uint32_t id;

        set_up(world, text, RUN_TIMEOUT_TERMINATE);
        cr_assert(eq(int, run_engine_submit(world->flow, &(RunSubmit) { .id = ID, .graph = world->graph }, &id), 0));
        turn(world);
}

static void leave(World *world) {
        run_engine_free(world->engine);
        run_graph_unref(world->graph);
}

/* — what is seen — */

/* "run STATE, NODE STATE(reason)…": of nodes the first letter of their states alone. */
static const char *show(World *world) {
        RunRow run;
        RunWhy why;
        size_t at;

        cr_assert(eq(int, run_engine_get(world->engine, ID, &run, &why), 0));
        at = (size_t) snprintf(world->shown, sizeof(world->shown), "%s:", run_state_to_string(run.state));
        for (uint32_t i = 0; i < run_graph_count(world->graph); i++) {
                RunNodeRow row;

                cr_assert(eq(int, run_engine_get_node(world->engine, ID, i, &row, &why), 0));
                at += (size_t) snprintf(world->shown + at, sizeof(world->shown) - at, " %s=%s%s%s",
                                        run_graph_name(world->graph, i), run_node_state_to_string(row.state),
                                        row.reason == RUN_REASON_NONE ? "" : "/", run_reason_to_string(row.reason));
        }
        return world->shown;
}

static void ends(World *world, const char *name, uint16_t status) {
        const uint32_t node = run_graph_find(world->graph, name);
        RunNodeRow row;
        RunWhy why;

        cr_assert(eq(int, run_engine_get_node(world->engine, ID, node, &row, &why), 0));
        cr_assert(eq(int, run_engine_ended(world->engine, &(RunAttemptKey) { ID, node, row.generation, row.number },
                                           RUN_END_EXITED, status),
                     0),
                  "%s", name);
        turn(world);
}

#define expect(world, text) cr_assert(eq(str, (char *) show(world), (char *) (text)))

static void answer(World *world, const char *name, RunAnswer word) {
        cr_assert(eq(int, run_engine_answered(world->engine, ID, run_graph_find(world->graph, name), 1, word), 0));
        turn(world);
}

/* — short circuit — */

Test(run_need, first_success_spares_the_other_branches) {
        World world;

        begin(&world, "a all\nb all\nc all b\nd all\ne all d\nf all e\ng any a? c? f?");
        expect(&world, "RUNNING: a=RUNNING b=RUNNING c=WAITING d=RUNNING e=WAITING f=WAITING g=WAITING");
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SUCCEEDED b=RUNNING/short-circuit c=SKIPPED/short-circuit d=RUNNING/short-circuit "
                       "e=SKIPPED/short-circuit f=SKIPPED/short-circuit g=RUNNING");
        /* What runs goes on: a success counts, anything else is no failure. */
        ends(&world, "b", 0);
        ends(&world, "d", 1);
        ends(&world, "g", 0);
        expect(&world, "SUCCEEDED: a=SUCCEEDED b=SUCCEEDED c=SKIPPED/short-circuit d=SKIPPED/short-circuit "
                       "e=SKIPPED/short-circuit f=SKIPPED/short-circuit g=SUCCEEDED");
        leave(&world);
}

/* Somebody has said that it failed, but nobody needs it any more: that is no failure. */
Test(run_need, a_callback_that_nobody_needs_fails_nothing) {
        World world;

        begin(&world, "a [@ all\nb all\ng any a? b?");
        cr_assert(eq(int, run_engine_complete(world.engine, ID, 0, 1, RUN_COMPLETION_FAILURE), 0));
        ends(&world, "b", 0);
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SKIPPED/short-circuit b=SUCCEEDED g=RUNNING");
        leave(&world);
}

/* A command has left it to a person whether c runs, but nobody needs it: so a is not needed for it, either. */
Test(run_need, what_waits_for_a_person_in_vain_needs_nothing) {
        World world;

        begin(&world, "x all\na [s all\nb all a\nc policy b x\nd all\ng any c? d?");
        ends(&world, "x", 0);
        answer(&world, "c", RUN_ANSWER_PENDING);
        expect(&world, "RUNNING: x=SUCCEEDED a=RUNNING b=WAITING c=PENDING/policy d=RUNNING g=WAITING");
        ends(&world, "d", 0);
        expect(&world, "RUNNING: x=SUCCEEDED a=RUNNING/short-circuit b=SKIPPED/short-circuit c=PENDING/policy "
                       "d=SUCCEEDED g=RUNNING");
        /* A person asks for c all the same. */
        cr_assert(eq(int, run_engine_verb(world.engine, ID, RUN_VERB_AS_RETRY, 3), 0));
        turn(&world);
        expect(&world, "RUNNING: x=SUCCEEDED a=RUNNING/short-circuit b=SKIPPED/short-circuit c=RUNNING "
                       "d=SUCCEEDED g=RUNNING");
        leave(&world);
}

/* A person asks for c, which nobody needed: so what runs for it counts again. */
Test(run_need, what_is_asked_for_again_needs_its_parents_again) {
        World world;

        begin(&world, "a all\nb [c all\nc all b\ng any a? c?");
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SUCCEEDED b=RUNNING/short-circuit c=SKIPPED/short-circuit g=RUNNING");
        cr_assert(eq(int, run_engine_verb(world.engine, ID, RUN_VERB_RETRY, 2), 0));
        turn(&world);
        expect(&world, "RUNNING: a=SUCCEEDED b=RUNNING c=WAITING g=RUNNING");
        ends(&world, "b", 1);
        expect(&world, "RUNNING: a=SUCCEEDED b=FAILED c=SKIPPED/upstream-failed g=RUNNING");
        leave(&world);
}

Test(run_need, what_another_branch_needs_stays) {
        World world;

        begin(&world, "a all\nb all\nc all b\ng any a? c?\nh all c");
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SUCCEEDED b=RUNNING c=WAITING g=RUNNING h=WAITING");
        leave(&world);
}

Test(run_need, goals_and_those_that_stay_are_not_skipped) {
        World world;

        begin(&world, "a all\nb all\nc [! all b\nd [= all b\ne all b\ng any a? c? d? e?");
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SUCCEEDED b=RUNNING c=WAITING d=WAITING e=SKIPPED/short-circuit g=RUNNING");
        leave(&world);
}

Test(run_need, at_least_does_not_cut) {
        World world;

        begin(&world, "a all\nb all\nc all b\ng 1of a c");
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SUCCEEDED b=RUNNING c=WAITING g=RUNNING");
        leave(&world);
}

Test(run_need, optional_parents_are_not_waited_for) {
        World world;

        begin(&world, "a all\nb all\nc all b\ng all a c?");
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SUCCEEDED b=RUNNING/short-circuit c=SKIPPED/short-circuit g=RUNNING");
        ends(&world, "g", 0);
        /* An end in a run that stops shows the same. */
        cr_assert(eq(int, run_engine_verb(world.engine, ID, RUN_VERB_CANCEL, 0), 0));
        ends(&world, "b", 1);
        expect(&world, "CANCELLED: a=SUCCEEDED b=SKIPPED/short-circuit c=SKIPPED/short-circuit g=SUCCEEDED");
        leave(&world);
}

Test(run_need, a_failure_lets_the_others_go_on) {
        World world;

        begin(&world, "a [c all\nb all\ng any a? b?");
        ends(&world, "a", 1);
        expect(&world, "RUNNING: a=FAILED b=RUNNING g=WAITING");
        ends(&world, "b", 0);
        expect(&world, "RUNNING: a=FAILED b=SUCCEEDED g=RUNNING");
        leave(&world);
}

Test(run_need, named_parents_decide_alone) {
        static const char graph[] = "a [c all\nb [c all\nc [c all\ng named a* b c*";
        World world;

        begin(&world, graph);
        ends(&world, "b", 1);
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SUCCEEDED b=FAILED c=RUNNING g=WAITING");
        ends(&world, "c", 0);
        expect(&world, "RUNNING: a=SUCCEEDED b=FAILED c=SUCCEEDED g=RUNNING");
        leave(&world);

        /* One of them has failed: nothing else is waited for. */
        begin(&world, graph);
        ends(&world, "c", 1);
        expect(&world, "RUNNING: a=RUNNING b=RUNNING c=FAILED g=SKIPPED/upstream-failed");
        leave(&world);
}

/* — conditions — */

Test(run_need, a_condition_decides) {
        World world;

        set_up(&world, "a all\nb [w all a\nc [w all a\nd [o all a\ne finished b c d", RUN_TIMEOUT_TERMINATE);
        world.conditions[1] = RUN_CONDITION_FALSE;
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph }, &(uint32_t) { 0 }),
                     0));
        turn(&world);
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SUCCEEDED b=SKIPPED/when c=RUNNING d=SKIPPED/when e=WAITING");
        leave(&world);
}

Test(run_need, otherwise_runs_if_no_condition_holds) {
        World world;

        set_up(&world, "d [o all a\na all\nb [w all a\nc [w all a\ne none-failed b c d", RUN_TIMEOUT_TERMINATE);
        world.conditions[2] = world.conditions[3] = RUN_CONDITION_FALSE;
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph }, &(uint32_t) { 0 }),
                     0));
        turn(&world);
        expect(&world, "RUNNING: d=WAITING a=RUNNING b=WAITING c=WAITING e=WAITING");
        ends(&world, "a", 0);
        expect(&world, "RUNNING: d=RUNNING a=SUCCEEDED b=SKIPPED/when c=SKIPPED/when e=WAITING");
        ends(&world, "d", 0);
        expect(&world, "RUNNING: d=SUCCEEDED a=SUCCEEDED b=SKIPPED/when c=SKIPPED/when e=RUNNING");
        leave(&world);
}

Test(run_need, a_condition_without_a_value_fails_its_node) {
        World world;

        set_up(&world, "a [w all\nb all\nc all a", RUN_TIMEOUT_TERMINATE);
        world.conditions[0] = RUN_CONDITION_BROKEN;
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph }, &(uint32_t) { 0 }),
                     0));
        turn(&world);
        expect(&world, "FAILED: a=FAILED/expression b=SKIPPED/ended c=SKIPPED/upstream-failed");
        leave(&world);
}

Test(run_need, otherwise_needs_a_condition_beside_it) {
        static const char *const parent = "a";
        RunNodeSpec nodes[] = { { .name = "a" }, { .name = "b", .parents = &parent, .n_parents = 1 } };
        cleanup_free_ char *problem = NULL;
        RunGraph *graph = NULL;

        nodes[1].policy.is_otherwise = true;
        cr_assert(eq(int, run_graph_new(&(RunGraphSpec) { nodes, 2 }, &graph, &problem), -EINVAL));
        cr_assert(eq(str, problem,
                     (char *) "Node \"b\" runs otherwise, and no node with the same parents has a condition."));
}

/* — ends of runs — */

Test(run_need, a_node_ends_its_run) {
        World world;

        begin(&world, "a [+ all\nb all\nc all b");
        ends(&world, "a", 0);
        expect(&world, "STOPPING: a=SUCCEEDED b=RUNNING c=SKIPPED/ended");
        ends(&world, "b", 1);
        expect(&world, "SUCCEEDED: a=SUCCEEDED b=FAILED c=SKIPPED/ended");
        leave(&world);
        begin(&world, "a all\nb [-0 all a\nc all b");
        ends(&world, "a", 0);
        expect(&world, "FAILED: a=SUCCEEDED b=SUCCEEDED c=SKIPPED/ended");
        leave(&world);
}

Test(run_need, a_default_stands_in_for_a_failure) {
        World world;

        begin(&world, "a [d all\nb finished a");
        ends(&world, "a", 1);
        ends(&world, "b", 0);
        expect(&world, "PARTIAL: a=FAILED b=SUCCEEDED");
        leave(&world);
}

Test(run_need, what_is_abandoned_counts_no_more) {
        uint32_t id;
        World world;

        set_up(&world, "a all\nb all a", RUN_TIMEOUT_ABANDON);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph }, &id), 0));
        turn(&world);
        run_engine_time(world.engine, 2000);
        turn(&world);
        expect(&world, "TIMEOUT: a=TIMEOUT/deadline b=SKIPPED/ended");
        cr_assert(eq(u32, world.n_abandoned, 1));
        cr_assert(eq(u32, world.n_ended, 0));
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { ID, 0, 1, 1 }, RUN_END_EXITED, 0), -ENOENT));
        leave(&world);
}

/* The first signal has decided: the node ends with the process, though others are left to themselves. */
Test(run_need, what_was_told_to_end_is_not_abandoned) {
        uint32_t id;
        World world;

        set_up(&world, "a all\nb all a", RUN_TIMEOUT_ABANDON);
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph }, &id), 0));
        turn(&world);
        cr_assert(eq(int, run_engine_verb(world.engine, ID, RUN_VERB_CANCEL, 0), 0));
        run_engine_time(world.engine, 2000);
        turn(&world);
        expect(&world, "STOPPING: a=RUNNING b=SKIPPED/ended");
        cr_assert(eq(u32, world.n_abandoned, 0));
        ends(&world, "a", 0);
        expect(&world, "CANCELLED: a=CANCELLED b=SKIPPED/ended");
        leave(&world);
}

/* — commands that judge — */

Test(run_need, an_end_at_the_deadline_is_in_time) {
        World world;

        begin(&world, "a all\nb all a");
        ends(&world, "a", 0);
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { ID, 1, 1, 1 }, RUN_END_EXITED, 0), 0));
        run_engine_time(world.engine, 1001);
        turn(&world);
        expect(&world, "SUCCEEDED: a=SUCCEEDED b=SUCCEEDED");
        leave(&world);

        /* With a node left, the same moment is too late. */
        begin(&world, "a all\nb all a\nc all b");
        ends(&world, "a", 0);
        cr_assert(eq(int, run_engine_ended(world.engine, &(RunAttemptKey) { ID, 1, 1, 1 }, RUN_END_EXITED, 0), 0));
        run_engine_time(world.engine, 1001);
        turn(&world);
        expect(&world, "TIMEOUT: a=SUCCEEDED b=SUCCEEDED c=SKIPPED/ended");
        leave(&world);
}

Test(run_need, a_command_judges) {
        World world;

        begin(&world, "a [c all\nb [c all\nc [c all\ng policy a b c");
        cr_assert(eq(u32, world.n_asked, 0));
        ends(&world, "a", 0);
        cr_assert(eq(u32, world.n_asked, 1));
        /* One is asked at a time; what it says of the parents as they were is asked again. */
        ends(&world, "b", 1);
        cr_assert(eq(u32, world.n_asked, 1));
        answer(&world, "g", RUN_ANSWER_NEVER);
        cr_assert(eq(u32, world.n_asked, 2));
        answer(&world, "g", RUN_ANSWER_WAIT);
        expect(&world, "RUNNING: a=SUCCEEDED b=FAILED c=RUNNING g=WAITING");
        cr_assert(eq(int, run_engine_answered(world.engine, ID, 3, 1, RUN_ANSWER_READY), -ENOENT));
        ends(&world, "c", 0);
        answer(&world, "g", RUN_ANSWER_READY);
        expect(&world, "RUNNING: a=SUCCEEDED b=FAILED c=SUCCEEDED g=RUNNING");
        leave(&world);
}

/* A checkpoint ends in the turn in which it begins: the command is asked once, and knows of it. */
Test(run_need, a_command_is_asked_when_all_that_ends_at_once_has) {
        World world;

        begin(&world, "a all\nd [0 all a\ng policy a d");
        ends(&world, "a", 0);
        expect(&world, "RUNNING: a=SUCCEEDED d=SUCCEEDED g=WAITING");
        cr_assert(eq(u32, world.n_asked, 1));
        answer(&world, "g", RUN_ANSWER_READY);
        expect(&world, "RUNNING: a=SUCCEEDED d=SUCCEEDED g=RUNNING");
        leave(&world);
}

Test(run_need, a_command_that_waits_for_nothing_asks_a_person) {
        World world;

        begin(&world, "a all\ng policy a");
        ends(&world, "a", 0);
        answer(&world, "g", RUN_ANSWER_WAIT);
        expect(&world, "SUSPENDED: a=SUCCEEDED g=PENDING/policy");
        leave(&world);
        begin(&world, "g policy");
        answer(&world, "g", RUN_ANSWER_FAIL);
        expect(&world, "FAILED: g=FAILED/policy");
        leave(&world);
}

/* While a command judges, its run can move: it is not suspended before the answer. */
Test(run_need, a_run_goes_on_while_a_command_judges) {
        World world;

        begin(&world, "a [s all\nb all\ng policy b");
        ends(&world, "b", 0);
        ends(&world, "a", 1);
        expect(&world, "RUNNING: a=PENDING/failed b=SUCCEEDED g=WAITING");
        answer(&world, "g", RUN_ANSWER_READY);
        expect(&world, "RUNNING: a=PENDING/failed b=SUCCEEDED g=RUNNING");
        ends(&world, "g", 0);
        expect(&world, "SUSPENDED: a=PENDING/failed b=SUCCEEDED g=SUCCEEDED");
        leave(&world);
}

Test(run_need, a_question_that_nobody_has_answered_is_asked_again) {
        World world;

        begin(&world, "a all\ng policy a");
        ends(&world, "a", 0);
        cr_assert(eq(u32, world.n_asked, 1));
        answer(&world, "g", RUN_ANSWER_LOST);
        cr_assert(eq(u32, world.n_asked, 2));
        answer(&world, "g", RUN_ANSWER_NEVER);
        expect(&world, "SUCCEEDED: a=SUCCEEDED g=SKIPPED/upstream");
        leave(&world);
}

/* A question is in no row: the engine that follows asks again, also about a node that has no parents. */
Test(run_need, a_question_is_asked_again_after_a_restart) {
        const RunNodeRow row = { .node = 0, .state = RUN_NODE_SUCCEEDED, .generation = 1, .number = 1 };
        RunRow run = { .id = ID, .state = RUN_RUNNING, .round = 1, .deadline = USEC_INFINITY };
        World world;

        set_up(&world, "a all\nf policy\ng policy a", RUN_TIMEOUT_TERMINATE);
        cr_assert(eq(int, run_engine_restore(world.flow, world.graph, &run, &row, 1), 0));
        run_engine_restored(world.engine, 1, 1, 1, 1, false);
        turn(&world);
        cr_assert(eq(u32, world.n_asked, 2));
        leave(&world);
}

/* Questions are processes, too: a run has as many at a time as MaxParallel= says. */
Test(run_need, questions_are_bounded) {
        char text[1024] = "";
        World world;

        for (int i = 0; i < 12; i++)
                snprintf(text + strlen(text), sizeof(text) - strlen(text), "%sg%d policy", i > 0 ? "\n" : "", i);
        set_up(&world, text, RUN_TIMEOUT_TERMINATE);
        run_flow_set(world.flow, &(RunSettings) { .max_parallel = 5, .max_runs = 1, .timeout = USEC_INFINITY,
                                                  .queue_timeout = USEC_INFINITY });
        cr_assert(eq(int, run_engine_submit(world.flow, &(RunSubmit) { .id = ID, .graph = world.graph },
                                            &(uint32_t) { 0 }), 0));
        turn(&world);
        cr_assert(eq(u32, world.n_asked, 5));
        answer(&world, "g0", RUN_ANSWER_NEVER);
        cr_assert(eq(u32, world.n_asked, 6));
        leave(&world);
}
