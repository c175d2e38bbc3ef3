/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The options of a manager
 */

#include <stdbool.h>

#include "basic/usec.h"
#include "manager/manager_log.h"
#include "manager/manager_run_link.h"
#include "process/process_keeper.h"

struct ResourceLimit; /* unitfile/resource_settings.h */

typedef struct ManagerOptions {
        bool is_user;
        bool is_machine; /* the init of the machine, which also shuts it down */
        bool with_systemd_units;
        bool with_systemd_boot; /* also what systemd's folders add to targets, as an init starts it */
        bool no_default_dependencies;
        bool no_state; /* writes no state, so there can be no next core */
        bool lenient_directives;
        const char *unit_path; /* as --unit-path; NULL for the default */
        const char *runtime_directory; /* jobd's own: /run/jobd or $XDG_RUNTIME_DIR/jobd */
        const char *default_unit; /* started first; NULL: default.target, "": none */
        /* For units without TasksMax=; NULL or not set: 15% of the machine's limit. */
        const struct ResourceLimit *default_tasks_max;
        usec_t shutdown_timeout; /* for stopping all units; 0: 3 min */
        ProcessKeeper keeper;
        ManagerLogOptions log;
        ManagerRunOptions runs; /* copied */
        bool is_container; /* ends when a unit that the default unit requires has failed */
        bool hands_on_environment; /* processes get all own variables, as from a user manager */
        bool has_signal_status; /* after a signal the exit status is 128 + its number, not 0 */
        char *const *exit_on; /* started with the default unit; the manager ends with any of them */
} ManagerOptions;
