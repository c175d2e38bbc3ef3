/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Operations: what is answered before a type is asked, and in which order.
 */

#include "basic/macro.h"
#include "double/double_assert.h"
#include "double/double_unit.h"

typedef struct Heard {
        UnitAnswer conditions;
        unsigned n_checks, n_changes, n_ready, n_reloaded;
        UnitActiveState old, new;
        UnitChangeFlags flags;
} Heard;

static void heard_changed(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new, UnitChangeFlags flags) {
        Heard *heard = userdata;

        heard->n_changes++;
        heard->old = old;
        heard->new = new;
        heard->flags = flags;
}

static void heard_ready(void *userdata, Unit *unit) {
        ((Heard *) userdata)->n_ready++;
}

static void heard_reloaded(void *userdata, Unit *unit) {
        ((Heard *) userdata)->n_reloaded++;
}

static UnitAnswer heard_check(void *userdata, Unit *unit) {
        Heard *heard = userdata;

        heard->n_checks++;
        return heard->conditions;
}

static const UnitObserverOps heard_ops = {
        .changed = heard_changed,
        .ready = heard_ready,
        .reloaded_itself = heard_reloaded,
        .check_conditions = heard_check,
};

static void assert_answer(UnitAnswer answer, UnitAnswer expected) {
        assert_string(unit_answer_to_string(answer), unit_answer_to_string(expected));
}

Test(unit_operation, start_depends_on_the_state) {
        static const struct {
                UnitActiveState state;
                UnitAnswer answer;
        } table[] = {
                { UNIT_INACTIVE, UNIT_UNDER_WAY },   { UNIT_FAILED, UNIT_UNDER_WAY },
                { UNIT_ACTIVATING, UNIT_UNDER_WAY }, { UNIT_ACTIVE, UNIT_ALREADY },
                { UNIT_RELOADING, UNIT_ALREADY },    { UNIT_DEACTIVATING, UNIT_UNDER_WAY },
                { UNIT_MAINTENANCE, UNIT_NOT_NOW },
        };
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                assert_answer(unit_start(double_unit(world, "a.service", table[i].state)), table[i].answer);
        cr_assert(eq(sz, world->n_calls, 4));
}

Test(unit_operation, start_of_what_is_not_loaded_fails) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit;

        cr_assert(eq(int, unit_table_load(world->table, "none.service", &unit), 0));
        assert_answer(unit_start(unit), UNIT_OPERATION_FAILED);
        assert_answer(unit_reload(unit), UNIT_OPERATION_FAILED);
        assert_answer(unit_stop(unit), UNIT_ALREADY);
        cr_assert(not(unit_can_start(unit)));
}

Test(unit_operation, conditions_come_before_everything_the_type_says) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit = double_unit(world, "a.device", UNIT_INACTIVE);
        Heard heard = { .conditions = UNIT_CONDITION_UNMET };

        unit_table_set_observer(world->table, &heard_ops, &heard);
        assert_answer(unit_start(unit), UNIT_CONDITION_UNMET);
        heard.conditions = UNIT_ASSERT_UNMET;
        assert_answer(unit_start(unit), UNIT_ASSERT_UNMET);
        heard.conditions = UNIT_UNDER_WAY;
        assert_answer(unit_start(unit), UNIT_UNSUPPORTED);
        cr_assert(eq(uint, heard.n_checks, 3));
        cr_assert(eq(u64, unit->conditions_checked.monotonic, DOUBLE_CLOCK_START));
}

Test(unit_operation, conditions_are_not_asked_again_while_it_starts) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Heard heard = { .conditions = UNIT_CONDITION_UNMET };

        unit_table_set_observer(world->table, &heard_ops, &heard);
        assert_answer(unit_start(double_unit(world, "a.service", UNIT_ACTIVATING)), UNIT_UNDER_WAY);
        cr_assert(eq(uint, heard.n_checks, 0));
}

Test(unit_operation, what_it_is_bound_to_and_ordered_after_must_be_active) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *a = double_unit(world, "a.service", UNIT_INACTIVE);

        double_relate(world, "a.service", UNIT_BINDS_TO, "b.service");
        double_unit_answer(a, DOUBLE_START, DOUBLE_SILENT);
        assert_answer(unit_start(a), UNIT_UNDER_WAY);
        double_relate(world, "a.service", UNIT_AFTER, "b.service");
        assert_answer(unit_start(a), UNIT_DEPENDENCY_UNMET);
        double_unit(world, "b.service", UNIT_ACTIVE);
        assert_answer(unit_start(a), UNIT_UNDER_WAY);
}

Test(unit_operation, missing_operation_cannot) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit = double_unit(world, "a.service", UNIT_INACTIVE);

        for (int operation = 0; operation < _DOUBLE_OPERATION_MAX; operation++)
                double_unit_allow(unit, (DoubleOperation) operation, false);
        assert_answer(unit_start(unit), UNIT_CANNOT);
        assert_answer(unit_stop(double_unit(world, "a.service", UNIT_ACTIVE)), UNIT_CANNOT);
        assert_answer(unit_reload(unit), UNIT_CANNOT);
        cr_assert(not(unit_can_start(unit)));
        cr_assert(not(unit_can_stop(unit)));
        cr_assert(not(unit_can_reload(unit)));
}

