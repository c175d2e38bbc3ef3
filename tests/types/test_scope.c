/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scopes, with processes that are only numbers
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "basic/record.h"
#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/scope.h"
#include "types/unit_types.h"
#include "unit/unit_record.h"
#include "unit/unit_slice.h"

typedef struct Fixture {
        DoubleWorld *world;
        Unit *scope;
        ScopeSettings *settings;
} Fixture;

/* The host's answers: the number of processes besides those that are watched, and whether there is a group. */
static int n_rest;
static bool has_group;
static unsigned n_asked;

static int host_kill_rest(UnitHost *host, Unit *unit, int signal, pid_t main_pid, pid_t control_pid) {
        return n_rest;
}

static int host_adopt(UnitHost *host, Unit *unit, const pid_t *pids, size_t n) {
        return has_group;
}

static void host_ask(UnitHost *host, Unit *unit) {
        n_asked++;
}

static void free_settings(void *settings) {
        scope_settings_deinit(settings);
        free(settings);
}

static Fixture begin(void) {
        static UnitHostOps ops;
        Fixture f = { .world = double_world_new(), .settings = malloc(sizeof(ScopeSettings)) };

        n_rest = 0;
        has_group = false;
        n_asked = 0;
        ops = *f.world->host.ops;
        ops.kill_rest = host_kill_rest;
        ops.adopt = host_adopt;
        ops.ask_to_stop = host_ask;
        f.world->host.ops = &ops;
        unit_table_set_type(f.world->table, &scope_vtable);
        f.scope = double_unit(f.world, "a.scope", UNIT_INACTIVE);
        scope_settings_init(f.settings);
        f.scope->type_settings = f.settings;
        f.scope->type_settings_free = free_settings;
        return f;
}

static void end(Fixture *f) {
        double_world_free(f->world);
}

#define FIXTURE(f) cleanup_(end) Fixture f = begin()
#define assert_sub_state(f, state) assert_string(unit_sub_state((f).scope), state)

static void give(Fixture *f, const char *controller) {
        const pid_t pids[] = { 11, 12 };
        Failure failure = {};

        cr_assert(eq(int, scope_vtable.give_processes(f->scope, pids, 2, controller, &failure), 0));
}

static void start(Fixture *f) {
        cr_assert(eq(int, unit_start(f->scope), UNIT_UNDER_WAY));
        double_calls_clear(f->world);
}

static void exits(Fixture *f, pid_t pid) {
        scope_vtable.child_exited(f->scope, &(UnitExit) { .pid = pid });
}

Test(scope, ends_with_the_last_process_it_was_made_of) {
        FIXTURE(f);

        give(&f, NULL);
        start(&f);
        assert_sub_state(f, "running");
        exits(&f, 11);
        assert_sub_state(f, "running");
        exits(&f, 12);
        assert_sub_state(f, "dead");
}

static int watch_shared(UnitHost *host, Unit *unit, UnitPurpose purpose, pid_t pid) {
        return pid == 12 ? -EEXIST : 0;
}

Test(scope, the_managers_own_is_always_there) {
        FIXTURE(f);
        Unit *own = double_unit(f.world, UNIT_OWN_SCOPE, UNIT_ACTIVE);
        Failure failure = {};
        UnitGroup group = {};

        own->type_settings = f.settings;
        scope_vtable.loaded(own);
        cr_assert(eq(int, own->active_state, UNIT_ACTIVE));
        assert_string(unit_sub_state(own), "running");
        cr_assert(not(unit_can_stop(own)));
        scope_vtable.group_emptied(own);
        assert_string(unit_sub_state(own), "running");
        scope_vtable.group(own, &group);
        cr_assert(not(group.is_begun));
        cr_assert(eq(int, scope_vtable.abandon(own, &failure), -ESTALE));
        failure_deinit(&failure);
        own->type_settings = NULL;
}

/* As the main process of a getty, which becomes a session. */
Test(scope, takes_a_process_of_another_unit_into_its_group) {
        UnitHostOps ops;
        FIXTURE(f);

        ops = *f.world->host.ops;
        ops.watch_process = watch_shared;
        f.world->host.ops = &ops;
        has_group = true;
        n_rest = 2;
        give(&f, NULL);
        start(&f);
        assert_sub_state(f, "running");
        n_rest = 0;
        scope_vtable.group_emptied(f.scope);
        assert_sub_state(f, "dead");
}

