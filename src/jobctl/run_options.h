/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The options of "jobctl run", which end where the command begins
 */

#include <stdbool.h>
#include <stdio.h>

#include "jobctl/jobctl.h"

typedef struct RunOptions {
        bool is_user, is_system, json, quiet, help;
        bool scope, no_block, wait, collect, remain_after_exit, send_sighup, same_directory, slice_inherit;
        bool pty, pipe, shell, no_ask_password;
        const char *socket;             /* strings are borrowed from the command line, lists are owned */
        const char *unit, *description, *slice, *service_type, *uid, *gid, *nice, *working_directory;
        char **properties, **environment;
        char **timers;                  /* "OnActiveSec=30", … */
        char **timer_properties, **path_properties, **socket_properties;
} RunOptions;

void run_options_deinit(RunOptions *options);

/* Splits @words into options and the command: 0, EXIT_USAGE with the reason reported, or -ENOMEM. */
int run_options_parse(Jobctl *ctl, RunOptions *options, char *const *words, char ***ret_command);
void run_options_print_help(FILE *stream);

/* Whether a timer, path or socket is started instead of the service. */
bool run_options_have_trigger(const RunOptions *options);
