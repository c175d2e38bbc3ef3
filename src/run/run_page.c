/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages of items
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/hash.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "run/run_page.h"

#define CURSOR_WORD "cursor "
#define END_WORD "end"
#define OVERLAP 256U /* bytes of a file that are read again, to see that it is the same */

typedef struct Page {
        uint64_t first;
        char *cursor, *text; /* owned */
        VECTOR(uint32_t) starts; /* of its items in .text */
} Page;

struct RunPages {
        RunPageSource source;
        VECTOR(Page) pages; /* in the order of their items */
        uint64_t next;
        char *cursor; /* owned: of the next page */
        bool has_end;
};

static void free_page(Page *page) {
        free(page->cursor);
        free(page->text);
        vector_deinit(&page->starts);
}

int run_pages_new(RunPageSource source, uint64_t first, const char *cursor, RunPages **ret_pages) {
        cleanup_(run_pages_freep) RunPages *pages = calloc(1, sizeof(*pages));

        if (!pages)
                return -ENOMEM;
        pages->source = source;
        pages->next = first;
        pages->cursor = strdup(cursor);
        if (!pages->cursor)
                return -ENOMEM;
        *ret_pages = take_ptr(pages);
        return 0;
}

RunPages *run_pages_free(RunPages *pages) {
        if (!pages)
                return NULL;
        for (size_t i = 0; i < pages->pages.n; i++)
                free_page(&pages->pages.items[i]);
        vector_deinit(&pages->pages);
        free(pages->cursor);
        free(pages);
        return NULL;
}

/* — what was read — */

