/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The options of jobd: the command line over jobd.conf over the defaults
 */

#include <stdbool.h>

#include "basic/failure.h"
#include "basic/log.h"
#include "basic/usec.h"
#include "manager/manager_log.h"
#include "unitfile/resource_settings.h"

typedef struct CoreOptions {
        bool is_user;
        bool is_container; /* given, or found to be the first process of one */
        bool is_run; /* "jobd run": runs some units, or one command, and ends with them */
        bool is_manager_named; /* --system or --user was given */
        bool is_log_level_named;
        bool is_machine; /* found, never given */
        bool with_systemd_units;
        bool with_systemd_boot;
        bool no_default_dependencies;
        bool lenient_directives;
        bool systemd_compat;
        bool no_bus;
        bool no_state;
        bool has_signal_status;
        bool hands_on_environment;
        bool is_environment_named; /* the one above was given */
        char *unit_path; /* owned, like all strings here; NULL: the default */
        char *runtime_directory; /* NULL: runtime_directory_find() */
        char *default_unit; /* NULL: default.target, "": none */
        char *config; /* NULL: the usual place */
        char **exit_on; /* full names of units */
        char **command; /* of "jobd run --exec", else NULL */
        LogLevel log_level;
        ResourceLimit default_tasks_max;
        ManagerLogKind log_kind;
        ManagerOutput default_output; /* of units without StandardOutput=, if … */
        bool is_output_named; /* … it was given */
        bool has_own_runtime_directory; /* it was given, not found */
        LogSettings log; /* .directory may be empty: the usual place */
        usec_t shutdown_timeout; /* 0: the manager's default */
        usec_t watchdog; /* of core: see core_keeper_watch() */
        char *run_store; /* file of the store of runs; NULL: the usual place */
        char **run_resources; /* of Resources=: "cpu:4" */
        uint32_t max_launchers; /* of MaxLaunchers=; 0: not set */
        bool has_no_run_store; /* Store=none */
        bool has_normal_sync; /* of it: what is durable may be lost with the power */
        bool has_default_score;
        int default_score; /* OOMScoreAdjust= of units that do not set it, if … */
} CoreOptions;

#define CORE_WATCHDOG_DEFAULT (3 * USEC_PER_MINUTE)

void core_options_deinit(CoreOptions *options);

/* Replaces a string by a copy: 0 or -ENOMEM. */
int core_options_set(char **slot, const char *value);
int core_options_set_watchdog(CoreOptions *options, const char *value); /* a span; "0", "infinity": none */
int core_options_set_default_score(CoreOptions *options, const char *value);
int core_options_set_directives(CoreOptions *options, const char *value); /* "warn", "refuse"; -EINVAL */
int core_options_set_log_level(CoreOptions *options, const char *value);
int core_options_set_default_unit(CoreOptions *options, const char *value); /* "none" or "" */
int core_options_set_signal_status(CoreOptions *options, const char *value); /* "zero", "signal" */
int core_options_set_environment(CoreOptions *options, const char *value); /* a boolean */
int core_options_add_exit_on(CoreOptions *options, const char *name); /* a name without a type is of a service */
