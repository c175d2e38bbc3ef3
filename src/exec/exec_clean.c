/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd-clean
 *
 * The manager, which knows the unit, determines the folders; the program only
 * removes them. It needs nothing of the unit's context, and runs as root where
 * the folders belong to another user.
 */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_clean.h"
#include "exec/exec_directory.h"

/* UnitClean and ExecDirectoryKind use the same numbers. */
static_assert((int) UNIT_CLEAN_CONFIGURATION == (int) EXEC_DIRECTORY_CONFIGURATION, "the kinds are in one order");

unsigned exec_clean_kinds(const ExecTerms *terms) {
        unsigned kinds = 0;

        for (unsigned i = 0; terms && i < _EXEC_DIRECTORY_MAX; i++)
                if (terms->directories[i].paths)
                        kinds |= 1U << i;
        return kinds;
}

static int push_pair(char ***argv, const char *base, char *path) {
        int r = path ? strv_push(argv, base) : -ENOMEM;

        if (r < 0) {
                free(path);
                return r;
        }
        return strv_consume(argv, path);
}

/* For "a/b:link": the folder, its private variant (DynamicUser=), and ":link". */
static int push_directory(char ***argv, const char *base, ExecDirectoryKind kind, const char *entry) {
        const char *colon = strchr(entry, ':');
        size_t n = strcspn(entry, ":");
        int r = push_pair(argv, base, strndup(entry, n));

        if (r == 0 && kind != EXEC_DIRECTORY_CONFIGURATION) {
                char *path = NULL;

                r = text_format(&path, "private/%.*s", (int) n, entry);
                r = r < 0 ? r : push_pair(argv, base, path);
        }
        return r < 0 || !colon ? r : push_pair(argv, base, strdup(colon));
}

int exec_clean_command(const ExecTerms *terms, unsigned kinds, bool is_user, char ***ret_argv) {
        cleanup_(strv_freep) char **argv = NULL;
        int r = 0;

        kinds &= exec_clean_kinds(terms);
        if (kinds == 0)
                return -ENODATA;
        r = strv_push(&argv, EXEC_CLEAN_NAME);
        for (unsigned i = 0; i < _EXEC_DIRECTORY_MAX && r == 0; i++) {
                cleanup_free_ char *base = NULL;

                if (!(kinds >> i & 1))
                        continue;
                r = exec_directory_base((ExecDirectoryKind) i, is_user, &base);
                strv_foreach(entry, terms->directories[i].paths)
                        r = r < 0 ? r : push_directory(&argv, base, (ExecDirectoryKind) i, *entry);
        }
        if (r == 0)
                *ret_argv = take_ptr(argv);
        return r;
}

void exec_clean_fill(char *const *argv, ExecRequest *request) {
        request->label = "Clean";
        request->path = "/proc/self/exe";
        request->argv = argv;
        request->flags |= EXEC_REQUEST_NO_EXPANSION;
        request->umask = 0022;
        request->standard_output.kind = request->standard_error.kind = EXEC_STREAM_DEFAULT;
}

bool exec_clean_is_meant(const char *name) {
        return name && strcmp(name, EXEC_CLEAN_NAME) == 0;
}

int exec_clean_run(int argc, char *argv[]) {
        int status = argc < 3 || argc % 2 == 0;

        for (int i = 1; i + 1 < argc; i += 2) {
                bool is_link = argv[i + 1][0] == ':';
                int r = exec_directory_remove_below(argv[i], argv[i + 1] + is_link, is_link);

                if (r == 0)
                        continue;
                fprintf(stderr, "Cannot remove %s/%s: %s\n", argv[i], argv[i + 1] + is_link, strerror(-r));
                status = 1;
        }
        return status;
}
