/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What a unit may reach, as programs of its control group
 */

#include "exec/cgroup.h"
#include "unitfile/resource_settings.h"

/* Does it say anything of devices, or of addresses? @settings may be NULL. */
bool resource_filters_devices(const ResourceSettings *settings);
bool resource_filters_addresses(const ResourceSettings *settings);

/* Which devices may be opened: 0 or -errno. A device that is not there now is left out. */
int resource_apply_devices(const ResourceSettings *settings, const Cgroup *group);

/* Which addresses may be reached, by @n settings: the unit's own, and those of the slices that it is in. 0 or -errno. */
int resource_apply_addresses(const ResourceSettings *const *settings, size_t n, const Cgroup *group);
