/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * top: the units that use processors, memory and tasks
 *
 * The manager sends the values of control groups; for a unit without one,
 * those of its processes are added up. The share of processors is the
 * difference of two rounds: the first of several shows none.
 *
 * On a terminal each round is drawn over the last one; in a pipe rounds
 * follow each other, separated by an empty line.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "jobctl/processes.h"
#include "jobctl/state.h"
#include "jobctl/status.h"
#include "jobctl/table.h"
#include "jobctl/verbs.h"

#define INTERVAL USEC_PER_SEC
#define SHORT_INTERVAL (USEC_PER_SEC / 4)       /* before a round that stays the only one */
#define UNKNOWN PROCESS_USAGE_UNKNOWN
#define ROWS_MIN 5U

typedef struct TopUnit {
        char *name;                     /* owned */
        uint64_t cpu;                   /* ns, or UNKNOWN */
        uint64_t memory, tasks;         /* UNKNOWN */
        double share;                   /* percent of one processor; below 0: not known */
        usec_t at;
} TopUnit;

typedef VECTOR(TopUnit) TopUnits;

static void top_clear(TopUnits *units) {
        for (size_t i = 0; i < units->n; i++)
                free(units->items[i].name);
        vector_deinit(units);
}

/* — measuring — */

static uint64_t amount_of(const json_t *unit, const char *key) {
        return json_object_get(unit, key) ? value_u64(unit, key) : UNKNOWN;
}

static void add_processes(Jobctl *ctl, TopUnit *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        ProcessUsage sum;

        if (jobctl_call(ctl, "GetUnitProcesses", "s", json_pack("[s]", unit->name), &reply, &error) < 0)
                return;
        sum = processes_measure(json_array_get(reply, 0));
        unit->cpu = unit->cpu == UNKNOWN ? sum.cpu : unit->cpu;
        unit->memory = unit->memory == UNKNOWN ? sum.memory : unit->memory;
        unit->tasks = unit->tasks == UNKNOWN ? sum.tasks : unit->tasks;
}

static double share_since(const TopUnit *unit, const TopUnits *before) {
        for (size_t i = 0; i < before->n; i++) {
                const TopUnit *old = &before->items[i];

                if (strcmp(old->name, unit->name) == 0 && old->cpu != UNKNOWN && unit->cpu != UNKNOWN &&
                    unit->cpu >= old->cpu && unit->at > old->at)
                        return (double) (unit->cpu - old->cpu) / 10.0 / (double) (unit->at - old->at);
        }
        return -1;
}

static int look_at_unit(Jobctl *ctl, const char *name, const TopUnits *before, TopUnits *units, BusError *error) {
        cleanup_json_ json_t *properties = NULL;
        TopUnit unit = { .share = -1 };
        int r = jobctl_unit_properties(ctl, name, NULL, &properties, error);

        if (r < 0)
                return r;
        unit.name = strdup(name);
        if (!unit.name)
                return -ENOMEM;
        unit.cpu = amount_of(properties, "CPUUsageNSec");
        unit.memory = amount_of(properties, "MemoryCurrent");
        unit.tasks = amount_of(properties, "TasksCurrent");
        unit.at = clock_monotonic();
        if ((unit.cpu == UNKNOWN || unit.memory == UNKNOWN || unit.tasks == UNKNOWN) && !text_ends_with(name, ".slice"))
                add_processes(ctl, &unit);
        unit.share = share_since(&unit, before);
        if (unit.cpu == UNKNOWN && unit.memory == UNKNOWN && unit.tasks == UNKNOWN) {
                free(unit.name);
                return 0;
        }
        r = vector_push(units, unit);
        if (r < 0)
                free(unit.name);
        return r;
}

static uint64_t known(uint64_t amount) {
        return amount == UNKNOWN ? 0 : amount;
}

/* The largest first. */
static int compare_units(const void *a, const void *b) {
        const TopUnit *left = a, *right = b;

        if (left->share > right->share || left->share < right->share)
                return left->share > right->share ? -1 : 1;
        if (known(left->cpu) != known(right->cpu))
                return known(left->cpu) > known(right->cpu) ? -1 : 1;
        if (known(left->memory) != known(right->memory))
                return known(left->memory) > known(right->memory) ? -1 : 1;
        return strcmp(left->name, right->name);
}

static int look(Jobctl *ctl, const json_t *patterns, const TopUnits *before, TopUnits *units) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        json_t *row;
        size_t i;
        int r;

        r = jobctl_call(ctl, "ListUnitsByPatterns", "asas",
                        json_pack("[[ssss]O]", "active", "reloading", "activating", "deactivating", patterns), &reply,
                        &error);
        json_array_foreach(json_array_get(reply, 0), i, row) {
                const char *name = value_item_string(row, 0);

                if (r == 0 && !text_ends_with(name, ".target"))
                        r = look_at_unit(ctl, name, before, units, &error);
        }
        if (r < 0)
                return r == -ENOMEM ? r : jobctl_fail(ctl, &error, "look at units");
        if (units->n > 0)
                qsort(units->items, units->n, sizeof(TopUnit), compare_units);
        return 0;
}

