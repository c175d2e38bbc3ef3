/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every process gets of our surroundings
 *
 * The manager of a user passes on his session's variables. That of the system
 * passes on a fixed path and the language: what happened to be set where it was
 * started is none of the services' business. To a container its environment is
 * what its configuration comes by, so there it is passed on, too.
 *
 * Each process and each client takes a descriptor here, so we allow ourselves
 * all that we may have; processes get the limit that we were started with.
 */

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_private.h"
#include "unit/exec/exec.h"

/* They are about us, not about our services. */
static const char *const own_variables[] = {
        "NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "INVOCATION_ID=", "JOURNAL_STREAM=", "MAINPID=", "MANAGERPID=",
        "SERVICE_RESULT=", "EXIT_CODE=", "EXIT_STATUS=", "SYSTEMD_EXEC_PID=", "JOBD_", "OLDPWD=", "_=",
};

static const char *const system_variables[] = { "LANG=", "LANGUAGE=", "LC_" };

void manager_raise_open_files_limit(Manager *manager) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
                return;
        manager->open_files_limit = (uint32_t) MIN(limit.rlim_cur, (rlim_t) UINT32_MAX);
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
                manager->open_files_limit = 0;
}

void manager_lower_open_files_limit(Manager *manager) {
        struct rlimit limit;

        if (manager->open_files_limit == 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return;
        limit.rlim_cur = manager->open_files_limit;
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
                manager->open_files_limit = 0;
}

static bool has_prefix_of(const char *assignment, const char *const *prefixes, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (text_starts_with(assignment, prefixes[i]))
                        return true;
        return false;
}

static bool is_passed_on(const Manager *manager, const char *assignment) {
        if (!strchr(assignment, '=') || has_prefix_of(assignment, own_variables, ELEMENTSOF(own_variables)))
                return false;
        return manager->options.hands_on_environment ||
               has_prefix_of(assignment, system_variables, ELEMENTSOF(system_variables));
}

int manager_build_environment(Manager *manager) {
        bool has_path = false;

        strv_foreach(assignment, environ) {
                if (!is_passed_on(manager, *assignment))
                        continue;
                has_path = has_path || text_starts_with(*assignment, "PATH=");
                if (strv_push(&manager->environment, *assignment) < 0)
                        return -ENOMEM;
        }
        return has_path ? 0 : strv_push(&manager->environment, "PATH=" EXEC_DEFAULT_PATH);
}
