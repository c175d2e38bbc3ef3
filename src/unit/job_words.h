/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of job types and modes
 *
 * Units request jobs, and unit files name job modes, without the engine. All
 * rules about types and modes are in job/job_type.h.
 */

#include "basic/string_table.h"

typedef enum JobType {
        JOB_START,
        JOB_VERIFY_ACTIVE,
        JOB_STOP,
        JOB_RELOAD,
        JOB_RESTART,
        _JOB_TYPE_MAX_MERGING,                  /* the merge table has the types above */

        JOB_NOP = _JOB_TYPE_MAX_MERGING,
        _JOB_TYPE_MAX_IN_TABLE,                 /* a job table has only the types above */

        JOB_TRY_RESTART = _JOB_TYPE_MAX_IN_TABLE,
        JOB_TRY_RELOAD,
        JOB_RELOAD_OR_START,
        _JOB_TYPE_MAX,
        _JOB_TYPE_INVALID = -22,
} JobType;

typedef enum JobMode {
        JOB_REPLACE,
        JOB_FAIL,
        JOB_REPLACE_IRREVERSIBLY,
        JOB_ISOLATE,
        JOB_FLUSH,
        JOB_IGNORE_DEPENDENCIES,
        JOB_IGNORE_REQUIREMENTS,
        JOB_TRIGGERING,
        JOB_RESTART_DEPENDENCIES,
        JOB_LENIENT,
        _JOB_MODE_MAX,
        _JOB_MODE_INVALID = -22,
} JobMode;

DECLARE_STRING_TABLE(job_type, JobType);         /* "verify-active", "reload-or-start", … */
DECLARE_STRING_TABLE(job_mode, JobMode);
