/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names that outlive their units
 *
 * Shared by counted references. A pool finds the names whose units are
 * unloaded.
 */

#include <stdint.h>

#include "basic/macro.h"

typedef struct JobNames JobNames;
typedef struct JobNameEntry JobNameEntry;

typedef struct JobName {
        uint32_t n_references;
        JobNameEntry *entry;            /* owned: its place in the pool; NULL if it is not in the pool */
        char string[];
} JobName;

JobName *job_name_new(const char *string);              /* not in the pool */
JobNames *job_names_new(void);
JobNames *job_names_free(JobNames *names);              /* all names must have been released */
JobName *job_names_find(JobNames *names, const char *string);    /* a reference to the name in the pool, or NULL */
JobName *job_names_get(JobNames *names, const char *string);     /* the same, added if missing; NULL: no memory */
void job_names_keep(JobNames *names, JobName *name);    /* its unit is unloaded: puts the name into the pool */
JobName *job_name_ref(JobName *name);
JobName *job_name_unref(JobName *name);
DEFINE_CLEANUP(JobName, job_name_unref)
