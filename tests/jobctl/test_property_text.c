/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Properties as lines of text.
 */

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/property_text.h"

static void assert_text(const char *name, json_t *value, const char *expected) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, property_format(name, value, &text), 0));
        assert_string(text, expected);
        json_decref(value);
}

Test(property_text, values_read_as_systemctl_prints_them) {
        assert_text("CanStart", json_true(), "yes");
        assert_text("After", json_pack("[ss]", "a.target", "b.service"), "a.target b.service");
        assert_text("JobTimeoutUSec", json_null(), "infinity");
        assert_text("MemoryCurrent", json_null(), "[not set]");
        assert_text("TimeoutStartUSec", json_integer(90000000), "1min 30s");
        assert_text("MainPID", json_integer(42), "42");
        assert_text("UMask", json_integer(022), "0022");
        assert_text("Job", json_pack("[is]", 7, "/org/jobd1/job/7"), "7");
        assert_text("Job", json_pack("[is]", 0, "/"), "");
        assert_text("Unit", json_pack("[ss]", "a.service", "/x"), "a.service");
        assert_text("LoadError", json_pack("[ss]", "", ""), "");
        assert_text("ActiveEnterTimestamp", json_integer(0), "");
        assert_text("ActiveEnterTimestampMonotonic", json_integer(12), "12");
        assert_text("Odd", json_pack("[[si][si]]", "a", 1, "b", 2), "{ a ; 1 } { b ; 2 }");
}

Test(property_text, triggers_read_as_systemctl_prints_them) {
        setenv("TZ", "UTC", 1);
        assert_text("Paths", json_pack("[[ss]]", "PathExists", "/x"), "/x (PathExists)");
        assert_text("Listen", json_pack("[[ss]]", "Stream", "/x"), "/x (Stream)");
        assert_text("TimersMonotonic", json_pack("[[sii]]", "OnUnitActiveUSec", 300000000, 0),
                    "{ OnUnitActiveUSec=5min ; next_elapse=0 }");
        assert_text("TimersCalendar", json_pack("[[ssI]]", "OnCalendar", "*-*-* *:00:00", (json_int_t) 1795298400000000),
                    "{ OnCalendar=*-*-* *:00:00 ; next_elapse=Sat 2026-11-21 22:00:00 UTC }");
        assert_text("TimersCalendar", json_pack("[[ssn]]", "OnCalendar", "2020-01-01 00:00:00"),
                    "{ OnCalendar=2020-01-01 00:00:00 ; next_elapse=n/a }");
        assert_text("NextElapseUSecRealtime", json_integer(1795298400000000), "Sat 2026-11-21 22:00:00 UTC");
        assert_text("LastTriggerUSec", json_integer(1795298400000000), "Sat 2026-11-21 22:00:00 UTC");
        assert_text("NextElapseUSecMonotonic", json_integer(90000000), "1min 30s");
}

Test(property_text, what_has_a_line_for_each) {
        const struct {
                const char *name;
                json_t *value;
                bool has_lines;
        } cases[] = {
                { "Paths", json_pack("[[ss][ss]]", "PathExists", "/x", "PathExists", "/y"), true },
                { "ExecStart", json_pack("[[s[s]biiiiiii]]", "/x", "/x", 1, 0, 0, 0, 0, 0, 0, 0), true },
                { "Paths", json_array(), false },
                { "After", json_pack("[ss]", "a.target", "b.service"), false },
                { "ExecMainPID", json_integer(1), false },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cr_assert(eq(int, property_has_lines(cases[i].name, cases[i].value), cases[i].has_lines), "%s", cases[i].name);
                json_decref(cases[i].value);
        }
}

Test(property_text, commands_are_spelled_out) {
        assert_text("ExecStart",
                    json_pack("[[s[ss]biiiiiii]]", "/bin/sleep", "/bin/sleep", "60", 0, 0, 0, 0, 0, 12, 1, 203),
                    "{ path=/bin/sleep ; argv[]=/bin/sleep 60 ; ignore_errors=no ; start_time=[n/a] ; "
                    "stop_time=[n/a] ; pid=12 ; code=exited ; status=203/EXEC }");
        assert_text("ExecStop", json_pack("[[s[s]biiiiiii]]", "/x", "/x", 1, 0, 0, 0, 0, 0, 0, 0),
                    "{ path=/x ; argv[]=/x ; ignore_errors=yes ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; "
                    "code=(null) ; status=0/0 }");
}
