/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System call filters, as programs that the kernel runs
 *
 * There is one program for each directive and architecture, as in systemd:
 * rules of different directives for one call would conflict, and calls and
 * their numbers differ between architectures. The native architecture comes
 * last, so that a filter may deny the call that loads filters.
 *
 * Programs are cached by all inputs that they were made from.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_filter.h"
#include "exec/exec_filter_rules.h"

#define CACHE_MAX 64

typedef struct CachedPrograms {
        ExecPrograms programs;          /* first member, for conversion between the two types */
        char *key;                      /* owned */
        size_t key_size;
        struct CachedPrograms *next;
} CachedPrograms;

static CachedPrograms *cache;           /* owned; most recently used first */

static CachedPrograms *cached_free(CachedPrograms *cached) {
        for (size_t i = 0; i < cached->programs.n; i++)
                free(cached->programs.programs[i].filter);
        free(cached->key);
        free(cached);
        return NULL;
}

/* Joins all inputs of the programs into a key. */
static int make_key(const ExecFilter *filter, unsigned denied, unsigned long personality, Text *key) {
        ExecFilter plain = {};

        if (filter) {
                memcpy(&plain, filter, sizeof(plain));
                plain.errors = NULL;
                plain.architectures = NULL;
        }
        text_add_n(key, (const char *) &plain, sizeof(plain));
        text_add_n(key, (const char *) &denied, sizeof(denied));
        text_add_n(key, (const char *) &personality, sizeof(personality));
        if (filter && filter->errors)
                text_add_n(key, (const char *) filter->errors, SYSTEM_CALLS_MAX * sizeof(*filter->errors));
        strv_foreach(name, filter ? filter->architectures : NULL) {
                text_add_char(key, ' ');
                text_add(key, *name);
        }
        return key->error;
}

static bool says_nothing(const ExecFilter *filter, unsigned denied) {
        if (denied != 0)
                return false;
        return !filter || !(filter->has_calls || filter->has_log || filter->has_families || filter->has_namespaces ||
                            filter->architectures || filter->denies_realtime || filter->denies_suid_sgid ||
                            filter->denies_write_execute || filter->locks_personality);
}

static CachedPrograms *find(const Text *key) {
        for (CachedPrograms **slot = &cache; *slot; slot = &(*slot)->next) {
                CachedPrograms *cached = *slot;

                if (cached->key_size != key->n || memcmp(cached->key, key->string, key->n) != 0)
                        continue;
                *slot = cached->next;
                cached->next = cache;
                cache = cached;
                return cached;
        }
        return NULL;
}

/* Frees the least recently used programs that are not in use. */
static void forget_some(void) {
        CachedPrograms **slot = &cache;

        for (size_t n = 0; *slot; n++) {
                CachedPrograms *cached = *slot;

                if (n < CACHE_MAX || cached->programs.n_users > 0) {
                        slot = &cached->next;
                        continue;
                }
                *slot = cached->next;
                cached_free(cached);
        }
}

static int make(const ExecFilter *filter, unsigned denied, unsigned long personality, Text *key,
                CachedPrograms **ret_cached) {
        static const ExecFilter nothing;
        CachedPrograms *cached = calloc(1, sizeof(*cached));
        int r;

        if (!cached)
                return -ENOMEM;
        r = exec_filter_make(filter ? filter : &nothing, denied, personality, &cached->programs);
        if (r < 0) {
                cached_free(cached);
                return r;
        }
        cached->key_size = key->n;
        cached->key = take_ptr(key->string);
        cached->next = cache;
        cache = cached;
        *ret_cached = cached;
        return 0;
}

int exec_programs_get(const ExecFilter *filter, unsigned denied, unsigned long personality,
                      const ExecPrograms **ret_programs) {
        cleanup_(text_deinit) Text key = {};
        CachedPrograms *cached;
        int r;

        *ret_programs = NULL;
        if (says_nothing(filter, denied))
                return 0;
        r = make_key(filter, denied, personality, &key);
        if (r < 0)
                return r;
        cached = find(&key);
        if (!cached) {
                r = make(filter, denied, personality, &key, &cached);
                if (r < 0)
                        return r;
        }
        cached->programs.n_users++;
        forget_some();
        *ret_programs = &cached->programs;
        return 0;
}

void exec_programs_give_back(const ExecPrograms *programs) {
        if (programs)
                ((CachedPrograms *) programs)->programs.n_users--;
}
