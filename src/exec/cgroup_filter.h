/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What processes of a control group may reach: devices, and addresses of the network
 *
 * Small programs (BPF) that the kernel runs for each open of a device and each
 * packet. They stay with the group, also when we die; to set them again
 * replaces those that were there. Each answers 0 or -errno; -EPERM, -ENOSYS
 * and -EINVAL are what a kernel or a container says that has none of it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/cgroup.h"

#define CGROUP_DEVICE_ANY UINT32_MAX

typedef enum CgroupDeviceAccess {
        CGROUP_DEVICE_MKNOD = 1 << 0,   /* as the kernel has them */
        CGROUP_DEVICE_READ = 1 << 1,
        CGROUP_DEVICE_WRITE = 1 << 2,
} CgroupDeviceAccess;

typedef struct CgroupDeviceRule {
        bool is_block;
        uint32_t major, minor;          /* CGROUP_DEVICE_ANY: all of them */
        uint8_t access;                 /* CgroupDeviceAccess */
} CgroupDeviceRule;

/* Only these may be opened. */
int cgroup_filter_devices(const Cgroup *group, const CgroupDeviceRule *rules, size_t n);
int cgroup_unfilter_devices(const Cgroup *group);
/* Does this machine take any such program? For who was told that it takes not that one. */
bool cgroup_can_filter_devices(const Cgroup *group);

typedef struct CgroupAddressRule {
        int family;                     /* AF_INET, AF_INET6 */
        uint8_t address[16];
        uint8_t bits;
        bool allows;
} CgroupAddressRule;

/* A packet passes if a rule allows its other end, or none denies it. */
int cgroup_filter_addresses(const Cgroup *group, const CgroupAddressRule *rules, size_t n);
int cgroup_unfilter_addresses(const Cgroup *group);
bool cgroup_can_filter_addresses(const Cgroup *group);  /* as above */
