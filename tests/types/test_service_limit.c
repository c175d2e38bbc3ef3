/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time limits, the watchdog, and notifications by sd_notify
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "service_world.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START

static const struct {
        ServiceType type;
        ServiceExec kind;
        usec_t limit;                   /* USEC_INFINITY: none */
        const char *states;
} limits[] = {
        { SERVICE_SIMPLE, SERVICE_EXEC_CONDITION, 20 * USEC_PER_SEC, "condition stop-sigterm" },
        { SERVICE_SIMPLE, SERVICE_EXEC_START_PRE, 20 * USEC_PER_SEC, "start-pre stop-sigterm" },
        { SERVICE_SIMPLE, SERVICE_EXEC_START_POST, 20 * USEC_PER_SEC, "start start-post stop-sigterm" },
        { SERVICE_SIMPLE, SERVICE_EXEC_START, USEC_INFINITY, "start running" },
        { SERVICE_FORKING, SERVICE_EXEC_START, 20 * USEC_PER_SEC, "start stop-sigterm" },
        { SERVICE_NOTIFY, SERVICE_EXEC_START, 20 * USEC_PER_SEC, "start stop-sigterm" },
        { SERVICE_ONESHOT, SERVICE_EXEC_START, USEC_INFINITY, "start" },
        { SERVICE_ONESHOT, SERVICE_EXEC_START_PRE, USEC_INFINITY, "start-pre" },
};

Test(service_limit, of_each_step_of_a_start) {
        for (size_t i = 0; i < ELEMENTSOF(limits); i++) {
                WORLD(limits[i].type);

                world->settings->timeout_start = 20 * USEC_PER_SEC;
                if (limits[i].kind != START)
                        world_command(world, limits[i].kind, "/bin/b");
                world_command(world, START, "/bin/a");
                world_start(world);
                world_advance(world, 19 * USEC_PER_SEC);
                cr_assert(not(text_ends_with(world_states(world), "stop-sigterm")));
                world_advance(world, USEC_PER_SEC);
                cr_assert(strcmp(world_states(world), limits[i].states) == 0, "%zu: %s", i, world_states(world));
                assert_string(world_property(world, "Result"),
                              limits[i].limit == USEC_INFINITY ? "success" : "timeout");
        }
}

Test(service_limit, of_a_oneshot_only_if_it_is_set) {
        WORLD(SERVICE_ONESHOT);

        world->settings->timeout_start = 20 * USEC_PER_SEC;
        world->settings->has_timeout_start = true;
        world_command(world, START, "/bin/a");
        world_start(world);
        world_advance(world, 20 * USEC_PER_SEC);
        assert_string(world_states(world), "start stop-sigterm");
}

Test(service_limit, zero_is_none) {
        WORLD(SERVICE_NOTIFY);

        world->settings->timeout_start = 0;
        world_command(world, START, "/bin/a");
        world_start(world);
        world_advance(world, USEC_PER_DAY);
        assert_string(world_states(world), "start");
}

Test(service_limit, of_the_whole_life) {
        WORLD(SERVICE_SIMPLE);

        world->settings->runtime_max = USEC_PER_HOUR;
        world_command(world, START, "/bin/a");
        world_command(world, SERVICE_EXEC_RELOAD, "/bin/reload");
        world_command(world, SERVICE_EXEC_STOP, "/bin/stop");
        world_start(world);
        world_advance(world, USEC_PER_HOUR - USEC_PER_SEC);
        world_reload(world);
        world_exit(world, world_control(world), 0);
        world_advance(world, USEC_PER_SEC);
        assert_string(world_states(world), "start running reload running stop");
        assert_string(world_property(world, "Result"), "timeout");
}

Test(service_limit, extended_by_the_service) {
        WORLD(SERVICE_NOTIFY);

        world_command(world, START, "/bin/a");
        world_start(world);
        world_advance(world, 80 * USEC_PER_SEC);
        world_notify(world, world_main(world), "EXTEND_TIMEOUT_USEC=60000000");
        world_advance(world, 50 * USEC_PER_SEC);
        assert_string(world_states(world), "start");
        world_notify(world, world_main(world), "EXTEND_TIMEOUT_USEC=1000");
        world_advance(world, 10 * USEC_PER_SEC);
        assert_string(world_states(world), "start stop-sigterm");
}

Test(service_limit, watchdog) {
        WORLD(SERVICE_NOTIFY);

        world->settings->watchdog = 10 * USEC_PER_SEC;
        world->settings->timeout_abort = 5 * USEC_PER_SEC;
        world->settings->has_timeout_abort = true;
        world_command(world, START, "/bin/a");
        world_start(world);
        cr_assert(strstr(world->environment.string, "WATCHDOG_USEC=10000000\n") != NULL);
        world_notify(world, world_main(world), "READY=1");
        for (unsigned i = 0; i < 5; i++) {
                world_advance(world, 9 * USEC_PER_SEC);
                world_notify(world, world_main(world), "WATCHDOG=1");
        }
        assert_string(world_states(world), "start running");
        world_clear(world);
        world_advance(world, 10 * USEC_PER_SEC);
        assert_string(world_states(world), "stop-watchdog");
        assert_string(world_calls(world), "ABRT main group, CONT main group");
        world_advance(world, 5 * USEC_PER_SEC);
        assert_string(world_states(world), "stop-watchdog stop-sigkill");
        assert_string(world_property(world, "Result"), "watchdog");
}

