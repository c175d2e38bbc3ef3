/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The end of the manager with its units, and the exit status
 *
 * A container exists for one or few units: when one of them has ended and will
 * not be started again, everything else is stopped and the manager ends with
 * that unit's status. The same happens if a unit fails that the default unit
 * requires.
 *
 * The end is derived from the states of units at the end of a turn, not from
 * events. So nothing has to be remembered, a unit on its way to a restart is
 * recognized in any state, and a unit that ended under an earlier core is
 * found as well.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "manager/manager_contract.h"

/* The units stay loaded after their end, so that their status can be read. */
static int hold_unit(ManagerContract *contract, const char *name) {
        Unit *unit;
        int r;

        r = unit_table_load(contract->table, name, &unit);
        if (r < 0)
                return r;
        r = vector_push(&contract->units, unit);
        if (r == 0)
                unit_ref(unit);
        return r;
}

const char *manager_contract_default_unit(const ManagerContract *contract) {
        return contract->options->default_unit ?: "default.target";
}

int manager_contract_take(ManagerContract *contract) {
        const char *default_unit = manager_contract_default_unit(contract);
        int r = 0;

        manager_contract_drop(contract);
        strv_foreach(name, contract->options->exit_on) {
                if (r == 0)
                        r = hold_unit(contract, *name);
                contract->n_exit_units += r == 0;
        }
        if (r == 0 && contract->options->is_container && *default_unit)
                r = hold_unit(contract, default_unit);
        contract->is_taken = r == 0;
        return r;
}

void manager_contract_drop(ManagerContract *contract) {
        for (size_t i = 0; i < contract->units.n; i++)
                unit_unref(contract->units.items[i]);
        vector_deinit(&contract->units);
        contract->n_exit_units = 0;
        contract->is_taken = false;
}

/* The unit is inactive, and only a request would change that. Its history under an earlier core may be unknown. */
static bool is_over(const ManagerContract *contract, const Unit *unit) {
        JobInfo job;

        if (contract->options->keeper.is_again && unit->state_change.monotonic == 0)
                return false;
        return unit_state_is_inactive_or_failed(unit->active_state) && !unit_will_restart(unit) &&
               !job_manager_unit_job(contract->jobs, unit, &job);
}

/* A failed unit never gives 0; one that was skipped by its conditions, or has no process, does. */
static int status_of(const Unit *unit) {
        int status = unit->vtable->exit_status ? unit->vtable->exit_status(unit) : -ENODATA;
        bool is_fine = unit->active_state != UNIT_FAILED;

        if (status < 0)
                status = is_fine && (unit->active_enter.monotonic > 0 || unit->condition_result < 0) ? 0 : 1;
        return status == 0 && !is_fine ? 1 : status;
}

static bool end_with(const Unit *unit, int status, const char *why, int *ret_status) {
        log_notice("%s has %s%s: ending with status %d.", unit->id,
                   unit->active_state == UNIT_FAILED ? "failed" : "ended", why, status);
        *ret_status = status;
        return true;
}

typedef VECTOR(Unit *) UnitList;

static int add_once(UnitList *list, Unit *unit) {
        for (size_t i = 0; i < list->n; i++)
                if (list->items[i] == unit)
                        return 0;
        return vector_push(list, unit);
}

/* Finds a failed unit; targets on the way are followed to the units that they require. */
static int look_at(const ManagerContract *contract, UnitRelations required, UnitList *targets, Unit **ret_failed) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < required.n; i++) {
                Unit *unit = unit_table_at(contract->table, required.items[i].other);

                if (unit->active_state == UNIT_FAILED && is_over(contract, unit))
                        *ret_failed = unit;
                else if (unit->vtable->is_milestone)
                        r = add_once(targets, unit);
        }
        return r;
}

static Unit *find_failed_essential(const ManagerContract *contract, Unit *root) {
        UnitList targets = {};
        Unit *failed = NULL;
        int r;

        r = add_once(&targets, root);
        for (size_t i = 0; r == 0 && !failed && i < targets.n; i++) {
                r = look_at(contract, unit_relations(targets.items[i], UNIT_REQUIRES), &targets, &failed);
                if (r == 0 && !failed)
                        r = look_at(contract, unit_relations(targets.items[i], UNIT_BINDS_TO), &targets, &failed);
        }
        vector_deinit(&targets);
        return failed;
}

/* The default unit itself counts if it has failed or was never reached. */
static bool is_default_unit_over(const ManagerContract *contract, Unit *unit, int *ret_status) {
        Unit *failed = contract->rows->n_failed > 0 ? find_failed_essential(contract, unit) : NULL;

        if (!failed && is_over(contract, unit) && status_of(unit) != 0 &&
            (unit->active_state == UNIT_FAILED || unit->active_enter.monotonic == 0))
                failed = unit;
        return failed && end_with(failed, status_of(failed), failed == unit ? "" : ", which cannot be done without",
                                  ret_status);
}

bool manager_contract_is_over(ManagerContract *contract, int *ret_status) {
        /* A manager that has taken over has not done this at its start. Without memory the next turn tries again. */
        if (!contract->is_taken && manager_contract_take(contract) < 0)
                return false;
        for (size_t i = 0; i < contract->units.n; i++) {
                Unit *unit = contract->units.items[i];

                if (i >= contract->n_exit_units) {
                        if (is_default_unit_over(contract, unit, ret_status))
                                return true;
                } else if (is_over(contract, unit)) {
                        return end_with(unit, status_of(unit), "", ret_status);
                }
        }
        return false;
}
