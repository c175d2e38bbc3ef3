/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Re-execution of core
 *
 * For an upgrade, or to show that nothing depends on memory. The new image
 * starts as after a crash: it reads the saved state. Nothing is torn down
 * before: descriptors that must not be inherited are close-on-exec, and if
 * execve() fails core just goes on. The keeper starts the previous image if the
 * new one does not get ready.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "core/core_execute.h"

/* The path of the program, at which an upgrade has put another file. */
static const char deleted[] = " (deleted)";

static int find_program(char path[static PATH_MAX]) {
        const char *given = getenv("JOBD_CORE");
        ssize_t n;

        if (given && *given && strlen(given) < PATH_MAX) {
                strcpy(path, given);
                return 0;
        }
        n = readlink("/proc/self/exe", path, PATH_MAX - 1);
        if (n < 0)
                return -errno;
        path[n] = '\0';
        if ((size_t) n >= sizeof(deleted) && strcmp(path + n - (sizeof(deleted) - 1), deleted) == 0)
                path[(size_t) n - (sizeof(deleted) - 1)] = '\0';
        return 0;
}

static int execute(CoreKeeper *keeper, char *const *argv) {
        char path[PATH_MAX];
        int r;

        r = find_program(path);
        if (r < 0)
                return r;
        /* Before the keeper is told, which would start the previous image. */
        if (access(path, X_OK) < 0)
                return -errno;
        r = core_keeper_reexec(keeper);
        if (r < 0)
                return r;
        log_notice("Executing %s.", path);
        execve(path, argv, environ);
        return -errno;
}

int core_execute(CoreKeeper *keeper, Manager *manager, char *const *argv) {
        int r;

        r = manager_prepare_reexec(manager);
        if (r >= 0) {
                r = execute(keeper, argv);
                core_keeper_stay(keeper);
        }
        log_error("Cannot execute jobd-core anew: %s; continuing.", strerror(-r));
        manager_give_up_reexec(manager);
        return r;
}
