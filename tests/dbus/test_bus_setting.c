/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Properties of clients as lines of unit files
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "dbus/bus_interfaces.h"
#include "dbus/setting/bus_setting.h"
#include "dbus/setting/bus_setting_list.h"
#include "double/double_assert.h"
#include "double/double_unit.h"

static DoubleWorld *world;
static DBusMessage *message;
static DBusMessageIter items;

static void set_up(void) {
        world = double_world_new();
        message = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_CALL);
}

static void tear_down(void) {
        dbus_message_unref(message);
        double_world_free(world);
}

TestSuite(bus_setting, .init = set_up, .fini = tear_down);

/* One value of @signature, basic ones from the arguments; an array has one item. */
static void append(DBusMessageIter *to, DBusSignatureIter *type, va_list *values) {
        int kind = dbus_signature_iter_get_current_type(type);
        DBusSignatureIter within;
        DBusMessageIter inner;
        const char *text;
        uint64_t wide;
        int number;

        if (kind == DBUS_TYPE_ARRAY || kind == DBUS_TYPE_STRUCT) {
                char *signature;

                dbus_signature_iter_recurse(type, &within);
                signature = kind == DBUS_TYPE_ARRAY ? dbus_signature_iter_get_signature(&within) : NULL;
                dbus_message_iter_open_container(to, kind, signature, &inner);
                do
                        append(&inner, &within, values);
                while (kind == DBUS_TYPE_STRUCT && dbus_signature_iter_next(&within));
                dbus_message_iter_close_container(to, &inner);
                dbus_free(signature);
                return;
        }
        if (kind == DBUS_TYPE_STRING) {
                text = va_arg(*values, const char *);
                dbus_message_iter_append_basic(to, kind, &text);
        } else if (kind == DBUS_TYPE_UINT64) {
                wide = va_arg(*values, uint64_t);
                dbus_message_iter_append_basic(to, kind, &wide);
        } else {
                number = va_arg(*values, int);
                dbus_message_iter_append_basic(to, kind, &number);
        }
}

/* The lines that the property of @unit is written as, or the message of its refusal. */
static const char *read_as(const char *unit, const char *property, const char *signature, ...) {
        static char answer[512];
        BusCall call = { .message = message };
        DBusMessageIter whole, entry, variant, fields, all;
        cleanup_(bus_setting_deinit) BusSetting setting = {};
        cleanup_free_ char *lines = NULL;
        DBusSignatureIter type;
        va_list values;
        int r;

        dbus_message_unref(message);
        message = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_CALL);
        dbus_message_iter_init_append(message, &whole);
        dbus_message_iter_open_container(&whole, DBUS_TYPE_ARRAY, "(sv)", &items);
        dbus_message_iter_open_container(&items, DBUS_TYPE_STRUCT, NULL, &entry);
        dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &property);
        dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant);
        dbus_signature_iter_init(&type, signature);
        va_start(values, signature);
        append(&variant, &type, &values);
        va_end(values);
        dbus_message_iter_close_container(&entry, &variant);
        dbus_message_iter_close_container(&items, &entry);
        dbus_message_iter_close_container(&whole, &items);

        dbus_message_iter_init(message, &whole);
        dbus_message_iter_recurse(&whole, &all);
        dbus_message_iter_recurse(&all, &fields);
        r = bus_setting_read(&call, &(BusSettingScope) {
                double_unit(world, unit, UNIT_INACTIVE), bus_unit_properties, &all }, &fields, &setting);
        if (r >= 0)
                cr_assert(eq(int, text_finish(&setting.lines, &lines), 0));
        snprintf(answer, sizeof(answer), "%s%s%s", r < 0 ? "" : setting.section, r < 0 ? "" : ": ",
                 r < 0 ? failure_message(&call.failure) : lines);
        failure_deinit(&call.failure);
        return answer;
}

