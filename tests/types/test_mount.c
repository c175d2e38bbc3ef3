/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mounts: from state to state, by exits of mount(8) and changes of the kernel's table
 */

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/record.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "double/double_unit.h"
#include "types/mount_state.h"
#include "types/unit_types.h"

#define PID 12

static const MountEntry entry = { "/srv", "/dev/x", "ext4", "rw" };

typedef struct Fixture {
        DoubleWorld *world;
        Unit *unit;
        MountSettings *settings;
        char argv[256];                 /* of the last command */
        char *places[2];
} Fixture;

static void free_settings(void *settings) {
        mount_settings_deinit(settings);
        free(settings);
}

static Fixture begin(void) {
        Fixture f = { .world = double_world_new(), .settings = calloc(1, sizeof(MountSettings)) };

        assert_not_null(f.settings);
        unit_table_set_type(f.world->table, &mount_vtable);
        f.unit = double_unit(f.world, "srv.mount", UNIT_INACTIVE);
        mount_settings_init(f.settings);
        f.settings->where = strdup("/srv");
        f.settings->what = strdup("/dev/x");
        f.unit->type_settings = f.settings;
        f.unit->type_settings_free = free_settings;
        return f;
}

static void end(Fixture *f) {
        double_world_free(f->world);
}

#define FIXTURE(f) cleanup_(end) Fixture f = begin()
#define assert_sub_state(f, state) assert_string(unit_sub_state((f).unit), state)
#define assert_result(f, r) cr_assert(eq(int, mount_of((f).unit)->result, MOUNT_RESULT_##r))

static void start(Fixture *f) {
        cr_assert(eq(int, unit_start(f->unit), UNIT_UNDER_WAY));
}

/* Starts the requested process, like the host. */
static void spawn(Fixture *f) {
        ExecRequest request = {};
        cleanup_free_ char *argv = NULL;

        cr_assert(eq(int, mount_vtable.prepare_spawn(f->unit, UNIT_PURPOSE_CONTROL, &request), 0));
        cr_assert(eq(int, strv_join(request.argv, " ", &argv), 0));
        strncpy(f->argv, argv, sizeof(f->argv) - 1);
        f->places[0] = (char *) request.places[0];
        f->places[1] = (char *) request.places[1];
        exec_request_deinit(&request);
        mount_vtable.spawned(f->unit, UNIT_PURPOSE_CONTROL, PID, &(ExecResult) {});
}

static void exit_with(Fixture *f, int status) {
        mount_vtable.child_exited(f->unit, &(UnitExit) { .pid = PID, .code = CLD_EXITED, .status = status });
}

static void be_killed(Fixture *f) {
        mount_vtable.child_exited(f->unit, &(UnitExit) { .pid = PID, .code = CLD_KILLED, .status = SIGTERM });
}

/* Changes the kernel's table, and informs the unit like the host. */
static void appear(Fixture *f) {
        f->world->mount = &entry;
        mount_vtable.mounted(f->unit, &entry);
}

static void disappear(Fixture *f) {
        f->world->mount = NULL;
        mount_vtable.mounted(f->unit, NULL);
}

static void mount_it(Fixture *f) {
        start(f);
        spawn(f);
        f->world->mount = &entry;
        exit_with(f, 0);
        assert_sub_state(*f, "mounted");
}

Test(mount, is_up_when_it_is_there_and_mount_has_ended) {
        FIXTURE(f);

        start(&f);
        assert_sub_state(f, "mounting");
        assert_string(double_calls(f.world), "spawn control srv.mount");
        spawn(&f);
        assert_string(f.argv, "/bin/mount /dev/x /srv");
        assert_string(f.places[0], "/srv");
        assert_null(f.places[1]);
        appear(&f);
        assert_sub_state(f, "mounting-done");
        cr_assert(f.unit->active_state == UNIT_ACTIVATING);
        exit_with(&f, 0);
        assert_sub_state(f, "mounted");
        cr_assert(f.unit->active_state == UNIT_ACTIVE);
        cr_assert(eq(u64, double_timer(f.world, f.unit, UNIT_PURPOSE_STATE_LIMIT), USEC_INFINITY));
}

Test(mount, also_if_the_exit_is_told_first) {
        FIXTURE(f);

        mount_it(&f);
        appear(&f);
        assert_sub_state(f, "mounted");
}

Test(mount, command_has_all_that_the_file_says) {
        FIXTURE(f);

        f.settings->options = strdup("bind,nofail,ro,noauto");
        f.settings->type = strdup("none");
        f.settings->sloppy_options = f.settings->read_write_only = true;
        start(&f);
        spawn(&f);
        assert_string(f.argv, "/bin/mount /dev/x /srv -s -w -t none -o bind,ro");
        assert_string(f.places[1], "/dev/x");
        f.world->mount = &entry;
        exit_with(&f, 0);
        cr_assert(eq(int, unit_reload(f.unit), UNIT_UNDER_WAY));
        spawn(&f);
        assert_string(f.argv, "/bin/mount /dev/x /srv -s -w -t none -o remount,bind,ro");
        assert_null(f.places[0]);
        exit_with(&f, 0);
        f.settings->lazy_unmount = f.settings->force_unmount = true;
        cr_assert(eq(int, unit_stop(f.unit), UNIT_UNDER_WAY));
        spawn(&f);
        assert_string(f.argv, "/bin/umount /srv -c -l -f");
}

