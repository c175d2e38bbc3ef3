/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The [Path] section as data
 *
 * The defaults are systemd's.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "unitfile/path_settings.h"

static const char *const path_kinds[_PATH_KIND_MAX] = {
        [PATH_EXISTS] = "PathExists",
        [PATH_EXISTS_GLOB] = "PathExistsGlob",
        [PATH_CHANGED] = "PathChanged",
        [PATH_MODIFIED] = "PathModified",
        [PATH_DIRECTORY_NOT_EMPTY] = "DirectoryNotEmpty",
};

DEFINE_STRING_TABLE(path_kind, PathKind, path_kinds)

int path_settings_new(PathSettings **ret_settings) {
        PathSettings *settings = calloc(1, sizeof(*settings));

        assert(ret_settings);

        if (!settings)
                return -ENOMEM;
        settings->directory_mode = 0755;
        settings->limit_interval = 2 * USEC_PER_SEC;
        settings->limit_burst = 200;
        *ret_settings = settings;
        return 0;
}

void path_settings_clear_values(PathSettings *settings) {
        for (size_t i = 0; i < settings->values.n; i++)
                free(settings->values.items[i].path);
        vector_clear(&settings->values);
}

PathSettings *path_settings_free(PathSettings *settings) {
        if (!settings)
                return NULL;
        path_settings_clear_values(settings);
        vector_deinit(&settings->values);
        free(settings->unit);
        free(settings);
        return NULL;
}
