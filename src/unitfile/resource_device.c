/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of resource directives for one device: a path and a number
 *
 * The path is resolved to a device when the limit is applied, because it may
 * not exist before.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "unitfile/directive_resource.h"
#include "unitfile/directive_value.h"
#include "unitfile/unit_draft.h"

#define WEIGHT_MAX 10000U

static int find_device(ResourceSettings *settings, const char *path, ResourceDevice **ret_device) {
        ResourceDevice *devices;

        for (size_t i = 0; i < settings->n_devices; i++)
                if (strcmp(settings->devices[i].path, path) == 0) {
                        *ret_device = &settings->devices[i];
                        return 0;
                }
        if (settings->n_devices == RESOURCE_DEVICES_MAX)
                return -E2BIG;
        devices = realloc(settings->devices, (settings->n_devices + 1) * sizeof(*devices));
        if (!devices)
                return -ENOMEM;
        settings->devices = devices;
        devices[settings->n_devices] = (ResourceDevice) { .path = strdup(path) };
        if (!devices[settings->n_devices].path)
                return -ENOMEM;
        *ret_device = &devices[settings->n_devices++];
        return 0;
}

static bool says_nothing(const ResourceDevice *device) {
        bool has_limit = false;

        for (size_t i = 0; i < _RESOURCE_DEVICE_LIMIT_MAX; i++)
                has_limit = has_limit || device->limits[i] > 0;
        return !has_limit && device->weight == 0 && device->latency_target == 0;
}

/* Drops empty rows, so that settings without content are all zero. */
static void drop_empty(ResourceSettings *settings) {
        size_t n = 0;

        for (size_t i = 0; i < settings->n_devices; i++) {
                if (says_nothing(&settings->devices[i]))
                        free(settings->devices[i].path);
                else
                        settings->devices[n++] = settings->devices[i];
        }
        settings->n_devices = n;
        if (n == 0) {
                free(settings->devices);
                settings->devices = NULL;
        }
}

/* Splits the two words: 1, 0 if they are invalid (reported), or -errno. */
static int split(const DirectiveLine *line, const char *value, const char *example, char **ret_path,
                 const char **ret_number) {
        cleanup_free_ char *path = NULL;
        size_t n = strcspn(value, " \t");
        int r;

        path = strndup(value, n);
        if (!path)
                return -ENOMEM;
        *ret_number = value + n + strspn(value + n, " \t");
        if (**ret_number == '\0') {
                r = directive_complain(line, "'%s' is not a path and a value such as '/dev/sda %s'", value, example);
                return r < 0 ? r : 0;
        }
        return directive_expand_path(line, path, ret_path);
}

static int find_field(const DirectiveLine *line, const char *path, ResourceDevice **ret_device) {
        int r = find_device(directive_base(line, DIRECTIVE_IN_RESOURCES), path, ret_device);

        if (r != -E2BIG)
                return r < 0 ? r : 1;
        r = directive_complain(line, "There are more than %u devices", RESOURCE_DEVICES_MAX);
        return r < 0 ? r : 0;
}

int resource_parse_device_weight(const DirectiveLine *line, const char *value) {
        ResourceSettings *settings = directive_base(line, DIRECTIVE_IN_RESOURCES);
        cleanup_free_ char *path = NULL;
        ResourceDevice *device;
        const char *number;
        uint32_t weight;
        int r;

        if (!*value) {
                for (size_t i = 0; i < settings->n_devices; i++)
                        settings->devices[i].weight = 0;
                drop_empty(settings);
                return 0;
        }
        r = split(line, value, "50", &path, &number);
        if (r <= 0)
                return r;
        if (text_parse_u32(number, &weight) < 0 || weight < 1 || weight > WEIGHT_MAX)
                return directive_complain(line, "'%s' is not a whole number between 1 and %u", number, WEIGHT_MAX);
        r = find_field(line, path, &device);
        if (r > 0)
                device->weight = weight;
        return MIN(r, 0);
}

int resource_parse_device_limit(const DirectiveLine *line, const char *value) {
        ResourceSettings *settings = directive_base(line, DIRECTIVE_IN_RESOURCES);
        const ResourceDeviceLimit which = (ResourceDeviceLimit) line->directive->argument;
        cleanup_free_ char *path = NULL;
        ResourceDevice *device;
        const char *number;
        uint64_t limit = RESOURCE_INFINITY;
        int r;

        if (!*value) {
                for (size_t i = 0; i < settings->n_devices; i++)
                        settings->devices[i].limits[which] = 0;
                drop_empty(settings);
                return 0;
        }
        r = split(line, value, "5M", &path, &number);
        if (r <= 0)
                return r;
        if (strcmp(number, "infinity") != 0 && (resource_read_size(number, 1000, &limit) < 0 || limit == 0))
                return directive_complain(line,
                                          "'%s' is not a limit per second such as '5M', or 'infinity'",
                                          number);
        r = find_field(line, path, &device);
        if (r > 0)
                device->limits[which] = limit;
        return MIN(r, 0);
}

int resource_parse_device_latency(const DirectiveLine *line, const char *value) {
        ResourceSettings *settings = directive_base(line, DIRECTIVE_IN_RESOURCES);
        cleanup_free_ char *path = NULL;
        ResourceDevice *device;
        const char *span;
        usec_t target;
        int r;

        if (!*value) {
                for (size_t i = 0; i < settings->n_devices; i++)
                        settings->devices[i].latency_target = 0;
                drop_empty(settings);
                return 0;
        }
        r = split(line, value, "25ms", &path, &span);
        if (r <= 0)
                return r;
        if (usec_parse(span, USEC_PER_SEC, &target) < 0)
                return directive_complain(line, "'%s' is not a time span such as '25ms', '0.1' or 'infinity'", span);
        r = find_field(line, path, &device);
        if (r > 0)
                device->latency_target = target == 0 ? USEC_INFINITY : target;  /* 0 means no target to the kernel */
        return MIN(r, 0);
}