Test(mount, fails_if_mount_does) {
        FIXTURE(f);

        start(&f);
        spawn(&f);
        exit_with(&f, 32);
        assert_sub_state(f, "failed");
        assert_result(f, EXIT_CODE);
        mount_vtable.reset_failed(f.unit);
        assert_sub_state(f, "dead");
        assert_result(f, SUCCESS);
}

Test(mount, fails_if_mount_says_it_is_there_and_it_is_not) {
        FIXTURE(f);

        start(&f);
        spawn(&f);
        exit_with(&f, 0);
        assert_sub_state(f, "failed");
        assert_result(f, PROTOCOL);
        cr_assert(strstr(mount_of(f.unit)->failure, "nothing is mounted at /srv") != NULL);
}

Test(mount, one_that_goes_again_while_it_is_made_is_not_there) {
        FIXTURE(f);

        start(&f);
        spawn(&f);
        appear(&f);
        disappear(&f);
        assert_sub_state(f, "mounting");
        exit_with(&f, 1);
        assert_sub_state(f, "failed");
}

Test(mount, that_takes_too_long_is_ended) {
        FIXTURE(f);

        start(&f);
        spawn(&f);
        double_calls_clear(f.world);
        double_world_advance(f.world, 90 * USEC_PER_SEC);
        assert_sub_state(f, "unmounting-sigterm");
        cr_assert(strstr(double_calls(f.world), "kill group 12 15 srv.mount") != NULL);
        double_calls_clear(f.world);
        double_world_advance(f.world, 90 * USEC_PER_SEC);
        assert_sub_state(f, "unmounting-sigkill");
        cr_assert(strstr(double_calls(f.world), "kill group 12 9 srv.mount") != NULL);
        be_killed(&f);
        assert_sub_state(f, "failed");
        assert_result(f, TIMEOUT);
}

Test(mount, that_was_ended_too_late_is_there) {
        FIXTURE(f);

        start(&f);
        spawn(&f);
        double_world_advance(f.world, 90 * USEC_PER_SEC);
        f.world->mount = &entry;
        be_killed(&f);
        assert_sub_state(f, "mounted");
        assert_result(f, TIMEOUT);
}

Test(mount, stop_while_it_is_made_ends_mount) {
        FIXTURE(f);

        start(&f);
        spawn(&f);
        cr_assert(eq(int, unit_stop(f.unit), UNIT_UNDER_WAY));
        assert_sub_state(f, "unmounting-sigterm");
        cr_assert(eq(int, unit_start(f.unit), UNIT_NOT_NOW));
        be_killed(&f);
        assert_sub_state(f, "dead");
}

Test(mount, stop_before_mount_has_begun_takes_the_wish_back) {
        FIXTURE(f);
        ExecRequest request = {};

        start(&f);
        cr_assert(eq(int, unit_stop(f.unit), UNIT_UNDER_WAY));
        assert_sub_state(f, "dead");
        cr_assert(eq(int, mount_vtable.prepare_spawn(f.unit, UNIT_PURPOSE_CONTROL, &request), -ECANCELED));
}

Test(mount, stops) {
        FIXTURE(f);

        mount_it(&f);
        cr_assert(eq(int, unit_stop(f.unit), UNIT_UNDER_WAY));
        assert_sub_state(f, "unmounting");
        spawn(&f);
        assert_string(f.argv, "/bin/umount /srv -c");
        f.world->mount = NULL;
        exit_with(&f, 0);
        assert_sub_state(f, "dead");
        cr_assert(eq(int, unit_stop(f.unit), UNIT_ALREADY));
}

Test(mount, what_is_in_use_stays_and_can_be_stopped_later) {
        FIXTURE(f);

        mount_it(&f);
        unit_stop(f.unit);
        spawn(&f);
        exit_with(&f, 32);
        assert_sub_state(f, "mounted");
        assert_result(f, EXIT_CODE);
        unit_stop(f.unit);
        spawn(&f);
        f.world->mount = NULL;
        exit_with(&f, 0);
        assert_sub_state(f, "dead");
}

Test(mount, all_that_lie_on_each_other_are_taken_away) {
        FIXTURE(f);

        mount_it(&f);
        unit_stop(f.unit);
        for (unsigned i = 0; i < 5; i++) {
                spawn(&f);
                exit_with(&f, 0);
                assert_sub_state(f, "unmounting");
        }
        spawn(&f);
        f.world->mount = NULL;
        exit_with(&f, 0);
        assert_sub_state(f, "dead");
}

Test(mount, but_not_for_ever) {
        FIXTURE(f);

        mount_it(&f);
        unit_stop(f.unit);
        for (unsigned i = 0; i < 33; i++) {
                spawn(&f);
                exit_with(&f, 0);
        }
        assert_sub_state(f, "mounted");
}

