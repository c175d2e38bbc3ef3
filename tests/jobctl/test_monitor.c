/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Signals as events.
 */

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/monitor.h"

static void assert_event(const char *interface, const char *member, const char *path, json_t *args,
                         const char *expected) {
        BusSignal signal = { (char *) path, (char *) interface, (char *) member, args };
        cleanup_json_ json_t *event = monitor_event(&signal);
        cleanup_free_ char *line = NULL;

        if (!expected)
                assert_null(event);
        else {
                assert_not_null(event);
                cr_assert(eq(int, monitor_format(event, &line), 0));
                assert_string(line, expected);
        }
        json_decref(args);
}

Test(monitor, jobs) {
        assert_event(BUS_MANAGER, "JobNew", "/org/jobd1", json_pack("[iss]", 3, "/org/jobd1/job/3", "a.service"),
                     "job 3 a.service: new");
        assert_event(BUS_MANAGER, "JobRemoved", "/org/jobd1",
                     json_pack("[isss]", 3, "/org/jobd1/job/3", "a.service", "failed"), "job 3 a.service: ended, failed");
        assert_event(BUS_MANAGER, "JobChanged", "/org/jobd1",
                     json_pack("[i{s:s, s:s, s:s, s:s, s:i}]", 3, "unit", "a.service", "type", "restart", "run", "stop",
                               "state", "waiting", "blocker", 2),
                     "job 3 a.service: restart, waiting as stop, behind job 2");
}

Test(monitor, units_are_named_by_their_path) {
        assert_event(BUS_PROPERTIES, "PropertiesChanged", "/org/jobd1/unit/a_2db_2eservice",
                     json_pack("[s{s:s, s:s}[]]", BUS_UNIT, "ActiveState", "active", "SubState", "running"),
                     "a-b.service: active (running)");
}

Test(monitor, the_rest_is_left_out) {
        assert_event(BUS_PROPERTIES, "PropertiesChanged", "/org/jobd1/job/3",
                     json_pack("[s{s:s}[]]", "org.jobd1.Job", "State", "running"), NULL);
        assert_event("org.example", "Foo", "/", json_pack("[]"), NULL);
}
