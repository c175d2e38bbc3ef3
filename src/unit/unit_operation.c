/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Operations and changes of state
 *
 * The checks common to all types are made here, in one order, before the type
 * is called; a published state passes through here, so that timestamps are set
 * in one place.
 */

#include <assert.h>

#include "unit/unit_private.h"

static UnitTimestamp unit_now(const Unit *unit) {
        UnitHost *host = unit->table->host;

        if (!host)
                return (UnitTimestamp) {};
        return (UnitTimestamp) { .realtime = host->ops->now_realtime(host), .monotonic = host->ops->now(host) };
}

static UnitAnswer unit_check_conditions(Unit *unit) {
        const UnitTable *table = unit->table;

        if (unit->active_state == UNIT_ACTIVATING || !table->observer || !table->observer->check_conditions)
                return UNIT_UNDER_WAY;
        unit->conditions_checked = unit_now(unit);
        return table->observer->check_conditions(table->observer_userdata, unit);
}

/* A unit with BindsTo= and After= on another requires that one to be active when it starts. */
static bool unit_is_unbound(const Unit *unit) {
        UnitRelations bound = unit_relations(unit, UNIT_BINDS_TO);

        for (size_t i = 0; i < bound.n; i++) {
                const Unit *other = unit_table_at(unit->table, bound.items[i].other);

                if (!unit_state_is_active_or_reloading(other->active_state) &&
                    unit_has_relation(unit, UNIT_AFTER, other))
                        return true;
        }
        return false;
}

static bool unit_has_start(const Unit *unit) {
        return unit->vtable->start && (!unit->vtable->can_start || unit->vtable->can_start(unit));
}

static bool unit_has_stop(const Unit *unit) {
        return unit->vtable->stop && (!unit->vtable->can_stop || unit->vtable->can_stop(unit));
}

static bool unit_has_reload(const Unit *unit) {
        return unit->vtable->reload && (!unit->vtable->can_reload || unit->vtable->can_reload(unit));
}

UnitAnswer unit_start(Unit *unit) {
        UnitAnswer answer;

        assert(unit);

        if (unit_state_is_active_or_reloading(unit->active_state))
                return UNIT_ALREADY;
        if (unit->active_state == UNIT_MAINTENANCE)
                return UNIT_NOT_NOW;
        if (unit->load_state != UNIT_LOADED)
                return UNIT_OPERATION_FAILED;

        answer = unit_check_conditions(unit);
        if (answer != UNIT_UNDER_WAY)
                return answer;

        if (unit->vtable == &unit_fallback_vtable)
                return UNIT_UNSUPPORTED;
        if (unit_is_unbound(unit))
                return UNIT_DEPENDENCY_UNMET;
        if (!unit_has_start(unit))
                return UNIT_CANNOT;
        return unit->vtable->start(unit);
}

UnitAnswer unit_stop(Unit *unit) {
        assert(unit);

        if (unit_state_is_inactive_or_failed(unit->active_state))
                return UNIT_ALREADY;
        if (!unit_has_stop(unit))
                return UNIT_CANNOT;
        return unit->vtable->stop(unit);
}

UnitAnswer unit_reload(Unit *unit) {
        assert(unit);

        if (unit->load_state != UNIT_LOADED)
                return UNIT_OPERATION_FAILED;
        if (!unit_can_reload(unit))
                return UNIT_CANNOT;
        if (unit->active_state == UNIT_RELOADING)
                return UNIT_NOT_NOW;
        if (unit->active_state != UNIT_ACTIVE)
                return UNIT_WRONG_STATE;
        if (!unit_has_reload(unit))
                return UNIT_ALREADY;            /* the unit only propagates reloads */
        return unit->vtable->reload(unit);
}

bool unit_can_start(const Unit *unit) {
        assert(unit);

        return unit->load_state == UNIT_LOADED && unit_has_start(unit);
}

bool unit_can_stop(const Unit *unit) {
        assert(unit);

        return !unit->settings.is_perpetual && unit_has_stop(unit);
}

bool unit_can_reload(const Unit *unit) {
        assert(unit);

        return unit_has_reload(unit) || unit_relations(unit, UNIT_PROPAGATES_RELOAD_TO).n > 0;
}

bool unit_can_isolate(const Unit *unit) {
        assert(unit);

        return unit->settings.allow_isolate;
}

const char *unit_sub_state(const Unit *unit) {
        assert(unit);

        if (unit->vtable->sub_state)
                return unit->vtable->sub_state(unit);
        return unit_active_state_to_string(unit->active_state);
}

bool unit_will_restart(const Unit *unit) {
        assert(unit);

        return unit->vtable->will_restart && unit->vtable->will_restart(unit);
}

static void unit_stamp(Unit *unit, UnitActiveState old, UnitActiveState new) {
        UnitTimestamp now = unit_now(unit);

        unit->state_change = now;
        if (unit_state_is_inactive_or_failed(old) && !unit_state_is_inactive_or_failed(new))
                unit->inactive_exit = now;
        if (!unit_state_is_inactive_or_failed(old) && unit_state_is_inactive_or_failed(new))
                unit->inactive_enter = now;
        if (!unit_state_is_active_or_reloading(old) && unit_state_is_active_or_reloading(new))
                unit->active_enter = now;
        if (unit_state_is_active_or_reloading(old) && !unit_state_is_active_or_reloading(new))
                unit->active_exit = now;
}

void unit_publish(Unit *unit, UnitActiveState new, UnitChangeFlags flags) {
        const UnitTable *table;
        UnitActiveState old;

        assert(unit);

        table = unit->table;
        old = unit->active_state;
        unit->active_state = new;
        unit_stamp(unit, old, new);
        if (table->observer && table->observer->changed)
                table->observer->changed(table->observer_userdata, unit, old, new, flags);
}

void unit_publish_ready(Unit *unit) {
        const UnitTable *table;

        assert(unit);

        table = unit->table;
        if (table->observer && table->observer->ready)
                table->observer->ready(table->observer_userdata, unit);
}

void unit_publish_reloaded_itself(Unit *unit) {
        const UnitTable *table;

        assert(unit);

        table = unit->table;
        if (table->observer && table->observer->reloaded_itself)
                table->observer->reloaded_itself(table->observer_userdata, unit);
}
