/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was seen of a unit's files
 *
 * A file counts as changed if device, inode, size or ctime differ: not its
 * mtime, which archives and reproducible builds set to one and the same. That
 * misses a change within the same step of the kernel's clock as the reading,
 * so for a file that was that young its text is compared by a hash. One that
 * couldn't be read is tried again, as what kept it from that may be elsewhere.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/index_table.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/file_state.h"
#include "unitfile/file_text.h"
#include "unitfile/file_values.h"

#define CTIME_GRAIN (20 * USEC_PER_MSEC)

/* In the place of a hash. */
#define SEEN_AT_REST 0
#define SEEN_UNREADABLE 1
#define DIFFERENCE_LINES_MAX 256
#define DIFFERENCE_BYTES_MAX 600

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

/* Was it written within the grain of its ctime? */
static bool seen_file_is_fresh(const SeenFile *file) {
        usec_t now = clock_realtime(), ctime = (usec_t) file->ctime / 1000;

        return ctime + CTIME_GRAIN > now && ctime < now + CTIME_GRAIN;
}

static SeenFile seen_file_make(uint32_t dropin, const struct stat *st) {
        return (SeenFile) {
                .dev = st->st_dev,
                .ino = st->st_ino,
                .size = (uint64_t) st->st_size,
                .ctime = seen_file_ctime(st),
                .hash = SEEN_AT_REST,
                .dropin = dropin,
        };
}

int file_state_note(FileState *state, uint32_t dropin, const struct stat *st, const char *text) {
        SeenFile file = seen_file_make(dropin, st);

        if (seen_file_is_fresh(&file))
                file.hash = seen_file_hash(text);
        return vector_push(&state->seen, file);
}

