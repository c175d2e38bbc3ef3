/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The options of the store of runs, for the manager
 */

#include <limits.h>

#include "core/core_options.h"
#include "manager/manager_run_link.h"

typedef struct CoreRunStore {
        char program[PATH_MAX], path[PATH_MAX];
        ManagerRunOptions options; /* its strings are owned by this struct */
} CoreRunStore;

/*
 * Fills in @store, which must stay where it is. A jobd with a runtime directory of its own has its file there, so that
 * two of them do not write into the same one.
 */
void core_runstore_init(CoreRunStore *store, const CoreOptions *options, const char *runtime_directory);

/* Keys of [Engine] in jobd.conf: 0 or -EINVAL. */
int core_runstore_set_store(CoreOptions *options, const char *value); /* "none", "sqlite:/path" */
int core_runstore_set_launchers(CoreOptions *options, const char *value); /* of batches, at least 1 */
int core_runstore_set_resources(CoreOptions *options, const char *value); /* "cpu:4 memory:8G" */
int core_runstore_set_sync(CoreOptions *options, const char *value); /* "full", "normal" */
