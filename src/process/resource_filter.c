/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices and addresses that a unit may reach, as programs of its control group
 *
 * Devices are named by paths, and by the names of drivers in /proc/devices; their numbers are looked up when the group
 * is made.
 */

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "exec/cgroup_filter.h"
#include "process/resource_filter.h"

typedef VECTOR(CgroupDeviceRule) DeviceRules;

bool resource_filters_devices(const ResourceSettings *settings) {
        return settings && (settings->device_policy != RESOURCE_DEVICES_AUTO || settings->device_allow);
}

bool resource_filters_addresses(const ResourceSettings *settings) {
        return settings && (settings->n_ip_allow > 0 || settings->n_ip_deny > 0);
}

static uint8_t parse_access(const char *text) {
        uint8_t access = 0;

        for (; *text; text++)
                access |= *text == 'r' ? CGROUP_DEVICE_READ : *text == 'w' ? CGROUP_DEVICE_WRITE : CGROUP_DEVICE_MKNOD;
        return access;
}

static int add_path(DeviceRules *rules, const char *path, uint8_t access) {
        CgroupDeviceRule rule = { .access = access };
        struct stat st;

        if (stat(path, &st) < 0 || !(S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
                return 0;
        rule.is_block = S_ISBLK(st.st_mode);
        rule.major = major(st.st_rdev);
        rule.minor = minor(st.st_rdev);
        return vector_push(rules, rule);
}

/* A line is "  4 tty", below "Character devices:" or "Block devices:". */
static int add_line(DeviceRules *rules, const char *line, const char *pattern, bool is_block, uint8_t access) {
        CgroupDeviceRule rule = { .is_block = is_block, .minor = CGROUP_DEVICE_ANY, .access = access };
        char name[64];

        if (sscanf(line, "%u %63[^\n]", &rule.major, name) != 2 || fnmatch(pattern, name, 0) != 0)
                return 0;
        return vector_push(rules, rule);
}

static int add_drivers(DeviceRules *rules, const char *pattern, bool is_block, uint8_t access) {
        CgroupDeviceRule all = {
                .is_block = is_block, .major = CGROUP_DEVICE_ANY, .minor = CGROUP_DEVICE_ANY, .access = access };
        bool is_in_section = false;
        char line[128];
        FILE *file;
        int r = 0;

        if (strcmp(pattern, "*") == 0)
                return vector_push(rules, all);
        file = fopen("/proc/devices", "re");
        if (!file)
                return errno == ENOMEM ? -ENOMEM : 0;
        while (r == 0 && fgets(line, sizeof(line), file)) {
                if (strchr(line, ':'))
                        is_in_section = text_starts_with(line, is_block ? "Block" : "Character");
                else if (is_in_section)
                        r = add_line(rules, line, pattern, is_block, access);
        }
        fclose(file);
        return r;
}

static int add_entry(DeviceRules *rules, const char *entry) {
        const char *space = strrchr(entry, ' ');
        uint8_t access = parse_access(space + 1);
        char name[4096];

        if ((size_t) (space - entry) >= sizeof(name))
                return 0;
        memcpy(name, entry, (size_t) (space - entry));
        name[space - entry] = '\0';
        if (text_starts_with(name, "char-"))
                return add_drivers(rules, name + strlen("char-"), false, access);
        if (text_starts_with(name, "block-"))
                return add_drivers(rules, name + strlen("block-"), true, access);
        return add_path(rules, name, access);
}

/* Devices that every program may expect, and pseudo terminals: their numbers are the same on every machine. */
static int add_harmless(DeviceRules *rules) {
        static const struct {
                unsigned major, minor;
        } devices[] = {
                { 1, 3 }, { 1, 5 }, { 1, 7 }, { 1, 8 }, { 1, 9 },       /* null, zero, full, random, urandom */
                { 5, 0 }, { 5, 2 },                                     /* tty, ptmx */
        };
        CgroupDeviceRule rule = { .access = CGROUP_DEVICE_READ | CGROUP_DEVICE_WRITE | CGROUP_DEVICE_MKNOD };

        for (size_t i = 0; i < ELEMENTSOF(devices); i++) {
                rule.major = devices[i].major;
                rule.minor = devices[i].minor;
                if (vector_push(rules, rule) < 0)
                        return -ENOMEM;
        }
        rule.major = 136;                                               /* pts */
        rule.minor = CGROUP_DEVICE_ANY;
        rule.access = CGROUP_DEVICE_READ | CGROUP_DEVICE_WRITE;
        return vector_push(rules, rule);
}

int resource_apply_devices(const ResourceSettings *settings, const Cgroup *group) {
        DeviceRules rules = {};
        int r = 0;

        if (settings->device_policy != RESOURCE_DEVICES_STRICT)
                r = add_harmless(&rules);
        for (char **entry = settings->device_allow; r == 0 && entry && *entry; entry++)
                r = add_entry(&rules, *entry);
        if (r == 0)
                r = cgroup_filter_devices(group, rules.items, rules.n);
        vector_deinit(&rules);
        return r;
}

typedef VECTOR(CgroupAddressRule) AddressRules;

static int add_addresses(AddressRules *rules, const IpPrefix *prefixes, size_t n, bool allows) {
        for (size_t i = 0; i < n; i++) {
                CgroupAddressRule rule = { .family = prefixes[i].family, .bits = prefixes[i].bits, .allows = allows };

                memcpy(rule.address, prefixes[i].address, sizeof(rule.address));
                if (vector_push(rules, rule) < 0)
                        return -ENOMEM;
        }
        return 0;
}

int resource_apply_addresses(const ResourceSettings *const *settings, size_t n, const Cgroup *group) {
        AddressRules rules = {};
        int r = 0;

        for (size_t i = 0; r == 0 && i < n; i++) {
                r = add_addresses(&rules, settings[i]->ip_allow, settings[i]->n_ip_allow, true);
                if (r == 0)
                        r = add_addresses(&rules, settings[i]->ip_deny, settings[i]->n_ip_deny, false);
        }
        if (r == 0)
                r = cgroup_filter_addresses(group, rules.items, rules.n);
        vector_deinit(&rules);
        return r;
}
