/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rare settings of [Service]
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unitfile/service_rare_settings.h"
#include "unitfile/service_settings.h"

#define READINESS_INTERVAL (1 * USEC_PER_SEC)
#define LIVENESS_INTERVAL (10 * USEC_PER_SEC)
#define PROBE_TIMEOUT (5 * USEC_PER_SEC)
#define LIVENESS_THRESHOLD 3

static const char *const service_timeout_modes[_SERVICE_TIMEOUT_MODE_MAX] = {
        [SERVICE_TIMEOUT_TERMINATE] = "terminate",
        [SERVICE_TIMEOUT_ABORT] = "abort",
        [SERVICE_TIMEOUT_KILL] = "kill",
};

static const char *const service_restart_modes[_SERVICE_RESTART_MODE_MAX] = {
        [SERVICE_RESTART_NORMAL] = "normal",
        [SERVICE_RESTART_DIRECT] = "direct",
};

static const char *const service_fd_preserves[_SERVICE_FD_PRESERVE_MAX] = {
        [SERVICE_FDS_RESTART] = "restart",
        [SERVICE_FDS_NO] = "no",
        [SERVICE_FDS_YES] = "yes",
};

static const char *const service_probe_kinds[_SERVICE_PROBE_KIND_MAX] = {
        [SERVICE_PROBE_READINESS] = "readiness",
        [SERVICE_PROBE_LIVENESS] = "liveness",
};

DEFINE_STRING_TABLE(service_timeout_mode, ServiceTimeoutMode, service_timeout_modes)
DEFINE_STRING_TABLE(service_restart_mode, ServiceRestartMode, service_restart_modes)
DEFINE_STRING_TABLE(service_fd_preserve, ServiceFdPreserve, service_fd_preserves)
DEFINE_STRING_TABLE(service_probe_kind, ServiceProbeKind, service_probe_kinds)

ServiceOpenFile *service_open_file_free_all(ServiceOpenFile *list) {
        while (list) {
                ServiceOpenFile *next = list->next;

                free(list->path);
                free(list->name);
                free(list);
                list = next;
        }
        return NULL;
}

void service_rare_settings_deinit(ServiceRareSettings *rare) {
        free(rare->bus_name);
        service_open_file_free_all(rare->open_files);
        for (size_t i = 0; i < _SERVICE_PROBE_KIND_MAX; i++) {
                exec_command_free_all(rare->probes[i].command);
                free(rare->probes[i].target);
        }
        memset(rare, 0, sizeof(*rare));
}

ServiceRareSettings *service_rare_settings_free(ServiceRareSettings *rare) {
        if (rare)
                service_rare_settings_deinit(rare);
        free(rare);
        return NULL;
}

int service_rare_settings_take(ServiceRareSettings *from, ServiceRareSettings **ret_rare) {
        static const ServiceRareSettings nothing;
        ServiceRareSettings *rare;

        assert(from && ret_rare);

        *ret_rare = NULL;
        if (memcmp(from, &nothing, sizeof(nothing)) == 0)
                return 0;
        rare = malloc(sizeof(*rare));
        if (!rare)
                return -ENOMEM;
        *rare = *from;
        memset(from, 0, sizeof(*from));
        *ret_rare = rare;
        return 0;
}

usec_t service_probe_interval(const ServiceProbe *probe, ServiceProbeKind kind) {
        if (probe->interval > 0)
                return probe->interval;
        return kind == SERVICE_PROBE_READINESS ? READINESS_INTERVAL : LIVENESS_INTERVAL;
}

usec_t service_probe_timeout(const ServiceProbe *probe) {
        return probe->timeout > 0 ? probe->timeout : PROBE_TIMEOUT;
}

uint32_t service_probe_threshold(const ServiceProbe *probe, ServiceProbeKind kind) {
        if (probe->threshold > 0)
                return probe->threshold;
        return kind == SERVICE_PROBE_READINESS ? 1 : LIVENESS_THRESHOLD;
}
