/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A unit file as text: read as a whole, checked, split into logical lines
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "basic/text.h"

#define FILE_TEXT_MAX (1024U * 1024U)
#define FILE_LINE_MAX (256U * 1024U)    /* of a logical line, with continuations joined */

/* An error in a file as a whole. */
typedef struct FileProblem {
        unsigned line;                  /* 0: no particular line */
        const char *text;               /* static: a sentence without file and line, or NULL */
} FileProblem;

/*
 * Reads @path. 0 with its text (NUL-terminated, without a BOM) and status; -EBADMSG with @ret_problem if the text is
 * not acceptable; another negative errno if the file can't be opened or read. /dev/null reads as "".
 */
int file_text_read(const char *path, char **ret_text, struct stat *ret_stat, FileProblem *ret_problem);

/* The same for a file of up to @max bytes; @problem is the sentence about a larger one (static). */
int file_text_read_up_to(const char *path, size_t max, const char *problem, char **ret_text, struct stat *ret_stat,
                         FileProblem *ret_problem);

/* A file that is read in parts. */
typedef struct FileReading {
        int fd;
        char *text;             /* owned: what was read so far, NUL-terminated */
        size_t size, n;         /* bytes of the file, and of .text */
        size_t n_checked;       /* of .text */
} FileReading;

/* Opens @path. 0, or a negative errno as of file_text_read_up_to(). Requires file_reading_end() in either case. */
int file_reading_begin(FileReading *reading, const char *path, size_t max, const char *problem, struct stat *ret_stat,
                       FileProblem *ret_problem);
/* Reads and checks about @n bytes more. 1: there are more; 0: .text is all of it; or an error as above. */
int file_reading_go_on(FileReading *reading, size_t n, FileProblem *ret_problem);
void file_reading_end(FileReading *reading);

/* Makes the same checks on text from another source: 0 or -EBADMSG. */
int file_text_check(const char *text, size_t n, FileProblem *ret_problem);

/* Iterates over the logical lines and modifies the text. Initialize with {.next = text}. */
typedef struct FileLines {
        char *next;             /* borrowed */
        unsigned number;        /* of the last physical line read */
        Text joined;            /* owned: a line with its continuations */
} FileLines;

void file_lines_deinit(FileLines *lines);

/*
 * The next line with content: trimmed, without comments and empty lines, with continuations joined by a space. 1 with
 * the line (borrowed until the next call) and the number of its first physical line, 0 at the end, -E2BIG with the
 * number of a line that is too long, or -ENOMEM.
 */
int file_lines_next(FileLines *lines, char **ret_line, unsigned *ret_number);
