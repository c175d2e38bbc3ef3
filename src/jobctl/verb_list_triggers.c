/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * list-timers, list-sockets, list-paths: units that start other units
 *
 * Each is a list of the units of one type with their properties; a unit may
 * have several rows. Columns and footers are those of systemctl.
 */

#include <errno.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "jobctl/names.h"
#include "jobctl/property_text.h"
#include "jobctl/state.h"
#include "jobctl/table.h"
#include "jobctl/verbs.h"

typedef struct TriggerRow {
        json_t *unit;                   /* owned: its properties */
        const char *what, *how;         /* borrowed from it: the address or path, and its kind */
        usec_t next, last;              /* realtime; USEC_INFINITY and 0 for never */
} TriggerRow;

typedef VECTOR(TriggerRow) TriggerRows;

/* One of the three lists. */
typedef struct TriggerList {
        const char *pattern;
        const char *what;               /* for the footer */
        int (*add)(TriggerRows *rows, json_t *unit);
        int (*compare)(const void *a, const void *b);
        const char *columns[7];         /* NULL ends them */
        uint32_t whole_columns;         /* as in a Table: times, addresses and names */
        void (*add_cells)(const Options *options, Table *table, const TriggerRow *row);
        json_t *(*to_json)(const TriggerRow *row);
} TriggerList;

static void rows_deinit(TriggerRows *rows) {
        for (size_t i = 0; i < rows->n; i++)
                json_decref(rows->items[i].unit);
        vector_deinit(rows);
}

static int push_row(TriggerRows *rows, json_t *unit, TriggerRow row) {
        row.unit = json_incref(unit);
        if (vector_push(rows, row) == 0)
                return 0;
        json_decref(unit);
        return -ENOMEM;
}

static void add_activated(Table *table, const json_t *unit) {
        cleanup_(text_deinit) Text names = {};

        property_add_strings(&names, json_object_get(unit, "Triggers"), ", ");
        table_add(table, COLOR_NONE, names.string ?: "");
}

static int compare_ids(const TriggerRow *a, const TriggerRow *b) {
        return strcmp(value_string(a->unit, "Id"), value_string(b->unit, "Id"));
}

/* — timers — */

static int add_timer(TriggerRows *rows, json_t *unit) {
        usec_t realtime = value_u64(unit, "NextElapseUSecRealtime");
        usec_t monotonic = value_u64(unit, "NextElapseUSecMonotonic");
        usec_t now = clock_realtime(), since_boot = clock_monotonic();
        TriggerRow row = { .next = USEC_INFINITY, .last = value_u64(unit, "LastTriggerUSec") };

        if (realtime > 0 && realtime != USEC_INFINITY)
                row.next = realtime;
        if (monotonic > 0 && monotonic != USEC_INFINITY)
                row.next = MIN(row.next, usec_add(now, usec_sub(monotonic, since_boot)));
        if (row.last == USEC_INFINITY)
                row.last = 0;
        return push_row(rows, unit, row);
}

static int compare_timers(const void *a, const void *b) {
        const TriggerRow *left = a, *right = b;

        if (left->next != right->next)
                return left->next < right->next ? -1 : 1;
        return compare_ids(left, right);
}

static void add_timer_cells(const Options *options, Table *table, const TriggerRow *row) {
        char date[STATE_TIME_MAX], span[USEC_FORMAT_MAX];
        usec_t now = clock_realtime();

        if (row->next == USEC_INFINITY) {
                table_add(table, COLOR_GREY, "-");
                table_add(table, COLOR_GREY, "-");
        } else {
                table_add(table, COLOR_NONE, state_format_date(row->next, date));
                if (row->next >= now)
                        table_addf(table, "%s left", state_format_span(row->next - now, span));
                else
                        table_addf(table, "%s ago", state_format_span(now - row->next, span));
        }
        if (row->last == 0) {
                table_add(table, COLOR_GREY, "-");
                table_add(table, COLOR_GREY, "-");
        } else {
                table_add(table, COLOR_NONE, state_format_date(row->last, date));
                table_addf(table, "%s ago", state_format_span(usec_sub(now, row->last), span));
        }
        table_add(table, COLOR_NONE, value_string(row->unit, "Id"));
        add_activated(table, row->unit);
}

