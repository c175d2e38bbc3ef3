/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names that outlive their units
 *
 * Shared by counted references; a pool finds those whose unit is gone.
 */

#include <stdint.h>

#include "basic/macro.h"

typedef struct JobNames JobNames;
typedef struct JobNameEntry JobNameEntry;

/* A name that outlives its unit. */
typedef struct JobName {
        uint32_t n_references;
        JobNameEntry *entry;            /* owned: by which a pool finds it; NULL if it stands alone */
        char string[];
} JobName;

JobName *job_name_new(const char *string);              /* one that stands alone */
JobNames *job_names_new(void);
JobNames *job_names_free(JobNames *names);              /* no name may be left */
JobName *job_names_find(JobNames *names, const char *string);    /* a reference to the one in the pool, or NULL */
JobName *job_names_get(JobNames *names, const char *string);     /* the same, put there if need be; NULL: no memory */
void job_names_keep(JobNames *names, JobName *name);    /* its unit goes: from now on it is found by its string */
JobName *job_name_ref(JobName *name);
JobName *job_name_unref(JobName *name);
DEFINE_CLEANUP(JobName, job_name_unref)
