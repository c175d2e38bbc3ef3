/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow plan: what a start of a flow would do
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/flow_makespan.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/table.h"

/* For how long a run of it took; a person waits for that. */
#define STORE_PATIENCE (4 * USEC_PER_SEC)

/* — texts — */

/* "lock db, 2 of cpu" */
static void add_demand(Text *text, const json_t *owner) {
        const char *comma = "";
        json_t *entry;
        size_t i;

        json_array_foreach(json_object_get(owner, "locks"), i, entry) {
                text_addf(text, "%slock %s", comma, value_string(entry, "lock"));
                comma = ", ";
        }
        json_array_foreach(json_object_get(owner, "needs"), i, entry) {
                text_addf(text, "%s%" PRIu64 " of %s", comma, value_u64(entry, "amount"),
                          value_string(entry, "resource"));
                comma = ", ";
        }
}

/* "restart a.service: stop b.service, start c.service" */
static void add_jobs(Text *text, const json_t *node) {
        const char *operation = value_string(node, "operation"), *unit = value_string(node, "unit");
        const char *comma = ": ";
        json_t *job;
        size_t i;

        text_addf(text, "%s %s", operation, unit);
        json_array_foreach(json_object_get(node, "jobs"), i, job) {
                if (text_equal(value_item_string(job, 0), unit) && text_equal(value_item_string(job, 1), operation))
                        continue;
                text_addf(text, "%s%s %s", comma, value_item_string(job, 1), value_item_string(job, 0));
                comma = ", ";
        }
        if (json_object_get(node, "refused"))
                text_addf(text, " (refused: %s)", value_string(node, "refused"));
}

static void add_action(Text *text, const json_t *node) {
        const char *action = value_string(node, "action");

        if (text_equal(action, "exec"))
                text_add(text, value_string(node, "command"));
        else if (text_equal(action, "script"))
                text_addf(text, "a script: %s", value_string(node, "script"));
        else if (text_equal(action, "job"))
                add_jobs(text, node);
        else if (text_equal(action, "run"))
                text_addf(text, "a run of %s", value_string(node, "flow"));
        else
                text_add(text, action);
        if (json_object_get(node, "foreach"))
                text_addf(text, " (for each of %s)", value_string(node, "foreach"));
        if (text_equal(value_string(node, "undo"), "exec"))
                text_add(text, " (undone by Compensate=)");
        else if (text_equal(value_string(node, "undo"), "run"))
                text_add(text, " (undone by its run's own Compensate=)");
}

static void add_forecast(Text *text, const json_t *node) {
        const char *forecast = value_string(node, "forecast"), *reason = value_string(node, "reason");

        text_add(text, text_equal(forecast, "may-run") ? "may run" : forecast);
        if (json_object_get(node, "policy") && text_equal(reason, "policy"))
                text_addf(text, " (policy %s)", value_string(node, "policy"));
        else if (text_equal(reason, "gate"))
                text_add(text, " (when approved)");
        else if (reason && *reason)
                text_addf(text, " (%s)", reason);
}

/* — the table — */

static void add_cell(Table *table, void (*add)(Text *text, const json_t *node), const json_t *node) {
        cleanup_(text_deinit) Text text = {};
        cleanup_free_ char *string = NULL;

        add(&text, node);
        if (text_finish(&text, &string) < 0)
                table->error = -ENOMEM;
        else
                table_add(table, COLOR_NONE, string);
}

static void add_node(Table *table, const json_t *node) {
        const uint64_t step = value_u64(node, "step");

        if (step > 0)
                table_addf(table, "%" PRIu64, step);
        else
                table_add(table, COLOR_NONE, "-");
        table_add(table, COLOR_NONE, value_string(node, "node"));
        add_cell(table, add_forecast, node);
        add_cell(table, add_demand, node);
        add_cell(table, add_action, node);
}

static int print_nodes(Jobctl *ctl, const json_t *nodes) {
        static const char *const names[] = { "STEP", "NODE", "FORECAST", "TAKES", "DOES" };
        cleanup_(table_deinit) Table table = { .n_columns = ELEMENTSOF(names),
                                               .right_columns = 1U,
                                               .whole_columns = TABLE_FIRST(3),
                                               .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full };
        json_t *node;
        size_t i;

        for (i = 0; table.has_header && i < ELEMENTSOF(names); i++)
                table_add(&table, COLOR_NONE, names[i]);
        json_array_foreach(nodes, i, node) add_node(&table, node);
        return table_write(&table, &ctl->terminal, stdout);
}

/* — the run — */

static void print_runs(const json_t *runs) {
        json_t *run;
        size_t i;

        json_array_foreach(runs, i, run)
                printf("%s%" PRIu64, i == 0 ? " (run " : ", ", (uint64_t) json_integer_value(run));
        if (json_array_size(runs) > 0)
                putchar(')');
}

static void print_fate(const json_t *plan) {
        static const struct {
                const char *would, *text;
        } fates[] = {
                { "run", "A run of %s would begin" },
                { "queue", "A run of %s would wait: as many run as MaxRuns= allows" },
                { "reject", "A run of %s would be refused: as many run as MaxRuns= allows" },
                { "skip", "No run of %s would be made: as many run as MaxRuns= allows" },
                { "replace", "A run of %s would take the place of those that run" },
        };
        const char *would = value_string(plan, "would");

        for (size_t i = 0; i < ELEMENTSOF(fates); i++) {
                const char *place = strstr(fates[i].text, "%s");

                if (!text_equal(would, fates[i].would))
                        continue;
                printf("%.*s%s%s", (int) (place - fates[i].text), fates[i].text, value_string(plan, "unit"), place + 2);
        }
        if (!text_equal(would, "run"))
                print_runs(json_object_get(plan, "runs"));
        printf("%s.\n", value_bool(plan, "starts_unit") ? ", after the start of the unit" : "");
}

