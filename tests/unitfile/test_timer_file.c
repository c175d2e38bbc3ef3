/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Timer]: what is read, what is refused, and what is implied.
 */

#include "basic/macro.h"
#include "file_world.h"
#include "unitfile/timer_settings.h"

static Unit *load(FileWorld *world, const char *lines) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, text_format(&text, "[Timer]\n%s", lines), 0));
        file_write(world, "a/x.timer", text);
        return file_load(world, "x.timer");
}

static const TimerSettings *settings_of(const Unit *unit) {
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        return unit->type_settings;
}

Test(timer_file, times_are_kept_in_their_order) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const TimerSettings *timer = settings_of(load(world, "OnBootSec=5min\nOnCalendar=weekly UTC\nOnUnitActiveSec=1d\n"));

        cr_assert(eq(sz, timer->values.n, 3));
        cr_assert(eq(int, timer->values.items[0].base, TIMER_ON_BOOT));
        cr_assert(eq(u64, timer->values.items[0].span, 5 * USEC_PER_MINUTE));
        assert_string(timer->values.items[1].text, "Mon *-*-* 00:00:00 UTC");
        cr_assert(eq(int, timer->values.items[2].base, TIMER_ON_UNIT_ACTIVE));
        assert_string(file_said(world), "");
}

Test(timer_file, defaults_are_those_of_systemd) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const TimerSettings *timer = settings_of(load(world, "OnBootSec=1\n"));

        assert_string(timer->unit, "x.service");
        cr_assert(eq(u64, timer->accuracy, USEC_PER_MINUTE));
        cr_assert(timer->remain_after_elapse && !timer->persistent && !timer->wake_system);
        cr_assert(eq(u64, timer->randomized_delay, 0));
}

Test(timer_file, an_empty_assignment_takes_all_times_back) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const TimerSettings *timer = settings_of(load(world, "OnBootSec=1\nOnCalendar=daily\nOnActiveSec=\nOnStartupSec=7\n"));

        cr_assert(eq(sz, timer->values.n, 1));
        cr_assert(eq(int, timer->values.items[0].base, TIMER_ON_STARTUP));
}

Test(timer_file, bad_lines_are_left_out_with_a_warning) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const TimerSettings *timer = settings_of(load(world, "OnCalendar=Mon 25:00\nOnCalendar=Mon;Tue\nOnBootSec=soon\n"
                                                             "OnActiveSec=1\n"));

        cr_assert(eq(sz, timer->values.n, 1));
        assert_string(file_said(world),
                      "warning a/x.timer:2 OnCalendar: 'Mon 25:00' is not a calendar expression: at '25:00', the hour is "
                      "out of its range, 0 to 23, or its range or step matches nothing; the line is ignored.\n"
                      "warning a/x.timer:3 OnCalendar: 'Mon;Tue' is not a calendar expression: at ';Tue', this is no "
                      "part of a weekday; the line is ignored.\n"
                      "warning a/x.timer:4 OnBootSec: 'soon' is not a time span such as '90', '1min 30s' or 'infinity'; "
                      "the line is ignored.\n");
}

Test(timer_file, one_that_never_elapses_is_refused) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = load(world, "Unit=y.service\n");

        cr_assert(eq(int, unit->load_state, UNIT_BAD_SETTING));
        assert_said(world, "would never elapse");
}

Test(timer_file, what_it_triggers_is_after_it) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = load(world, "OnClockChange=yes\nUnit=%p-y@1.target\n");

        assert_string(settings_of(unit)->unit, "x-y@1.target");
        assert_string(file_relations(unit, UNIT_TRIGGERS), "x-y@1.target");
        assert_string(file_relations(unit, UNIT_BEFORE), "timers.target shutdown.target x-y@1.target");
        assert_string(file_origin(world, unit, UNIT_TRIGGERS, "x-y@1.target"), "unit that it triggers of x.timer");
}

Test(timer_file, another_timer_or_no_unit_is_refused) {
        static const char *const lines[] = { "OnBootSec=1\nUnit=y.timer\n", "OnBootSec=1\nUnit=y\n",
                                             "OnBootSec=1\nUnit=y@.service\n" };

        for (size_t i = 0; i < ELEMENTSOF(lines); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();

                cr_assert(eq(int, load(world, lines[i])->load_state, UNIT_BAD_SETTING), "%s", lines[i]);
        }
}

Test(timer_file, the_calendar_waits_for_the_clock) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        assert_string(file_relations(load(world, "OnCalendar=daily\n"), UNIT_AFTER),
                      "sysinit.target time-set.target time-sync.target");
        file_write(world, "a/y.timer", "[Timer]\nOnBootSec=1\n");
        assert_string(file_relations(file_load(world, "y.timer"), UNIT_AFTER), "sysinit.target");
        world->options.is_user = true;
        file_world_restart(world);
        assert_string(file_relations(file_load(world, "x.timer"), UNIT_AFTER), "");
        assert_string(file_relations(file_load(world, "x.timer"), UNIT_CONFLICTS), "shutdown.target");
}

static void count(void *userdata, const UnitFileDiagnostic *diagnostic) {
        cr_expect(text_equal(diagnostic->message, "Unit x.service is not found; there is nothing to start."), "%s",
                  diagnostic->message);
        ++*(int *) userdata;
}

Test(timer_file, verify_wants_what_it_triggers) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        cleanup_free_ char *path = NULL;
        UnitFileOptions options = world->options;
        int n = 0;

        options.receiver = count;
        options.userdata = &n;
        (void) load(world, "OnBootSec=1\n");
        cr_assert(eq(int, text_format(&path, "%s/a/x.timer", world->root), 0));
        cr_assert(eq(int, unit_file_verify(path, &options), 1));
        cr_assert(eq(int, n, 1));
        file_write(world, "a/x.service", "[Service]\nExecStart=/bin/true\n");
        cr_assert(eq(int, unit_file_verify(path, &options), 0));
        cr_assert(eq(int, n, 1));
}

Test(timer_file, waking_the_machine_is_not_done_and_said) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(settings_of(load(world, "OnCalendar=daily\nWakeSystem=yes\n"))->wake_system);
        assert_said(world, "jobd does not wake the machine up");
}

Test(timer_file, every_prefix_is_survived) {
        static const char good[] = "[Timer]\nOnCalendar=Mon..Fri,Sun 2024..2030/2-*~1..3 8:00/15:0.5 Europe/Berlin\n"
                                   "OnCalendar=@1700000000\nOnBootSec=5min 3s\nUnit=%p-%i.service\nPersistent=yes\n"
                                   "[Path]\nPathExists=/a\nDirectoryMode=0700\n";
        static const char *const names[] = { "a/x.timer", "a/x.path" };
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        for (size_t n = 0; n < sizeof(good); n++)
                for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                        file_write_bytes(world, names[i], good, n);
                        file_world_restart(world);
                        (void) file_load(world, names[i] + 2);
                        text_deinit(&world->said);
                }
}
