/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The options of the log, for the manager: where files lie, and which program writes them
 */

#include <limits.h>

#include "core/core_options.h"
#include "manager/manager_log.h"

typedef struct CoreLog {
        LogSettings settings;
        char program[PATH_MAX];
        ManagerLogOptions options;      /* its strings are owned by this struct */
} CoreLog;

/* The defaults, before jobd.conf is read. */
void core_log_defaults(CoreOptions *options);

/* Fills in @log, which must stay where it is. */
void core_log_init(CoreLog *log, const CoreOptions *options, const char *runtime_directory);

/* Keys of jobd.conf: 0 or -EINVAL. */
int core_log_set_kind(CoreOptions *options, const char *value);         /* "auto", "journald", "files", "none" */
int core_log_set_output(CoreOptions *options, const char *value);       /* "journal", "inherit", "null" */
int core_log_set_directory(CoreOptions *options, const char *value);
int core_log_set_max_use(CoreOptions *options, const char *value);
int core_log_set_keep_free(CoreOptions *options, const char *value);
int core_log_set_file_size(CoreOptions *options, const char *value);
int core_log_set_file_age(CoreOptions *options, const char *value);
int core_log_set_retention(CoreOptions *options, const char *value);
int core_log_set_interval(CoreOptions *options, const char *value);
int core_log_set_burst(CoreOptions *options, const char *value);