#define assert_read(wanted, ...) assert_string(read_as(__VA_ARGS__), wanted)
#define assert_refused(wanted, ...) cr_assert(strstr(read_as(__VA_ARGS__), wanted) != NULL)

Test(bus_setting, texts_are_meant_as_they_stand) {
        assert_read("Unit: Description=50%% of it\n", "a.service", "Description", "s", "50% of it");
        assert_read("Service: Slice=x%%i.slice\n", "a.service", "Slice", "s", "x%i.slice");
        assert_read("Service: MemoryMax=50%\n", "a.service", "MemoryMax", "s", "50%");
        assert_read("Service: ExecStart=/bin/x 'a b'\n", "a.service", "ExecStart", "s", "/bin/x 'a b'");
        assert_refused("wrong type", "a.service", "Description", "s", "a\n[Service]");
        assert_refused("wrong type", "a.service", "Description", "s", "a\\");
}

Test(bus_setting, simple_values) {
        assert_read("Service: RemainAfterExit=yes\n", "a.service", "RemainAfterExit", "b", 1);
        assert_read("Service: TimeoutStopSec=5us\n", "a.service", "TimeoutStopUSec", "t", UINT64_C(5));
        assert_read("Service: TimeoutStopSec=infinity\n", "a.service", "TimeoutStopUSec", "t", UINT64_MAX);
        assert_read("Service: MemoryMax=infinity\n", "a.service", "MemoryMax", "t", UINT64_MAX);
        assert_read("Service: CPUWeight=\n", "a.service", "CPUWeight", "t", UINT64_MAX);
        assert_read("Service: CPUQuota=50%\n", "a.service", "CPUQuotaPerSecUSec", "t", UINT64_C(500000));
        assert_read("Service: MemoryMax=25%\n", "a.service", "MemoryMaxScale", "u", UINT32_MAX / 4);
        assert_read("Service: CPUQuota=1.50%\n", "a.service", "CPUQuotaPerSecUSec", "t", UINT64_C(15000));
        assert_read("Service: CPUQuota=0.05%\n", "a.service", "CPUQuotaPerSecUSec", "t", UINT64_C(500));
        assert_read("Service: TasksMax=12.50%\n", "a.service", "TasksMaxScale", "u", UINT32_MAX / 8);
        assert_read("Service: Nice=-5\n", "a.service", "Nice", "i", -5);
        assert_read("Service: UMask=0027\n", "a.service", "UMask", "u", 027);
        assert_read("Service: LimitNOFILE=10:infinity\n", "a.service", "LimitNOFILESoft", "t", UINT64_C(10));
        assert_read("Service: CPUSchedulingPolicy=batch\n", "a.service", "CPUSchedulingPolicy", "i", 3);
        assert_read("Unit: After= \"b.service\"\n", "a.service", "After", "as", "b.service");
        assert_read("Service: Environment= \"A=b \\\"c\\\" \\\\ %% \\x0a\"\n", "a.service", "Environment", "as",
                    "A=b \"c\" \\ % \n");
        assert_read("Service: CPUAffinity= 0 2\n", "a.service", "CPUAffinity", "ay", 5);
}

Test(bus_setting, commands) {
        assert_read("Service: ExecStart= \"/bin/x\"\n", "a.service", "ExecStart", "a(sasb)", "/bin/x", "/bin/x", 0);
        assert_read("Service: ExecStart= \"@-/bin/x\" \"y z\"\n", "a.service", "ExecStart", "a(sasb)", "/bin/x",
                    "y z", 1);
        assert_read("Service: ExecStop= \"+/bin/x\"\n", "a.service", "ExecStopEx", "a(sasas)", "/bin/x", "/bin/x",
                    "privileged");
        assert_refused("wrong type", "a.service", "ExecStart", "a(sasb)", "-/bin/x", "/bin/x", 0);
        assert_refused("wrong type", "a.service", "ExecStartEx", "a(sasas)", "/bin/x", "/bin/x", "unknown");
}

