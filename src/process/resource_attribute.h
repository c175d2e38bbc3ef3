/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Resource settings as files of a control group
 */

#include <sys/types.h>

#include "exec/cgroup_control.h"
#include "unitfile/resource_settings.h"

/* Files of a group with a line for each device. */
#define RESOURCE_DEVICE_FILES 3U
#define RESOURCE_ATTRIBUTES_MAX (16U + RESOURCE_DEVICE_FILES * RESOURCE_DEVICES_MAX)

/*
 * Writes all attributes, with .is_default those that are not set, then those of devices: their number. @settings and
 * @defaults may be NULL. Limits in percent are of the machine's memory and of its tasks.
 */
size_t resource_list_attributes(const ResourceSettings *settings, const ResourceDefaults *defaults,
                                CgroupAttribute attributes[static RESOURCE_ATTRIBUTES_MAX]);
/* Returns true if there are settings for the startup only; @settings may be NULL. */
bool resource_has_startup(const ResourceSettings *settings);

/*
 * resource_device.c: the attributes of one device, at most one for each file; with .error if its disk cannot be found.
 */
size_t resource_list_device(const ResourceDevice *device, CgroupAttribute attributes[static RESOURCE_DEVICE_FILES]);
int resource_find_disk(const char *path, dev_t *ret_device);    /* 0, -ENODEV if it is on none, or -errno */

/* Bits of CgroupController that are needed without a limit: for accounting, and for Delegate=. */
uint8_t resource_wanted_controllers(const ResourceSettings *settings);
/* The directive that needs @controller: "MemoryAccounting" or "Delegate". */
const char *resource_wanting_directive(const ResourceSettings *settings, CgroupController controller);
