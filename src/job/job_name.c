/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names that outlive their units
 *
 * Units come and go, and the log of ended jobs goes on naming them. A pool
 * keeps each name once, so a unit that is loaded a thousand times costs one.
 */

#include <assert.h>
#include <stdlib.h>

/* An allocation that fails is an error to pass on, not an exit. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "job/job_entry.h"

typedef struct JobNameEntry {
        UT_hash_handle hh;
        JobName name;                   /* last: its string follows */
} JobNameEntry;

struct JobNames {
        JobNameEntry *first;            /* uthash by string */
};

static JobName *job_name_alloc(JobNames *pool, const char *string, JobNameEntry **ret_entry) {
        size_t size = strlen(string) + 1;
        size_t offset = pool ? offsetof(JobNameEntry, name) : 0;
        char *memory = malloc(offset + sizeof(JobName) + size);
        JobName *name = (JobName *) (memory + offset);

        if (!memory)
                return NULL;
        name->n_references = 1;
        name->pool = pool;
        memcpy(name->string, string, size);
        if (pool)
                *ret_entry = (JobNameEntry *) memory;
        return name;
}

JobName *job_name_new(const char *string) {
        return job_name_alloc(NULL, string, NULL);
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

JobName *job_names_get(JobNames *names, const char *string) {
        JobNameEntry *entry;
        JobName *name;

        HASH_FIND_STR(names->first, string, entry);
        if (entry)
                return job_name_ref(&entry->name);

        name = job_name_alloc(names, string, &entry);
        if (!name)
                return NULL;
        HASH_ADD_KEYPTR(hh, names->first, name->string, strlen(name->string), entry);
        if (!entry->hh.tbl) {
                free(entry);
                return NULL;
        }
        return name;
}

JobName *job_name_ref(JobName *name) {
        if (name)
                name->n_references++;
        return name;
}

JobName *job_name_unref(JobName *name) {
        JobNameEntry *entry;

        if (!name || --name->n_references > 0)
                return NULL;
        if (!name->pool) {
                free(name);
                return NULL;
        }

        entry = container_of(name, JobNameEntry, name);
        HASH_DEL(name->pool->first, entry);
        free(entry);
        return NULL;
}