/* — printing — */

static void add_row(Table *table, const TopUnit *unit) {
        char buffer[STATUS_BYTES_MAX + USEC_FORMAT_MAX];

        table_add(table, COLOR_NONE, unit->name);
        if (unit->tasks == UNKNOWN)
                table_add(table, COLOR_GREY, "-");
        else
                table_addf(table, "%" PRIu64, unit->tasks);
        if (unit->share < 0)
                table_add(table, COLOR_GREY, "-");
        else
                table_addf(table, "%.1f", unit->share);
        table_add(table, COLOR_NONE, unit->cpu == UNKNOWN ? "-" : state_format_span(unit->cpu / 1000, buffer));
        table_add(table, COLOR_NONE, unit->memory == UNKNOWN ? "-" : status_format_bytes(unit->memory, buffer));
}

static size_t rows_that_fit(const Jobctl *ctl, size_t n) {
        const char *lines = getenv("LINES");
        uint32_t height = 0;

        if (!ctl->terminal.is_out_terminal || ctl->options.full)
                return n;
        if (!lines || text_parse_u32(lines, &height) < 0)
                height = terminal_height();
        return height > ROWS_MIN ? MIN(n, height - 2) : MIN(n, ROWS_MIN);
}

static int show(Jobctl *ctl, const TopUnits *units) {
        static const char *const columns[] = { "UNIT", "TASKS", "%CPU", "CPU", "MEMORY" };
        cleanup_(table_deinit) Table table = { .n_columns = ELEMENTSOF(columns), .right_columns = 0x1e,
                                               .has_header = !ctl->options.no_legend };
        size_t n = rows_that_fit(ctl, units->n);

        for (size_t i = 0; table.has_header && i < ELEMENTSOF(columns); i++)
                table_add(&table, COLOR_NONE, columns[i]);
        for (size_t i = 0; i < n; i++)
                add_row(&table, &units->items[i]);
        return table_write(&table, &ctl->terminal, stdout);
}

static json_t *amount_to_json(uint64_t amount) {
        return amount == UNKNOWN ? json_null() : json_integer((json_int_t) amount);
}

static int show_json(Jobctl *ctl, const TopUnits *units) {
        cleanup_json_ json_t *rows = json_array();

        for (size_t i = 0; i < units->n; i++) {
                const TopUnit *unit = &units->items[i];

                if (json_array_append_new(rows, json_pack("{s:s, s:o, s:o, s:o, s:o}", "unit", unit->name, "tasks",
                                                          amount_to_json(unit->tasks), "cpu-percent",
                                                          unit->share < 0 ? json_null() : json_real(unit->share),
                                                          "cpu-nsec", amount_to_json(unit->cpu), "memory",
                                                          amount_to_json(unit->memory))) < 0)
                        return -ENOMEM;
        }
        return jobctl_print_json_line(ctl, take_ptr(rows));
}

static int show_round(Jobctl *ctl, const TopUnits *units, uint32_t number) {
        int r;

        if (ctl->options.json)
                return show_json(ctl, units);
        if (ctl->terminal.is_out_terminal)
                fputs("\033[H\033[J", stdout);
        else if (number > 0)
                putchar('\n');
        r = show(ctl, units);
        fflush(stdout);
        return r;
}

static int pause_for(usec_t time) {
        int r;

        bus_catch_interrupt(true);
        r = bus_pause(time);
        bus_catch_interrupt(false);
        return r;
}

static int run_rounds(Jobctl *ctl, const json_t *patterns, uint32_t rounds) {
        TopUnits before = {};
        int r = 0;

        if (rounds == 1)
                r = look(ctl, patterns, &(TopUnits) {}, &before);
        if (rounds == 1 && r == 0)
                r = pause_for(SHORT_INTERVAL);
        for (uint32_t i = 0; r == 0 && (rounds == 0 || i < rounds); i++) {
                TopUnits units = {};

                r = look(ctl, patterns, &before, &units);
                top_clear(&before);
                before = units;
                if (r == 0)
                        r = show_round(ctl, &units, i);
                if (r == 0 && (rounds == 0 || i + 1 < rounds))
                        r = pause_for(INTERVAL);
        }
        top_clear(&before);
        return r == -EINTR ? EXIT_OK : r;
}

int verb_top(Jobctl *ctl, char *const *words) {
        uint32_t rounds = ctl->terminal.is_out_terminal ? 0 : 1;
        cleanup_json_ json_t *patterns = json_array();

        if (ctl->options.lines && (text_parse_u32(ctl->options.lines, &rounds) < 0 || rounds == 0))
                return jobctl_misused(ctl, "-n %s: must be the number of updates.", ctl->options.lines);
        strv_foreach(word, words)
                if (json_array_append_new(patterns, json_string(*word)) < 0)
                        return -ENOMEM;
        return run_rounds(ctl, patterns, rounds);
}
