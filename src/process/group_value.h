/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The use of resources of a control group, from its files
 */

#include "exec/cgroup.h"
#include "unit/unit_host.h"

/* In the units of UnitGroupValue; kills are counted since the group was made. 0, -ENODATA or -errno. */
int group_value_read(const Cgroup *group, UnitGroupValue what, uint64_t *ret_value);
