/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Devices and addresses that a unit may reach, as programs of its control group
 */

#include "exec/cgroup.h"
#include "unitfile/resource_settings.h"

/* Returns true if @settings, which may be NULL, restrict devices or addresses. */
bool resource_filters_devices(const ResourceSettings *settings);
bool resource_filters_addresses(const ResourceSettings *settings);

/* Attaches the filter of devices: 0 or -errno. A device that does not exist now is left out. */
int resource_apply_devices(const ResourceSettings *settings, const Cgroup *group);

/*
 * Attaches the filter of addresses, by @n settings: the unit's own, and those of the slices that it is in. 0 or -errno.
 */
int resource_apply_addresses(const ResourceSettings *const *settings, size_t n, const Cgroup *group);
