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

Test(property_text, numbers_read_as_unit_files_have_them) {
        assert_text("RestartUSec", json_integer(4803005000), "1h 20min 3s 5ms");
        assert_text("WatchdogUSec", json_integer(788400000000), "1w 2d 3h");
        assert_text("RuntimeDirectoryMode", json_integer(0755), "0755");
        assert_text("SocketMode", json_integer(0600), "0600");
        assert_text("KillMode", json_string("mixed"), "mixed");
        assert_text("CoredumpFilter", json_integer(0x33), "0x33");
        assert_text("AmbientCapabilities", json_integer(0), "");
        assert_text("CapabilityBoundingSet", json_integer(1 << 5 | 1 << 21), "cap_kill cap_sys_admin");
        assert_text("CapabilityBoundingSet", json_string("9223372036854775840"), "cap_kill");
        assert_text("RestrictNamespaces", json_integer(0), "yes");
        assert_text("RestrictNamespaces", json_integer(0x7e020000), "no");
        assert_text("RestrictNamespaces", json_integer(0x40020000), "net mnt");
        assert_text("MountFlags", json_integer(0), "");
        assert_text("MountFlags", json_integer(1 << 19), "slave");
        assert_text("NUMAPolicy", json_integer(-1), "n/a");
        assert_text("NUMAPolicy", json_integer(2), "bind");
        assert_text("CPUAffinity", json_string("8f01"), "0-3 7-8");
        assert_text("CPUAffinity", json_string(""), "");
        assert_text("LogExtraFields", json_pack("[s]", "413d6220ff"), "A=b \\xff");
        assert_text("IPAddressAllow", json_pack("[[isi][isi]]", 2, "0a000000", 8, 10, "00000000000000000000000000000001", 128),
                    "10.0.0.0/8 ::1/128");
}

Test(property_text, structures_read_as_unit_files_have_them) {
        assert_text("BindPaths", json_pack("[[ssbi][ssbi]]", "/a", "/b", 0, 16384, "/c", "/c", 1, 0),
                    "/a:/b:rbind -/c:/c:norbind");
        assert_text("TemporaryFileSystem", json_pack("[[ss][ss]]", "/var", "ro", "/x", ""), "/var:ro /x");
        assert_text("DeviceAllow", json_pack("[[ss]]", "/dev/null", "rw"), "/dev/null rw");
        assert_text("IOReadBandwidthMax", json_pack("[[si]]", "/dev/sda", 1000), "/dev/sda 1000");
        assert_text("EnvironmentFiles", json_pack("[[sb]]", "/x", 1), "/x (ignore_errors=yes)");
        assert_text("SELinuxContext", json_pack("[bs]", 0, ""), "");
        assert_text("AppArmorProfile", json_pack("[bs]", 1, "a"), "-a");
        assert_text("SystemCallFilter", json_pack("[b[]]", 0), "");
        assert_text("SystemCallFilter", json_pack("[b[ss]]", 0, "open", "read"), "~open read");
        assert_text("RestrictAddressFamilies", json_pack("[b[]]", 1), "none");
        assert_text("RestrictAddressFamilies", json_pack("[b[s]]", 1, "AF_UNIX"), "AF_UNIX");
        assert_text("SetCredential", json_pack("[[ss]]", "b", "00"), "b");
        assert_text("Conditions", json_pack("[[sbbsi]]", "ConditionPathExists", 1, 1, "/x", -1),
                    "ConditionPathExists=|!/x (not met)");
        assert_text("Environment", json_pack("[sss]", "A=b c", "D=e", "F=\"g"), "\"A=b c\" D=e \"F=\\\"g\"");
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
