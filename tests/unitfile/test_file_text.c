/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logical lines and words: continuations, comments, quotes, escapes, limits.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "double/double_assert.h"
#include "unitfile/file_text.h"
#include "unitfile/file_word.h"

/* "1:first|3:second" */
static char *lines_of(const char *text) {
        cleanup_free_ char *copy = strdup(text);
        cleanup_(file_lines_deinit) FileLines lines = { .next = copy };
        Text result = {};
        unsigned number;
        char *line, *string;

        while (file_lines_next(&lines, &line, &number) > 0)
                text_addf(&result, "%s%u:%s", result.n > 0 ? "|" : "", number, line);
        cr_assert(eq(int, text_finish(&result, &string), 0));
        return string;
}

Test(file_lines, tables_of_texts_and_lines) {
        static const struct {
                const char *text, *lines;
        } cases[] = {
                { "", "" },
                { "a", "1:a" },
                { "a\nb\n", "1:a|2:b" },
                { "a\r\nb\r\n", "1:a|2:b" },
                { "  a  \n\n\tb\t\n", "1:a|3:b" },
                { "# no\n; no\na # yes\n", "3:a # yes" },
                { "a \\\nb\nc", "1:a  b|3:c" },
                { "a\\\r\nb\r\nc", "1:a b|3:c" },
                { "a\\\n# comment\n; comment\n  b", "1:a   b" },
                { "a\\\n  # comment\n\t; comment\nb", "1:a b" },
                { "x='a \\\n\t b'\n  c", "1:x='a  \t b'|3:c" },
                { "a\\\\\nb", "1:a\\\\|2:b" },
                { "a\\\\\\\nb", "1:a\\\\ b" },
                { "a\\\n\nb", "1:a|3:b" },
                { "a\\", "1:a" },
                { "\\\n\\\nx", "1:x" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *lines = lines_of(cases[i].text);

                cr_expect(eq(str, lines, (char *) cases[i].lines), "case %zu", i);
        }
}

Test(file_lines, a_logical_line_is_bounded) {
        cleanup_free_ char *text = malloc(FILE_LINE_MAX + 64);
        cleanup_(file_lines_deinit) FileLines lines = {};
        unsigned number;
        char *line;

        memset(text, 'x', FILE_LINE_MAX + 10);
        memcpy(text, "a\nb\\\n", 5);
        text[FILE_LINE_MAX + 10] = '\0';
        lines.next = text;
        cr_assert(eq(int, file_lines_next(&lines, &line, &number), 1));
        cr_assert(eq(int, file_lines_next(&lines, &line, &number), -E2BIG));
        cr_assert(eq(uint, number, 2));
}

/* Words in brackets, or "!" for an error. */
static char *words_of(const char *text, FileWordFlags flags) {
        Text result = {};
        char *string;
        int r = 1;

        while (r > 0) {
                cleanup_free_ char *word = NULL;

                r = file_word_next(&text, flags, &word);
                if (r > 0)
                        text_addf(&result, "[%s]", word);
        }
        if (r < 0)
                text_add(&result, "!");
        cr_assert(eq(int, text_finish(&result, &string), 0));
        return string;
}

Test(file_word, tables_of_texts_and_words) {
        static const struct {
                const char *text;
                int flags;
                const char *words;
        } cases[] = {
                { "", FILE_WORD_UNQUOTE, "" },
                { " a  b ", FILE_WORD_UNQUOTE, "[a][b]" },
                { "\"a b\" c", FILE_WORD_UNQUOTE, "[a b][c]" },
                { "'a b'c d", FILE_WORD_UNQUOTE, "[a bc][d]" },
                { "a='b c'", FILE_WORD_UNQUOTE, "[a=b c]" },
                { "'a \"b\"'", FILE_WORD_UNQUOTE, "[a \"b\"]" },
                { "\"\"", FILE_WORD_UNQUOTE, "[]" },
                { "'a b'", 0, "['a][b']" },
                { "a\\ b", FILE_WORD_UNQUOTE, "[a b]" },
                { "a\\x20b\\tc", FILE_WORD_UNESCAPE, "[a b\tc]" },
                { "\\u00e9\\U0001F600\\101", FILE_WORD_UNESCAPE, "[\xc3\xa9\xf0\x9f\x98\x80" "A]" },
                { "\\s\\'\\\"\\\\", FILE_WORD_UNQUOTE | FILE_WORD_UNESCAPE, "[ '\"\\]" },
                { "a\\x2db.service", FILE_WORD_UNQUOTE | FILE_WORD_KEEP_ESCAPES, "[a\\x2db.service]" },
                { "\\q", FILE_WORD_UNESCAPE, "!" },
                { "\\q", FILE_WORD_UNESCAPE | FILE_WORD_KEEP_UNKNOWN, "[\\q]" },
                { "a\\ b c", FILE_WORD_UNESCAPE | FILE_WORD_KEEP_UNKNOWN, "[a\\ b][c]" },
                { "\\x00", FILE_WORD_UNESCAPE, "!" },
                { "\\400", FILE_WORD_UNESCAPE, "!" },
                { "\\ud800", FILE_WORD_UNESCAPE, "!" },
                { "\\x4", FILE_WORD_UNESCAPE, "!" },
                { "a 'b", FILE_WORD_UNQUOTE, "[a]!" },
                { "a\\", FILE_WORD_UNESCAPE, "!" },
                { "a\\", FILE_WORD_UNESCAPE | FILE_WORD_KEEP_UNKNOWN, "[a\\]" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *words = words_of(cases[i].text, cases[i].flags);

                cr_expect(eq(str, words, (char *) cases[i].words), "case %zu", i);
        }
}

Test(file_text, what_is_no_text_is_refused_with_its_line) {
        FileProblem problem = {};

        cr_assert(eq(int, file_text_check("a\nb\n", 4, &problem), 0));
        cr_assert(eq(int, file_text_check("a\nb\0c", 5, &problem), -EBADMSG));
        cr_assert(eq(uint, problem.line, 2));
        cr_assert(eq(int, file_text_check("a\nb\n\xff\xfe", 6, &problem), -EBADMSG));
        cr_assert(eq(uint, problem.line, 3));
}

Test(file_text, folders_and_missing_files_are_errors_and_dev_null_is_empty) {
        FileProblem problem;
        struct stat st;
        char *text = NULL;

        cr_assert(eq(int, file_text_read("/tmp", &text, &st, &problem), -EBADMSG));
        cr_assert(eq(int, file_text_read("/nonexistent", &text, &st, &problem), -ENOENT));
        cr_assert(eq(int, file_text_read("/dev/zero", &text, &st, &problem), -EBADMSG));
        cr_assert(eq(int, file_text_read("/dev/null", &text, &st, &problem), 0));
        assert_string(text, "");
        free(text);
}

Test(file_text, a_fifo_is_not_waited_for) {
        char path[] = "/tmp/jobd-fifo-XXXXXX";
        FileProblem problem;
        struct stat st;
        char *text = NULL;

        cr_assert(mkdtemp(path) != NULL);
        cr_assert(eq(int, chdir(path), 0));
        cr_assert(eq(int, mkfifo("fifo", 0600), 0));
        cr_assert(eq(int, file_text_read("fifo", &text, &st, &problem), -EBADMSG));
        unlink("fifo");
        rmdir(path);
}

/* A file with @text, read @part bytes at a time: what became of it, and how many parts there were. */
static int read_in_parts(const char *text, size_t n, size_t part, char **ret_text, FileProblem *ret_problem,
                         unsigned *ret_parts) {
        char path[] = "/tmp/jobd-parts-XXXXXX";
        FileReading reading;
        struct stat st;
        int fd = mkstemp(path), r;

        cr_assert(fd >= 0);
        cr_assert(eq(sz, (size_t) write(fd, text, n), n));
        close(fd);
        r = file_reading_begin(&reading, path, 1024, "too large", &st, ret_problem);
        *ret_parts = 0;
        while (r == 0 && (r = file_reading_go_on(&reading, part, ret_problem)) > 0) {
                ++*ret_parts;
                r = 0;
        }
        *ret_text = r == 0 ? take_ptr(reading.text) : NULL;
        file_reading_end(&reading);
        unlink(path);
        return r;
}

/* Characters may be cut anywhere. */
Test(file_text, parts_are_what_the_whole_is) {
        const char text[] = "\xEF\xBB\xBF" "a\xc3\xa9\n\xe2\x82\xac\xf0\x9f\x98\x80 end\n";
        FileProblem problem;
        unsigned n_parts;

        for (size_t part = 1; part <= sizeof(text); part++) {
                cleanup_free_ char *read = NULL;

                cr_assert(eq(int, read_in_parts(text, strlen(text), part, &read, &problem, &n_parts), 0), "%zu", part);
                assert_string(read, text + 3);
                cr_assert(eq(uint, n_parts, (strlen(text) - 1) / part));
        }
}

Test(file_text, parts_are_judged_as_the_whole_is) {
        static const struct {
                const char *text;
                size_t n;
                unsigned line; /* 0: it is good */
        } cases[] = {
                { "", 0, 0 },
                { "a\nb\0c", 5, 2 },
                { "a\n\nb\xff\n", 6, 3 },
                { "a\n\xe2\x82", 4, 2 }, /* cut by the end of the file */
                { "\xe2\x82\nabcdef", 9, 1 },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                for (size_t part = 1; part <= 16; part++) {
                        cleanup_free_ char *read = NULL;
                        FileProblem problem = {};
                        unsigned n_parts;
                        int r = read_in_parts(cases[i].text, cases[i].n, part, &read, &problem, &n_parts);

                        cr_expect(eq(int, r, cases[i].line > 0 ? -EBADMSG : 0), "case %zu, parts of %zu", i, part);
                        cr_expect(eq(uint, problem.line, cases[i].line), "case %zu, parts of %zu", i, part);
                }
}
