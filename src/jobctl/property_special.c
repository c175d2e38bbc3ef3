/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties with a notation of their own
 *
 * On the bus, modes, masks, addresses and sets of processors are numbers.
 * They are printed in the notation of unit files, so that the output can be
 * written into a file. With --json they are printed unchanged.
 */

#include <arpa/inet.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "basic/macro.h"
#include "basic/usec.h"
#include "jobctl/property_special.h"
#include "jobctl/value.h"
#include "unitfile/capability.h"

typedef void (*AddValue)(Text *text, const json_t *value);

typedef struct Special {
        const char *name;
        AddValue add;                   /* the whole value, or … */
        AddValue add_item;              /* … each item, separated by blanks */
} Special;

void property_add_span(Text *text, uint64_t usec) {
        static const struct {
                const char *word;
                usec_t usec;
        } units[] = {
                { "w", 7 * USEC_PER_DAY }, { "d", USEC_PER_DAY },   { "h", USEC_PER_HOUR }, { "min", USEC_PER_MINUTE },
                { "s", USEC_PER_SEC },     { "ms", USEC_PER_MSEC }, { "us", 1 },
        };
        const char *separator = "";

        if (usec == 0 || usec == USEC_INFINITY) {
                text_add(text, usec == 0 ? "0" : "infinity");
                return;
        }
        for (size_t i = 0; i < ELEMENTSOF(units); i++) {
                if (usec < units[i].usec)
                        continue;
                text_addf(text, "%s%" PRIu64 "%s", separator, usec / units[i].usec, units[i].word);
                usec %= units[i].usec;
                separator = " ";
        }
}

/* Numbers beyond the range of JSON are strings of digits; all bits set is null. */
static uint64_t number_of(const json_t *value) {
        if (json_is_string(value))
                return strtoull(json_string_value(value), NULL, 10);
        return json_is_integer(value) ? (uint64_t) json_integer_value(value) : UINT64_MAX;
}

static bool item_is_true(const json_t *array, size_t index) {
        return json_is_true(json_array_get(array, index));
}

static void add_word(Text *text, const char **separator, const char *word) {
        text_addf(text, "%s%s", *separator, word);
        *separator = " ";
}

/* — numbers — */

static void add_mode(Text *text, const json_t *value) {
        text_addf(text, "%04o", (unsigned) number_of(value));
}

static void add_hexadecimal(Text *text, const json_t *value) {
        text_addf(text, "0x%" PRIx64, number_of(value));
}

static void add_capabilities(Text *text, const json_t *value) {
        const uint64_t mask = number_of(value);
        const char *separator = "", *name;

        for (int i = 0; (name = capability_name(i)); i++)
                if (mask >> i & 1) {
                        text_addf(text, "%scap_%s", separator, name);
                        separator = " ";
                }
}

static void add_namespaces(Text *text, const json_t *value) {
        static const struct {
                uint64_t flag;
                const char *name;
        } kinds[] = {
                { CLONE_NEWCGROUP, "cgroup" }, { CLONE_NEWIPC, "ipc" }, { CLONE_NEWNET, "net" },
                { CLONE_NEWNS, "mnt" }, { CLONE_NEWPID, "pid" }, { CLONE_NEWUSER, "user" }, { CLONE_NEWUTS, "uts" },
        };
        const uint64_t allowed = number_of(value);
        const char *separator = "";
        uint64_t all = 0;

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                all |= kinds[i].flag;
        if ((allowed & all) == 0 || (allowed & all) == all) {
                text_add(text, (allowed & all) == 0 ? "yes" : "no");
                return;
        }
        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                if (allowed & kinds[i].flag)
                        add_word(text, &separator, kinds[i].name);
}

static void add_propagation(Text *text, const json_t *value) {
        const uint64_t flags = number_of(value);

        text_add(text, flags & MS_SHARED ? "shared" : flags & MS_SLAVE ? "slave" : flags & MS_PRIVATE ? "private" : "");
}

static void add_numa_policy(Text *text, const json_t *value) {
        static const char *const policies[] = { "default", "preferred", "bind", "interleave", "local" };
        const uint64_t policy = number_of(value);

        text_add(text, policy < ELEMENTSOF(policies) ? policies[policy] : "n/a");
}

