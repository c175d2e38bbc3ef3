/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When the manager ends by itself, and with which status
 *
 * A container is there for a unit or two: when one of those has ended, and will
 * not be started again, all else is stopped and the manager ends with that
 * unit's status. The same when a unit has failed that the default unit cannot
 * do without.
 *
 * It is looked at in the state of the units at the end of a turn, not at what
 * has led there. So nothing has to be remembered, a unit that is on its way to
 * its next start by whatever way is seen to be so, and what ended while nobody
 * looked is found all the same.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "manager/manager_private.h"

/* They must stay when they are over, to be asked how they ended. */
static int hold_unit(Manager *manager, const char *name) {
        Unit *unit;
        int r;

        r = unit_table_load(manager->units, name, &unit);
        if (r < 0)
                return r;
        r = vector_push(&manager->contract_units, unit);
        if (r == 0)
                unit_ref(unit);
        return r;
}

int manager_take_contract(Manager *manager, char *const *exit_on, const char *default_unit) {
        int r = 0;

        manager_drop_contract(manager);
        strv_foreach(name, exit_on) {
                if (r == 0)
                        r = hold_unit(manager, *name);
                manager->n_exit_units += r == 0;
        }
        if (r == 0 && manager->options.is_container && *default_unit)
                r = hold_unit(manager, default_unit);
        manager->has_contract = r == 0;
        return r;
}

void manager_drop_contract(Manager *manager) {
        for (size_t i = 0; i < manager->contract_units.n; i++)
                unit_unref(manager->contract_units.items[i]);
        vector_deinit(&manager->contract_units);
        manager->n_exit_units = 0;
        manager->has_contract = false;
}

/* It does nothing, and nothing will change that unless somebody asks. Of a core before us nothing may be known. */
static bool is_over(const Manager *manager, const Unit *unit) {
        JobInfo job;

        if (manager_is_again(manager) && unit->state_change.monotonic == 0)
                return false;
        return unit_state_is_inactive_or_failed(unit->active_state) && !unit_will_restart(unit) &&
               !job_manager_unit_job(manager->jobs, unit, &job);
}

/* A unit that has failed never says 0; one that was skipped by its conditions, or has no process, does. */
static int status_of(const Unit *unit) {
        int status = unit->vtable->exit_status ? unit->vtable->exit_status(unit) : -ENODATA;
        bool is_fine = unit->active_state != UNIT_FAILED;

        if (status < 0)
                status = is_fine && (unit->active_enter.monotonic > 0 || unit->condition_result < 0) ? 0 : 1;
        return status == 0 && !is_fine ? 1 : status;
}

static void end_with(Manager *manager, const Unit *unit, int status, const char *why) {
        log_notice("%s has %s%s: ending with status %d.", unit->id,
                   unit->active_state == UNIT_FAILED ? "failed" : "ended", why, status);
        manager_exit(manager, status, true);
}

typedef VECTOR(Unit *) UnitList;

static int add_once(UnitList *list, Unit *unit) {
        for (size_t i = 0; i < list->n; i++)
                if (list->items[i] == unit)
                        return 0;
        return vector_push(list, unit);
}

/* One that has failed; the targets on the way are as essential as what they require. */
static int look_at(const Manager *manager, UnitRelations required, UnitList *targets, Unit **ret_failed) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < required.n; i++) {
                Unit *unit = unit_table_at(manager->units, required.items[i].other);

                if (unit->active_state == UNIT_FAILED && is_over(manager, unit))
                        *ret_failed = unit;
                else if (unit->type == UNIT_TARGET)
                        r = add_once(targets, unit);
        }
        return r;
}

static Unit *find_failed_essential(const Manager *manager, Unit *root) {
        UnitList targets = {};
        Unit *failed = NULL;
        int r;

        r = add_once(&targets, root);
        for (size_t i = 0; r == 0 && !failed && i < targets.n; i++) {
                r = look_at(manager, unit_relations(targets.items[i], UNIT_REQUIRES), &targets, &failed);
                if (r == 0 && !failed)
                        r = look_at(manager, unit_relations(targets.items[i], UNIT_BINDS_TO), &targets, &failed);
        }
        vector_deinit(&targets);
        return failed;
}

/* The default unit itself counts if it has failed, or was never reached. */
static bool check_default_unit(Manager *manager, Unit *unit) {
        Unit *failed = manager->n_failed > 0 ? find_failed_essential(manager, unit) : NULL;

        if (!failed && is_over(manager, unit) && status_of(unit) != 0 &&
            (unit->active_state == UNIT_FAILED || unit->active_enter.monotonic == 0))
                failed = unit;
        if (failed)
                end_with(manager, failed, status_of(failed), failed == unit ? "" : ", which cannot be done without");
        return failed;
}

void manager_check_contract(Manager *manager) {
        /* Who has taken over from another has not begun anything. Without memory it is tried again in the next turn. */
        if (!manager->has_contract &&
            manager_take_contract(manager, manager->options.exit_on, manager->options.default_unit ?: "default.target") < 0)
                return;
        for (size_t i = 0; i < manager->contract_units.n; i++) {
                Unit *unit = manager->contract_units.items[i];

                if (i >= manager->n_exit_units) {
                        if (check_default_unit(manager, unit))
                                return;
                } else if (is_over(manager, unit)) {
                        end_with(manager, unit, status_of(unit), "");
                        return;
                }
        }
}
