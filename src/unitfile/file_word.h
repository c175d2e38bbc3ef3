/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Words of a setting: quoting and C escapes as systemd.syntax(7)
 */

typedef enum FileWordFlags {
        FILE_WORD_UNQUOTE = 1 << 0,             /* '…' and "…" group, anywhere in a word */
        FILE_WORD_UNESCAPE = 1 << 1,            /* \n, \x41, \u20ac, \101, … */
        FILE_WORD_KEEP_ESCAPES = 1 << 2,        /* backslashes mean nothing here: unit names */
        FILE_WORD_KEEP_UNKNOWN = 1 << 3,        /* an unknown escape stands for itself, instead of -EINVAL */
} FileWordFlags;

/*
 * The next word of *@at, which is moved behind it and the white space that follows. 1, 0 at the end, -EINVAL if a
 * quote is not closed or an escape is unknown, -ENOMEM. In an error *@at stays where it was.
 */
int file_word_next(const char **at, FileWordFlags flags, char **ret_word);

/* All of @text, with escapes resolved and all else as it stands: 0, -EINVAL if one is unknown, or -ENOMEM. */
int file_text_unescape(const char *text, char **ret_text);
