/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resource control as data
 *
 * All members zero mean no setting, which is not stored: most units have no
 * limits.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "unitfile/resource_settings.h"

static const char *const oom_policies[_RESOURCE_OOM_MAX] = {
        [RESOURCE_OOM_STOP] = "stop",
        [RESOURCE_OOM_CONTINUE] = "continue",
        [RESOURCE_OOM_KILL] = "kill",
};

static const char *const device_policies[_RESOURCE_DEVICE_POLICY_MAX] = {
        [RESOURCE_DEVICES_AUTO] = "auto",
        [RESOURCE_DEVICES_CLOSED] = "closed",
        [RESOURCE_DEVICES_STRICT] = "strict",
};

static const char *const kinds[_RESOURCE_KIND_MAX] = {
        [RESOURCE_CPU] = "cpu",
        [RESOURCE_CPUSET] = "cpuset",
        [RESOURCE_IO] = "io",
        [RESOURCE_MEMORY] = "memory",
        [RESOURCE_TASKS] = "pids",
};

DEFINE_STRING_TABLE(resource_oom_policy, ResourceOomPolicy, oom_policies)
DEFINE_STRING_TABLE(resource_device_policy, ResourceDevicePolicy, device_policies)
DEFINE_STRING_TABLE(resource_kind, ResourceKind, kinds)

ResourceOomPolicy resource_settings_oom_policy(const ResourceSettings *settings) {
        if (settings && settings->oom_policy != RESOURCE_OOM_DEFAULT)
                return settings->oom_policy;
        return settings && settings->delegate ? RESOURCE_OOM_CONTINUE : RESOURCE_OOM_STOP;
}

void resource_settings_deinit(ResourceSettings *settings) {
        free(settings->slice);
        free(settings->allowed_cpus);
        free(settings->allowed_memory_nodes);
        for (size_t i = 0; i < settings->n_devices; i++)
                free(settings->devices[i].path);
        free(settings->devices);
        strv_free(settings->device_allow);
        free(settings->ip_allow);
        free(settings->ip_deny);
        memset(settings, 0, sizeof(*settings));
}

ResourceSettings *resource_settings_free(ResourceSettings *settings) {
        if (settings)
                resource_settings_deinit(settings);
        free(settings);
        return NULL;
}

int resource_settings_take(ResourceSettings *from, ResourceSettings **ret_settings) {
        static const ResourceSettings nothing;
        ResourceSettings *settings;

        assert(from && ret_settings);

        *ret_settings = NULL;
        if (memcmp(from, &nothing, sizeof(nothing)) == 0)
                return 0;
        settings = malloc(sizeof(*settings));
        if (!settings)
                return -ENOMEM;
        memcpy(settings, from, sizeof(*settings));
        memset(from, 0, sizeof(*from));
        *ret_settings = settings;
        return 0;
}
