/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The table of values with a form of their own
 *
 * Each row is of a property whose value is not written as any value of its type
 * would be. Writers of numbers stand here, those of structured values in
 * bus_setting_struct.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/macro.h"
#include "dbus/setting/bus_setting_private.h"
#include "unitfile/resource_limit.h"

/* ay: a bit for each number. */
static int write_mask(const BusSettingTarget *target, DBusMessageIter *value) {
        int n = 0;
        const char *bytes = bus_take_bytes(value, &n);

        text_addf(target->lines, "%s=", target->directive);
        for (int i = 0; i < n * 8; i++)
                if ((unsigned char) bytes[i / 8] >> i % 8 & 1)
                        text_addf(target->lines, " %d", i);
        text_add_char(target->lines, '\n');
        return 0;
}

static int write_octal(const BusSettingTarget *target, DBusMessageIter *value) {
        dbus_uint32_t mode;

        dbus_message_iter_get_basic(value, &mode);
        text_addf(target->lines, "%s=%04o\n", target->directive, mode);
        return 0;
}

static int write_choice(const BusSettingTarget *target, DBusMessageIter *value) {
        static const char *const schedulers[] = { "other", "fifo", "rr", "batch", NULL, "idle" };
        static const char *const disks[] = { "none", "realtime", "best-effort", "idle" };
        static const char *const nodes[] = { "default", "preferred", "bind", "interleave", "local" };
        const struct {
                const char *directive;
                const char *const *words;
                size_t n;
        } choices[] = {
                { "CPUSchedulingPolicy", schedulers, ELEMENTSOF(schedulers) },
                { "IOSchedulingClass", disks, ELEMENTSOF(disks) },
                { "NUMAPolicy", nodes, ELEMENTSOF(nodes) },
        };
        int32_t number;

        dbus_message_iter_get_basic(value, &number);
        for (size_t i = 0; i < ELEMENTSOF(choices); i++) {
                if (!text_equal(choices[i].directive, target->directive))
                        continue;
                if (number < 0 || (size_t) number >= choices[i].n || !choices[i].words[number])
                        return -EINVAL;
                text_addf(target->lines, "%s=%s\n", target->directive, choices[i].words[number]);
        }
        return 0;
}

/* "12.5%" is as fine as a unit file can say it. */
static void add_percents(Text *line, uint64_t hundredths) {
        text_addf(line, "%" PRIu64, hundredths / 100);
        if (hundredths % 100 > 0)
                text_addf(line, ".%02" PRIu64, hundredths % 100);
        text_add_char(line, '%');
}

static int write_percent_of_second(const BusSettingTarget *target, DBusMessageIter *value) {
        uint64_t span = bus_take_u64(value);

        text_addf(target->lines, "%s=", target->directive);
        if (span != UINT64_MAX)
                add_percents(target->lines, span / 100);
        text_add_char(target->lines, '\n');
        return 0;
}

static int write_scale(const BusSettingTarget *target, DBusMessageIter *value) {
        dbus_uint32_t scale;

        dbus_message_iter_get_basic(value, &scale);
        text_addf(target->lines, "%s=", target->directive);
        add_percents(target->lines, (uint64_t) ((double) scale * 10000 / UINT32_MAX + 0.5));
        text_add_char(target->lines, '\n');
        return 0;
}

/* 0 is the least weight: "idle". */
static int write_weight(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusMessageIter weight = *value;

        if (bus_take_u64(&weight) != 0)
                return bus_setting_write_plain(target, value);
        text_addf(target->lines, "%s=idle\n", target->directive);
        return 0;
}

static int write_after(const BusSettingTarget *target, DBusMessageIter *value, const char *before) {
        const char *text = bus_take_string(value);

        if (!*text || strpbrk(text, "\n\r\\"))
                return -EINVAL;
        text_addf(target->lines, "%s=%s", target->directive, before);
        bus_setting_add_text(target->lines, text);
        text_add_char(target->lines, '\n');
        return 0;
}

static int write_stream_file(const BusSettingTarget *target, DBusMessageIter *value) {
        const char *property = target->row->property;

        return write_after(target, value, text_ends_with(property, "ToAppend") ? "append:" :
                                          text_ends_with(property, "ToTruncate") ? "truncate:" :
                                          text_ends_with(property, "Name") ? "fd:" : "file:");
}

