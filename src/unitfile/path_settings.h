/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Path] section as data
 */

#include <stdbool.h>
#include <sys/types.h>

#include "basic/string_table.h"
#include "basic/usec.h"
#include "basic/vector.h"

typedef enum PathKind {
        PATH_EXISTS,
        PATH_EXISTS_GLOB,
        PATH_CHANGED,                   /* also when it is closed after being written to */
        PATH_MODIFIED,                  /* also at each write */
        PATH_DIRECTORY_NOT_EMPTY,
        _PATH_KIND_MAX,
} PathKind;

DECLARE_STRING_TABLE(path_kind, PathKind);               /* "PathExists", …: names of the directives */

typedef struct PathValue {
        PathKind kind;
        char *path;                     /* owned */
} PathValue;

typedef struct PathSettings {
        VECTOR(PathValue) values;       /* in the order of the file */
        char *unit;                     /* owned: the triggered unit */
        mode_t directory_mode;
        bool make_directory;
        usec_t limit_interval;          /* 0: no limit */
        uint32_t limit_burst;
} PathSettings;

int path_settings_new(PathSettings **ret_settings);      /* with the defaults: 0 or -ENOMEM */
PathSettings *path_settings_free(PathSettings *settings);
void path_settings_clear_values(PathSettings *settings);