static json_t *timer_to_json(const TriggerRow *row) {
        return json_pack("{s:o, s:o, s:s, s:O?}", "next",
                         row->next == USEC_INFINITY ? json_null() : json_integer((json_int_t) row->next), "last",
                         row->last == 0 ? json_null() : json_integer((json_int_t) row->last), "unit",
                         value_string(row->unit, "Id"), "activates", json_object_get(row->unit, "Triggers"));
}

/* — sockets and paths: a(ss) how, what — */

static int add_pairs(TriggerRows *rows, json_t *unit, const char *key) {
        json_t *pair;
        size_t i;
        int r = 0;

        json_array_foreach(json_object_get(unit, key), i, pair)
                if (r == 0)
                        r = push_row(rows, unit, (TriggerRow) { .how = value_item_string(pair, 0),
                                                                .what = value_item_string(pair, 1) });
        return r;
}

static int add_socket(TriggerRows *rows, json_t *unit) {
        return add_pairs(rows, unit, "Listen");
}

static int add_path(TriggerRows *rows, json_t *unit) {
        return add_pairs(rows, unit, "Paths");
}

static int compare_pairs(const void *a, const void *b) {
        const TriggerRow *left = a, *right = b;
        int r = strcmp(left->what, right->what);

        r = r != 0 ? r : strcmp(left->how, right->how);
        return r != 0 ? r : compare_ids(left, right);
}

static void add_socket_cells(const Options *options, Table *table, const TriggerRow *row) {
        table_add(table, COLOR_NONE, row->what);
        if (options->show_types)
                table_add(table, COLOR_NONE, row->how);
        table_add(table, COLOR_NONE, value_string(row->unit, "Id"));
        add_activated(table, row->unit);
}

static json_t *socket_to_json(const TriggerRow *row) {
        return json_pack("{s:s, s:s, s:s, s:O?}", "listen", row->what, "type", row->how, "unit",
                         value_string(row->unit, "Id"), "activates", json_object_get(row->unit, "Triggers"));
}

static void add_path_cells(const Options *options, Table *table, const TriggerRow *row) {
        table_add(table, COLOR_NONE, row->what);
        table_add(table, COLOR_NONE, row->how);
        table_add(table, COLOR_NONE, value_string(row->unit, "Id"));
        add_activated(table, row->unit);
}

static json_t *path_to_json(const TriggerRow *row) {
        return json_pack("{s:s, s:s, s:s, s:O?}", "path", row->what, "condition", row->how, "unit",
                         value_string(row->unit, "Id"), "activates", json_object_get(row->unit, "Triggers"));
}

/* — the three lists — */

static const TriggerList timers = {
        "*.timer", "timers", add_timer, compare_timers,
        { "NEXT", "LEFT", "LAST", "PASSED", "UNIT", "ACTIVATES" }, TABLE_FIRST(5), add_timer_cells, timer_to_json,
};
static const TriggerList sockets = {
        "*.socket", "sockets", add_socket, compare_pairs,
        { "LISTEN", "UNIT", "ACTIVATES" }, TABLE_FIRST(2), add_socket_cells, socket_to_json,
};
static const TriggerList typed_sockets = {
        "*.socket", "sockets", add_socket, compare_pairs,
        { "LISTEN", "TYPE", "UNIT", "ACTIVATES" }, TABLE_FIRST(3), add_socket_cells, socket_to_json,
};
static const TriggerList paths = {
        "*.path", "paths", add_path, compare_pairs,
        { "PATH", "CONDITION", "UNIT", "ACTIVATES" }, TABLE_FIRST(3), add_path_cells, path_to_json,
};

