/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Small files that a program writes
 */

/* All of @text to a descriptor. 0 or -errno. */
int file_write_text(int fd, const char *text);

/* Writes @text to a file of that name in @folder, in the place of another or of nothing, atomically. 0 or -errno. */
int file_write_whole(int folder, const char *name, const char *text);

/* The same of a file that must not be there: -EEXIST. */
int file_write_new(int folder, const char *name, const char *text);