Test(mount, somebody_else_may_have_been_faster) {
        FIXTURE(f);

        mount_it(&f);
        unit_stop(f.unit);
        spawn(&f);
        f.world->mount = NULL;
        exit_with(&f, 32);
        assert_sub_state(f, "dead");
        assert_result(f, SUCCESS);
}

Test(mount, follows_what_others_do) {
        FIXTURE(f);

        appear(&f);
        assert_sub_state(f, "mounted");
        cr_assert(eq(int, unit_start(f.unit), UNIT_ALREADY));
        disappear(&f);
        assert_sub_state(f, "dead");
        start(&f);
        spawn(&f);
        exit_with(&f, 1);
        assert_sub_state(f, "failed");
        appear(&f);
        assert_sub_state(f, "mounted");
        assert_result(f, SUCCESS);
}

Test(mount, one_without_a_file_can_only_be_stopped) {
        FIXTURE(f);

        free(take_ptr(f.settings->what));
        cr_assert(unit_can_stop(f.unit) && !unit_can_start(f.unit));
        appear(&f);
        cr_assert(eq(int, unit_stop(f.unit), UNIT_UNDER_WAY));
        spawn(&f);
        assert_string(f.argv, "/bin/umount /srv -c");
}

Test(mount, remount_that_fails_leaves_it_up) {
        FIXTURE(f);

        mount_it(&f);
        cr_assert(eq(int, unit_reload(f.unit), UNIT_UNDER_WAY));
        cr_assert(f.unit->active_state == UNIT_RELOADING);
        spawn(&f);
        exit_with(&f, 1);
        assert_sub_state(f, "mounted");
        assert_result(f, SUCCESS);
        cr_assert(eq(int, mount_of(f.unit)->reload_result, MOUNT_RESULT_EXIT_CODE));
}

Test(mount, remount_that_takes_too_long_is_ended) {
        FIXTURE(f);

        mount_it(&f);
        unit_reload(f.unit);
        spawn(&f);
        double_world_advance(f.world, 90 * USEC_PER_SEC);
        assert_sub_state(f, "remounting-sigterm");
        double_world_advance(f.world, 90 * USEC_PER_SEC);
        assert_sub_state(f, "remounting-sigkill");
        be_killed(&f);
        assert_sub_state(f, "mounted");
        cr_assert(eq(int, mount_of(f.unit)->reload_result, MOUNT_RESULT_TIMEOUT));
}

Test(mount, stop_while_it_is_remounted_comes_after) {
        FIXTURE(f);

        mount_it(&f);
        unit_reload(f.unit);
        spawn(&f);
        cr_assert(eq(int, unit_stop(f.unit), UNIT_UNDER_WAY));
        assert_sub_state(f, "remounting-sigterm");
        be_killed(&f);
        assert_sub_state(f, "unmounting");
}

Test(mount, that_is_started_too_often_fails) {
        FIXTURE(f);

        f.unit->settings.start_limit_interval = 10 * USEC_PER_SEC;
        f.unit->settings.start_limit_burst = 1;
        start(&f);
        spawn(&f);
        exit_with(&f, 1);
        cr_assert(eq(int, unit_start(f.unit), UNIT_OPERATION_FAILED));
        assert_result(f, START_LIMIT_HIT);
}

/* Goes on as the next core does, from the record. */
static void renew(Fixture *f) {
        RecordWriter writer = {};
        RecordReader reader;

        mount_vtable.record(f->unit, &writer);
        cr_assert(writer.has_failed == false);
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, mount_vtable.restore(f->unit, &reader), 0));
        cr_assert(record_is_at_end(&reader));
        for (size_t n = 0; n < writer.n; n++) {
                record_reader_init(&reader, writer.bytes, n);
                cr_assert(mount_vtable.restore(f->unit, &reader) < 0 || n == writer.n);
        }
        record_writer_deinit(&writer);
        mount_vtable.resume(f->unit);
}

Test(mount, goes_on_in_another_process) {
        FIXTURE(f);

        start(&f);
        spawn(&f);
        renew(&f);
        assert_sub_state(f, "mounting");
        f.world->mount = &entry;
        renew(&f);
        assert_sub_state(f, "mounting-done");
        exit_with(&f, 0);
        assert_sub_state(f, "mounted");
        renew(&f);
        assert_sub_state(f, "mounted");
        f.world->mount = NULL;
        renew(&f);
        assert_sub_state(f, "dead");
        f.world->mount = &entry;
        renew(&f);
        assert_sub_state(f, "mounted");
}

Test(mount, has_not_failed_any_more_if_it_was_mounted_meanwhile) {
        FIXTURE(f);

        start(&f);
        spawn(&f);
        exit_with(&f, 1);
        assert_sub_state(f, "failed");
        f.world->mount = &entry;
        renew(&f);
        assert_sub_state(f, "mounted");
        assert_result(f, SUCCESS);
}

Test(mount, is_there_when_it_is_loaded) {
        FIXTURE(f);

        f.world->mount = &entry;
        mount_vtable.loaded(f.unit);
        assert_sub_state(f, "mounted");
        cr_assert(f.unit->active_state == UNIT_ACTIVE);
}
