/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of a unit's files when they were read
 *
 * A file counts as changed if device, inode, size or ctime differ; mtime is
 * not compared, because archives and reproducible builds set it to a constant.
 * A change within the same tick of the kernel's clock as the reading would be
 * missed, so the text of a file that young is compared by a hash. A file that
 * could not be read is always read again, because the cause may be outside of
 * it.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/index_table.h"
#include "basic/macro.h"
#include "unitfile/file_state.h"
#include "unitfile/file_text.h"

#define CTIME_GRAIN (20 * USEC_PER_MSEC)

/* Special values of a hash. */
#define SEEN_AT_REST 0
#define SEEN_UNREADABLE 1

int file_state_new(FileState **ret_state) {
        *ret_state = calloc(1, sizeof(FileState));
        return *ret_state ? 0 : -ENOMEM;
}

FileState *file_state_free(FileState *state) {
        if (!state)
                return NULL;
        unit_sources_deinit(&state->sources);
        vector_deinit(&state->seen);
        free(state->values);
        free(state);
        return NULL;
}

static uint32_t seen_file_hash(const char *text) {
        uint32_t hash = index_table_hash(text);

        return MAX(hash, (uint32_t) SEEN_UNREADABLE + 1);
}

static int64_t seen_file_ctime(const struct stat *st) {
        return (int64_t) st->st_ctim.tv_sec * INT64_C(1000000000) + st->st_ctim.tv_nsec;
}

/* Returns true if the file was read within the resolution of its ctime. */
static bool seen_file_is_fresh(const SeenFile *file) {
        usec_t now = clock_realtime(), ctime = (usec_t) file->ctime / 1000;

        return ctime + CTIME_GRAIN > now && ctime < now + CTIME_GRAIN;
}

static SeenFile describe(uint32_t dropin, const struct stat *st) {
        return (SeenFile) {
                .dev = st->st_dev,
                .ino = st->st_ino,
                .size = (uint64_t) st->st_size,
                .ctime = seen_file_ctime(st),
                .hash = SEEN_AT_REST,
                .dropin = dropin,
        };
}

SeenFile seen_file_make(uint32_t dropin, const struct stat *st, const char *text) {
        SeenFile file = describe(dropin, st);

        if (seen_file_is_fresh(&file))
                file.hash = seen_file_hash(text);
        return file;
}

int file_state_note(FileState *state, uint32_t dropin, const struct stat *st, const char *text) {
        return vector_push(&state->seen, seen_file_make(dropin, st, text));
}

int file_state_note_unread(FileState *state, uint32_t dropin, const char *path) {
        SeenFile file = { .dropin = dropin };
        struct stat st;

        if (stat(path, &st) == 0) {
                file = describe(dropin, &st);
                file.hash = SEEN_UNREADABLE;
        }
        return vector_push(&state->seen, file);
}

bool seen_file_is_current(const SeenFile *file, const char *path) {
        cleanup_free_ char *text = NULL;
        FileProblem problem;
        struct stat st;
        int r;

        if (stat(path, &st) < 0)
                return file->ino == 0;
        if (st.st_dev != file->dev || st.st_ino != file->ino || (uint64_t) st.st_size != file->size ||
            seen_file_ctime(&st) != file->ctime)
                return false;
        if (file->hash == SEEN_AT_REST)
                return true;
        r = file_text_read(path, &text, &st, &problem);
        if (r == -ENOMEM)
                return false;
        return (r < 0 ? SEEN_UNREADABLE : seen_file_hash(text)) == file->hash;
}
