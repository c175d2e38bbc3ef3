/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Operations and changes of state
 *
 * The checks common to all types are made here, in one order, before the type
 * is called; a published state passes through here, so that timestamps are set
 * in one place.
 */

#include <assert.h>
#include <stdio.h>
#include <string.h>

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
const Unit *unit_find_unbound(const Unit *unit) {
        UnitRelations bound = unit_relations(unit, UNIT_BINDS_TO);

        for (size_t i = 0; i < bound.n; i++) {
                const Unit *other = unit_table_at(unit->table, bound.items[i].other);

                if (!unit_state_is_active_or_reloading(other->active_state) &&
                    unit_has_relation(unit, UNIT_AFTER, other))
                        return other;
        }
        return NULL;
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
        if (unit_find_unbound(unit))
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

/* — reasons — */

const char *unit_failure(const Unit *unit) {
        assert(unit);

        return unit->active_state == UNIT_FAILED && unit->vtable->failure ? unit->vtable->failure(unit) : NULL;
}

static bool is_unmet(const UnitCondition *check, bool is_assert) {
        return check->is_assert == is_assert && check->result < 0;
}

/* "ConditionPathExists=!/x" */
static int write_condition(const UnitCondition *check, char *buffer, size_t size) {
        return snprintf(buffer, size, "%s=%s%s%s", check->directive, check->is_trigger ? "|" : "",
                        check->is_negated ? "!" : "", check->parameter);
}

const char *unit_list_unmet(const Unit *unit, char *buffer, size_t size) {
        const bool is_assert = unit->condition_result >= 0;
        bool has_other = false;
        size_t n = 0;

        assert(unit);

        for (const UnitCondition *check = unit->settings.rare->conditions; check; check = check->next)
                has_other = has_other || (is_unmet(check, is_assert) && !check->is_trigger);
        for (const UnitCondition *check = unit->settings.rare->conditions; check && n < size; check = check->next)
                if (is_unmet(check, is_assert) && !(check->is_trigger && has_other)) {
                        if (n > 0)
                                n += (size_t) snprintf(buffer + n, size - n, ", ");
                        if (n < size)
                                n += (size_t) write_condition(check, buffer + n, size - n);
                }
        return n > 0 ? buffer : NULL;
}

/* Whether the list has the condition as one of its items. */
static bool is_listed(const char *unmet, const UnitCondition *check) {
        char text[512];
        size_t n = (size_t) write_condition(check, text, sizeof(text));

        if (n >= sizeof(text))
                return false;
        for (const char *at = strstr(unmet, text); at; at = strstr(at + 1, text))
                if ((at == unmet || at[-1] == ' ') && (at[n] == '\0' || at[n] == ','))
                        return true;
        return false;
}

/* Conditions are tested in the order of the file up to the first that is not met; assertions come after them. */
bool unit_restore_unmet(Unit *unit, UnitAnswer answer, const char *unmet, UnitTimestamp at) {
        const bool is_assert = answer == UNIT_ASSERT_UNMET;
        UnitCondition *list = unit->settings.rare->conditions;
        bool is_known = false;

        assert(unit);
        assert(unmet);

        for (const UnitCondition *check = list; check; check = check->next)
                is_known = is_known || (check->is_assert == is_assert && is_listed(unmet, check));
        if (!is_known)
                return false;
        for (UnitCondition *check = list; check; check = check->next)
                if (!check->is_assert && is_assert)
                        check->result = check->is_trigger ? 0 : 1;
        for (UnitCondition *check = list; check; check = check->next) {
                if (check->is_assert != is_assert)
                        continue;
                check->result = is_listed(unmet, check) ? -1 : check->is_trigger ? 0 : 1;
                if (check->result < 0 && !check->is_trigger)
                        break;
        }
        unit->condition_result = is_assert ? 1 : -1;
        unit->assert_result = is_assert ? -1 : 0;
        unit->conditions_checked = at;
        return true;
}
