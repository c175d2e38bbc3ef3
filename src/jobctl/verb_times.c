/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * blame and critical-chain: the times of the start
 *
 * Both use the timestamps of units: a unit began when it left the inactive
 * state, and was ready when it became active. The chain goes from a unit to
 * the one ordered before it that was ready last, as the unit waited for that
 * one, and so on.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/verbs.h"

typedef struct UnitTimes {
        char *name;                     /* owned */
        usec_t began, ended;            /* monotonic; 0 for never */
        json_t *after;                  /* owned: names */
} UnitTimes;

typedef VECTOR(UnitTimes) TimesOfUnits;

static void unit_times_deinit(UnitTimes *times) {
        free(times->name);
        json_decref(times->after);
}

static void times_deinit(TimesOfUnits *units) {
        for (size_t i = 0; i < units->n; i++)
                unit_times_deinit(&units->items[i]);
        vector_deinit(units);
}

/* A unit that has ended again (a oneshot) was ready when it became inactive. */
static int read_times(Jobctl *ctl, const char *name, UnitTimes *ret_times, BusError *error) {
        cleanup_json_ json_t *unit = NULL;
        int r = jobctl_unit_properties(ctl, name, BUS_UNIT, &unit, error);

        if (r < 0)
                return r;
        *ret_times = (UnitTimes) {
                .name = strdup(name),
                .began = value_u64(unit, "InactiveExitTimestampMonotonic"),
                .ended = value_u64(unit, "ActiveEnterTimestampMonotonic"),
                .after = json_incref(json_object_get(unit, "After")),
        };
        if (ret_times->ended < ret_times->began)
                ret_times->ended = value_u64(unit, "ActiveExitTimestampMonotonic");
        if (ret_times->ended < ret_times->began)
                ret_times->ended = value_u64(unit, "InactiveEnterTimestampMonotonic");
        if (ret_times->ended < ret_times->began)
                ret_times->ended = 0;
        return ret_times->name ? 0 : -ENOMEM;
}

static int gather_times(Jobctl *ctl, char *const *words, TimesOfUnits *units) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL, *patterns = json_array();
        json_t *row;
        size_t i;
        int r;

        strv_foreach(word, words)
                if (json_array_append_new(patterns, json_string(*word)) < 0)
                        return -ENOMEM;
        r = jobctl_call(ctl, "ListUnitsByPatterns", "asas", json_pack("[[]O]", patterns), &reply, &error);
        json_array_foreach(json_array_get(reply, 0), i, row) {
                UnitTimes times = {};

                if (r == 0)
                        r = read_times(ctl, value_item_string(row, 0), &times, &error);
                if (r == 0)
                        r = vector_push(units, times);
                if (r < 0)
                        break;
        }
        return r == -ENOMEM ? r : r < 0 ? jobctl_fail(ctl, &error, "get the times of units") : 0;
}

static usec_t took(const UnitTimes *times) {
        return times->began > 0 && times->ended > times->began ? times->ended - times->began : 0;
}

/* — blame — */

static int compare_spans(const void *a, const void *b) {
        const UnitTimes *left = a, *right = b;
        usec_t span_left = took(left), span_right = took(right);

        if (span_left != span_right)
                return span_left > span_right ? -1 : 1;
        return strcmp(left->name, right->name);
}

int verb_blame(Jobctl *ctl, char *const *words) {
        cleanup_(times_deinit) TimesOfUnits units = {};
        cleanup_json_ json_t *rows = json_array();
        int r = gather_times(ctl, words, &units);

        if (r != 0)
                return r;
        if (units.n > 0)
                qsort(units.items, units.n, sizeof(UnitTimes), compare_spans);
        for (size_t i = 0; i < units.n && took(&units.items[i]) > 0; i++) {
                const UnitTimes *times = &units.items[i];
                char span[USEC_FORMAT_MAX];

                if (!ctl->options.json)
                        printf("%16s %s\n", usec_format(took(times), span), times->name);
                else if (json_array_append_new(rows, json_pack("{s:s, s:I, s:I}", "unit", times->name, "took",
                                                               (json_int_t) took(times), "activating-monotonic",
                                                               (json_int_t) times->began)) < 0)
                        return -ENOMEM;
        }
        return ctl->options.json ? jobctl_print_json(ctl, take_ptr(rows), EXIT_OK) : EXIT_OK;
}

/* — critical-chain — */

