/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow: alarms, and who has seen them
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/table.h"

int flow_get_alarms(Jobctl *ctl, uint64_t run, json_t **ret_alarms, BusError *ret_error) {
        json_t *filters = json_pack("{s:{s:I}}", "acknowledged", "t", (json_int_t) 0);

        if (run > 0)
                json_object_set_new(filters, "run", json_pack("{s:I}", "t", (json_int_t) run));
        return flow_query(ctl, NULL, "ListAlarms", filters, SIZE_MAX, ret_alarms, ret_error);
}

int flow_print_alarms(Jobctl *ctl, uint64_t run, BusError *ret_error) {
        cleanup_json_ json_t *alarms = NULL;
        size_t n;
        int r = flow_get_alarms(ctl, run, &alarms, ret_error);

        if (r < 0)
                return r;
        n = json_array_size(alarms);
        if (n > 0)
                printf("%s%zu %s %s open; see 'jobctl flow alarms'.\n", run > 0 ? "" : "\n", n,
                       n == 1 ? "alarm" : "alarms", run > 0 ? n == 1 ? "of this run is" : "of this run are"
                                                    : n == 1 ? "is" : "are");
        return 0;
}

/* — alarms — */

static void add_alarm(Table *table, const json_t *alarm, usec_t now) {
        const usec_t raised = value_u64(alarm, "raised");
        const uint64_t run = value_u64(alarm, "run");
        const bool is_open = !json_object_get(alarm, "acknowledged");
        char span[USEC_FORMAT_MAX];

        table_addf(table, "%" PRIu64, value_u64(alarm, "id"));
        table_add(table, is_open ? COLOR_YELLOW : COLOR_NONE, is_open ? "open" : "acknowledged");
        table_add(table, COLOR_NONE, value_string(alarm, "kind"));
        if (run > 0 && run != UINT64_MAX)
                table_addf(table, "%" PRIu64, run);
        else
                table_add(table, COLOR_NONE, "");
        table_add(table, COLOR_NONE, value_string(alarm, "node"));
        table_addf(table, "%s ago", state_format_span(usec_sub(now, raised), span));
        table_add(table, COLOR_NONE, value_string(alarm, "text"));
}

static int print_alarms(Jobctl *ctl, const json_t *alarms) {
        static const char *const names[] = { "ALARM", "STATE", "KIND", "RUN", "NODE", "RAISED", "TEXT" };
        cleanup_(table_deinit) Table table = { .n_columns = ELEMENTSOF(names),
                                               .right_columns = 1U | 1U << 3,
                                               .whole_columns = TABLE_FIRST(6),
                                               .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full };
        const usec_t now = clock_realtime();
        json_t *alarm;
        size_t i;

        if (json_array_size(alarms) == 0) {
                if (!ctl->options.no_legend)
                        puts("No alarms.");
                return 0;
        }
        for (i = 0; table.has_header && i < ELEMENTSOF(names); i++)
                table_add(&table, COLOR_NONE, names[i]);
        json_array_foreach(alarms, i, alarm) add_alarm(&table, alarm, now);
        return table_write(&table, &ctl->terminal, stdout);
}

int flow_alarms(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *alarms = NULL;
        cleanup_free_ char *unit = NULL;
        json_t *filters, *alarm;
        size_t i;
        int r = words[0] ? name_mangle(words[0], ".flow", &unit) : 0;

        if (r == -EINVAL || (words[0] && words[1]))
                return jobctl_misused(ctl, "'flow alarms' takes one flow, or none.");
        if (r < 0)
                return r;
        filters = json_object();
        if (!ctl->options.all)
                json_object_set_new(filters, "acknowledged", json_pack("{s:I}", "t", (json_int_t) 0));
        if (unit)
                json_object_set_new(filters, "unit", json_pack("{s:s}", "s", unit));
        r = flow_query(ctl, NULL, "ListAlarms", filters, SIZE_MAX, &alarms, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list alarms");
        if (!ctl->options.json)
                return print_alarms(ctl, alarms);
        json_array_foreach(alarms, i, alarm) if (r == 0) r = jobctl_print_json_line(ctl, json_incref(alarm));
        return r;
}

/* — ack — */

static int acknowledge(Jobctl *ctl, uint64_t id) {
        cleanup_(bus_error_deinit) BusError error = {};
        int r = jobctl_call(ctl, "Acknowledge", "ts", json_pack("[Is]", (json_int_t) id, ""), NULL, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "acknowledge alarm %" PRIu64, id);
        if (ctl->options.json)
                return jobctl_print_json_line(ctl, json_pack("{s:I}", "id", (json_int_t) id));
        if (!ctl->options.quiet)
                printf("Alarm %" PRIu64 " is acknowledged.\n", id);
        return EXIT_OK;
}

/* All that are open now: another one that is raised meanwhile has been seen by nobody. */
static int acknowledge_all(Jobctl *ctl) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *alarms = NULL;
        int r = flow_get_alarms(ctl, 0, &alarms, &error), status = EXIT_OK;
        json_t *alarm;
        size_t i;

        if (r < 0)
                return jobctl_fail(ctl, &error, "list alarms");
        json_array_foreach(alarms, i, alarm) {
                r = acknowledge(ctl, value_u64(alarm, "id"));
                if (r < 0)
                        return r;
                status = status == EXIT_OK ? r : status;
        }
        return status;
}

int flow_ack(Jobctl *ctl, char *const *words) {
        int status = EXIT_OK;

        if (!words[0] && ctl->options.all)
                return acknowledge_all(ctl);
        if (!words[0] || ctl->options.all)
                return jobctl_misused(ctl, "Name alarms by their numbers, or write --all; 'jobctl flow alarms' shows "
                                           "them.");
        strv_foreach(word, words) {
                uint64_t id;
                int r;

                if (text_parse_u64(*word, &id) < 0 || id == 0)
                        return jobctl_misused(ctl, "'%s' is no alarm: write its number.", *word);
                r = acknowledge(ctl, id);
                if (r < 0)
                        return r;
                status = status == EXIT_OK ? r : status;
        }
        return status;
}
