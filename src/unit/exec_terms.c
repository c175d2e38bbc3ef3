/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What few units say of their processes, as data
 *
 * One block for all of it: who says one of these things mostly says several.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "unit/exec_terms.h"

static const char *const exec_directories[_EXEC_DIRECTORY_MAX] = {
        [EXEC_DIRECTORY_RUNTIME] = "RuntimeDirectory",
        [EXEC_DIRECTORY_STATE] = "StateDirectory",
        [EXEC_DIRECTORY_CACHE] = "CacheDirectory",
        [EXEC_DIRECTORY_LOGS] = "LogsDirectory",
        [EXEC_DIRECTORY_CONFIGURATION] = "ConfigurationDirectory",
};

static const char *const exec_preserves[_EXEC_PRESERVE_MAX] = {
        [EXEC_PRESERVE_NO] = "no",
        [EXEC_PRESERVE_YES] = "yes",
        [EXEC_PRESERVE_RESTART] = "restart",
};

static const char *const exec_keyrings[_EXEC_KEYRING_MAX] = {
        [EXEC_KEYRING_INHERIT] = "inherit",
        [EXEC_KEYRING_PRIVATE] = "private",
        [EXEC_KEYRING_SHARED] = "shared",
};

DEFINE_STRING_TABLE(exec_directory, ExecDirectoryKind, exec_directories)
DEFINE_STRING_TABLE(exec_preserve, ExecPreserve, exec_preserves)
DEFINE_STRING_TABLE(exec_keyring, ExecKeyring, exec_keyrings)

int exec_terms_new(ExecTerms **ret_terms) {
        ExecTerms *terms = calloc(1, sizeof(*terms));

        if (!terms)
                return -ENOMEM;
        for (size_t i = 0; i < _EXEC_DIRECTORY_MAX; i++)
                terms->directories[i].mode = EXEC_DIRECTORY_MODE;
        *ret_terms = terms;
        return 0;
}

ExecTerms *exec_terms_free(ExecTerms *terms) {
        if (!terms)
                return NULL;
        exec_set_clear(&terms->cpus);
        exec_set_clear(&terms->numa_nodes);
        for (size_t i = 0; i < _EXEC_DIRECTORY_MAX; i++)
                strv_free(terms->directories[i].paths);
        free(terms->filter.errors);
        strv_free(terms->filter.architectures);
        strv_free(terms->load_credentials);
        strv_free(terms->set_credentials);
        strv_free(terms->open_files);
        strv_free(terms->search_path);
        free(terms->input_data);
        free(terms);
        return NULL;
}

int exec_set_add(ExecSet *set, size_t from, size_t to) {
        size_t n = to / 64 + 1;

        if (n > set->n) {
                uint64_t *words = realloc(set->words, n * sizeof(*words));

                if (!words)
                        return -ENOMEM;
                memset(words + set->n, 0, (n - set->n) * sizeof(*words));
                set->words = words;
                set->n = n;
        }
        for (size_t i = from; i <= to; i++)
                set->words[i / 64] |= UINT64_C(1) << (i % 64);
        return 0;
}

void exec_set_clear(ExecSet *set) {
        free(set->words);
        *set = (ExecSet) {};
}
