/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow locks: locks and resources, with the runs and nodes that hold them or wait for them
 */

#include <inttypes.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/state.h"
#include "jobctl/table.h"

/* "2 of 5": the slot, counted from 0; or the amount of a resource. */
static void add_share(Table *table, const json_t *lock) {
        const bool is_resource = text_equal(value_string(lock, "kind"), "resource");

        if (is_resource)
                table_addf(table, "%" PRIu64 " of %" PRIu64, value_u64(lock, "amount"), value_u64(lock, "total"));
        else if (json_object_get(lock, "slot"))
                table_addf(table, "%" PRIu64 " of %" PRIu64, value_u64(lock, "slot"), value_u64(lock, "total"));
        else
                table_add(table, COLOR_NONE, "");
}

static void add_lock(Table *table, const json_t *lock, usec_t now) {
        const char *state = value_string(lock, "state"), *node = value_string(lock, "node");
        char span[USEC_FORMAT_MAX];

        table_add(table, COLOR_NONE, value_string(lock, "lock"));
        table_add(table, COLOR_NONE, value_string(lock, "kind"));
        table_add(table, text_equal(state, "held") ? COLOR_GREEN : COLOR_YELLOW, state);
        add_share(table, lock);
        table_addf(table, "%" PRIu64 "%s%s", value_u64(lock, "run"), *node ? "/" : "", node);
        table_add(table, COLOR_NONE, value_string(lock, "name"));
        if (json_object_get(lock, "since"))
                table_add(table, COLOR_NONE, state_format_span(usec_sub(now, value_u64(lock, "since")), span));
        else
                table_add(table, COLOR_NONE, "");
}

static int print_locks(Jobctl *ctl, const json_t *locks) {
        static const char *const names[] = { "LOCK", "KIND", "STATE", "SLOT", "RUN", "NAME", "WAITS" };
        cleanup_(table_deinit) Table table = { .n_columns = 7,
                                               .whole_columns = TABLE_FIRST(5),
                                               .has_header = !ctl->options.no_legend,
                                               .is_full = ctl->options.full };
        const usec_t now = clock_realtime();
        json_t *lock;
        size_t i;

        if (json_array_size(locks) == 0) {
                if (!ctl->options.no_legend)
                        puts("Nothing is held, and nothing waits.");
                return 0;
        }
        for (size_t c = 0; table.has_header && c < table.n_columns; c++)
                table_add(&table, COLOR_NONE, names[c]);
        json_array_foreach(locks, i, lock) add_lock(&table, lock, now);
        return table_write(&table, &ctl->terminal, stdout);
}

int flow_locks(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *locks = NULL;
        json_t *filters, *lock;
        size_t i;
        int r;

        if (words[0] && words[1])
                return jobctl_misused(ctl, "'flow locks' takes one lock or resource, or none.");
        filters = words[0] ? json_pack("{s:{s:s}}", "lock", "s", words[0]) : json_object();
        r = flow_query(ctl, NULL, "ListLocks", filters, SIZE_MAX, &locks, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "list locks");
        if (!ctl->options.json)
                return print_locks(ctl, locks);
        json_array_foreach(locks, i, lock) if (r == 0) r = jobctl_print_json_line(ctl, json_incref(lock));
        return r;
}
