/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verifies each file of a folder of broken units, and compares what is said with what is expected
 *
 *   check_broken_units [--write] FOLDER EXPECTED UNITS
 *
 * EXPECTED has the remarks as jobctl prints them, file by file; --write writes it anew, to be read by a person before it
 * is kept. UNITS is searched for other units, and nothing else.
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/unit_file.h"
#include "whole_file.h"

static const char *severity_name(UnitFileSeverity severity) {
        switch (severity) {
        case UNIT_FILE_NOTE:
                return "note";
        case UNIT_FILE_WARNING:
                return "warning";
        case UNIT_FILE_ERROR:
                return "error";
        }
        return NULL;
}

static const char *base_name(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

static void receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        Text *said = userdata;

        text_add(said, base_name(diagnostic->file ? diagnostic->file : diagnostic->unit));
        if (diagnostic->line > 0)
                text_addf(said, ":%u", diagnostic->line);
        text_addf(said, ": %s: ", severity_name(diagnostic->severity));
        if (diagnostic->setting)
                text_addf(said, "%s=: ", diagnostic->setting);
        text_addf(said, "%s\n", diagnostic->message);
}

static int is_unit(const struct dirent *entry) {
        return entry->d_name[0] != '.' && !text_ends_with(entry->d_name, ".txt");
}

static int verify_all(const char *folder, const char *units, Text *said) {
        char *search_path[] = { (char *) units, NULL };
        UnitFileOptions options = { .search_path = search_path, .is_thorough = true, .receiver = receive, .userdata = said };
        struct dirent **entries;
        int n = scandir(folder, &entries, is_unit, alphasort), r = 0;

        if (n < 0)
                return -errno;
        for (int i = 0; i < n; i++) {
                cleanup_free_ char *path = NULL;

                if (r >= 0)
                        r = text_join_path(folder, entries[i]->d_name, &path);
                text_addf(said, "\n# %s\n", entries[i]->d_name);
                if (r >= 0)
                        r = unit_file_verify(path, &options);
                free(entries[i]);
        }
        free(entries);
        return r < 0 ? r : n;
}

/* Says the lines that only one of them has, in order. Returns how many. */
static size_t tell_differences(const char *expected, const char *said) {
        size_t n = 0;

        while (*expected || *said) {
                size_t a = strcspn(expected, "\n"), b = strcspn(said, "\n");

                if (a != b || memcmp(expected, said, a) != 0) {
                        fprintf(stderr, "expected: %.*s\n     got: %.*s\n", (int) a, expected, (int) b, said);
                        if (++n == 10)
                                break;
                }
                expected += a + (expected[a] == '\n');
                said += b + (said[b] == '\n');
        }
        return n;
}

int main(int argc, char **argv) {
        cleanup_(text_deinit) Text text = {};
        cleanup_free_ char *said = NULL, *expected = NULL;
        bool is_write = argc == 5 && strcmp(argv[1], "--write") == 0;
        int n, r;

        if (argc != 4 && !is_write) {
                fprintf(stderr, "Usage: %s [--write] FOLDER EXPECTED UNITS\n", argv[0]);
                return 2;
        }
        text_add(&text, "Remarks of verify on each file of this folder\n");
        n = verify_all(argv[argc - 3], argv[argc - 1], &text);
        r = n < 0 ? n : text_finish(&text, &said);
        if (r >= 0)
                r = is_write ? whole_file_write(argv[argc - 2], said) : whole_file_read(argv[argc - 2], &expected);
        if (r < 0) {
                fprintf(stderr, "%s: %s\n", argv[argc - 2], strerror(-r));
                return 1;
        }
        if (expected && tell_differences(expected, said) > 0)
                return 1;
        printf("%d files\n", n);
        return 0;
}
