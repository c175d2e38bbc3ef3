/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Resource control as data: the settings of units with a control group
 *
 * A limit in percent is kept as such, because the total is known only where
 * the limit is applied.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/string_table.h"
#include "basic/usec.h"
#include "unitfile/ip_prefix.h"
#include "unitfile/resource_limit.h"

#define RESOURCE_INFINITY UINT64_MAX
#define RESOURCE_WEIGHT_IDLE UINT32_MAX         /* CPUWeight=idle */

/* The highest number accepted for a processor or memory node. */
#define RESOURCE_NODE_MAX 8191U

typedef struct ResourceLimit {
        bool is_set;
        bool is_part;                   /* .amount is in hundredths of a percent */
        uint64_t amount;
} ResourceLimit;

typedef enum ResourceOomPolicy {
        RESOURCE_OOM_DEFAULT,           /* continue where the group is delegated, otherwise stop */
        RESOURCE_OOM_STOP,
        RESOURCE_OOM_CONTINUE,
        RESOURCE_OOM_KILL,
        _RESOURCE_OOM_MAX,
} ResourceOomPolicy;

typedef enum ResourceDevicePolicy {
        RESOURCE_DEVICES_AUTO,          /* all, unless some are named: then closed */
        RESOURCE_DEVICES_CLOSED,        /* named ones, and harmless ones: null, zero, random, … */
        RESOURCE_DEVICES_STRICT,        /* named ones only */
        _RESOURCE_DEVICE_POLICY_MAX,
} ResourceDevicePolicy;

/* In the order of CgroupController (exec/cgroup.h). */
typedef enum ResourceKind {
        RESOURCE_CPU,
        RESOURCE_CPUSET,
        RESOURCE_IO,
        RESOURCE_MEMORY,
        RESOURCE_TASKS,
        _RESOURCE_KIND_MAX,
} ResourceKind;

typedef enum ResourceDeviceLimit {
        RESOURCE_READ_BANDWIDTH,        /* bytes per second */
        RESOURCE_WRITE_BANDWIDTH,
        RESOURCE_READ_IOPS,             /* operations per second */
        RESOURCE_WRITE_IOPS,
        _RESOURCE_DEVICE_LIMIT_MAX,
} ResourceDeviceLimit;

/* Directives of control groups v1 whose values are another directive's now. */
typedef enum ResourceOldName {
        RESOURCE_OLD_CPU_SHARES,
        RESOURCE_OLD_STARTUP_CPU_SHARES,
        RESOURCE_OLD_BLOCK_IO_WEIGHT,
        RESOURCE_OLD_STARTUP_BLOCK_IO_WEIGHT,
        RESOURCE_OLD_MEMORY_LIMIT,
} ResourceOldName;

#define RESOURCE_OLD_WEIGHTS RESOURCE_OLD_MEMORY_LIMIT  /* how many of them are weights: the first ones */

/* Limit on the devices that a unit can name. */
#define RESOURCE_DEVICES_MAX 16U

typedef struct ResourceDevice {
        char *path;                     /* of the device, or of a file on it */
        uint32_t weight;                /* 0: not set */
        uint64_t limits[_RESOURCE_DEVICE_LIMIT_MAX];    /* 0: not set */
        usec_t latency_target;          /* 0: not set; USEC_INFINITY: none */
} ResourceDevice;

/* Defaults for units without settings, and the state of the manager. */
typedef struct ResourceDefaults {
        ResourceLimit tasks_max;        /* for all but slices */
        bool is_user;
        bool is_startup;                /* the manager starts up or shuts down: Startup…= applies */
} ResourceDefaults;

typedef struct ResourceSettings {
        char *slice;                    /* owned; NULL: the default slice */
        bool accounts[_RESOURCE_KIND_MAX];      /* CPUAccounting=, … */
        bool delegate;
        uint8_t delegated;              /* bits of ResourceKind */
        ResourceOomPolicy oom_policy;
        uint32_t cpu_weight;            /* 0: not set */
        uint32_t io_weight;
        uint32_t startup_cpu_weight;    /* 0: same as .cpu_weight */
        uint32_t startup_io_weight;
        usec_t cpu_quota_per_sec;       /* 0: not set; USEC_INFINITY: none */
        usec_t cpu_quota_period;        /* 0: not set */
        char *allowed_cpus;             /* owned: "0-3,5"; NULL: not set */
        char *allowed_memory_nodes;
        uint8_t by_old_name;            /* bits of ResourceOldName: these set the present name's member */
        uint32_t old_weights[RESOURCE_OLD_WEIGHTS];     /* as written, on the old scale, for clients; 0: not set */
        ResourceLimit old_memory_limit; /* likewise: MemoryLimit= */
#define RESOURCE_LIMIT_MEMBER(name_, field_, ...) ResourceLimit field_;
        RESOURCE_LIMITS(RESOURCE_LIMIT_MEMBER)  /* memory_max, tasks_max, … */
#undef RESOURCE_LIMIT_MEMBER
        ResourceDevice *devices;        /* owned */
        size_t n_devices;
        ResourceDevicePolicy device_policy;
        char **device_allow;            /* owned: "/dev/x rw", "char-pts rwm" */
        IpPrefix *ip_allow, *ip_deny;   /* owned */
        size_t n_ip_allow, n_ip_deny;
} ResourceSettings;

DECLARE_STRING_TABLE(resource_oom_policy, ResourceOomPolicy);    /* "stop", "continue", "kill" */
DECLARE_STRING_TABLE(resource_device_policy, ResourceDevicePolicy);      /* "auto", "closed", "strict" */
DECLARE_STRING_TABLE(resource_kind, ResourceKind);               /* "cpu", "cpuset", "io", "memory", "pids" */

/* The policy in force, never RESOURCE_OOM_DEFAULT. @settings may be NULL. */
ResourceOomPolicy resource_settings_oom_policy(const ResourceSettings *settings);

/* Parses a value of TasksMax=: a number, a share ("15%") or "infinity". 0, or -EINVAL. */
int resource_limit_parse(const char *value, ResourceLimit *ret_limit);

ResourceSettings *resource_settings_free(ResourceSettings *settings);
DEFINE_CLEANUP(ResourceSettings, resource_settings_free)
/* Moves the content of @from to *@ret_settings, which is NULL if there is none. 0, or -ENOMEM with NULL. */
int resource_settings_take(ResourceSettings *from, ResourceSettings **ret_settings);
/* Frees all members and sets them to zero. */
void resource_settings_deinit(ResourceSettings *settings);
