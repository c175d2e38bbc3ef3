/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Resource settings as files of a control group
 */

#include "unit/exec/cgroup_control.h"
#include "unit/file/resource_settings.h"

#define RESOURCE_ATTRIBUTES_MAX 16U

/*
 * All attributes that there are, those that say nothing with .is_default: their number. @settings may be NULL. Limits in
 * percent are of the machine's memory and of the tasks that it can have.
 */
size_t resource_list_attributes(const ResourceSettings *settings, CgroupAttribute attributes[static RESOURCE_ATTRIBUTES_MAX]);

/* Bits of CgroupController that must be there without a limit: for accounting, and to be passed on by Delegate=. */
uint8_t resource_wanted_controllers(const ResourceSettings *settings);
/* The directive that wants one: "MemoryAccounting" or "Delegate". */
const char *resource_wanting_directive(const ResourceSettings *settings, CgroupController controller);
