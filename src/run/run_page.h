/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Pages: the texts of items that come from a file or a command
 *
 * A page is what one reading gives: some items in a row, and the cursor of the
 * next page. Pages are kept as long as an item of theirs is not over. A reader
 * that begins again reads from the cursor of the first page that is kept, and
 * has the same items with the same numbers.
 *
 * A file: an item is a line, and a cursor is the place from which on it is
 * read. The last bytes of the page before come first, and have to be what they
 * were. A command: the last line is "cursor TEXT", of the next page, or "end";
 * each line before it is an item. One that prints nothing has come to the end.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"

#define RUN_PAGE_BYTES_MAX ((size_t) 1024 * 1024)
#define RUN_PAGE_ITEM_MAX 4096U /* bytes of an item */
#define RUN_PAGE_CURSOR_MAX 1024U

typedef struct RunPages RunPages;

typedef enum RunPageSource { RUN_PAGE_FILE, RUN_PAGE_COMMAND } RunPageSource;

/* No page is there; the next one begins with item @first and has @cursor, "": the beginning. 0 or -ENOMEM. */
int run_pages_new(RunPageSource source, uint64_t first, const char *cursor, RunPages **ret_pages);
RunPages *run_pages_free(RunPages *pages); /* accepts NULL, returns NULL */
DEFINE_CLEANUP(RunPages, run_pages_free)

/* The byte of a file that reading begins with, by a cursor: 0, -EINVAL or -ENOMEM. */
int run_page_file_start(const char *cursor, uint64_t *ret_start);
/* What was read with run_pages_cursor(): 0; -EBADMSG with a sentence, which the caller owns; or -ENOMEM. */
int run_pages_add(RunPages *pages, const char *bytes, size_t n, char **ret_problem);
/* Pages whose items are below @base are dropped: whether there were some. */
bool run_pages_drop(RunPages *pages, uint64_t base);

uint64_t run_pages_next(const RunPages *pages); /* the item that the next page begins with */
const char *run_pages_cursor(const RunPages *pages); /* of the next page */
bool run_pages_has_end(const RunPages *pages); /* there is no next page */
/* The first item that is kept, and the cursor of its page. */
uint64_t run_pages_first(const RunPages *pages, const char **ret_cursor);
/* The text of an item; NULL: its page is not kept. */
const char *run_pages_find(const RunPages *pages, uint64_t item);
