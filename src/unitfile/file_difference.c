/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The difference between two readings of a unit's files, as one line of text
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/file_state.h"
#include "unitfile/file_values.h"

#define DIFFERENCE_LINES_MAX 256
#define DIFFERENCE_BYTES_MAX 600

/* Appends the strings of @a that are not in @b to @to, each as often as it is missing. */
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

/* Writes "Restart=no → always" if one value replaced another; otherwise "-After=a.service, +After=b.service". */
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

/* Describes a change of the main file's path. */
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
