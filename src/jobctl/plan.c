/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Printing a plan
 *
 * First the jobs, each below the one that pulls it in, then the jobs that are
 * left out and the rule for each, then the jobs that would be canceled: in the
 * order of people's questions. A refused plan is shown as far as it was made.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/plan.h"
#include "jobctl/plan_action.h"
#include "jobctl/plan_graph.h"
#include "jobctl/plan_tree.h"
#include "jobctl/state.h"
#include "jobctl/table.h"

/* Deeper rows are not indented further. */
#define DEPTH_MAX ((size_t) 8)

static void add_row(Table *table, const PlanRow *row, const char *action) {
        const size_t depth = MIN(row->depth, DEPTH_MAX);
        const char *state = value_string(row->job, "state");
        cleanup_free_ char *unit = NULL;

        if (text_format(&unit, "%*s%s", (int) (2 * depth), "", value_string(row->job, "unit")) < 0)
                table->error = -ENOMEM;
        table_add(table, value_bool(row->job, "anchor") ? COLOR_BOLD : COLOR_NONE, unit ?: "");
        table_add(table, COLOR_NONE, value_string(row->job, "type"));
        table_add(table, state_color(state), state);
        table_add(table, COLOR_NONE, action);
        table_add(table, COLOR_NONE, plan_tree_reason(row));
}

static int print_rows(Jobctl *ctl, const PlanRows *rows) {
        cleanup_(table_deinit) Table table = { .n_columns = 5, .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full, .whole_columns = TABLE_FIRST(5) };

        if (table.has_header)
                for (size_t i = 0; i < table.n_columns; i++)
                        table_add(&table, COLOR_NONE, ((const char *[]) { "UNIT", "JOB", "NOW", "ACTION", "WHY" })[i]);
        for (size_t i = 0; i < rows->n; i++) {
                cleanup_free_ char *action = NULL;
                int r;

                if (rows->items[i].is_basic && !ctl->options.all)
                        continue;
                r = plan_format_action(rows->items[i].job, &action);
                if (r < 0)
                        return r;
                add_row(&table, &rows->items[i], action);
        }
        return table_write(&table, &ctl->terminal, stdout);
}

static void print_basic(const PlanRows *rows) {
        size_t n = 0;

        for (size_t i = 0; i < rows->n; i++)
                if (rows->items[i].is_basic)
                        printf("%s%s", n++ == 0 ? "\nTargets that come with them (--all shows why): " : ", ",
                               value_string(rows->items[i].job, "unit"));
        if (n > 0)
                putchar('\n');
}

static int print_jobs(Jobctl *ctl, const json_t *jobs) {
        PlanRows rows = {};
        int r = plan_tree_rows(jobs, &rows);

        if (r == 0 && rows.n > 0)
                r = print_rows(ctl, &rows);
        if (r == 0 && !ctl->options.all)
                print_basic(&rows);
        vector_deinit(&rows);
        return r;
}

/* Left out because there is nothing to do: such jobs are many and of little interest. */
static bool is_routine(const json_t *drop) {
        const char *rule = value_string(drop, "rule");

        return text_equal(rule, "redundant") || text_equal(rule, "unreached");
}

static void print_routine(const json_t *dropped) {
        json_t *drop;
        size_t i, n = 0;

        json_array_foreach(dropped, i, drop)
                if (is_routine(drop))
                        printf("%s%s", n++ == 0 ? "\nNothing to do for: " : ", ", value_string(drop, "unit"));
        if (n > 0)
                putchar('\n');
}

int plan_print_dropped(Jobctl *ctl, const json_t *dropped) {
        cleanup_(table_deinit) Table table = { .n_columns = 4, .is_full = ctl->options.full,
                                               .whole_columns = TABLE_FIRST(4) };
        json_t *drop;
        size_t i;
        int r = 0;

        json_array_foreach(dropped, i, drop) {
                if (is_routine(drop) && !ctl->options.all)
                        continue;
                table_addf(&table, "  %s", value_string(drop, "unit"));
                table_add(&table, COLOR_NONE, value_string(drop, "type"));
                table_add(&table, COLOR_GREY, value_string(drop, "rule"));
                table_add(&table, COLOR_NONE, value_string(drop, "why"));
        }
        if (table.cells.n > 0) {
                printf("\nLeft out:\n");
                r = table_write(&table, &ctl->terminal, stdout);
        }
        if (r == 0 && !ctl->options.all)
                print_routine(dropped);
        return r;
}