Test(service_limit, watchdog_can_be_changed_and_triggered) {
        WORLD(SERVICE_NOTIFY);

        world_command(world, START, "/bin/a");
        world_start(world);
        world_notify(world, world_main(world), "READY=1");
        world_notify(world, world_main(world), "WATCHDOG_USEC=3000000");
        assert_string(world_property(world, "WatchdogUSec"), "3000000");
        world_advance(world, 2 * USEC_PER_SEC);
        assert_string(world_states(world), "start running");
        world_notify(world, world_main(world), "WATCHDOG=trigger");
        assert_string(world_states(world), "start running stop-watchdog");
}

Test(service_limit, only_who_may_speak_is_heard) {
        static const struct {
                ServiceNotifyAccess access;
                bool main, control, other;
        } table[] = {
                { SERVICE_NOTIFY_NONE, false, false, false },
                { SERVICE_NOTIFY_MAIN, true, false, false },
                { SERVICE_NOTIFY_EXEC, true, true, false },
                { SERVICE_NOTIFY_ALL, true, true, true },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                WORLD(SERVICE_SIMPLE);

                world->settings->notify_access = table[i].access;
                world_command(world, START, "/bin/a");
                world_command(world, SERVICE_EXEC_START_POST, "/bin/post");
                world_start(world);
                cr_assert(eq(int, strstr(world->environment.string, "NOTIFY_SOCKET=/run/notify\n") != NULL,
                             table[i].control));
                world_notify(world, world_main(world), "STATUS=main");
                assert_string(world_property(world, "StatusText"), table[i].main ? "main" : "");
                world_notify(world, world_control(world), "STATUS=control");
                assert_string(world_property(world, "StatusText"),
                              table[i].control ? "control" : table[i].main ? "main" : "");
                world_notify(world, 1, "STATUS=other");
                cr_assert(eq(int, strcmp(world_property(world, "StatusText"), "other") == 0, table[i].other));
        }
}

Test(service_limit, reload_and_stop_by_itself) {
        WORLD(SERVICE_NOTIFY);

        world_command(world, START, "/bin/a");
        world_start(world);
        world_notify(world, world_main(world), "READY=1");
        world_notify(world, world_main(world), "RELOADING=1");
        cr_assert(eq(int, world->active, UNIT_RELOADING));
        cr_assert(eq(sz, world->n_self_reloads, 1));
        world_notify(world, world_main(world), "READY=1|ERRNO=5");
        cr_assert(eq(int, world->active, UNIT_ACTIVE));
        assert_string(world_property(world, "StatusErrno"), "5");
        world_notify(world, world_main(world), "STOPPING=1");
        assert_string(world_states(world), "start running reload running stop-sigterm");
        world_exit(world, world_main(world), 0);
        assert_string(world_states(world), "start running reload running stop-sigterm dead");
}

/* Without control groups nothing reports the end of the last process. */
Test(service_limit, stop_by_itself_ends_with_its_processes_if_none_is_the_main_one) {
        WORLD(SERVICE_FORKING);

        world->settings->notify_access = SERVICE_NOTIFY_ALL;
        world_command(world, START, "/bin/a");
        world->rest = 1;
        world_start(world);
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "start running");
        world_notify(world, 1234, "STOPPING=1");
        world->rest = 0;
        world_advance(world, USEC_PER_SEC);
        assert_string(world_states(world), "start running stop-sigterm dead");
}

Test(service_limit, main_process_must_be_a_process_of_the_service) {
        WORLD(SERVICE_NOTIFY);
        char line[64];

        world_command(world, START, "/bin/a");
        world_start(world);
        snprintf(line, sizeof(line), "READY=1|MAINPID=%d", (int) getppid());
        world_notify(world, world_main(world), line);
        cr_assert(eq(int, world_main(world), FIRST_PID), "a stranger would get our signals");
        world_notify(world, world_main(world), "MAINPID=1");
        world_notify(world, world_main(world), "MAINPID=nonsense");
        world_notify(world, world_main(world), "MAINPID=5000099");
        cr_assert(eq(int, world_main(world), FIRST_PID));
        cr_assert(eq(int, world->active, UNIT_ACTIVE));
}

Test(service_limit, text_that_is_not_utf8_is_not_shown) {
        WORLD(SERVICE_NOTIFY);

        world_command(world, START, "/bin/a");
        world_start(world);
        world_notify(world, world_main(world), "STATUS=\xff|READY=1");
        assert_string(world_property(world, "StatusText"), "");
        cr_assert(eq(int, world->active, UNIT_ACTIVE));
}
