/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Daemon, container or machine
 *
 * To take a container for a machine is the worse mistake: jobd would mount over
 * what the engine has prepared. So one sign of a container is enough. Engines
 * set $container or put a file into the root; all of them make a pid namespace.
 * The numbers of the first namespaces are part of the kernel's interface, but
 * need /proc, which the kernel does not mount for its init. Without it, PID 2
 * tells: on a machine that is the kernel's own kthreadd, of no process group.
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "basic/macro.h"
#include "core/surroundings.h"

/* include/linux/proc_ns.h: PROC_PID_INIT_INO, PROC_USER_INIT_INO */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCU
#define FIRST_USER_NAMESPACE 0xEFFFFFFDU

#define KERNEL_THREADS_PARENT 2

Surroundings surroundings_judge(const SurroundingsFacts *facts) {
        assert(facts);

        if (!facts->is_init)
                return SURROUNDINGS_DAEMON;
        if (facts->is_told_container || facts->has_container_file)
                return SURROUNDINGS_CONTAINER;
        if (facts->is_first_pid_namespace == SURROUNDINGS_NO || facts->is_first_user_namespace == SURROUNDINGS_NO)
                return SURROUNDINGS_CONTAINER;
        if (facts->is_first_pid_namespace == SURROUNDINGS_YES)
                return SURROUNDINGS_MACHINE;
        return facts->has_kernel_threads ? SURROUNDINGS_MACHINE : SURROUNDINGS_CONTAINER;
}

static bool exists(const char *root, const char *path) {
        char full[4096];

        return snprintf(full, sizeof(full), "%s%s", root, path) < (int) sizeof(full) && access(full, F_OK) == 0;
}

/* A /proc without this process is that of another pid namespace: so this one is not the first. */
static SurroundingsAnswer is_namespace(const char *root, const char *name, ino_t first) {
        char folder[4096], path[4096];
        struct statfs proc;
        struct stat status;

        if (snprintf(folder, sizeof(folder), "%s/proc", root) >= (int) sizeof(folder) ||
            snprintf(path, sizeof(path), "%s/proc/self/ns/%s", root, name) >= (int) sizeof(path))
                return SURROUNDINGS_UNKNOWN;
        if (statfs(folder, &proc) < 0 || proc.f_type != PROC_SUPER_MAGIC)
                return SURROUNDINGS_UNKNOWN;
        return stat(path, &status) == 0 && status.st_ino == first ? SURROUNDINGS_YES : SURROUNDINGS_NO;
}

void surroundings_look(SurroundingsFacts *ret_facts, bool is_init, const char *root) {
        const char *container = getenv("container");

        assert(ret_facts);
        assert(root);

        *ret_facts = (SurroundingsFacts) {
                .is_init = is_init,
                .is_told_container = container && container[0] != '\0',
                .has_container_file = exists(root, "/.dockerenv") || exists(root, "/run/.containerenv"),
                .has_kernel_threads = getpgid(KERNEL_THREADS_PARENT) == 0 && getsid(KERNEL_THREADS_PARENT) == 0,
                .is_first_pid_namespace = is_namespace(root, "pid", FIRST_PID_NAMESPACE),
                .is_first_user_namespace = is_namespace(root, "user", FIRST_USER_NAMESPACE),
        };
}

Surroundings surroundings_find(bool is_init) {
        SurroundingsFacts facts;

        surroundings_look(&facts, is_init, "");
        return surroundings_judge(&facts);
}