Test(scope, cannot_share_a_process_without_a_group) {
        UnitHostOps ops;
        FIXTURE(f);

        ops = *f.world->host.ops;
        ops.watch_process = watch_shared;
        f.world->host.ops = &ops;
        give(&f, NULL);
        start(&f);
        assert_sub_state(f, "failed");
}

Test(scope, waits_for_what_is_left_behind) {
        FIXTURE(f);

        give(&f, NULL);
        start(&f);
        n_rest = 1;
        exits(&f, 11);
        exits(&f, 12);
        assert_sub_state(f, "running");
        n_rest = 0;
        double_world_advance(f.world, USEC_PER_SEC);
        assert_sub_state(f, "dead");
}

Test(scope, ends_with_its_group) {
        FIXTURE(f);

        has_group = true;
        n_rest = 3;
        give(&f, NULL);
        start(&f);
        cr_assert(zero(sz, scope_of(f.scope)->pids.n));
        double_world_advance(f.world, USEC_PER_SEC);
        assert_sub_state(f, "running");
        n_rest = 0;
        scope_vtable.group_emptied(f.scope);
        assert_sub_state(f, "dead");
}

Test(scope, a_group_that_is_empty_at_once) {
        FIXTURE(f);

        has_group = true;
        give(&f, NULL);
        start(&f);
        double_world_advance(f.world, USEC_PER_MSEC);
        assert_sub_state(f, "dead");
}

Test(scope, starts_once_only) {
        FIXTURE(f);

        give(&f, NULL);
        start(&f);
        exits(&f, 11);
        exits(&f, 12);
        cr_assert(eq(int, unit_start(f.scope), UNIT_ONCE));
}

Test(scope, without_processes_it_fails) {
        FIXTURE(f);

        give(&f, NULL);
        exits(&f, 11);
        exits(&f, 12);
        start(&f);
        assert_sub_state(f, "failed");
        assert_string(scope_result_to_string(scope_of(f.scope)->result), "resources");
}

Test(scope, stops_and_kills) {
        FIXTURE(f);

        f.settings->timeout_stop = 5 * USEC_PER_SEC;
        give(&f, NULL);
        start(&f);
        cr_assert(eq(int, unit_stop(f.scope), UNIT_UNDER_WAY));
        assert_sub_state(f, "stop-sigterm");
        assert_string(double_calls(f.world),
                      "kill 11 15 a.scope, kill 12 15 a.scope, kill 11 18 a.scope, kill 12 18 a.scope");
        double_calls_clear(f.world);
        double_world_advance(f.world, 5 * USEC_PER_SEC);
        assert_sub_state(f, "stop-sigkill");
        assert_string(double_calls(f.world), "kill 11 9 a.scope, kill 12 9 a.scope");
        exits(&f, 11);
        exits(&f, 12);
        assert_sub_state(f, "failed");
        assert_string(scope_result_to_string(scope_of(f.scope)->result), "timeout");
        scope_vtable.reset_failed(f.scope);
        assert_sub_state(f, "dead");
}

Test(scope, kill_modes) {
        FIXTURE(f);

        f.settings->kill.mode = KILL_MODE_MIXED;
        give(&f, NULL);
        start(&f);
        unit_stop(f.scope);
        assert_sub_state(f, "stop-sigkill");
        f.settings->kill.mode = KILL_MODE_NONE;
        double_calls_clear(f.world);
        scope_of(f.scope)->state = SCOPE_RUNNING;
        unit_publish(f.scope, UNIT_ACTIVE, 0);
        unit_stop(f.scope);
        assert_sub_state(f, "dead");
}

Test(scope, a_controller_is_asked_first) {
        FIXTURE(f);

        give(&f, ":1.2");
        start(&f);
        unit_stop(f.scope);
        assert_sub_state(f, "stop-sigterm");
        cr_assert(eq(u32, n_asked, 1));
        assert_string(double_calls(f.world), "");
        double_world_advance(f.world, 90 * USEC_PER_SEC);
        assert_sub_state(f, "stop-sigkill");
}

Test(scope, abandoned_it_has_none) {
        Failure failure = {};
        FIXTURE(f);

        cr_assert(eq(int, scope_vtable.abandon(f.scope, &failure), -ESTALE));
        failure_deinit(&failure);
        give(&f, ":1.2");
        start(&f);
        cr_assert(eq(int, scope_vtable.abandon(f.scope, &failure), 0));
        assert_sub_state(f, "abandoned");
        unit_stop(f.scope);
        cr_assert(zero(u32, n_asked));
        assert_sub_state(f, "stop-sigterm");
}

