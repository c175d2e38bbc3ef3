/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of the store of runs
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "core/core_program.h"
#include "core/core_runstore.h"
#include "unitfile/flow_claim.h"

#define SQLITE_PREFIX "sqlite:"
#define FILE_NAME "runs.db"

static void find_path(const CoreOptions *options, const char *runtime_directory, char path[static PATH_MAX]) {
        const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

        if (options->run_store)
                snprintf(path, PATH_MAX, "%s", options->run_store);
        else if (options->has_own_runtime_directory)
                snprintf(path, PATH_MAX, "%s/" FILE_NAME, runtime_directory);
        else if (!options->is_user)
                snprintf(path, PATH_MAX, "/var/lib/jobd/" FILE_NAME);
        else if (state && state[0] == '/')
                snprintf(path, PATH_MAX, "%s/jobd/" FILE_NAME, state);
        else if (home && home[0] == '/')
                snprintf(path, PATH_MAX, "%s/.local/state/jobd/" FILE_NAME, home);
}

void core_runstore_init(CoreRunStore *store, const CoreOptions *options, const char *runtime_directory) {
        *store = (CoreRunStore) {};
        core_find_program("jobd-runstore", store->program);
        if (!options->has_no_run_store && access(store->program, X_OK) == 0)
                find_path(options, runtime_directory, store->path);
        store->options = (ManagerRunOptions) {
                .program = store->program,
                .path = store->path[0] ? store->path : NULL,
                .resources = options->run_resources,
                .max_launchers = options->max_launchers,
                .is_normal_sync = options->has_normal_sync,
        };
}

int core_runstore_set_store(CoreOptions *options, const char *value) {
        const char *path = value + strlen(SQLITE_PREFIX);

        options->has_no_run_store = strcmp(value, "none") == 0;
        if (options->has_no_run_store)
                return 0;
        if (!text_starts_with(value, SQLITE_PREFIX) || path[0] != '/' || strlen(path) >= PATH_MAX)
                return -EINVAL;
        return core_options_set(&options->run_store, path);
}

int core_runstore_set_sync(CoreOptions *options, const char *value) {
        options->has_normal_sync = strcmp(value, "normal") == 0;
        return options->has_normal_sync || strcmp(value, "full") == 0 ? 0 : -EINVAL;
}

int core_runstore_set_launchers(CoreOptions *options, const char *value) {
        uint32_t n;
        int r = text_parse_u32(value, &n);

        if (r < 0 || n == 0)
                return -EINVAL;
        options->max_launchers = n;
        return 0;
}

int core_runstore_set_resources(CoreOptions *options, const char *value) {
        cleanup_(strv_freep) char **words = NULL;
        FlowNeeds needs = {};
        int r = strv_split(value, " \t", &words);

        strv_foreach(word, words)
                if (r == 0)
                        r = flow_needs_add(&needs, *word);
        flow_needs_clear(&needs);
        vector_deinit(&needs);
        if (r < 0)
                return r == -ENOMEM ? r : -EINVAL;
        strv_free(options->run_resources);
        options->run_resources = take_ptr(words);
        return 0;
}
