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

Test(property_text, commands_are_spelled_out) {
        assert_text("ExecStart",
                    json_pack("[[s[ss]biiiiiii]]", "/bin/sleep", "/bin/sleep", "60", 0, 0, 0, 0, 0, 12, 1, 203),
                    "{ path=/bin/sleep ; argv[]=/bin/sleep 60 ; ignore_errors=no ; start_time=[n/a] ; "
                    "stop_time=[n/a] ; pid=12 ; code=exited ; status=203/EXEC }");
        assert_text("ExecStop", json_pack("[[s[s]biiiiiii]]", "/x", "/x", 1, 0, 0, 0, 0, 0, 0, 0),
                    "{ path=/x ; argv[]=/x ; ignore_errors=yes ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; "
                    "code=(null) ; status=0/0 }");
}
