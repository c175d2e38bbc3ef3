/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The text that "edit" passes to an editor: the text to write, between markers, and below it the present contents, for
 * reading
 */

/*
 * @contents: the present contents of the target; @others: paths of further files of the unit, which are added as
 * comments. 0 or a negative errno.
 */
int edit_text_compose(const char *target, const char *contents, char *const *others, char **ret_text);

/* The text between the markers, without surrounding blank lines; may be "". 0 or -ENOMEM. */
int edit_text_extract(const char *text, char **ret_contents);

/*
 * Opens a unit file for reading: a descriptor, -EMEDIUMTYPE for a file that might never end (a FIFO, a device other
 * than /dev/null), or -errno.
 */
int edit_text_open(const char *path);

/* A whole file as text: 0, -E2BIG above 4 MiB, -EILSEQ with a NUL in it, or another negative errno. */
int edit_text_read(const char *path, char **ret_text);
int edit_text_read_fd(int fd, char **ret_text);
