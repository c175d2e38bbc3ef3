/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What a manager is told when it is made
 */

#include <stdbool.h>

#include "basic/usec.h"
#include "process/process_keeper.h"
#include "manager/manager_log.h"

struct ResourceLimit;                   /* unitfile/resource_settings.h */

typedef struct ManagerOptions {
        bool is_user;
        bool is_machine;                /* its init, and so the one that ends it */
        bool with_systemd_units;
        bool no_default_dependencies;
        bool no_state;                  /* nothing is written down, and there can be no successor */
        bool lenient_directives;
        const char *unit_path;          /* as --unit-path; NULL for the default */
        const char *runtime_directory;  /* jobd's own: /run/jobd or $XDG_RUNTIME_DIR/jobd */
        const char *default_unit;       /* started at the beginning; NULL: default.target, "": none */
        /* For units without TasksMax=; NULL or not set: 15% of what the machine can have. */
        const struct ResourceLimit *default_tasks_max;
        usec_t shutdown_timeout;        /* for all units to stop; 0: the default of 3 min */
        ProcessKeeper keeper;
        ManagerLogOptions log;
        bool is_container;              /* we end when something has failed that the default unit requires */
        bool hands_on_environment;      /* processes get all of ours, as from the manager of a user */
        bool has_signal_status;         /* told to end by a signal, the status is 128 + its number, not 0 */
        char *const *exit_on;           /* started with the default unit; when one has ended, so does the manager */
} ManagerOptions;
