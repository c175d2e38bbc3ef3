/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The state of a unit's files at their reading
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "basic/macro.h"
#include "basic/vector.h"
#include "unitfile/unit_sources.h"

typedef struct SeenFile {
        uint64_t dev;
        uint64_t ino;                   /* 0: it was not there */
        uint64_t size;
        int64_t ctime;                  /* ns */
        /* of its text; 0: by its ctime the file was at rest, and that tells; 1: not read */
        uint32_t hash;
        uint32_t dropin;                /* which one, from 1 on; 0: the main file */
} SeenFile;

typedef struct FileState {
        UnitSources sources;
        VECTOR(SeenFile) seen;
        char *values;                   /* owned: packed, see file_values.h; NULL if there are none */
} FileState;

int file_state_new(FileState **ret_state);
FileState *file_state_free(FileState *state);
DEFINE_CLEANUP(FileState, file_state_free)

/* @dropin as in SeenFile. 0 or -ENOMEM. */
int file_state_note(FileState *state, uint32_t dropin, const struct stat *st, const char *text);
/* The same for a file that is missing or could not be read. */
int file_state_note_unread(FileState *state, uint32_t dropin, const char *path);

/* Is the file at @path unchanged? */
bool seen_file_is_current(const SeenFile *file, const char *path);

/* One line for people: the differences of @new from @old (either may be NULL). "" if there are none. 0 or -ENOMEM. */
int file_state_difference(const FileState *old, const FileState *new, char **ret_difference);
