/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Limits and weights of a control group, and what it has used
 */

#include "exec/cgroup.h"

/* One setting: file and value as in Documentation/admin-guide/cgroup-v2.rst. */
typedef struct CgroupAttribute {
        CgroupController controller;
        const char *file;               /* static: "memory.max" */
        const char *directive;          /* static: "MemoryMax" */
        char value[200];
        const char *list;               /* borrowed; in its place, of any length; NULL: it is .value */
        bool is_default;                /* what a new group has by itself */
        int error;                      /* negative errno: why there is nothing to be written */
} CgroupAttribute;

/*
 * Makes the controller available in the group, for which all groups above pass it on: 0, -EOPNOTSUPP if the tree has it
 * not, or -errno.
 */
int cgroup_enable(Cgroup *group, CgroupController controller);
bool cgroup_is_enabled(const Cgroup *group, CgroupController controller);

/* Writes it, and makes its controller available first: 0 or -errno, as above. */
int cgroup_set(Cgroup *group, const CgroupAttribute *attribute);
/* Takes back what is set of devices in "io.max", "io.latency" or "io.weight"; what still holds is written after it. */
void cgroup_reset_devices(Cgroup *group, const char *file);
/* For reading; the caller's. -errno if there is none. */
int cgroup_open_file(const Cgroup *group, const char *file);
int cgroup_write(const Cgroup *group, const char *file, const char *value);

/* A number alone in a file, or behind @key in a table: 0, -ENODATA if there is none, or -errno. "max" is UINT64_MAX. */
int cgroup_read(const Cgroup *group, const char *file, const char *key, uint64_t *ret_value);
