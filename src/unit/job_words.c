/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of job types and modes
 */

#include "unit/job_words.h"

static const char *const job_type_table[_JOB_TYPE_MAX] = {
        [JOB_START] = "start",
        [JOB_VERIFY_ACTIVE] = "verify-active",
        [JOB_STOP] = "stop",
        [JOB_RELOAD] = "reload",
        [JOB_RESTART] = "restart",
        [JOB_NOP] = "nop",
        [JOB_TRY_RESTART] = "try-restart",
        [JOB_TRY_RELOAD] = "try-reload",
        [JOB_RELOAD_OR_START] = "reload-or-start",
};

static const char *const job_mode_table[_JOB_MODE_MAX] = {
        [JOB_REPLACE] = "replace",
        [JOB_FAIL] = "fail",
        [JOB_REPLACE_IRREVERSIBLY] = "replace-irreversibly",
        [JOB_ISOLATE] = "isolate",
        [JOB_FLUSH] = "flush",
        [JOB_IGNORE_DEPENDENCIES] = "ignore-dependencies",
        [JOB_IGNORE_REQUIREMENTS] = "ignore-requirements",
        [JOB_TRIGGERING] = "triggering",
        [JOB_RESTART_DEPENDENCIES] = "restart-dependencies",
        [JOB_LENIENT] = "lenient",
};

DEFINE_STRING_TABLE(job_type, JobType, job_type_table)
DEFINE_STRING_TABLE(job_mode, JobMode, job_mode_table)