Test(scope, a_controller_that_goes_is_none) {
        FIXTURE(f);

        give(&f, ":1.2");
        start(&f);
        scope_vtable.name_owned(f.scope, false, 0);
        unit_stop(f.scope);
        cr_assert(zero(u32, n_asked));
}

Test(scope, has_a_time_limit) {
        FIXTURE(f);

        f.settings->runtime_max = USEC_PER_MINUTE;
        f.settings->runtime_extra = USEC_PER_SEC;
        give(&f, NULL);
        start(&f);
        double_world_advance(f.world, 59 * USEC_PER_SEC);
        assert_sub_state(f, "running");
        double_world_advance(f.world, 2 * USEC_PER_SEC);
        assert_sub_state(f, "stop-sigterm");
        exits(&f, 11);
        exits(&f, 12);
        assert_string(scope_result_to_string(scope_of(f.scope)->result), "timeout");
        assert_sub_state(f, "failed");
}

Test(scope, memory_that_runs_out) {
        FIXTURE(f);

        has_group = true;
        n_rest = 1;
        give(&f, NULL);
        start(&f);
        scope_vtable.group_out_of_memory(f.scope);
        assert_sub_state(f, "stop-sigterm");
        n_rest = 0;
        scope_vtable.group_emptied(f.scope);
        assert_string(scope_result_to_string(scope_of(f.scope)->result), "oom-kill");
}

Test(scope, goes_on_in_another_process) {
        RecordWriter writer = {};
        RecordReader reader;
        FIXTURE(f);

        f.settings->runtime_max = USEC_PER_MINUTE;
        give(&f, ":1.2");
        start(&f);
        scope_vtable.record(f.scope, &writer);
        record_reader_init(&reader, writer.bytes, writer.n);
        scope_of(f.scope)->state = SCOPE_DEAD;
        vector_clear(&scope_of(f.scope)->pids);
        free(take_ptr(scope_of(f.scope)->controller));
        cr_assert(eq(int, scope_vtable.restore(f.scope, &reader), 0));
        scope_vtable.resume(f.scope);
        assert_sub_state(f, "running");
        assert_string(scope_of(f.scope)->controller, ":1.2");
        exits(&f, 11);
        exits(&f, 12);
        assert_sub_state(f, "dead");
        record_writer_deinit(&writer);
}

Test(scope, a_damaged_record_changes_nothing) {
        const uint8_t bytes[] = { 250, 1, 2 };
        RecordReader reader;
        FIXTURE(f);

        record_reader_init(&reader, bytes, sizeof(bytes));
        give(&f, NULL);
        start(&f);
        cr_assert(eq(int, scope_vtable.restore(f.scope, &reader), -EBADMSG));
        assert_sub_state(f, "running");
}

Test(scope, signals) {
        Failure failure = {};
        FIXTURE(f);

        give(&f, NULL);
        start(&f);
        cr_assert(eq(int, scope_vtable.kill(f.scope, "main", SIGHUP, &failure), -ESRCH));
        failure_deinit(&failure);
        cr_assert(eq(int, scope_vtable.kill(f.scope, "all", SIGHUP, &failure), 0));
        assert_string(double_calls(f.world), "kill 11 1 a.scope, kill 12 1 a.scope");
}

Test(scope, gives_back_what_it_will_not_have) {
        Failure failure = {};
        FIXTURE(f);

        give(&f, ":1.2");
        cr_assert(eq(int, scope_vtable.give_processes(f.scope, NULL, 0, NULL, &failure), 0));
        cr_assert(zero(sz, scope_of(f.scope)->pids.n));
        cr_assert(scope_of(f.scope)->controller == NULL);
}

/* A job may wait for a long time. */
Test(scope, what_it_was_given_is_written_down_before_it_starts) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RecordReader reader;
        Unit *other;
        FIXTURE(f);

        give(&f, ":1.2");
        unit_record(f.scope, &writer);
        other = double_unit(f.world, "b.scope", UNIT_INACTIVE);
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, unit_restore(other, &reader), 0));
        cr_assert(eq(sz, scope_of(other)->pids.n, 2));
        assert_string(scope_of(other)->controller, ":1.2");
}