/* — bytes, which come as hexadecimal digits — */

static size_t read_bytes(const json_t *value, uint8_t *bytes, size_t size) {
        const char *digits = json_string_value(value) ?: "";
        unsigned byte;
        size_t n = 0;

        for (; n < size && sscanf(digits + 2 * n, "%2x", &byte) == 1; n++) {
                bytes[n] = (uint8_t) byte;
                if (!digits[2 * n + 1])
                        break;
        }
        return n;
}

/* A set of numbers: "0-3 7". */
static void add_set(Text *text, const json_t *value) {
        uint8_t bytes[1024];
        const size_t n = 8 * read_bytes(value, bytes, sizeof(bytes));
        const char *separator = "";

        for (size_t i = 0; i < n; i++) {
                size_t last = i;

                if (!(bytes[i / 8] >> i % 8 & 1))
                        continue;
                while (last + 1 < n && bytes[(last + 1) / 8] >> (last + 1) % 8 & 1)
                        last++;
                text_addf(text, last > i ? "%s%zu-%zu" : "%s%zu", separator, i, last);
                separator = " ";
                i = last;
        }
}

static void add_bytes(Text *text, const json_t *item) {
        uint8_t bytes[4096];
        const size_t n = read_bytes(item, bytes, sizeof(bytes) - 1);
        bool is_text;

        bytes[n] = '\0';
        is_text = text_is_utf8((const char *) bytes);
        for (size_t i = 0; i < n; i++)
                if (bytes[i] < ' ' || bytes[i] == 0x7f || (bytes[i] > 0x7f && !is_text))
                        text_addf(text, "\\x%02x", bytes[i]);
                else
                        text_add_char(text, (char) bytes[i]);
}

/* (family, address, length of the prefix). */
static void add_address(Text *text, const json_t *item) {
        const int family = (int) value_item_u64(item, 0);
        char address[INET6_ADDRSTRLEN];
        uint8_t bytes[16] = {};

        (void) read_bytes(json_array_get(item, 1), bytes, sizeof(bytes));
        if (inet_ntop(family, bytes, address, sizeof(address)))
                text_addf(text, "%s/%u", address, (unsigned) value_item_u64(item, 2));
}

/* — structures — */

/* (source, destination, is it optional, flags). */
static void add_bind(Text *text, const json_t *item) {
        const bool is_recursive = value_item_u64(item, 3) & MS_REC;

        text_addf(text, "%s%s:%s:%s", item_is_true(item, 2) ? "-" : "", value_item_string(item, 0),
                  value_item_string(item, 1), is_recursive ? "rbind" : "norbind");
}

/* (first, second); the second may be empty. */
static void add_pair(Text *text, const json_t *item, char between) {
        text_add(text, value_item_string(item, 0));
        if (*value_item_string(item, 1))
                text_addf(text, "%c%s", between, value_item_string(item, 1));
}

static void add_colon_pair(Text *text, const json_t *item) {
        add_pair(text, item, ':');
}

static void add_blank_pair(Text *text, const json_t *item) {
        add_pair(text, item, ' ');
}

/* (name, value): the value is secret. */
static void add_first(Text *text, const json_t *item) {
        text_add(text, value_item_string(item, 0));
}

static void add_of_device(Text *text, const json_t *item) {
        text_addf(text, "%s %" PRIu64, value_item_string(item, 0), value_item_u64(item, 1));
}

static void add_latency(Text *text, const json_t *item) {
        text_addf(text, "%s ", value_item_string(item, 0));
        property_add_span(text, value_item_u64(item, 1));
}

static void add_environment_file(Text *text, const json_t *item) {
        text_addf(text, "%s (ignore_errors=%s)", value_item_string(item, 0), item_is_true(item, 1) ? "yes" : "no");
}

/* (is it optional, label). */
static void add_label(Text *text, const json_t *value) {
        if (*value_item_string(value, 1))
                text_addf(text, "%s%s", item_is_true(value, 0) ? "-" : "", value_item_string(value, 1));
}