static void print_canceled(Jobctl *ctl, const json_t *canceled) {
        json_t *job;
        size_t i;

        if (json_array_size(canceled) > 0)
                printf("\nWould be canceled:\n");
        json_array_foreach(canceled, i, job)
                printf("  job %" PRIu64 ": %s %s\n", value_u64(job, "id"), value_string(job, "type"),
                       value_string(job, "unit"));
}

static void print_cycles(const json_t *cycles) {
        json_t *cycle;
        size_t i;

        if (json_array_size(cycles) > 0)
                printf("\nOrdering cycles that would be broken:\n");
        json_array_foreach(cycles, i, cycle)
                printf("  %s\n", json_string_value(cycle) ?: "");
}

static void print_summary(Jobctl *ctl, const json_t *plan) {
        size_t n = json_array_size(json_object_get(plan, "jobs"));

        if (!ctl->options.no_legend)
                printf("\n%zu %s. Nothing has been changed.\n", n, n == 1 ? "job" : "jobs");
}

static int print_text(Jobctl *ctl, const json_t *plan) {
        bool is_ok = value_bool(plan, "ok");
        int r;

        r = print_jobs(ctl, json_object_get(plan, "jobs"));
        if (r == 0)
                r = plan_print_dropped(ctl, json_object_get(plan, "dropped"));
        if (r < 0)
                return r;
        print_canceled(ctl, json_object_get(plan, "canceled"));
        print_cycles(json_object_get(plan, "cycles"));
        if (is_ok)
                print_summary(ctl, plan);
        else
                terminal_say(stderr, "Would be refused: %s", value_string(plan, "message"));
        return 0;
}

/* — graphs — */

/* *ret_is_drawn: graphviz is installed and has drawn the graph. */
static int print_svg(const char *dot, bool *ret_is_drawn) {
        FILE *pipe;
        int status;

        fflush(stdout);
        *ret_is_drawn = system("command -v dot >/dev/null 2>&1") == 0;
        if (!*ret_is_drawn)
                return 0;
        pipe = popen("exec dot -Tsvg", "w");
        if (!pipe)
                return -errno;
        fputs(dot, pipe);
        status = pclose(pipe);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

static int print_graph(Jobctl *ctl, const json_t *plan, const char *title) {
        bool is_svg = strcmp(ctl->options.graph, "svg") == 0, is_drawn = false;
        cleanup_free_ char *dot = NULL;
        int r;

        if (!is_svg && strcmp(ctl->options.graph, "dot") != 0)
                return jobctl_misused(ctl, "Unknown format of a graph '%s': dot or svg.", ctl->options.graph);
        r = plan_format_dot(plan, title, &dot);
        if (r == 0 && is_svg)
                r = print_svg(dot, &is_drawn);
        if (r < 0 || is_drawn)
                return r;

        fputs(dot, stdout);
        if (!is_svg)
                return 0;
        terminal_say(stderr, "--graph=svg needs graphviz's 'dot', which is not installed. What it would have drawn is "
                             "printed instead, as with --graph=dot.");
        return EXIT_FAILED;
}

int plan_print(Jobctl *ctl, const json_t *plan, const char *title) {
        int r;

        if (ctl->options.graph)
                r = print_graph(ctl, plan, title);
        else if (ctl->options.json)
                r = jobctl_print_json(ctl, json_incref((json_t *) plan), 0);
        else
                r = print_text(ctl, plan);
        return r != 0 ? r : value_bool(plan, "ok") ? EXIT_OK : EXIT_REFUSED;
}
