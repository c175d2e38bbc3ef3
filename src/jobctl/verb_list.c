/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * list-units
 *
 * Columns, filters and order are those of systemctl: scripts parse them, and
 * so does the completion.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/table.h"
#include "jobctl/verbs.h"

/* Fields of ListUnits: a(ssssssouso). */
enum {
        UNIT_NAME,
        UNIT_DESCRIPTION,
        UNIT_LOAD,
        UNIT_ACTIVE,
        UNIT_SUB,
        UNIT_FOLLOWING,
        UNIT_PATH,
        UNIT_JOB_ID,
        UNIT_JOB_TYPE,
        UNIT_JOB_PATH,
};

static int compare_units(const void *a, const void *b) {
        const char *name_a = value_item_string(*(json_t *const *) a, UNIT_NAME);
        const char *name_b = value_item_string(*(json_t *const *) b, UNIT_NAME);
        int r = strcmp(name_type_of(name_a), name_type_of(name_b));

        return r != 0 ? r : strcmp(name_a, name_b);
}

static bool is_shown(const Options *options, const json_t *unit) {
        if (options->types && !strv_contains(options->types, name_type_of(value_item_string(unit, UNIT_NAME))) &&
            !strv_contains(options->types, value_item_string(unit, UNIT_LOAD)))
                return false;
        if (options->all)
                return true;
        if (*value_item_string(unit, UNIT_FOLLOWING))
                return false;
        return options->states || value_item_u64(unit, UNIT_JOB_ID) > 0 ||
               strcmp(value_item_string(unit, UNIT_ACTIVE), "inactive") != 0;
}

/* The units to print, sorted: an array of borrowed rows of @reply. */
static int pick_units(const Options *options, const json_t *reply, json_t ***ret_rows, size_t *ret_n) {
        json_t **rows = calloc(json_array_size(reply) + 1, sizeof(*rows));
        size_t i, n = 0;
        json_t *unit;

        if (!rows)
                return -ENOMEM;
        json_array_foreach(reply, i, unit)
                if (is_shown(options, unit))
                        rows[n++] = unit;
        qsort(rows, n, sizeof(*rows), compare_units);
        *ret_rows = rows;
        *ret_n = n;
        return 0;
}

static json_t *unit_to_json(const json_t *unit) {
        return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:s}", "unit", value_item_string(unit, UNIT_NAME), "load",
                         value_item_string(unit, UNIT_LOAD), "active", value_item_string(unit, UNIT_ACTIVE), "sub",
                         value_item_string(unit, UNIT_SUB), "description", value_item_string(unit, UNIT_DESCRIPTION),
                         "job", (json_int_t) value_item_u64(unit, UNIT_JOB_ID), "job-type",
                         value_item_string(unit, UNIT_JOB_TYPE));
}

static int print_units_json(Jobctl *ctl, json_t *const *rows, size_t n) {
        cleanup_json_ json_t *units = json_array();

        for (size_t i = 0; i < n; i++)
                if (json_array_append_new(units, unit_to_json(rows[i])) < 0)
                        return -ENOMEM;
        return jobctl_print_json(ctl, take_ptr(units), EXIT_OK);
}

/* A mark for units with a problem; the others get a blank, so that names are aligned. */
static void add_mark(Jobctl *ctl, Table *table, const json_t *unit) {
        const char *active = value_item_string(unit, UNIT_ACTIVE), *load = value_item_string(unit, UNIT_LOAD);
        bool is_bad = strcmp(active, "failed") == 0 || strcmp(load, "loaded") != 0;
        const char *state = strcmp(active, "failed") == 0 ? active : load;

        table_add(table, is_bad ? state_color(state) : COLOR_NONE, is_bad ? state_dot(&ctl->terminal, state) : " ");
}

static void add_unit(Jobctl *ctl, Table *table, const json_t *unit, bool has_jobs) {
        const char *load = value_item_string(unit, UNIT_LOAD), *active = value_item_string(unit, UNIT_ACTIVE);
        bool is_loaded = strcmp(load, "loaded") == 0;

        if (!ctl->options.plain)
                add_mark(ctl, table, unit);
        table_add(table, is_loaded ? COLOR_NONE : state_color(load), value_item_string(unit, UNIT_NAME));
        table_add(table, is_loaded ? COLOR_NONE : state_color(load), load);
        table_add(table, state_color(active), active);
        table_add(table, state_color(active), value_item_string(unit, UNIT_SUB));
        if (has_jobs)
                table_add(table, COLOR_NONE, value_item_string(unit, UNIT_JOB_TYPE));
        table_add(table, COLOR_NONE, value_item_string(unit, UNIT_DESCRIPTION));
}

static void add_header(Jobctl *ctl, Table *table, bool has_jobs) {
        static const char *const names[] = { " ", "UNIT", "LOAD", "ACTIVE", "SUB", "JOB", "DESCRIPTION" };

        table->has_header = true;
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if ((i != 0 || !ctl->options.plain) && (i != 5 || has_jobs))
                        table_add(table, COLOR_NONE, names[i]);
}

static void print_units_legend(Jobctl *ctl, size_t n, bool has_jobs) {
        if (n > 0) {
                puts("\nLOAD   = Reflects whether the unit definition was properly loaded.");
                puts("ACTIVE = The high-level unit activation state, i.e. generalization of SUB.");
                puts("SUB    = The low-level unit activation state, values depend on unit type.");
        }
        if (has_jobs)
                puts("JOB    = Pending job for the unit.");
        printf("\n%zu loaded %s listed.%s\n", n, n == 1 ? "unit" : "units",
               ctl->options.all ? "" : " Pass --all to see loaded but inactive units, too.");
        puts("To show all installed unit files use 'jobctl list-unit-files'.");
}

static int print_units(Jobctl *ctl, json_t *const *rows, size_t n) {
        cleanup_(table_deinit) Table table = { .is_full = ctl->options.full };
        bool has_jobs = false;
        int r;

        for (size_t i = 0; i < n; i++)
                has_jobs = has_jobs || value_item_u64(rows[i], UNIT_JOB_ID) > 0;
        table.n_columns = 5U + !ctl->options.plain + has_jobs;
        if (!ctl->options.no_legend && n > 0)
                add_header(ctl, &table, has_jobs);
        for (size_t i = 0; i < n; i++)
                add_unit(ctl, &table, rows[i], has_jobs);
        r = table_write(&table, &ctl->terminal, stdout);
        if (r == 0 && !ctl->options.no_legend)
                print_units_legend(ctl, n, has_jobs);
        return r;
}

static int list_by_patterns(Jobctl *ctl, char *const *words, json_t **ret_rows) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        cleanup_(strv_freep) char **patterns = NULL;
        int r;

        r = names_to_patterns(ctl, words, &patterns);
        if (r != 0)
                return r;
        r = jobctl_call(ctl, "ListUnitsByPatterns", "asas", json_pack("[oo]", value_from_strings(ctl->options.states),
                                                                value_from_strings(patterns)), &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list units");
        *ret_rows = json_incref(json_array_get(reply, 0));
        return 0;
}

int verb_list_units(Jobctl *ctl, char *const *words) {
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ json_t **rows = NULL;
        size_t n;
        int r;

        r = names_check_types(ctl);
        if (r == 0)
                r = list_by_patterns(ctl, words, &reply);
        if (r == 0)
                r = pick_units(&ctl->options, reply, &rows, &n);
        if (r != 0)
                return r;
        return ctl->options.json ? print_units_json(ctl, rows, n) : print_units(ctl, rows, n);
}