static int refuse(char **ret_problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(char **ret_problem, const char *format, ...) {
        va_list arguments;
        int r;

        va_start(arguments, format);
        r = text_vformat(ret_problem, format, arguments);
        va_end(arguments);
        return r < 0 ? r : -EBADMSG;
}

/* Bytes up to the last newline, with it; 0: there is none. */
static size_t whole_lines(const char *text, size_t n) {
        while (n > 0 && text[n - 1] != '\n')
                n--;
        return n;
}

/* The line at @line, which ends before @n bytes, becomes an item. */
static int add_item(const RunPages *pages, Page *page, char *line, size_t n, char **ret_problem) {
        const uint64_t item = pages->next + page->starts.n;

        line[n] = '\0';
        if (n > RUN_PAGE_ITEM_MAX)
                return refuse(ret_problem, "item %" PRIu64 " has more than %u bytes", item, RUN_PAGE_ITEM_MAX);
        if (strlen(line) != n || !text_is_utf8(line))
                return refuse(ret_problem, "item %" PRIu64 " is no text in UTF-8", item);
        return vector_push(&page->starts, (uint32_t) (line - page->text));
}

/* The lines between two places of the page, each with its newline. */
static int add_items(const RunPages *pages, Page *page, size_t from, size_t to, char **ret_problem) {
        char *line = page->text + from, *end = page->text + to;
        int r = 0;

        while (line < end && r == 0) {
                char *newline = memchr(line, '\n', (size_t) (end - line));

                r = add_item(pages, page, line, (size_t) (newline - line), ret_problem);
                line = newline + 1;
        }
        return r;
}

/* — files — */

/* A place in a file: reading begins before it, with bytes that were read already. */
typedef struct Place {
        uint64_t start; /* where reading begins */
        uint32_t n; /* bytes of the page before, none in a cursor of an earlier version … */
        uint64_t sum; /* … and their hash */
} Place;

static uint64_t hash(const char *bytes, size_t n) {
        uint64_t sum = HASH_BEGIN;

        for (size_t i = 0; i < n; i++)
                sum = hash_add_byte(sum, bytes[i]);
        return sum;
}

static int parse_place(const char *cursor, Place *ret_place) {
        const size_t length = strcspn(cursor, " ");
        cleanup_free_ char *start = strndup(cursor, length);
        int end = 0;

        *ret_place = (Place) {};
        if (!start)
                return -ENOMEM;
        if (*start && text_parse_u64(start, &ret_place->start) < 0)
                return -EINVAL;
        if (!cursor[length])
                return 0;
        if (sscanf(cursor + length, " %" SCNu32 " %" SCNx64 "%n", &ret_place->n, &ret_place->sum, &end) != 2 ||
            cursor[length + (size_t) end] || ret_place->n > OVERLAP)
                return -EINVAL;
        return 0;
}

int run_page_file_start(const char *cursor, uint64_t *ret_start) {
        Place place;
        int r = parse_place(cursor, &place);

        *ret_start = place.start;
        return r;
}

/* The cursor behind the first @n bytes of the page. */
static int make_place(const Page *page, const Place *place, size_t n, char **ret_cursor) {
        const size_t overlap = MIN(n, (size_t) OVERLAP);

        return text_format(ret_cursor, "%" PRIu64 " %zu %" PRIx64, place->start + (n - overlap), overlap,
                           hash(page->text + n - overlap, overlap));
}

/* A line that goes on in the next page is read there. A file that ends without a newline ends with a line. */
static int read_file(RunPages *pages, Page *page, size_t n, char **ret_problem) {
        const bool is_last = n < RUN_PAGE_BYTES_MAX;
        cleanup_free_ char *cursor = NULL;
        Place place;
        size_t whole;
        int r = parse_place(pages->cursor, &place);

        if (r < 0)
                return r == -ENOMEM ? r : refuse(ret_problem, "its place is not known any more");
        if (n < place.n || (place.n > 0 && hash(page->text, place.n) != place.sum))
                return refuse(ret_problem, "%s before item %" PRIu64 ", up to which it was read: it has been cut or "
                                           "replaced, and has to be put back as it was",
                              n < place.n ? "it ends" : "it has other lines", pages->next);
        whole = place.n + whole_lines(page->text + place.n, n - place.n);
        r = make_place(page, &place, is_last ? n : whole, &cursor);
        if (r < 0)
                return r;
        if (is_last && whole < n) {
                page->text[n] = '\n';
                whole = n + 1;
        }
        if (whole == place.n && n > place.n)
                return refuse(ret_problem, "item %" PRIu64 " has more than %u bytes", pages->next, RUN_PAGE_ITEM_MAX);
        r = add_items(pages, page, place.n, whole, ret_problem);
        if (r < 0)
                return r;
        page->cursor = pages->cursor;
        pages->cursor = take_ptr(cursor);
        pages->has_end = is_last;
        return 0;
}

/* — commands — */

static int judge_cursor(const RunPages *pages, const Page *page, const char *cursor, size_t n, char **ret_problem) {
        if (strlen(cursor) > RUN_PAGE_CURSOR_MAX)
                return refuse(ret_problem, "its cursor has more than %u bytes", RUN_PAGE_CURSOR_MAX);
        if (!*cursor || strlen(cursor) != n || !text_is_utf8(cursor))
                return refuse(ret_problem, "its cursor is no text");
        if (page->starts.n > 0 && strcmp(cursor, pages->cursor) == 0)
                return refuse(ret_problem, "its cursor does not move: beside items it has printed '%s' again, which it "
                                           "was given", cursor);
        return 0;
}

static int read_command(RunPages *pages, Page *page, size_t n, char **ret_problem) {
        char *last, *cursor;
        int r;

        if (n == 0) {
                pages->has_end = true;
                return 0;
        }
        if (page->text[n - 1] != '\n')
                return refuse(ret_problem, n >= RUN_PAGE_BYTES_MAX ? "it has printed more than 1 MiB at a time"
                                                                   : "its last line has no end");
        last = page->text + whole_lines(page->text, n - 1);
        page->text[n - 1] = '\0';
        r = add_items(pages, page, 0, (size_t) (last - page->text), ret_problem);
        if (r < 0)
                return r;
        if (strcmp(last, END_WORD) == 0) {
                pages->has_end = true;
                return 0;
        }
        if (!text_starts_with(last, CURSOR_WORD))
                return refuse(ret_problem, "its last line is neither 'cursor TEXT' nor 'end'");
        cursor = last + strlen(CURSOR_WORD);
        r = judge_cursor(pages, page, cursor, (size_t) (page->text + n - 1 - cursor), ret_problem);
        if (r < 0)
                return r;
        if (page->starts.n == 0) {
                pages->has_end = true;
                return 0;
        }
        cursor = strdup(cursor);
        if (!cursor)
                return -ENOMEM;
        page->cursor = pages->cursor;
        pages->cursor = cursor;
        return 0;
}

int run_pages_add(RunPages *pages, const char *bytes, size_t n, char **ret_problem) {
        Page page = { .first = pages->next, .text = malloc(n + 2) };
        int r = page.text ? vector_reserve(&pages->pages, 1) : -ENOMEM;

        *ret_problem = NULL;
        if (r == 0) {
                memcpy(page.text, bytes, n);
                r = pages->source == RUN_PAGE_FILE ? read_file(pages, &page, n, ret_problem)
                                                   : read_command(pages, &page, n, ret_problem);
        }
        /* The last page of a command has no cursor after it. */
        if (r == 0 && !page.cursor && page.starts.n > 0) {
                page.cursor = strdup(pages->cursor);
                r = page.cursor ? 0 : -ENOMEM;
        }
        if (r < 0 || page.starts.n == 0) {
                free_page(&page);
                return r;
        }
        pages->next += page.starts.n;
        return vector_push(&pages->pages, page);
}

bool run_pages_drop(RunPages *pages, uint64_t base) {
        size_t n = 0;

        while (n < pages->pages.n && pages->pages.items[n].first + pages->pages.items[n].starts.n <= base)
                free_page(&pages->pages.items[n++]);
        if (n == 0)
                return false;
        pages->pages.n -= n;
        memmove(pages->pages.items, pages->pages.items + n, pages->pages.n * sizeof(*pages->pages.items));
        return true;
}

/* — what can be asked — */

uint64_t run_pages_next(const RunPages *pages) {
        return pages->next;
}

const char *run_pages_cursor(const RunPages *pages) {
        return pages->cursor;
}

bool run_pages_has_end(const RunPages *pages) {
        return pages->has_end;
}

uint64_t run_pages_first(const RunPages *pages, const char **ret_cursor) {
        const Page *page = pages->pages.n > 0 ? pages->pages.items : NULL;

        *ret_cursor = page ? page->cursor : pages->cursor;
        return page ? page->first : pages->next;
}

const char *run_pages_find(const RunPages *pages, uint64_t item) {
        size_t low = 0, high = pages->pages.n;

        while (low < high) {
                const size_t middle = (low + high) / 2;
                const Page *page = &pages->pages.items[middle];

                if (item < page->first)
                        high = middle;
                else if (item - page->first >= page->starts.n)
                        low = middle + 1;
                else
                        return page->text + page->starts.items[item - page->first];
        }
        return NULL;
}