Test(bus_setting, values_with_parts) {
        assert_read("Unit: ConditionPathExists=|!/x %%\n", "a.service", "Conditions", "a(sbbs)",
                    "ConditionPathExists", 1, 1, "/x %");
        assert_refused("wrong type", "a.service", "Conditions", "a(sbbs)", "AssertPathExists", 0, 0, "/x");
        assert_refused("wrong type", "a.service", "Conditions", "a(sbbs)", "ConditionPathExists", 0, 0, "/x\nY=z");
        assert_read("Service: EnvironmentFile=-/x\n", "a.service", "EnvironmentFiles", "a(sb)", "/x", 1);
        assert_read("Service: BindPaths= \"-/x:/y z:rbind\"\n", "a.service", "BindPaths", "a(ssbt)", "/x", "/y z", 1,
                    UINT64_C(16384));
        assert_read("Service: SystemCallFilter=~ \"@mount\"\n", "a.service", "SystemCallFilter", "(bas)", 0, "@mount");
        assert_read("Service: SuccessExitStatus= 7 SIGUSR1\n", "a.service", "SuccessExitStatus", "(aiai)", 7, 10);
        assert_read("Service: IODeviceWeight=/dev/x 5\n", "a.service", "IODeviceWeight", "a(st)", "/dev/x",
                    UINT64_C(5));
        assert_read("Service: IODeviceLatencyTargetSec=/dev/x 5us\n", "a.service", "IODeviceLatencyTargetUSec", "a(st)",
                    "/dev/x", UINT64_C(5));
        assert_read("Service: IODeviceLatencyTargetSec=/dev/x infinity\n", "a.service", "IODeviceLatencyTargetUSec",
                    "a(st)",
                    "/dev/x", UINT64_MAX);
        assert_read("Service: SetCredential=a:\\x41\n", "a.service", "SetCredential", "a(say)", "a", 'A');
        assert_read("Service: LogExtraFields= \"\\xad\"\n", "a.service", "LogExtraFields", "aay", 0xad);
        assert_read("Service: StandardOutput=append:/x\n", "a.service", "StandardOutputFileToAppend", "s", "/x");
        assert_read("Timer: OnCalendar=daily\n", "a.timer", "TimersCalendar", "a(ss)", "OnCalendar", "daily");
        assert_read("Timer: OnActiveSec=5us\n", "a.timer", "TimersMonotonic", "a(st)", "OnActiveUSec", UINT64_C(5));
        assert_read("Path: PathExists=/x\n", "a.path", "Paths", "a(ss)", "PathExists", "/x");
        assert_read("Socket: ListenStream=/x\n", "a.socket", "Listen", "a(ss)", "Stream", "/x");
        assert_refused("wrong type", "a.timer", "TimersCalendar", "a(ss)", "Unit", "x\ny");
        assert_refused("wrong type", "a.timer", "TimersCalendar", "a(ss)", "X\nOnCalendar", "x");
}

Test(bus_setting, bits_are_words) {
        assert_read("Service: SecureBits= keep-caps noroot\n", "a.service", "SecureBits", "i", 0x11);
        assert_refused("wrong type", "a.service", "SecureBits", "i", 0x10000);
        assert_read("Service: RestrictNamespaces= net user\n", "a.service", "RestrictNamespaces", "t",
                    UINT64_C(0x50000000));
        assert_read("Service: RestrictNamespaces=yes\n", "a.service", "RestrictNamespaces", "t", UINT64_C(0));
        assert_refused("wrong type", "a.service", "RestrictNamespaces", "t", UINT64_C(1));
        assert_read("Service: MountFlags=\n", "a.service", "MountFlags", "t", UINT64_C(0));
        assert_refused("wrong type", "a.service", "MountFlags", "t", UINT64_C(3));
        assert_read("Service: CapabilityBoundingSet= cap_chown cap_kill\n", "a.service", "CapabilityBoundingSet", "t",
                    UINT64_C(0x21));
        assert_read("Service: CapabilityBoundingSet=~ cap_chown\n", "a.service", "CapabilityBoundingSet", "t",
                    ~UINT64_C(1));
        assert_read("Service: CPUWeight=idle\n", "a.service", "CPUWeight", "t", UINT64_C(0));
        assert_refused("wrong type", "a.service", "OpenFile", "a(sst)", "/x", "x", UINT64_C(16));
        assert_refused("wrong type", "a.service", "AppArmorProfile", "(bs)", 1, "-x");
}