/* (is it an allow list, names). */
static void add_filter(Text *text, const json_t *value) {
        const json_t *names = json_array_get(value, 1);
        const bool is_list = item_is_true(value, 0);
        const char *separator = "";
        json_t *name;
        size_t i;

        if (json_array_size(names) == 0)
                text_add(text, is_list ? "none" : "");
        else if (!is_list)
                text_add_char(text, '~');
        json_array_foreach(names, i, name)
                add_word(text, &separator, json_string_value(name) ?: "");
}

/* (condition, is it a triggering one, is it negated, parameter, result). */
static void add_condition(Text *text, const json_t *item) {
        const json_int_t result = json_integer_value(json_array_get(item, 4));

        text_addf(text, "%s=%s%s%s (%s)", value_item_string(item, 0), item_is_true(item, 1) ? "|" : "",
                  item_is_true(item, 2) ? "!" : "", value_item_string(item, 3),
                  result > 0 ? "met" : result < 0 ? "not met" : "not looked at");
}

static const Special specials[] = {
        { "AllowedCPUs", .add = add_set },
        { "AllowedMemoryNodes", .add = add_set },
        { "AmbientCapabilities", .add = add_capabilities },
        { "AppArmorProfile", .add = add_label },
        { "Asserts", .add_item = add_condition },
        { "BindPaths", .add_item = add_bind },
        { "BindReadOnlyPaths", .add_item = add_bind },
        { "CPUAffinity", .add = add_set },
        { "CacheDirectorySymlink", .add_item = add_colon_pair },
        { "CapabilityBoundingSet", .add = add_capabilities },
        { "Conditions", .add_item = add_condition },
        { "CoredumpFilter", .add = add_hexadecimal },
        { "DeviceAllow", .add_item = add_blank_pair },
        { "EffectiveCPUs", .add = add_set },
        { "EffectiveMemoryNodes", .add = add_set },
        { "EnvironmentFiles", .add_item = add_environment_file },
        { "IODeviceLatencyTargetUSec", .add_item = add_latency },
        { "IODeviceWeight", .add_item = add_of_device },
        { "IOReadBandwidthMax", .add_item = add_of_device },
        { "IOReadIOPSMax", .add_item = add_of_device },
        { "IOWriteBandwidthMax", .add_item = add_of_device },
        { "IOWriteIOPSMax", .add_item = add_of_device },
        { "IPAddressAllow", .add_item = add_address },
        { "IPAddressDeny", .add_item = add_address },
        { "LoadCredential", .add_item = add_colon_pair },
        { "LogExtraFields", .add_item = add_bytes },
        { "LogsDirectorySymlink", .add_item = add_colon_pair },
        { "MountFlags", .add = add_propagation },
        { "NUMAMask", .add = add_set },
        { "NUMAPolicy", .add = add_numa_policy },
        { "RestrictAddressFamilies", .add = add_filter },
        { "RestrictNamespaces", .add = add_namespaces },
        { "RuntimeDirectorySymlink", .add_item = add_colon_pair },
        { "SELinuxContext", .add = add_label },
        { "SetCredential", .add_item = add_first },
        { "SmackProcessLabel", .add = add_label },
        { "StartupAllowedCPUs", .add = add_set },
        { "StartupAllowedMemoryNodes", .add = add_set },
        { "StateDirectorySymlink", .add_item = add_colon_pair },
        { "SystemCallFilter", .add = add_filter },
        { "SystemCallLog", .add = add_filter },
        { "TemporaryFileSystem", .add_item = add_colon_pair },
        { "UMask", .add = add_mode },
};

static int compare(const void *name, const void *special) {
        return strcmp(name, ((const Special *) special)->name);
}

bool property_add_special(Text *text, const char *name, const json_t *value) {
        const Special *special = bsearch(name, specials, ELEMENTSOF(specials), sizeof(*specials), compare);
        json_t *item;
        size_t i;

        if (!special && json_is_integer(value) && text_ends_with(name, "Mode")) {
                add_mode(text, value);
                return true;
        }
        if (!special)
                return false;
        if (special->add)
                special->add(text, value);
        else
                json_array_foreach(value, i, item) {
                        text_add(text, i > 0 ? " " : "");
                        special->add_item(text, item);
                }
        return true;
}
