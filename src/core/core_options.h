/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What jobd was told: the command line over jobd.conf over the defaults
 */

#include <stdbool.h>

#include "basic/failure.h"
#include "basic/log.h"
#include "basic/usec.h"

typedef struct CoreOptions {
        bool is_user;
        bool with_systemd_units;
        bool no_default_dependencies;
        bool lenient_directives;
        bool systemd_compat;
        bool no_bus;
        char *unit_path;                /* owned, like all strings here; NULL: the default */
        char *runtime_directory;        /* never NULL after core_options_read() returned RUN */
        char *default_unit;             /* NULL: default.target, "": none */
        char *config;                   /* NULL: the usual place */
        LogLevel log_level;
        usec_t shutdown_timeout;        /* 0: the manager's default */
} CoreOptions;

enum {
        CORE_OPTIONS_E_RUN,
        CORE_OPTIONS_E_TOLD,            /* --help or --version: printed, nothing else to do */
};

/* An outcome, or a negative errno with @ret_failure: what is wrong with the command line or the file. */
int core_options_read(CoreOptions *options, int argc, char *argv[], Failure *ret_failure);
void core_options_deinit(CoreOptions *options);

/* Replaces a string by a copy: 0 or -ENOMEM. */
int core_options_set(char **slot, const char *value);
int core_options_set_directives(CoreOptions *options, const char *value);       /* "warn", "refuse"; -EINVAL */
int core_options_set_log_level(CoreOptions *options, const char *value);
int core_options_set_default_unit(CoreOptions *options, const char *value);     /* "none" or "" */
