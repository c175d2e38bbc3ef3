/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The record that a loaded unit keeps of its files
 *
 * Almost every unit has only a main file, whose path is in the unit table.
 * Sources are kept only for units with drop-ins, links or aliases. The packed
 * assignments follow the files in the same block.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "unitfile/file_record.h"

struct FileRecord {
        const char *fragment;           /* borrowed, or NULL */
        UnitSources *sources;           /* owned; NULL if there is only the main file */
        uint32_t n_seen;
        uint8_t found;                  /* NameFound */
        SeenFile seen[];
};

static bool sources_are_plain(const UnitSources *sources, const char *name) {
        return !sources->dropins && !sources->aliases && sources->links.n == 0 && text_equal(sources->id, name);
}

/* The assignments follow the files; "" if there are none. */
static const char *file_record_values(const FileRecord *record) {
        return (const char *) (record->seen + record->n_seen);
}

int file_record_new(FileRecord **ret_record, FileState *state, const char *name, const char *fragment) {
        cleanup_(file_record_freep) FileRecord *record = NULL;
        size_t n = state->seen.n, size = state->values ? strlen(state->values) + 1 : 1;

        assert(text_equal(fragment, state->sources.fragment));

        record = malloc(sizeof(*record) + n * sizeof(SeenFile) + size);
        if (!record)
                return -ENOMEM;
        *record = (FileRecord) { .fragment = fragment, .n_seen = (uint32_t) n,
                                 .found = (uint8_t) state->sources.found };
        if (n > 0)
                memcpy(record->seen, state->seen.items, n * sizeof(SeenFile));
        memcpy(record->seen + n, state->values ? state->values : "", size);

        if (!sources_are_plain(&state->sources, name)) {
                record->sources = malloc(sizeof(*record->sources));
                if (!record->sources)
                        return -ENOMEM;
                *record->sources = state->sources;
                state->sources = (UnitSources) {};
        }
        *ret_record = take_ptr(record);
        return 0;
}

FileRecord *file_record_free(FileRecord *record) {
        if (!record)
                return NULL;
        if (record->sources)
                unit_sources_deinit(record->sources);
        free(record->sources);
        free(record);
        return NULL;
}

bool file_record_has_sources(const FileRecord *record, const char *name, const UnitSources *sources) {
        if (record->sources)
                return unit_sources_equal(record->sources, sources);
        return record->found == sources->found && text_equal(record->fragment, sources->fragment) &&
               sources_are_plain(sources, name);
}

bool file_record_is_current(const FileRecord *record) {
        for (uint32_t i = 0; i < record->n_seen; i++) {
                const SeenFile *seen = &record->seen[i];
                const char *path = seen->dropin == 0 ? record->fragment : record->sources->dropins[seen->dropin - 1];

                if (!seen_file_is_current(seen, path))
                        return false;
        }
        return true;
}

int file_record_difference(const FileRecord *old, const FileState *new, char **ret_difference) {
        FileState before = {};

        if (!old)
                return file_state_difference(NULL, new, ret_difference);

        /* All members are borrowed. */
        if (old->sources)
                before.sources = *old->sources;
        else
                before.sources.fragment = (char *) old->fragment;
        before.values = (char *) file_record_values(old);
        return file_state_difference(&before, new, ret_difference);
}
