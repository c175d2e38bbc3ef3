/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Pages of items: what a file or a command gives, and what is refused
 *
 * S003-8, S003-24
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "run/run_page.h"

static RunPages *new_pages(RunPageSource source) {
        RunPages *pages;

        cr_assert(eq(int, run_pages_new(source, 0, "", &pages), 0));
        return pages;
}

static int add(RunPages *pages, const char *text) {
        cleanup_free_ char *problem = NULL;

        return run_pages_add(pages, text, strlen(text), &problem);
}

static void expect_item(const RunPages *pages, uint64_t item, const char *text) {
        const char *found = run_pages_find(pages, item);

        cr_expect(found && strcmp(found, text) == 0, "item %" PRIu64 " is '%s', not '%s'", item, found ?: "none", text);
}

Test(run_page, lines_of_a_file_are_items) {
        static const struct {
                const char *text;
                uint64_t n;
                const char *last;
        } cases[] = {
                { "", 0, NULL }, { "\n", 1, "" }, { "a\n\nb\n", 3, "b" }, { "a\nb", 2, "b" }, { "a", 1, "a" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                RunPages *pages = new_pages(RUN_PAGE_FILE);

                cr_expect(eq(int, add(pages, cases[i].text), 0), "case %zu", i);
                cr_expect(eq(u64, run_pages_next(pages), cases[i].n), "case %zu", i);
                cr_expect(run_pages_has_end(pages));
                if (cases[i].last)
                        expect_item(pages, cases[i].n - 1, cases[i].last);
                cr_expect(zero(ptr, (void *) run_pages_find(pages, cases[i].n)));
                run_pages_free(pages);
        }
}

/* A file of which each reading has as many bytes as a page can have, until its end. */
Test(run_page, a_line_is_read_whole_in_the_next_page) {
        cleanup_free_ char *file = malloc(3 * RUN_PAGE_BYTES_MAX), *problem = NULL;
        RunPages *pages = new_pages(RUN_PAGE_FILE);
        size_t n = 0, n_read = 0;
        uint64_t items = 0;

        while (n < 2 * RUN_PAGE_BYTES_MAX + 100)
                n += (size_t) sprintf(file + n, "%0*" PRIu64 "\n", (int) (items % 3000) + 1, items), items++;
        while (!run_pages_has_end(pages)) {
                const size_t at = (size_t) strtoull(run_pages_cursor(pages), NULL, 10);

                cr_assert(eq(int, run_pages_add(pages, file + at, MIN(n - at, RUN_PAGE_BYTES_MAX), &problem), 0));
                n_read++;
        }
        cr_assert(eq(sz, n_read, 3));
        cr_assert(eq(u64, run_pages_next(pages), items));
        for (uint64_t i = 0; i < items; i++)
                cr_assert(eq(u64, strtoull(run_pages_find(pages, i), NULL, 10), i));
        run_pages_free(pages);
}

/* The first page of @file is there, and the second one is read from another file. */
static int add_second(const char *file, size_t n, const char *other, size_t n_other, char **ret_problem) {
        RunPages *pages = new_pages(RUN_PAGE_FILE);
        uint64_t start;
        int r;

        cr_assert(eq(int, run_pages_add(pages, file, MIN(n, RUN_PAGE_BYTES_MAX), ret_problem), 0));
        cr_assert(not(run_pages_has_end(pages)));
        cr_assert(eq(int, run_page_file_start(run_pages_cursor(pages), &start), 0));
        cr_assert(lt(u64, start, RUN_PAGE_BYTES_MAX));
        start = MIN(start, (uint64_t) n_other);
        r = run_pages_add(pages, other + start, n_other - start, ret_problem);
        cr_expect(eq(int, run_pages_has_end(pages), r == 0));
        run_pages_free(pages);
        return r;
}

Test(run_page, a_file_that_was_cut_has_not_ended_there) {
        const size_t n = RUN_PAGE_BYTES_MAX + 20;
        char *file = malloc(n), *other = malloc(n), *problem;

        for (size_t i = 0; i < n; i++)
                file[i] = other[i] = i % 10 == 9 ? '\n' : 'a';
        /* All lines of the first page are there, and it ends with them. */
        cr_assert(eq(int, add_second(file, n, file, RUN_PAGE_BYTES_MAX / 10 * 10, &problem), 0));
        for (size_t cut = 1; cut < RUN_PAGE_BYTES_MAX; cut = cut * 3 + 1) {
                cr_expect(eq(int, add_second(file, n, file, RUN_PAGE_BYTES_MAX / 10 * 10 - cut, &problem), -EBADMSG));
                cr_expect(strstr(problem, "it ends before item 104857,") != NULL, "%s", problem);
                free(problem);
        }
        other[RUN_PAGE_BYTES_MAX / 10 * 10 - 3] = 'b';
        cr_expect(eq(int, add_second(file, n, other, n, &problem), -EBADMSG));
        cr_expect(strstr(problem, "it has other lines before item 104857,") != NULL, "%s", problem);
        free(problem);
        free(other);
        free(file);
}

Test(run_page, a_cursor_with_a_nul_is_none) {
        static const char page[] = "x\ncursor a\0b\n";
        RunPages *pages = new_pages(RUN_PAGE_COMMAND);
        cleanup_free_ char *problem = NULL;

        cr_expect(eq(int, run_pages_add(pages, page, sizeof(page) - 1, &problem), -EBADMSG));
        cr_expect(strstr(problem ?: "", "its cursor is no text") != NULL, "%s", problem);
        run_pages_free(pages);
}

Test(run_page, a_command_says_how_it_goes_on) {
        RunPages *pages = new_pages(RUN_PAGE_COMMAND);

        cr_assert(eq(int, add(pages, "a\ncursor x\ncursor page 2\n"), 0));
        cr_assert(eq(str, (char *) run_pages_cursor(pages), (char *) "page 2"));
        cr_assert(not(run_pages_has_end(pages)));
        cr_assert(eq(int, add(pages, "c\nend\n"), 0));
        cr_assert(run_pages_has_end(pages));
        cr_assert(eq(u64, run_pages_next(pages), 3));
        expect_item(pages, 0, "a");
        expect_item(pages, 1, "cursor x");
        expect_item(pages, 2, "c");
        run_pages_free(pages);
}

Test(run_page, a_command_that_prints_no_items_has_come_to_the_end) {
        static const char *const ends[] = { "", "end\n", "cursor a\n", "cursor b\n" };

        for (size_t i = 0; i < ELEMENTSOF(ends); i++) {
                RunPages *pages = new_pages(RUN_PAGE_COMMAND);

                cr_assert(eq(int, add(pages, "x\ncursor a\n"), 0));
                cr_expect(eq(int, add(pages, ends[i]), 0), "case %zu", i);
                cr_expect(run_pages_has_end(pages), "case %zu", i);
                cr_expect(eq(u64, run_pages_next(pages), 1), "case %zu", i);
                run_pages_free(pages);
        }
}

Test(run_page, bad_pages_change_nothing) {
        static const struct {
                RunPageSource source;
                const char *text, *problem;
        } cases[] = {
                { RUN_PAGE_FILE, "a\n\xff\n", "item 2 is no text in UTF-8" },
                { RUN_PAGE_COMMAND, "a\nb\n", "neither 'cursor TEXT' nor 'end'" },
                { RUN_PAGE_COMMAND, "a\ncursor\n", "neither 'cursor TEXT' nor 'end'" },
                { RUN_PAGE_COMMAND, "a\ncursor \n", "its cursor is no text" },
                { RUN_PAGE_COMMAND, "a\ncursor \xff\n", "its cursor is no text" },
                { RUN_PAGE_COMMAND, "a\ncursor one\n", "does not move" },
                { RUN_PAGE_COMMAND, "a\nend", "its last line has no end" },
                { RUN_PAGE_COMMAND, "a\n\xff\nend\n", "item 2 is no text in UTF-8" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *problem = NULL, *cursor = NULL;
                RunPages *pages;

                cr_assert(eq(int, run_pages_new(cases[i].source, 1, cases[i].source == RUN_PAGE_FILE ? "7" : "one",
                                                &pages), 0));
                cr_expect(eq(int, run_pages_add(pages, cases[i].text, strlen(cases[i].text), &problem), -EBADMSG),
                          "case %zu", i);
                cr_expect(problem && strstr(problem, cases[i].problem), "case %zu: %s", i, problem ?: "none");
                cr_expect(eq(u64, run_pages_next(pages), 1), "case %zu", i);
                cr_expect(not(run_pages_has_end(pages)), "case %zu", i);
                cursor = strdup(run_pages_cursor(pages));
                cr_expect(eq(str, cursor, (char *) (cases[i].source == RUN_PAGE_FILE ? "7" : "one")), "case %zu", i);
                run_pages_free(pages);
        }
}

Test(run_page, a_nul_and_a_long_item_are_refused) {
        cleanup_free_ char *text = malloc(RUN_PAGE_BYTES_MAX), *problem = NULL, *long_line = NULL;
        RunPages *pages = new_pages(RUN_PAGE_FILE);

        cr_assert(eq(int, run_pages_add(pages, "a\0b\n", 4, &problem), -EBADMSG));
        cr_assert(strstr(problem, "no text") != NULL);
        memset(text, 'x', RUN_PAGE_BYTES_MAX);
        text[RUN_PAGE_ITEM_MAX] = '\n';
        cr_assert(eq(int, run_pages_add(pages, text, RUN_PAGE_ITEM_MAX + 1, &long_line), 0));
        run_pages_free(pages);
        pages = new_pages(RUN_PAGE_FILE);
        text[RUN_PAGE_ITEM_MAX] = 'x';
        text[RUN_PAGE_ITEM_MAX + 1] = '\n';
        cr_assert(eq(int, run_pages_add(pages, text, RUN_PAGE_ITEM_MAX + 2, &long_line), -EBADMSG));
        cr_assert(strstr(long_line, "more than 4096 bytes") != NULL);
        free(take_ptr(long_line));
        memset(text, 'x', RUN_PAGE_BYTES_MAX); /* no newline at all */
        cr_assert(eq(int, run_pages_add(pages, text, RUN_PAGE_BYTES_MAX, &long_line), -EBADMSG));
        run_pages_free(pages);
}

/* A reader that begins again begins with the first page that has an item that is not over. */
Test(run_page, pages_are_kept_as_long_as_they_are_needed) {
        RunPages *pages = new_pages(RUN_PAGE_COMMAND);
        const char *cursor;

        cr_assert(eq(int, add(pages, "a\nb\ncursor 1\n"), 0));
        cr_assert(eq(int, add(pages, "c\nd\ncursor 2\n"), 0));
        cr_assert(not(run_pages_drop(pages, 1)));
        cr_assert(eq(u64, run_pages_first(pages, &cursor), 0));
        cr_assert(eq(str, (char *) cursor, (char *) ""));
        cr_assert(run_pages_drop(pages, 2));
        cr_assert(eq(u64, run_pages_first(pages, &cursor), 2));
        cr_assert(eq(str, (char *) cursor, (char *) "1"));
        cr_assert(zero(ptr, (void *) run_pages_find(pages, 1)));
        expect_item(pages, 3, "d");
        cr_assert(run_pages_drop(pages, 4));
        cr_assert(eq(u64, run_pages_first(pages, &cursor), 4));
        cr_assert(eq(str, (char *) cursor, (char *) "2"));
        run_pages_free(pages);
}
