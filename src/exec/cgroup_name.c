/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of controllers and of folders
 *
 * In a folder of groups the kernel has files of its own, all with a prefix
 * ("memory.max"), and it may get more. A unit whose name looks like one gets
 * an underscore in front, as systemd does it.
 */

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/cgroup_name.h"

static const char *const controller_names[_CGROUP_CONTROLLER_MAX] = {
        [CGROUP_CPU] = "cpu",
        [CGROUP_CPUSET] = "cpuset",
        [CGROUP_IO] = "io",
        [CGROUP_MEMORY] = "memory",
        [CGROUP_PIDS] = "pids",
};

const char *cgroup_controller_to_string(CgroupController controller) {
        assert(controller < _CGROUP_CONTROLLER_MAX);

        return controller_names[controller];
}

static bool is_ambiguous(const char *name) {
        static const char *const files[] = { "notify_on_release", "release_agent", "tasks" };
        static const char *const prefixes[] = { "cgroup.", "hugetlb.", "rdma.", "misc.", "dmem.", "irq.", "debug." };
        const char *dot = strchr(name, '.');

        if (name[0] == '_' || name[0] == '.')
                return true;
        for (size_t i = 0; i < ELEMENTSOF(files); i++)
                if (strcmp(name, files[i]) == 0)
                        return true;
        for (size_t i = 0; i < ELEMENTSOF(prefixes); i++)
                if (text_starts_with(name, prefixes[i]))
                        return true;
        for (int i = 0; dot && i < _CGROUP_CONTROLLER_MAX; i++) {
                const char *controller = cgroup_controller_to_string((CgroupController) i);

                if (strlen(controller) == (size_t) (dot - name) && text_starts_with(name, controller))
                        return true;
        }
        return false;
}

int cgroup_name_escape(const char *name, char **ret_escaped) {
        return text_format(ret_escaped, "%s%s", is_ambiguous(name) ? "_" : "", name);
}

const char *cgroup_name_unescape(const char *folder) {
        return folder[0] == '_' ? folder + 1 : folder;
}
