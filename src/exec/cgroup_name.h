/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of controllers and of folders of control groups
 */

typedef enum CgroupController {
        CGROUP_CPU,
        CGROUP_CPUSET,
        CGROUP_IO,
        CGROUP_MEMORY,
        CGROUP_PIDS,
        _CGROUP_CONTROLLER_MAX,
} CgroupController;

const char *cgroup_controller_to_string(CgroupController controller);

/*
 * Escapes a unit's or slice's name for use as a folder's name, where some names have another meaning, and back. 0 or
 * -ENOMEM.
 */
int cgroup_name_escape(const char *name, char **ret_escaped);
const char *cgroup_name_unescape(const char *folder);
