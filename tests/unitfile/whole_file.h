/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Whole text files of the source tree
 */

/* Each 0 or -errno. */
int whole_file_read(const char *path, char **ret_text);
int whole_file_write(const char *path, const char *text);
