/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Limits, weights and usage of a control group
 */

#include "exec/cgroup.h"

/* One setting: file and value as in Documentation/admin-guide/cgroup-v2.rst. */
typedef struct CgroupAttribute {
        CgroupController controller;
        const char *file;               /* static: "memory.max" */
        const char *directive;          /* static: "MemoryMax" */
        char value[200];
        const char *list;               /* borrowed; used instead of .value if not NULL, any length */
        bool is_default;                /* the value of a new group */
        int error;                      /* negative errno: the reason why nothing can be written */
} CgroupAttribute;

/* Enables the controller for the group in all its parents: 0, -EOPNOTSUPP if the tree does not have it, or -errno. */
int cgroup_enable(Cgroup *group, CgroupController controller);
bool cgroup_is_enabled(const Cgroup *group, CgroupController controller);

/* Enables the controller and writes the attribute: 0 or -errno, as above. */
int cgroup_set(Cgroup *group, const CgroupAttribute *attribute);
/*
 * Resets the entries of all devices in "io.max", "io.latency" or "io.weight"; the caller then writes the current ones.
 */
void cgroup_reset_devices(Cgroup *group, const char *file);
/* Opens a file of the group for reading; the caller owns the descriptor. -errno if it cannot be opened. */
int cgroup_open_file(const Cgroup *group, const char *file);
int cgroup_write(const Cgroup *group, const char *file, const char *value);

/*
 * Reads a number: the content of a file, or the value of @key in a table. 0, -ENODATA if there is none, or -errno.
 * "max" is UINT64_MAX.
 */
int cgroup_read(const Cgroup *group, const char *file, const char *key, uint64_t *ret_value);
