/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Workflows of Dagu: each beginning of an example is read or refused, and what
 * is read can be written. What becomes of whole files, test-flow-import says.
 */

#include <errno.h>
#include <glob.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/flow_import.h"
#include "unitfile/file_text.h"

/* Reads the first @n bytes: whether there is a flow. */
static bool is_read(const char *text, size_t n) {
        cleanup_free_ char *begin = strndup(text, n);
        const ImportInput input = { .text = begin, .n = n, .name = "begin", .folder = "/srv" };
        cleanup_(import_output_deinit) ImportOutput output = {};
        int r = import_dagu(&input, &output);

        if (r == -EBADMSG) {
                cr_assert(output.problem != NULL && *output.problem != 0, "after %zu bytes nothing is said", n);
                return false;
        }
        cr_assert(eq(int, r, 0), "after %zu bytes", n);
        cr_assert(eq(sz, output.flows.n, 1));
        for (size_t i = 0; i < output.flows.n; i++) {
                cleanup_free_ char *flow = NULL, *nodes = NULL, *timer = NULL;

                cr_assert(eq(int, import_name_nodes(output.flows.items[i]), 0));
                cr_assert(eq(int, import_write(output.flows.items[i], "begin.yaml", NULL, &flow, &nodes), 0));
                cr_assert(eq(int, import_write_timer(output.flows.items[i], "begin.yaml", "begin.flow", &timer), 0));
                cr_assert(strstr(flow, "[Node ") != NULL, "after %zu bytes there is no node", n);
        }
        return true;
}

Test(flow_import_dagu, each_beginning_is_read_or_refused, .timeout = 120) {
        unsigned n_read = 0, n_refused = 0;
        glob_t files;

        cr_assert(eq(int, glob(TEST_DATA "/import/dagu/*.yaml", 0, NULL, &files), 0));
        for (size_t i = 0; i < files.gl_pathc; i++) {
                cleanup_free_ char *text = NULL;
                FileProblem problem;
                struct stat st;

                cr_assert(eq(int, file_text_read(files.gl_pathv[i], &text, &st, &problem), 0));
                for (size_t n = 0; n <= strlen(text); n++)
                        if (is_read(text, n))
                                n_read++;
                        else
                                n_refused++;
                if (!strstr(files.gl_pathv[i], "broken-"))
                        cr_assert(is_read(text, strlen(text)), "%s", files.gl_pathv[i]);
        }
        globfree(&files);
        cr_assert(n_read > 1000 && n_refused > 1000, "%u are read, %u refused", n_read, n_refused);
}

/* Each byte of the examples, one after the other, is another one. */
Test(flow_import_dagu, a_changed_byte_is_read_or_refused, .timeout = 120) {
        static const char others[] = "\"'{}[]:*&-|>%#\n\t $";
        cleanup_free_ char *text = NULL;
        FileProblem problem;
        struct stat st;

        cr_assert(eq(int, file_text_read(TEST_DATA "/import/dagu/data.yaml", &text, &st, &problem), 0));
        for (size_t i = 0; text[i]; i++) {
                const char kept = text[i];

                text[i] = others[i % (sizeof(others) - 1)];
                is_read(text, strlen(text));
                text[i] = kept;
        }
}

/* 5,000 steps, each of which depends on those of the list before: what they are together is bounded. */
Test(flow_import_dagu, dependencies_and_lines_are_bounded, .timeout = 120) {
        cleanup_(text_deinit) Text groups = {}, env = {};

        text_add(&groups, "steps:\n");
        for (unsigned i = 0; i < 2; i++) {
                text_add(&groups, "  - [");
                for (unsigned k = 0; k < 5000; k++)
                        text_add(&groups, "e, ");
                text_add(&groups, "]\n");
        }
        cr_assert(is_read(groups.string, groups.n) == false, "25,000,000 dependencies");
        text_add(&env, "env:\n");
        for (unsigned i = 0; i < 10000; i++)
                text_addf(&env, "  V%u: $X\n", i);
        text_add(&env, "steps:\n");
        for (unsigned i = 0; i < 10000; i++)
                text_add(&env, "  - e\n");
        cr_assert(is_read(env.string, env.n) == false, "more than 64 MiB of lines");
}