/* Words are patterns or names of units of this type. */
static int patterns_of(Jobctl *ctl, const TriggerList *list, char *const *words, json_t *patterns) {
        if (!words || !*words)
                return json_array_append_new(patterns, json_string(list->pattern)) < 0 ? -ENOMEM : 0;
        strv_foreach(word, words) {
                cleanup_free_ char *name = NULL;
                int r = name_mangle(*word, list->pattern + 1, &name);

                if (r == -EINVAL)
                        return jobctl_misused(ctl, "'%s' cannot be the name of a unit.", *word);
                if (r < 0 || json_array_append_new(patterns, json_string(name)) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int gather(Jobctl *ctl, const TriggerList *list, char *const *words, TriggerRows *rows) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *patterns = json_array(), *reply = NULL;
        json_t *row;
        size_t i;
        int r;

        r = patterns_of(ctl, list, words, patterns);
        if (r != 0)
                return r;
        r = jobctl_call(ctl, "ListUnitsByPatterns", "asas", json_pack("[[]O]", patterns), &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list %s", list->what);
        json_array_foreach(json_array_get(reply, 0), i, row) {
                cleanup_json_ json_t *unit = NULL;
                const char *name = value_item_string(row, 0), *active = value_item_string(row, 3);

                if (!text_ends_with(name, list->pattern + 1) ||
                    (!ctl->options.all && (strcmp(active, "inactive") == 0 || strcmp(active, "failed") == 0)) ||
                    (ctl->options.states && !strv_contains(ctl->options.states, active)))
                        continue;
                r = jobctl_unit_properties(ctl, name, NULL, &unit, &error);
                if (r < 0)
                        return jobctl_fail(ctl, &error, "get the properties of %s", name);
                r = list->add(rows, unit);
                if (r < 0)
                        return r;
        }
        if (rows->n > 0)
                qsort(rows->items, rows->n, sizeof(TriggerRow), list->compare);
        return 0;
}

static int print_table(Jobctl *ctl, const TriggerList *list, const TriggerRows *rows) {
        cleanup_(table_deinit) Table table = { .is_full = ctl->options.full, .whole_columns = list->whole_columns };
        int r;

        while (table.n_columns < ELEMENTSOF(list->columns) && list->columns[table.n_columns])
                table.n_columns++;
        if (!ctl->options.no_legend && rows->n > 0) {
                table.has_header = true;
                for (size_t i = 0; i < table.n_columns; i++)
                        table_add(&table, COLOR_NONE, list->columns[i]);
        }
        for (size_t i = 0; i < rows->n; i++)
                list->add_cells(&ctl->options, &table, &rows->items[i]);
        r = table_write(&table, &ctl->terminal, stdout);
        if (r < 0 || ctl->options.no_legend)
                return r;
        printf("%s%zu %.*s listed.\n", rows->n > 0 ? "\n" : "", rows->n,
               (int) strlen(list->what) - (rows->n == 1 ? 1 : 0), list->what);
        if (!ctl->options.all)
                printf("Pass --all to see loaded but inactive %s, too.\n", list->what);
        return EXIT_OK;
}

static int list_triggers(Jobctl *ctl, const TriggerList *list, char *const *words) {
        cleanup_(rows_deinit) TriggerRows rows = {};
        cleanup_json_ json_t *documents = json_array();
        int r = gather(ctl, list, words, &rows);

        if (r != 0)
                return r;
        if (!ctl->options.json)
                return print_table(ctl, list, &rows);
        for (size_t i = 0; i < rows.n; i++)
                if (json_array_append_new(documents, list->to_json(&rows.items[i])) < 0)
                        return -ENOMEM;
        return jobctl_print_json(ctl, take_ptr(documents), EXIT_OK);
}

int verb_list_timers(Jobctl *ctl, char *const *words) {
        return list_triggers(ctl, &timers, words);
}

int verb_list_sockets(Jobctl *ctl, char *const *words) {
        return list_triggers(ctl, ctl->options.show_types ? &typed_sockets : &sockets, words);
}

int verb_list_paths(Jobctl *ctl, char *const *words) {
        return list_triggers(ctl, &paths, words);
}

int verb_list_automounts(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};

        bus_error_set(&error, "org.freedesktop.DBus.Error.NotSupported",
                      "jobd has no automount units. A unit that needs a mount can start it with RequiresMountsFor=.");
        return jobctl_fail(ctl, &error, "list automounts");
}
