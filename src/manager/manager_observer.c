/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What units publish, passed on
 *
 * The engine hears of it first, then whoever listens; nothing here calls back
 * into the unit.
 */

#include <assert.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_group.h"
#include "manager/manager_private.h"

ManagerUnit *manager_of_unit(Manager *manager, const Unit *unit) {
        size_t n = manager->of_units.n;

        if (unit->index >= n) {
                size_t wanted = MAX((size_t) unit->index + 1, (size_t) unit_table_size(manager->units));

                if (vector_reserve(&manager->of_units, wanted - n) < 0)
                        return NULL;
                memset(manager->of_units.items + n, 0, (wanted - n) * sizeof(*manager->of_units.items));
                manager->of_units.n = wanted;
        }
        return &manager->of_units.items[unit->index];
}

void manager_count_failed(Manager *manager, Unit *unit, bool is_failed) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);

        if (!of_unit || of_unit->is_failed == is_failed)
                return;
        of_unit->is_failed = is_failed;
        manager->n_failed = is_failed ? manager->n_failed + 1 : manager->n_failed - 1;
}

static void observer_changed(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new,
                             UnitChangeFlags flags) {
        Manager *manager = userdata;

        manager->has_news = true;
        manager_mark_unit(manager, unit);
        if (old == UNIT_FAILED || new == UNIT_FAILED)
                manager_count_failed(manager, unit, new == UNIT_FAILED);
        manager_follow_group(manager, unit, new);
        job_manager_finish(manager->jobs, unit, old, new, flags, manager->now);
        manager_note_triggered(manager, unit);
        manager_arm_jobs(manager);
        manager_tell(manager, unit_changed, unit);
        if (unit_state_is_inactive_or_failed(new)) {
                manager_journal_remove_unit(manager, unit);
                manager_consider_unloading(manager, unit);
        }
}

static void observer_ready(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        job_manager_resume(manager->jobs, unit);
        manager_arm_jobs(manager);
}

static void observer_reloaded_itself(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        job_manager_notify_reload(manager->jobs, unit, JOB_REPLACE, manager->now);
        manager_arm_jobs(manager);
}

static void observer_added(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        manager->has_news = true;
        manager_tell(manager, unit_added, unit);
        manager_consider_unloading(manager, unit);
}

static void observer_removed(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        manager->has_news = true;
        job_manager_forget_unit(manager->jobs, unit, manager->now);
        manager_tell(manager, unit_removed, unit);
        manager_forget_unit(manager, unit);
}

static void observer_related(void *userdata, Unit *unit) {
        Manager *manager = userdata;

        job_manager_unit_related(manager->jobs, unit);
        manager_arm_jobs(manager);
}

static UnitAnswer observer_check_conditions(void *userdata, Unit *unit) {
        return unit_file_check_conditions(unit);
}

const UnitObserverOps manager_observer_ops = {
        .changed = observer_changed,
        .ready = observer_ready,
        .reloaded_itself = observer_reloaded_itself,
        .added = observer_added,
        .removed = observer_removed,
        .related = observer_related,
        .check_conditions = observer_check_conditions,
};

/* Its index will be another unit's: nothing may be left under it, but its place among the candidates. */
void manager_forget_unit(Manager *manager, Unit *unit) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);
        bool is_candidate;

        manager_mark_unit(manager, unit);
        if (!of_unit)
                return;
        manager_count_failed(manager, unit, false);
        manager_drop_owner(manager, unit);
        manager_log_forget_unit(manager, unit);
        manager_forget_name(manager, unit);
        manager_forget_group(manager, unit);
        if (of_unit->invocation != 0 && id_map_get(&manager->by_invocation, of_unit->invocation) == unit)
                id_map_remove(&manager->by_invocation, of_unit->invocation);

        is_candidate = of_unit->is_candidate;
        *of_unit = (ManagerUnit) { .is_candidate = is_candidate };
}

int manager_listen(Manager *manager, const ManagerListenerOps *ops, void *userdata) {
        assert(manager);
        assert(ops);

        return vector_push(&manager->listeners, ((ManagerListener) { .ops = ops, .userdata = userdata }));
}

void manager_unlisten(Manager *manager, const void *userdata) {
        size_t kept = 0;

        for (size_t i = 0; i < manager->listeners.n; i++)
                if (manager->listeners.items[i].userdata != userdata)
                        manager->listeners.items[kept++] = manager->listeners.items[i];
        manager->listeners.n = kept;
}
