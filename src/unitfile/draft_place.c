/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The place of a setting in the files
 *
 * Rules between settings are checked after all files have been read. Keeping
 * line numbers until then would cost memory for every unit; instead the files
 * are read again when there is an error to report.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/file_text.h"
#include "unitfile/unit_draft.h"

static bool line_assigns(const char *line, const char *setting) {
        size_t n = strlen(setting);

        if (strncmp(line, setting, n) != 0)
                return false;
        line += n;
        return line[strspn(line, " \t")] == '=';
}

/* Returns true for the header of instance @node ("[Node a]"); without one, of a section of the unit itself. */
static bool line_is_header_of(const char *line, const char *node) {
        const char *name = strpbrk(line, " \t");
        size_t n = node ? strlen(node) : 0;

        if (!node)
                return !name && !text_starts_with(line, "[X-");
        if (!name || !text_starts_with(line, "[Node"))
                return false;
        name += strspn(name, " \t");
        return strncmp(name, node, n) == 0 && name[n] == ']';
}

/* The last line of @path that assigns to @setting; 0 if none does. */
static unsigned find_line(const char *path, const char *node, const char *setting) {
        cleanup_free_ char *text = NULL;
        cleanup_(file_lines_deinit) FileLines lines = {};
        FileProblem problem;
        struct stat st;
        unsigned found = 0;
        bool is_in = !node;

        if (file_text_read(path, &text, &st, &problem) < 0)
                return 0;
        lines.next = text;
        for (;;) {
                unsigned number = 0;
                char *line;

                if (file_lines_next(&lines, &line, &number) <= 0)
                        return found;
                if (line[0] == '[')
                        is_in = line_is_header_of(line, node);
                else if (is_in && line_assigns(line, setting))
                        found = number;
        }
}

static unsigned find_setting(const UnitDraft *draft, const char *node, const char *setting, const char **file) {
        const UnitSources *sources = &draft->state->sources;
        unsigned line;

        for (size_t i = strv_length(sources->dropins); i-- > 0;) {
                line = find_line(sources->dropins[i], node, setting);
                if (line > 0) {
                        *file = sources->dropins[i];
                        return line;
                }
        }
        line = sources->builtin || !sources->fragment ? 0 : find_line(sources->fragment, node, setting);
        if (line > 0)
                *file = sources->fragment;
        return line;
}

unsigned unit_draft_find_setting(const UnitDraft *draft, const char *setting, const char **file) {
        return find_setting(draft, NULL, setting, file);
}

unsigned unit_draft_find_node_setting(const UnitDraft *draft, const char *node, const char *setting,
                                      const char **file) {
        return setting ? find_setting(draft, node, setting, file) : 0;
}