Test(bus_setting, what_cannot_be_set) {
        assert_refused("ActiveState of a.service cannot be set", "a.service", "ActiveState", "s", "active");
        assert_refused("A service has no property Memorymx. Did you mean MemoryMax?", "a.service", "Memorymx", "s",
                       "1");
        assert_refused("A timer has no property TimersMonotonicc.", "a.timer", "TimersMonotonicc", "s", "1");
        assert_refused("A slice has no property ExecStart", "a.slice", "ExecStart", "s", "/bin/x");
        assert_refused("no property Paths", "a.service", "Paths", "a(ss)", "PathExists", "/x");

}

/* — lists — */

static void expect_list(const char *directive, const char *before, const char *lines, const char *expected) {
        cleanup_free_ char *found = NULL;

        cr_assert(eq(int, bus_setting_add_to_list(directive, before, lines, &found), 0));
        cr_expect(eq(str, found, (char *) expected));
}

Test(bus_setting, a_list_goes_on) {
        cr_assert(bus_setting_is_list("IOReadBandwidthMax"));
        cr_assert(not(bus_setting_is_list("MemoryMax")));
        cr_assert(not(bus_setting_is_list("Delegate")));
        expect_list("IPAddressAllow", NULL, "IPAddressAllow=1.2.3.4\n", "IPAddressAllow=1.2.3.4\n");
        expect_list("IPAddressAllow", "# x\n[Service]\nIPAddressAllow=1.2.3.4\n", "IPAddressAllow=any\n",
                    "IPAddressAllow=1.2.3.4\nIPAddressAllow=any\n");
        expect_list("IPAddressAllow", "IPAddressAllow=1.2.3.4\nIPAddressAllow=1.2.3.5", "IPAddressAllow=1.2.3.4\n",
                    "IPAddressAllow=1.2.3.5\nIPAddressAllow=1.2.3.4\n");
        expect_list("IODeviceWeight", "IODeviceWeight=/dev/a 1\nIODeviceWeight=/dev/ab 2\n",
                    "IODeviceWeight= /dev/a\t3\nIODeviceWeight=/dev/c 4\n",
                    "IODeviceWeight=/dev/ab 2\nIODeviceWeight= /dev/a\t3\nIODeviceWeight=/dev/c 4\n");
}

Test(bus_setting, an_empty_value_takes_a_list_back) {
        expect_list("IODeviceWeight", "IODeviceWeight=/dev/a 1\n", "IODeviceWeight=\n", "IODeviceWeight=\n");
        expect_list("IODeviceWeight", "IODeviceWeight=\nIODeviceWeight=/dev/a 1\n",
                    "IODeviceWeight=/dev/b 2\nIODeviceWeight= \nIODeviceWeight=/dev/c 3\n",
                    "IODeviceWeight= \nIODeviceWeight=/dev/c 3\n");
}

/* Lines that were edited by hand are not taken over into the file. */
Test(bus_setting, only_its_own_lines_are_kept) {
        expect_list("DeviceAllow",
                    "[Service]\nExecStart=/bin/x\nDeviceAllow =/dev/b r\nDeviceAllow=/dev/a r\nDeviceAllowed=1\n",
                    "DeviceAllow=/dev/c rw\n", "DeviceAllow=/dev/a r\nDeviceAllow=/dev/c rw\n");
}
