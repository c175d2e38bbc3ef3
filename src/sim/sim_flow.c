/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Flows among the units of a simulation
 */

#include "sim/sim_flow.h"
#include "unit/unit_table.h"
#include "unitfile/flow_settings.h"

bool sim_flow_is_of(const Unit *unit) {
        return unit->type == UNIT_FLOW || unit->type == UNIT_BATCH;
}

bool sim_flow_waits_for_end(const Unit *unit) {
        const FlowSettings *settings = unit->type_settings;

        return settings && settings->start_mode == FLOW_START_FINISHED;
}

UnitAnswer sim_flow_start(Unit *unit) {
        UnitHost *host = unit_table_host(unit->table);

        if (host->ops->start_runs(host, unit) < 0)
                return UNIT_OPERATION_FAILED;
        unit_publish(unit, UNIT_ACTIVATING, 0);
        return UNIT_UNDER_WAY;
}

UnitAnswer sim_flow_stop(Unit *unit, usec_t *ret_timeout) {
        const FlowSettings *settings = unit->type_settings;
        const bool interrupts = settings && settings->stop_mode == FLOW_STOP_INTERRUPT;
        UnitHost *host = unit_table_host(unit->table);

        *ret_timeout = interrupts || !settings ? USEC_INFINITY : settings->timeout_stop;
        host->ops->stop_runs(host, unit, interrupts);
        unit_publish(unit, UNIT_DEACTIVATING, 0);
        return UNIT_UNDER_WAY;
}

void sim_flow_interrupt(Unit *unit) {
        UnitHost *host = unit_table_host(unit->table);

        if (unit->active_state == UNIT_DEACTIVATING)
                host->ops->stop_runs(host, unit, true);
}

bool sim_flow_runs_changed(Unit *unit) {
        UnitHost *host = unit_table_host(unit->table);
        UnitRuns runs;

        host->ops->get_runs(host, unit, &runs);
        if (unit->active_state == UNIT_ACTIVATING && !runs.is_starting && runs.problem)
                unit_publish(unit, UNIT_FAILED, 0);
        else if (unit->active_state == UNIT_ACTIVATING && !runs.is_starting && sim_flow_waits_for_end(unit)) {
                if (runs.n_live == 0 && runs.n_attempts == 0)
                        unit_publish(unit, runs.has_failed || !runs.has_succeeded ? UNIT_FAILED : UNIT_INACTIVE, 0);
                return false;
        } else if (unit->active_state == UNIT_ACTIVATING && !runs.is_starting)
                unit_publish(unit, UNIT_ACTIVE, 0);
        if (unit->active_state == UNIT_ACTIVE && runs.n_live == 0 && runs.n_attempts == 0) {
                unit_publish(unit, runs.has_failed ? UNIT_FAILED : UNIT_INACTIVE, 0);
        } else if (unit->active_state == UNIT_DEACTIVATING && runs.n_attempts == 0) {
                unit_publish(unit, UNIT_INACTIVE, 0);
                return true;
        }
        return false;
}
