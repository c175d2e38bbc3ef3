/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * status: the runs of a flow, a line each
 */

#include <errno.h>
#include <inttypes.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/status.h"

/* How many that have ended are shown. */
#define ENDED_SHOWN 5U

/* The fields of a member of the property Runs. */
enum { RUN_FIELD_ID, RUN_FIELD_NAME, RUN_FIELD_STATE, RUN_FIELD_TEXT };

static bool is_flow(const json_t *unit) {
        return name_has_runs(value_string(unit, "Id"));
}

/* The label stands in the first line alone. */
static void print_label(const char *label, size_t at) {
        if (at == 0)
                status_print_label(label);
        else
                printf("%*s", STATUS_INDENT, "");
}

static void print_live(const json_t *run) {
        printf("%s is %s: %s.\n", value_item_string(run, RUN_FIELD_NAME), value_item_string(run, RUN_FIELD_STATE),
               value_item_string(run, RUN_FIELD_TEXT));
}

/* The last ones that have ended. Without a store there are none. */
static json_t *query_ended(Jobctl *ctl, const json_t *unit) {
        const size_t n_live = json_array_size(json_object_get(unit, "Runs"));
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        json_t *ended = json_array(), *run;
        size_t i;

        if (jobctl_call(ctl, "ListRuns", "a{sv}us",
                        json_pack("[{s:{s:s}}, I, s]", "unit", "s", value_string(unit, "Id"),
                                  (json_int_t) (n_live + ENDED_SHOWN), ""),
                        &reply, &error) < 0)
                return ended;
        json_array_foreach(json_array_get(reply, 0), i, run)
                if (json_object_get(run, "ended") && json_array_size(ended) < ENDED_SHOWN)
                        json_array_append(ended, run);
        return ended;
}

static void print_ended(const json_t *run, usec_t now) {
        const usec_t started = value_u64(run, "started"), ended = value_u64(run, "ended");
        const char *reason = value_string(run, "reason");
        char age[USEC_FORMAT_MAX], span[USEC_FORMAT_MAX];

        printf("%s has ended %s ago: %s%s%s%s", value_string(run, "name"),
               state_format_span(usec_sub(now, ended), age), value_string(run, "state"), *reason ? " (" : "", reason,
               *reason ? ")" : "");
        if (json_object_get(run, "started"))
                printf(", after %s", state_format_span(usec_sub(ended, started), span));
        putchar('\n');
}

void status_print_runs(Jobctl *ctl, const json_t *unit) {
        cleanup_json_ json_t *ended = NULL;
        const json_t *live = json_object_get(unit, "Runs");
        const usec_t now = clock_realtime();
        json_t *run;
        size_t i;

        if (!is_flow(unit))
                return;
        json_array_foreach(live, i, run) {
                print_label("Runs", i);
                print_live(run);
        }
        ended = query_ended(ctl, unit);
        json_array_foreach(ended, i, run) {
                print_label("Last runs", i);
                print_ended(run, now);
        }
}

int status_add_runs(Jobctl *ctl, json_t *unit) {
        return !is_flow(unit) || json_object_set_new(unit, "LastRuns", query_ended(ctl, unit)) == 0 ? 0 : -ENOMEM;
}
