/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names that outlive their units
 *
 * The log of ended jobs names units that may be unloaded. The name of a loaded
 * unit is kept by that unit's entry alone; the pool keeps, once, each name
 * whose unit is unloaded, so a unit that is loaded and unloaded a thousand
 * times costs one name. As long as the pool is empty, nothing is searched.
 */

#include <assert.h>
#include <stdlib.h>

/* uthash returns an error instead of exiting when memory is short. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "job/job_name.h"

struct JobNameEntry {
        UT_hash_handle hh;
        JobNames *names;                /* borrowed */
        JobName *name;                  /* borrowed: its last reference frees this entry */
};

struct JobNames {
        JobNameEntry *first;            /* uthash by string */
};

JobName *job_name_new(const char *string) {
        size_t size = strlen(string) + 1;
        JobName *name = malloc(sizeof(*name) + size);

        if (!name)
                return NULL;
        name->n_references = 1;
        name->entry = NULL;
        memcpy(name->string, string, size);
        return name;
}

JobNames *job_names_new(void) {
        return calloc(1, sizeof(JobNames));
}

JobNames *job_names_free(JobNames *names) {
        if (!names)
                return NULL;
        assert(!names->first);
        free(names);
        return NULL;
}

JobName *job_names_find(JobNames *names, const char *string) {
        JobNameEntry *entry = NULL;

        if (names->first)
                HASH_FIND_STR(names->first, string, entry);
        return entry ? job_name_ref(entry->name) : NULL;
}

void job_names_keep(JobNames *names, JobName *name) {
        JobNameEntry *entry;

        if (name->entry)
                return;
        entry = calloc(1, sizeof(*entry));
        if (!entry)
                return;                 /* without memory the name will exist twice */

        entry->names = names;
        entry->name = name;
        HASH_ADD_KEYPTR(hh, names->first, name->string, strlen(name->string), entry);
        if (!entry->hh.tbl)
                free(entry);
        else
                name->entry = entry;
}

JobName *job_names_get(JobNames *names, const char *string) {
        JobName *name = job_names_find(names, string);

        if (name)
                return name;
        name = job_name_new(string);
        if (name)
                job_names_keep(names, name);
        return name;
}

JobName *job_name_ref(JobName *name) {
        if (name)
                name->n_references++;
        return name;
}

JobName *job_name_unref(JobName *name) {
        if (!name || --name->n_references > 0)
                return NULL;
        if (name->entry) {
                HASH_DEL(name->entry->names->first, name->entry);
                free(name->entry);
        }
        free(name);
        return NULL;
}
