/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The text that "edit" gives to an editor: what is to be written, between marks, and below it for reading what there is
 */

/*
 * @contents: what is there already; @others: paths of further files of the unit, which are shown as comments. 0 or a
 * negative errno.
 */
int edit_text_compose(const char *target, const char *contents, char *const *others, char **ret_text);

/* What stands between the marks, without blank lines around it: "" if there is nothing. 0 or -ENOMEM. */
int edit_text_extract(const char *text, char **ret_contents);

/*
 * Opens a unit's file for reading: a descriptor, -EMEDIUMTYPE for what is none and might never end (a FIFO, a device other
 * than /dev/null), or -errno.
 */
int edit_text_open(const char *path);

/* A whole file as text: 0, -E2BIG above 4 MiB, -EILSEQ with a NUL in it, or another negative errno. */
int edit_text_read(const char *path, char **ret_text);
int edit_text_read_fd(int fd, char **ret_text);
