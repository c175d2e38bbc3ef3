/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs that the stop of their unit holds
 *
 * The stop is done when a batch with the held runs is durable: otherwise they
 * would start their unit again after a death of core. It does not wait for the
 * store without end, though, and while runs are not loaded there is nothing to
 * put into a batch. So a stop by a person is a part of the state of the manager
 * until that batch is durable: the next core, whose store may know of no stop,
 * holds the runs again.
 */

#include <errno.h>

#include "basic/log.h"
#include "manager/manager_run_hold.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"
#include "manager/manager_section.h"

static void set_must_hold(ManagerRuns *runs, ManagerFlow *flow, bool must_hold) {
        if (flow->must_hold == must_hold)
                return;
        flow->must_hold = must_hold;
        manager_mark_triggers(runs->host.attempts.turn->state);
}

void manager_run_hold(ManagerRuns *runs, ManagerFlow *flow) {
        const bool by_person = flow->must_hold || !runs->host.ops->is_ending(runs->host.userdata);
        const bool has_live = manager_run_count_live(runs, flow) > 0;

        run_flow_unit(flow->engine, RUN_UNIT_STOP, by_person);
        flow->is_stopping = true;
        flow->hold_batch = by_person && has_live ? UINT64_MAX : 0;
        flow->waits_for_hold = flow->hold_batch > 0;
        set_must_hold(runs, flow, by_person && (has_live || !runs->is_loaded));
}

void manager_run_hold_late(ManagerRuns *runs, ManagerFlow *flow) {
        if (!flow->must_hold)
                return;
        manager_run_hold(runs, flow);
        flow->is_stopping = !unit_state_is_inactive_or_failed(flow->unit->active_state);
}

void manager_run_let_go(ManagerRuns *runs, ManagerFlow *flow) {
        flow->is_stopping = flow->waits_for_hold = false;
        flow->hold_batch = 0;
        set_must_hold(runs, flow, false);
}

void manager_run_put_holds(ManagerRuns *runs) {
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                flow->hold_batch = MIN(flow->hold_batch, runs->batch);
}

void manager_run_forget_holds(ManagerRuns *runs) {
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next) {
                if (!flow->must_hold || flow->hold_batch > runs->durable)
                        continue;
                set_must_hold(runs, flow, false);
                flow->is_news = true;
        }
}

/* — records — */

static uint64_t count(const ManagerRuns *runs) {
        uint64_t n = 0;

        for (const ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                n += flow->must_hold;
        return n;
}

bool manager_run_has_holds(const ManagerRuns *runs) {
        return count(runs) > 0;
}

void manager_run_write_holds(const ManagerRuns *runs, RecordWriter *writer) {
        record_put(writer, count(runs));
        for (const ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                if (flow->must_hold)
                        record_put_string(writer, flow->unit->id);
}

static int read_one(ManagerRuns *runs, const char *name) {
        ManagerFlow *flow;
        Unit *unit;
        int r = unit_table_load(runs->host.units, name, &unit);

        if (r == -ENOMEM)
                return r;
        if (r < 0 || !unit_type_has_runs(unit->type)) {
                log_warning("The recorded stop of '%s' is dropped: it has no runs.", name);
                return 0;
        }
        flow = manager_run_flow(runs, unit);
        if (!flow)
                return -ENOMEM;
        flow->must_hold = true;
        return 0;
}

int manager_run_read_holds(ManagerRuns *runs, RecordReader *reader) {
        int r = 0;

        for (uint64_t n = record_get(reader); n > 0 && r == 0 && !reader->has_failed; n--) {
                const char *name = record_get_string(reader);

                r = reader->has_failed || !name ? -EBADMSG : read_one(runs, name);
        }
        return r == 0 && reader->has_failed ? -EBADMSG : r;
}