static int print_demand(const json_t *plan) {
        cleanup_(text_deinit) Text text = {};
        cleanup_free_ char *string = NULL;
        int r;

        add_demand(&text, plan);
        r = text_finish(&text, &string);
        if (r == 0 && *string)
                printf("It would take %s.\n", string);
        return r;
}

/*
 * Adds to the plan how long the run would take by the last one that has succeeded: makespan, in µs, basis, that run,
 * and unknown, how many nodes it does not know. Without such a run nothing is added. 0 or < 0.
 */
static int ask_makespan(Jobctl *ctl, json_t *plan, BusError *error) {
        cleanup_json_ json_t *runs = NULL, *rows = NULL;
        Makespan makespan;
        uint64_t id;
        int r = flow_query(ctl, NULL, "ListRuns",
                           json_pack("{s:{s:s}, s:{s:s}}", "unit", "s", value_string(plan, "unit"), "state", "s",
                                     "SUCCEEDED"),
                           1, &runs, error);

        if (r < 0 || json_array_size(runs) == 0)
                return r;
        id = value_u64(json_array_get(runs, 0), "id");
        r = flow_query_nodes(ctl, id, NULL, NULL, &rows, error);
        if (r == 0)
                r = flow_makespan(plan, rows, &makespan);
        if (r < 0 || makespan.n_known == 0)
                return r;
        r = json_object_set_new(plan, "makespan", json_integer((json_int_t) makespan.span)) |
            json_object_set_new(plan, "basis", json_integer((json_int_t) id)) |
            json_object_set_new(plan, "unknown", json_integer(makespan.n_unknown));
        return r != 0 ? -ENOMEM : 0;
}

/* The same, or problem: why that cannot be told. 0 or < 0. */
static int add_makespan(Jobctl *ctl, json_t *plan, BusError *error) {
        const char *problem;
        int r;

        ctl->ask_until = usec_add(clock_monotonic(), STORE_PATIENCE);
        r = ask_makespan(ctl, plan, error);
        ctl->ask_until = 0;
        if (r == -ETIMEDOUT)
                problem = "the store does not answer";
        else if (r == -EREMOTEIO && bus_error_is(error, "StoreUnavailable"))
                problem = bus_error_message(error);
        else
                /* Rows that are just removed are as none. */
                return r == -EREMOTEIO ? 0 : r;
        return json_object_set_new(plan, "problem", json_string(problem)) < 0 ? -ENOMEM : 0;
}

static void print_makespan(const json_t *plan) {
        const uint64_t n_unknown = value_u64(plan, "unknown");
        char span[USEC_FORMAT_MAX];

        if (json_object_get(plan, "problem"))
                printf("\nmakespan: unknown, %s\n", value_string(plan, "problem"));
        if (!json_object_get(plan, "makespan"))
                return;
        printf("\nBy how long its nodes took in run %" PRIu64 " it would take %s", value_u64(plan, "basis"),
               state_format_span(value_u64(plan, "makespan"), span));
        if (n_unknown > 0)
                printf(" and what %" PRIu64 " %s which that run does not know", n_unknown,
                       n_unknown == 1 ? "node takes" : "nodes take");
        puts(".");
}

static int print_plan(Jobctl *ctl, const json_t *plan) {
        int r = 0;

        if (!ctl->options.no_legend) {
                print_fate(plan);
                r = print_demand(plan);
        }
        if (r == 0 && !ctl->options.no_legend)
                puts("If all commands succeed:\n");
        return r < 0 ? r : print_nodes(ctl, json_object_get(plan, "nodes"));
}

int flow_plan(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *assignments = json_array(), *reply = NULL;
        json_t *plan; /* borrowed from the reply */
        cleanup_free_ char *unit = NULL;
        const char *name = NULL;
        int r;

        strv_foreach(word, words) {
                if (strchr(*word, '='))
                        json_array_append_new(assignments, json_string(*word));
                else if (name)
                        return jobctl_misused(ctl, "'flow plan' takes one flow, and parameters such as host=db1.");
                else
                        name = *word;
        }
        if (!name)
                return jobctl_misused(ctl, "Name a flow, as in 'jobctl flow plan nightly.flow'.");
        r = name_mangle(name, ".flow", &unit);
        if (r == -EINVAL)
                return jobctl_misused(ctl, "'%s' is not the name of a flow.", name);
        if (r == 0)
                r = jobctl_call(ctl, "PlanRun", "sa{sv}a{sv}",
                                json_pack("[s{}{s:{s:O}}]", unit, "assign", "as", assignments), &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "plan a run of %s", unit ? unit : name);
        plan = json_array_get(reply, 0);
        if (!ctl->options.json)
                r = print_plan(ctl, plan);
        if (r < 0 || (ctl->options.no_legend && !ctl->options.json))
                return r;
        /* The store may keep silent: the plan does not wait for it. */
        (void) fflush(stdout);
        r = add_makespan(ctl, plan, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "read how long nodes of %s took", unit);
        if (ctl->options.json)
                return jobctl_print_json(ctl, json_incref(plan), EXIT_OK);
        print_makespan(plan);
        return EXIT_OK;
}
