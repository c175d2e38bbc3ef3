/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Texts that are kept in the tree, read and written as a whole
 */

/* Each 0 or -errno. */
int whole_file_read(const char *path, char **ret_text);
int whole_file_write(const char *path, const char *text);
