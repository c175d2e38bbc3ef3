/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The state of a unit's files when they were read
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "basic/macro.h"
#include "basic/vector.h"
#include "unitfile/unit_sources.h"

typedef struct SeenFile {
        uint64_t dev;
        uint64_t ino;                   /* 0: missing */
        uint64_t size;
        int64_t ctime;                  /* ns */
        /* of the text; 0: not needed, because the ctime is old enough; 1: not read */
        uint32_t hash;
        uint32_t dropin;                /* number of the drop-in, counted from 1; 0: the main file */
} SeenFile;

typedef struct FileState {
        UnitSources sources;
        VECTOR(SeenFile) seen;
        char *values;                   /* owned: packed, see file_values.h; NULL if none */
} FileState;

int file_state_new(FileState **ret_state);
FileState *file_state_free(FileState *state);
DEFINE_CLEANUP(FileState, file_state_free)

/* A file that was read: @text is what it held. @dropin: as in SeenFile. */
SeenFile seen_file_make(uint32_t dropin, const struct stat *st, const char *text);
/* Records a file that was read; @dropin as in SeenFile. 0 or -ENOMEM. */
int file_state_note(FileState *state, uint32_t dropin, const struct stat *st, const char *text);
/* The same for a file that is missing or cannot be read. */
int file_state_note_unread(FileState *state, uint32_t dropin, const char *path);

/* Returns true if the file at @path is unchanged. */
bool seen_file_is_current(const SeenFile *file, const char *path);

/* One line of text: the differences of @new from @old (either may be NULL). "" if there are none. 0 or -ENOMEM. */
int file_state_difference(const FileState *old, const FileState *new, char **ret_difference);