int file_state_note_unread(FileState *state, uint32_t dropin, const char *path) {
        SeenFile file = { .dropin = dropin };
        struct stat st;

        if (stat(path, &st) == 0) {
                file = seen_file_make(dropin, &st);
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

/* Adds to @to what of @a is not in @b, as often as it is there more often. */
static int strv_add_missing(char *const *a, char *const *b, char ***to) {
        cleanup_(strv_freep) char **rest = NULL;
        int r = strv_copy(b, &rest);
        size_t n = strv_length(rest);

        strv_foreach(item, a) {
                size_t i = 0;

                if (r < 0)
                        return r;
                while (i < n && strcmp(rest[i], *item) != 0)
                        i++;
                if (i == n) {
                        r = strv_push(to, *item);
                        continue;
                }
                free(rest[i]);
                memmove(&rest[i], &rest[i + 1], (n - i) * sizeof(char *));
                n--;
        }
        return r;
}

static void difference_add(Text *text, const char *what) {
        if (text->n > 0)
                text_add(text, ", ");
        text_add(text, what);
}

static size_t assignment_key_length(const char *assignment) {
        return strcspn(assignment, "=") + 1;
}

/* "Restart=no → always" where one value took the place of one other; else "-After=a.service, +After=b.service". */
static void difference_add_values(Text *text, char *const *removed, char *const *added) {
        strv_foreach(old, removed) {
                size_t key = assignment_key_length(*old), n_old = 0, n_new = 0;
                const char *new = NULL;

                strv_foreach(other, removed)
                        n_old += strncmp(*other, *old, key) == 0;
                strv_foreach(other, added)
                        if (strncmp(*other, *old, key) == 0) {
                                new = *other;
                                n_new++;
                        }
                difference_add(text, n_old == 1 && n_new == 1 ? "" : "-");
                text_add(text, *old);
                if (n_old == 1 && n_new == 1)
                        text_addf(text, " → %s", new + key);
        }
        strv_foreach(new, added) {
                size_t key = assignment_key_length(*new), n_old = 0, n_new = 0;

                strv_foreach(other, removed)
                        n_old += strncmp(*other, *new, key) == 0;
                strv_foreach(other, added)
                        n_new += strncmp(*other, *new, key) == 0;
                if (n_old == 1 && n_new == 1)
                        continue;
                difference_add(text, "+");
                text_add(text, *new);
        }
}

static size_t difference_count_lines(const char *text) {
        size_t n = 0;

        for (; *text; text++)
                n += *text == '\n';
        return n;
}

static int difference_add_settings(Text *text, const char *old, const char *new) {
        cleanup_(strv_freep) char **before = NULL, **after = NULL, **removed = NULL, **added = NULL;
        cleanup_free_ char *old_text = NULL, *new_text = NULL;
        int r;

        if (strcmp(old ? old : "", new ? new : "") == 0)
                return 0;
        r = file_values_unpack(old, &old_text);
        if (r == 0)
                r = file_values_unpack(new, &new_text);
        if (r < 0)
                return r;
        if (difference_count_lines(old_text) > DIFFERENCE_LINES_MAX ||
            difference_count_lines(new_text) > DIFFERENCE_LINES_MAX) {
                difference_add(text, "settings changed");
                return 0;
        }
        r = strv_split(old_text, "\n", &before);
        if (r == 0)
                r = strv_split(new_text, "\n", &after);
        if (r == 0)
                r = strv_add_missing(before, after, &removed);
        if (r == 0)
                r = strv_add_missing(after, before, &added);
        if (r == 0)
                difference_add_values(text, removed, added);
        if (r == 0 && !removed && !added)
                difference_add(text, "order of settings changed");
        return r;
}

static int difference_add_paths(Text *text, char *const *old, char *const *new) {
        cleanup_(strv_freep) char **removed = NULL, **added = NULL;
        int r = strv_add_missing(old, new, &removed);

        if (r == 0)
                r = strv_add_missing(new, old, &added);
        strv_foreach(path, removed) {
                difference_add(text, "-");
                text_add(text, *path);
        }
        strv_foreach(path, added) {
                difference_add(text, "+");
                text_add(text, *path);
        }
        return r;
}

static int source_links_copy(const UnitSources *sources, char ***ret_paths) {
        for (size_t i = 0; sources && i < sources->links.n; i++) {
                int r = strv_push(ret_paths, sources->links.items[i].path);

                if (r < 0)
                        return r;
        }
        return 0;
}

static int difference_add_links(Text *text, const UnitSources *old, const UnitSources *new) {
        cleanup_(strv_freep) char **before = NULL, **after = NULL;
        int r = source_links_copy(old, &before);

        if (r == 0)
                r = source_links_copy(new, &after);
        return r < 0 ? r : difference_add_paths(text, before, after);
}

/* Where the main file went. */
static void difference_add_fragment(Text *text, const UnitSources *old, const UnitSources *new) {
        const char *before = old ? old->fragment : NULL, *after = new ? new->fragment : NULL;

        if (text_equal(before, after))
                return;
        if (before && after)
                text_addf(text, "now read from %s", after);
        else if (after)
                text_addf(text, "new file %s", after);
        else if (before)
                text_addf(text, "%s is gone", before);
}

int file_state_difference(const FileState *old, const FileState *new, char **ret_difference) {
        const UnitSources *before = old ? &old->sources : NULL, *after = new ? &new->sources : NULL;
        cleanup_(text_deinit) Text text = {};
        int r = 0;

        difference_add_fragment(&text, before, after);
        if (before && before->fragment && after && after->fragment)
                r = difference_add_settings(&text, old->values, new->values);
        if (r == 0)
                r = difference_add_paths(&text, before ? before->dropins : NULL, after ? after->dropins : NULL);
        if (r == 0)
                r = difference_add_links(&text, before, after);
        if (r == 0)
                r = difference_add_paths(&text, before ? before->aliases : NULL, after ? after->aliases : NULL);
        if (r < 0)
                return r;
        if (text.n > DIFFERENCE_BYTES_MAX) {
                size_t n = DIFFERENCE_BYTES_MAX;

                while (n > 0 && ((unsigned char) text.string[n] & 0xC0) == 0x80)
                        n--;
                text.n = n;
                text_add(&text, " …");
        }
        return text_finish(&text, ret_difference);
}