/* as: each as a line of its own, with its quotes. */
static int write_lines(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusMessageIter items;
        bool is_empty = true;

        bus_foreach_item(&items, value) {
                const char *text;

                dbus_message_iter_get_basic(&items, &text);
                if (!*text || strpbrk(text, "\n\r\\"))
                        return -EINVAL;
                text_addf(target->lines, "%s=", target->directive);
                bus_setting_add_text(target->lines, text);
                text_add_char(target->lines, '\n');
                is_empty = false;
        }
        if (is_empty)
                text_addf(target->lines, "%s=\n", target->directive);
        return 0;
}

#define COMMANDS(name)                                         \
        { name, name, "a(sasb)", bus_setting_write_commands }, \
        { name "Ex", name, "a(sasas)", bus_setting_write_commands }
#define STREAM(name)                                                                                           \
        { name "File", name, "s", write_stream_file }, { name "FileToAppend", name, "s", write_stream_file },   \
        { name "FileToTruncate", name, "s", write_stream_file },                                                \
        { name "FileDescriptorName", name, "s", write_stream_file }
#define SCALE(name, ...) { #name "Scale", #name, "u", write_scale },
#define OCTAL(name) { name, name, "u", write_octal }

static const BusSettingRow rows[] = {
        COMMANDS("ExecCondition"), COMMANDS("ExecStartPre"), COMMANDS("ExecStart"), COMMANDS("ExecStartPost"),
        COMMANDS("ExecReload"), COMMANDS("ExecStop"), COMMANDS("ExecStopPre"), COMMANDS("ExecStopPost"),
        COMMANDS("FinalExec"), COMMANDS("Exec"), COMMANDS("ExecCheck"), COMMANDS("ExecPrepare"),
        COMMANDS("ItemsCommand"),
        { "EnvironmentFiles", "EnvironmentFile", "a(sb)", bus_setting_write_files },
        { "Conditions", "Condition", "a(sbbs)", bus_setting_write_conditions },
        { "Asserts", "Assert", "a(sbbs)", bus_setting_write_conditions },
        { "TimersMonotonic", "", "a(st)", bus_setting_write_named },
        { "TimersCalendar", "", "a(ss)", bus_setting_write_named },
        { "Paths", "", "a(ss)", bus_setting_write_named },
        { "Listen", "Listen", "a(ss)", bus_setting_write_named },
        { "LoadCredential", "LoadCredential", "a(ss)", bus_setting_write_colon_pairs },
        { "SetCredential", "SetCredential", "a(say)", bus_setting_write_credentials },
        { "TemporaryFileSystem", "TemporaryFileSystem", "a(ss)", bus_setting_write_colon_pairs },
        { "BindPaths", "BindPaths", "a(ssbt)", bus_setting_write_binds },
        { "BindReadOnlyPaths", "BindReadOnlyPaths", "a(ssbt)", bus_setting_write_binds },
        { "DeviceAllow", "DeviceAllow", "a(ss)", bus_setting_write_blank_pairs },
        { "IODeviceWeight", "IODeviceWeight", "a(st)", bus_setting_write_blank_pairs },
        { "IODeviceLatencyTargetUSec", "IODeviceLatencyTargetSec", "a(st)", bus_setting_write_blank_pairs },
        { "IOReadBandwidthMax", "IOReadBandwidthMax", "a(st)", bus_setting_write_blank_pairs },
        { "IOWriteBandwidthMax", "IOWriteBandwidthMax", "a(st)", bus_setting_write_blank_pairs },
        { "IOReadIOPSMax", "IOReadIOPSMax", "a(st)", bus_setting_write_blank_pairs },
        { "IOWriteIOPSMax", "IOWriteIOPSMax", "a(st)", bus_setting_write_blank_pairs },
        { "IPAddressAllow", "IPAddressAllow", "a(iayu)", bus_setting_write_addresses },
        { "IPAddressDeny", "IPAddressDeny", "a(iayu)", bus_setting_write_addresses },
        { "SystemCallFilter", "SystemCallFilter", "(bas)", bus_setting_write_filter },
        { "SystemCallLog", "SystemCallLog", "(bas)", bus_setting_write_filter },
        { "RestrictAddressFamilies", "RestrictAddressFamilies", "(bas)", bus_setting_write_filter },
        { "SuccessExitStatus", "SuccessExitStatus", "(aiai)", bus_setting_write_statuses },
        { "RestartPreventExitStatus", "RestartPreventExitStatus", "(aiai)", bus_setting_write_statuses },
        { "RestartForceExitStatus", "RestartForceExitStatus", "(aiai)", bus_setting_write_statuses },
        { "RetryExitStatus", "RetryExitStatus", "(aiai)", bus_setting_write_statuses },
        { "NoRetryExitStatus", "NoRetryExitStatus", "(aiai)", bus_setting_write_statuses },
        { "AgainExitStatus", "AgainExitStatus", "(aiai)", bus_setting_write_statuses },
        { "PendingExitStatus", "PendingExitStatus", "(aiai)", bus_setting_write_statuses },
        { "CPUAffinity", "CPUAffinity", "ay", write_mask },
        { "NUMAMask", "NUMAMask", "ay", write_mask },
        { "AllowedCPUs", "AllowedCPUs", "ay", write_mask },
        { "AllowedMemoryNodes", "AllowedMemoryNodes", "ay", write_mask },
        { "CPUSchedulingPolicy", "CPUSchedulingPolicy", "i", write_choice },
        { "IOSchedulingClass", "IOSchedulingClass", "i", write_choice },
        { "NUMAPolicy", "NUMAPolicy", "i", write_choice },
        { "CPUWeight", "CPUWeight", "t", write_weight },
        { "StartupCPUWeight", "StartupCPUWeight", "t", write_weight },
        { "CapabilityBoundingSet", "CapabilityBoundingSet", "t", bus_setting_write_capabilities },
        { "AmbientCapabilities", "AmbientCapabilities", "t", bus_setting_write_capabilities },
        { "SecureBits", "SecureBits", "i", bus_setting_write_secure_bits },
        { "RestrictNamespaces", "RestrictNamespaces", "t", bus_setting_write_namespaces },
        { "MountFlags", "MountFlags", "t", bus_setting_write_propagation },
        { "CoredumpFilter", "CoredumpFilter", "t", bus_setting_write_hexadecimal },
        { "SocketProtocol", "SocketProtocol", "i", bus_setting_write_protocol },
        { "AppArmorProfile", "AppArmorProfile", "(bs)", bus_setting_write_label },
        { "SELinuxContext", "SELinuxContext", "(bs)", bus_setting_write_label },
        { "SmackProcessLabel", "SmackProcessLabel", "(bs)", bus_setting_write_label },
        { "ExecSearchPath", "ExecSearchPath", "as", bus_setting_write_joined },
        { "OnBegin", "OnBegin", "as", write_lines },
        { "OnResult", "OnResult", "as", write_lines },
        { "Notify", "Notify", "as", write_lines },
        { "OpenFile", "OpenFile", "a(sst)", bus_setting_write_open_files },
        { "LogExtraFields", "LogExtraFields", "aay", bus_setting_write_fields },
        { "StandardInputData", "StandardInputData", "ay", bus_setting_write_base64 },
        { "DelegateControllers", "Delegate", "as", bus_setting_write_plain },
        { "CPUQuotaPerSecUSec", "CPUQuota", "t", write_percent_of_second },
        RESOURCE_LIMITS(SCALE)
        STREAM("StandardInput"), STREAM("StandardOutput"), STREAM("StandardError"),
        OCTAL("UMask"), OCTAL("DirectoryMode"), OCTAL("SocketMode"), OCTAL("RuntimeDirectoryMode"),
        OCTAL("StateDirectoryMode"), OCTAL("CacheDirectoryMode"), OCTAL("LogsDirectoryMode"),
        OCTAL("ConfigurationDirectoryMode"),
};

const BusSettingRow *bus_setting_row(const char *property, const char *signature) {
        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                if (strcmp(rows[i].property, property) == 0 && strcmp(rows[i].signature, signature) == 0)
                        return &rows[i];
        return NULL;
}
