/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A unit file as text: read whole, checked, cut into logical lines
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "basic/text.h"

#define FILE_TEXT_MAX (1024U * 1024U)
#define FILE_LINE_MAX (256U * 1024U)    /* of a logical line, continuations joined */

/* A fault of a file as a whole. */
typedef struct FileProblem {
        unsigned line;                  /* 0: none in particular */
        const char *text;               /* static: a sentence without file and line, or NULL */
} FileProblem;

/*
 * Reads @path. 0 with its text (NUL-terminated, a BOM removed) and what the file is; -EBADMSG with @ret_problem if
 * it is no acceptable text; another negative errno if it can't be opened or read. /dev/null reads as "".
 */
int file_text_read(const char *path, char **ret_text, struct stat *ret_stat, FileProblem *ret_problem);

/* The same checks for text from elsewhere: 0 or -EBADMSG. */
int file_text_check(const char *text, size_t n, FileProblem *ret_problem);

/* Runs over the logical lines; cuts up the text it was given. {.next = text} is a start. */
typedef struct FileLines {
        char *next;             /* borrowed */
        unsigned number;        /* of the last physical line read */
        Text joined;            /* owned: a line with continuations */
} FileLines;

void file_lines_deinit(FileLines *lines);

/*
 * The next line that says something: trimmed, comments and empty lines left out, continuations joined by a space.
 * 1 with the line (borrowed until the next call) and the number of its first physical line, 0 at the end,
 * -E2BIG with the number of a line that is too long, -ENOMEM.
 */
int file_lines_next(FileLines *lines, char **ret_line, unsigned *ret_number);