Test(unit_operation, perpetual_unit_cannot_be_stopped) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit = double_unit(world, "-.slice", UNIT_ACTIVE);

        cr_assert(unit_can_stop(unit));
        unit->settings.is_perpetual = true;
        cr_assert(not(unit_can_stop(unit)));
}

Test(unit_operation, reload_depends_on_the_state) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();

        assert_answer(unit_reload(double_unit(world, "a.service", UNIT_INACTIVE)), UNIT_WRONG_STATE);
        assert_answer(unit_reload(double_unit(world, "a.service", UNIT_ACTIVATING)), UNIT_WRONG_STATE);
        assert_answer(unit_reload(double_unit(world, "a.service", UNIT_RELOADING)), UNIT_NOT_NOW);
        assert_answer(unit_reload(double_unit(world, "a.service", UNIT_ACTIVE)), UNIT_UNDER_WAY);
        assert_string(double_calls(world), "reload a.service");
}

Test(unit_operation, unit_that_only_passes_reloads_on_has_nothing_to_do) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit = double_unit(world, "a.target", UNIT_ACTIVE);

        double_unit_allow(unit, DOUBLE_RELOAD, false);
        assert_answer(unit_reload(unit), UNIT_CANNOT);
        double_relate(world, "a.target", UNIT_PROPAGATES_RELOAD_TO, "b.service");
        cr_assert(unit_can_reload(unit));
        assert_answer(unit_reload(unit), UNIT_ALREADY);
        assert_string(double_calls(world), "");
}

Test(unit_operation, change_of_state_sets_timestamps_and_is_told) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit = double_unit(world, "a.service", UNIT_INACTIVE);
        Heard heard = {};
        usec_t t[6];

        unit_table_set_observer(world->table, &heard_ops, &heard);
        for (size_t i = 0; i < ELEMENTSOF(t); i++)
                t[i] = DOUBLE_CLOCK_START + i * USEC_PER_SEC;

        unit_publish(unit, UNIT_ACTIVATING, 0);
        double_clock_advance(&world->clock, USEC_PER_SEC);
        unit_publish(unit, UNIT_ACTIVE, 0);
        double_clock_advance(&world->clock, USEC_PER_SEC);
        unit_publish(unit, UNIT_RELOADING, 0);
        double_clock_advance(&world->clock, USEC_PER_SEC);
        unit_publish(unit, UNIT_DEACTIVATING, 0);
        double_clock_advance(&world->clock, USEC_PER_SEC);
        unit_publish(unit, UNIT_FAILED, UNIT_CHANGE_WILL_RESTART);
        double_clock_advance(&world->clock, USEC_PER_SEC);
        unit_publish(unit, UNIT_FAILED, 0);

        cr_assert(eq(u64, unit->inactive_exit.monotonic, t[0]));
        cr_assert(eq(u64, unit->active_enter.monotonic, t[1]));
        cr_assert(eq(u64, unit->active_exit.monotonic, t[3]));
        cr_assert(eq(u64, unit->inactive_enter.monotonic, t[4]));
        cr_assert(eq(u64, unit->state_change.monotonic, t[5]));
        cr_assert(lt(u64, unit->active_enter.monotonic, unit->active_enter.realtime));
        cr_assert(eq(uint, heard.n_changes, 6));
        cr_assert(eq(int, (int) heard.old, UNIT_FAILED));
        cr_assert(eq(int, (int) heard.new, UNIT_FAILED));
}

Test(unit_operation, ready_and_reloaded_are_told) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit = double_unit(world, "a.service", UNIT_ACTIVE);
        Heard heard = {};

        unit_publish_ready(unit);
        unit_publish_reloaded_itself(unit);
        unit_table_set_observer(world->table, &heard_ops, &heard);
        unit_publish_ready(unit);
        unit_publish_reloaded_itself(unit);
        cr_assert(eq(uint, heard.n_ready, 1));
        cr_assert(eq(uint, heard.n_reloaded, 1));
}

Test(unit_operation, doubles_answer_as_told) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *unit = double_unit(world, "a.service", UNIT_INACTIVE);

        double_unit_answer_next(unit, DOUBLE_START, UNIT_NOT_NOW);
        double_unit_answer_next(unit, DOUBLE_START, DOUBLE_FAIL);
        double_unit_answer(unit, DOUBLE_START, DOUBLE_DONE);
        double_world_answer(world, DOUBLE_STOP, DOUBLE_DONE);
        assert_answer(unit_start(unit), UNIT_NOT_NOW);
        assert_answer(unit_start(unit), UNIT_UNDER_WAY);
        cr_assert(eq(int, (int) unit->active_state, UNIT_FAILED));
        assert_answer(unit_start(unit), UNIT_UNDER_WAY);
        cr_assert(eq(int, (int) unit->active_state, UNIT_ACTIVE));
        assert_answer(unit_stop(unit), UNIT_UNDER_WAY);
        cr_assert(eq(int, (int) unit->active_state, UNIT_INACTIVE));
        cr_assert(eq(sz, double_unit_n_calls(unit, DOUBLE_START), 3));
        assert_string(double_calls(world), "start a.service, start a.service, start a.service, stop a.service");
}
