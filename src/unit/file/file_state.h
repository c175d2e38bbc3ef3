/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What was seen of a unit's files when it was read
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "basic/vector.h"
#include "unit/file/unit_sources.h"

typedef struct SeenFile {
        const char *path;               /* borrowed from sources */
        dev_t dev;
        ino_t ino;                      /* 0: it was not there */
        off_t size;
        struct timespec mtime;
        uint64_t hash;                  /* of the text */
        bool is_fresh;                  /* read within the grain of its mtime: that says nothing yet */
} SeenFile;

typedef struct FileState {
        UnitSources sources;
        VECTOR(SeenFile) seen;
        char *values;                   /* owned: "Restart=no\nAfter=b.service\n…" */
        bool is_broken;                 /* the files were found to be unusable */
} FileState;

int file_state_new(FileState **ret_state);
FileState *file_state_free(FileState *state);
DEFINE_CLEANUP(FileState, file_state_free)

/* @st is NULL for a file that is not there. */
int file_state_note(FileState *state, const char *path, const struct stat *st, const char *text);

/* Do the files seen look as they did? Says nothing of files that are new. */
bool file_state_is_current(const FileState *state);

/* One line for people: what @new says otherwise than @old (either may be NULL). "" if nothing. 0 or -ENOMEM. */
int file_state_difference(const FileState *old, const FileState *new, char **ret_difference);
