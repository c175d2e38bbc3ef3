/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Access of a control group's processes to devices and network addresses
 *
 * BPF programs that the kernel runs for each open of a device and for each
 * packet. They stay with the group when the manager dies; setting new ones
 * replaces them. Each function returns 0 or -errno; -EPERM, -ENOSYS and
 * -EINVAL mean that the kernel or container does not support it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/cgroup.h"

#define CGROUP_DEVICE_ANY UINT32_MAX

typedef enum CgroupDeviceAccess {
        CGROUP_DEVICE_MKNOD = 1 << 0,   /* the kernel's values */
        CGROUP_DEVICE_READ = 1 << 1,
        CGROUP_DEVICE_WRITE = 1 << 2,
} CgroupDeviceAccess;

typedef struct CgroupDeviceRule {
        bool is_block;
        uint32_t major, minor;          /* CGROUP_DEVICE_ANY: all */
        uint8_t access;                 /* CgroupDeviceAccess */
} CgroupDeviceRule;

/* Denies all devices but these. */
int cgroup_filter_devices(const Cgroup *group, const CgroupDeviceRule *rules, size_t n);
int cgroup_unfilter_devices(const Cgroup *group);
/* Returns true if the machine accepts any device program; to be asked after one was rejected. */
bool cgroup_can_filter_devices(const Cgroup *group);

typedef struct CgroupAddressRule {
        int family;                     /* AF_INET, AF_INET6 */
        uint8_t address[16];
        uint8_t bits;
        bool allows;
} CgroupAddressRule;

/* A packet passes if a rule allows its peer, or if no rule denies it. */
int cgroup_filter_addresses(const Cgroup *group, const CgroupAddressRule *rules, size_t n);
int cgroup_unfilter_addresses(const Cgroup *group);
bool cgroup_can_filter_addresses(const Cgroup *group);  /* as above */
