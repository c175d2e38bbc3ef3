/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Values of D-Bus as lines of a unit file
 *
 * The parser of unit files reads the lines afterwards, also in the next core:
 * so values are not checked here, only spelt.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/macro.h"
#include "dbus/setting/bus_setting_private.h"

void bus_setting_add_text(Text *line, const char *text) {
        for (; *text; text++) {
                if (*text == '%')
                        text_add_char(line, '%');
                text_add_char(line, *text);
        }
}

/* Within quotes: each character that is no part of a plain word is escaped. */
static void add_quoted(Text *line, const char *bytes, size_t n) {
        for (size_t i = 0; i < n; i++) {
                unsigned char c = (unsigned char) bytes[i];

                if (c < ' ' || c == 0x7f)
                        text_addf(line, "\\x%02x", c);
                else if (c == '"' || c == '\\')
                        text_addf(line, "\\%c", c);
                else if (c == '%')
                        text_add(line, "%%");
                else
                        text_add_char(line, (char) c);
        }
}

void bus_setting_add_word(Text *line, const char *word) {
        text_add(line, " \"");
        add_quoted(line, word, strlen(word));
        text_add_char(line, '"');
}

void bus_setting_add_words(Text *line, DBusMessageIter *array) {
        DBusMessageIter items;

        bus_foreach_item(&items, array) {
                const char *word;

                dbus_message_iter_get_basic(&items, &word);
                bus_setting_add_word(line, word);
        }
}

/* — simple types — */

static void add_number(Text *line, const char *directive, uint64_t value) {
        bool is_span = text_ends_with(directive, "Sec") && !text_ends_with(directive, "NSec");

        if (value == UINT64_MAX)
                text_add(line, text_ends_with(directive, "Weight") ? "" : "infinity");
        else
                text_addf(line, "%" PRIu64 "%s", value, is_span ? "us" : "");
}

/* A share is written in percent, and '%' is no specifier there. */
static bool has_percents(const BusSettingTarget *target) {
        const Directive *directive = directive_find(target->section, target->directive);

        return directive && ((directive->base == DIRECTIVE_IN_RESOURCES && !text_equal(directive->name, "Slice")) ||
                             text_equal(directive->name, "RestartJitter"));
}

static int add_string(const BusSettingTarget *target, const char *value) {
        size_t n = strlen(value);

        if (strpbrk(value, "\n\r") || (n > 0 && value[n - 1] == '\\'))
                return -EINVAL;
        if (has_percents(target))
                text_add(target->lines, value);
        else
                bus_setting_add_text(target->lines, value);
        return 0;
}

static int add_plain(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusBasicValue basic = {};
        int type = dbus_message_iter_get_arg_type(value);

        if (type == DBUS_TYPE_ARRAY) {
                if (dbus_message_iter_get_element_type(value) != DBUS_TYPE_STRING)
                        return -EINVAL;
                bus_setting_add_words(target->lines, value);
                return 0;
        }
        if (!dbus_type_is_basic(type))
                return -EINVAL;
        dbus_message_iter_get_basic(value, &basic);
        switch (type) {
        case DBUS_TYPE_STRING:
                return add_string(target, basic.str);
        case DBUS_TYPE_BOOLEAN:
                text_add(target->lines, basic.bool_val ? "yes" : "no");
                return 0;
        case DBUS_TYPE_UINT32:
                add_number(target->lines, target->directive, basic.u32);
                return 0;
        case DBUS_TYPE_UINT64:
                add_number(target->lines, target->directive, basic.u64);
                return 0;
        case DBUS_TYPE_INT32:
                text_addf(target->lines, "%d", basic.i32);
                return 0;
        default:
                return -EINVAL;
        }
}

int bus_setting_write_plain(const BusSettingTarget *target, DBusMessageIter *value) {
        int r;

        text_addf(target->lines, "%s=", target->directive);
        r = add_plain(target, value);
        text_add_char(target->lines, '\n');
        return r;
}

/* — numbers with a form of their own — */

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

#define COMMANDS(name)                                         \
        { name, name, "a(sasb)", bus_setting_write_commands }, \
        { name "Ex", name, "a(sasas)", bus_setting_write_commands }
#define STREAM(name)                                                                                           \
        { name "File", name, "s", write_stream_file }, { name "FileToAppend", name, "s", write_stream_file },   \
        { name "FileToTruncate", name, "s", write_stream_file },                                                \
        { name "FileDescriptorName", name, "s", write_stream_file }
#define SCALE(name) { name "Scale", name, "u", write_scale }
#define OCTAL(name) { name, name, "u", write_octal }

static const BusSettingRow rows[] = {
        COMMANDS("ExecCondition"), COMMANDS("ExecStartPre"), COMMANDS("ExecStart"), COMMANDS("ExecStartPost"),
        COMMANDS("ExecReload"), COMMANDS("ExecStop"), COMMANDS("ExecStopPre"), COMMANDS("ExecStopPost"),
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
        { "CPUAffinity", "CPUAffinity", "ay", write_mask },
        { "NUMAMask", "NUMAMask", "ay", write_mask },
        { "AllowedCPUs", "AllowedCPUs", "ay", write_mask },
        { "AllowedMemoryNodes", "AllowedMemoryNodes", "ay", write_mask },
        { "CPUSchedulingPolicy", "CPUSchedulingPolicy", "i", write_choice },
        { "IOSchedulingClass", "IOSchedulingClass", "i", write_choice },
        { "NUMAPolicy", "NUMAPolicy", "i", write_choice },
        { "DelegateControllers", "Delegate", "as", bus_setting_write_plain },
        { "CPUQuotaPerSecUSec", "CPUQuota", "t", write_percent_of_second },
        SCALE("MemoryMin"), SCALE("MemoryLow"), SCALE("MemoryHigh"), SCALE("MemoryMax"), SCALE("MemorySwapMax"),
        SCALE("TasksMax"),
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