typedef struct Chain {
        Jobctl *ctl;
        usec_t started;                 /* of the manager */
        json_t *seen;                   /* owned: names; ordering may have had a cycle earlier */
        json_t *links;                  /* borrowed, for JSON */
        int depth;
} Chain;

static int print_link(Chain *chain, const UnitTimes *times) {
        usec_t at = usec_sub(times->ended, chain->started);
        char buffer[USEC_FORMAT_MAX];

        if (chain->ctl->options.json)
                return json_array_append_new(chain->links,
                                             json_pack("{s:s, s:I, s:I}", "unit", times->name, "at", (json_int_t) at,
                                                       "took", (json_int_t) took(times))) < 0 ? -ENOMEM : 0;
        if (chain->depth > 0)
                printf("%*s%s", 2 * (chain->depth - 1), "", chain->ctl->terminal.has_utf8 ? "└─" : "`-");
        printf("%s @%s", times->name, usec_format(at, buffer));
        if (took(times) > 0) {
                cleanup_free_ char *span = NULL;

                if (text_format(&span, " +%s", usec_format(took(times), buffer)) < 0)
                        return -ENOMEM;
                terminal_print(&chain->ctl->terminal, COLOR_RED, span);
        }
        putchar('\n');
        return 0;
}

/*
 * The unit ordered before @times that was ready last; without a name if none was ready before it. An exit status, or
 * -ENOMEM.
 */
static int find_last(Chain *chain, const UnitTimes *times, UnitTimes *ret_last) {
        UnitTimes last = {};
        json_t *item;
        size_t i;

        json_array_foreach(times->after, i, item) {
                cleanup_(bus_error_deinit) BusError error = {};
                const char *name = json_string_value(item) ?: "";
                UnitTimes other = {};
                int r;

                if (json_object_get(chain->seen, name))
                        continue;
                r = read_times(chain->ctl, name, &other, &error);
                if (r == 0 && other.ended > last.ended && other.ended <= times->ended &&
                    other.ended >= chain->started) {
                        unit_times_deinit(&last);
                        last = other;
                        continue;
                }
                unit_times_deinit(&other);
                if (r < 0) {
                        unit_times_deinit(&last);
                        return r == -ENOMEM ? r : jobctl_fail(chain->ctl, &error, "get the times of %s", name);
                }
        }
        *ret_last = last;
        return 0;
}

static int follow(Chain *chain, UnitTimes *times) {
        int r = 0;

        while (r == 0 && times->name) {
                UnitTimes last = {};

                r = print_link(chain, times);
                chain->depth++;
                if (r == 0 && json_object_set_new(chain->seen, times->name, json_true()) < 0)
                        r = -ENOMEM;
                if (r == 0)
                        r = find_last(chain, times, &last);
                unit_times_deinit(times);
                *times = last;
        }
        return r;
}

static int chain_of(Jobctl *ctl, const char *name, usec_t started, json_t *documents) {
        cleanup_(unit_times_deinit) UnitTimes times = {};
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *seen = json_object(), *links = json_array();
        Chain chain = { .ctl = ctl, .started = started, .seen = seen, .links = links };
        int r = read_times(ctl, name, &times, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "get the times of %s", name);
        if (times.ended == 0) {
                bus_error_set(&error, "org.jobd1.NotActive", "%s has not been active since jobd was started.", name);
                return jobctl_fail(ctl, &error, NULL);
        }
        r = follow(&chain, &times);
        if (r == 0 && json_array_append(documents, links) < 0)
                r = -ENOMEM;
        return r;
}

int verb_critical_chain(Jobctl *ctl, char *const *words) {
        char *const fallback[] = { (char *) "default.target", NULL };
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *documents = json_array(), *manager = NULL;
        cleanup_(strv_freep) char **names = NULL;
        int r;

        r = names_resolve(ctl, words && *words ? words : fallback, ".service", &names);
        if (r != 0)
                return r;
        r = jobctl_properties(ctl, BUS_PATH, BUS_MANAGER, &manager, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "get the start time of the manager");
        if (!ctl->options.json && !ctl->options.no_legend)
                puts("The time after @ is when a unit was ready, counted from the start of jobd; "
                     "the time after + is how long it took.\n");
        strv_foreach(name, names)
                if (r == 0)
                        r = chain_of(ctl, *name, value_u64(manager, "UserspaceTimestampMonotonic"), documents);
        if (r != 0 || !ctl->options.json)
                return r;
        return jobctl_print_json(ctl, json_array_size(documents) == 1 ? json_incref(json_array_get(documents, 0))
                                                                      : json_incref(documents), EXIT_OK);
}
