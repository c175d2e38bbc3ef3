/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Atomic writes of small files
 */

/* Writes all of @text to a descriptor. 0 or -errno. */
int file_write_text(int fd, const char *text);

/* Creates or replaces the file @name in @folder atomically. 0 or -errno. */
int file_write_whole(int folder, const char *name, const char *text);

/* The same for a file that must not exist: -EEXIST. */
int file_write_new(int folder, const char *name, const char *text);
