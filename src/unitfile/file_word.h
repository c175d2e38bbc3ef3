/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Words of a setting: quoting and C escapes as in systemd.syntax(7)
 */

typedef enum FileWordFlags {
        FILE_WORD_UNQUOTE = 1 << 0,             /* '…' and "…" group, anywhere in a word */
        FILE_WORD_UNESCAPE = 1 << 1,            /* \n, \x41, \u20ac, \101, … */
        FILE_WORD_KEEP_ESCAPES = 1 << 2,        /* backslashes are literal: unit names */
        FILE_WORD_KEEP_UNKNOWN = 1 << 3,        /* unknown escapes are literal, instead of -EINVAL */
} FileWordFlags;

/*
 * The next word of *@at, which is moved behind it and the following white space. 1, 0 at the end, -EINVAL for an
 * unclosed quote or an unknown escape, or -ENOMEM. On an error *@at is unchanged.
 */
int file_word_next(const char **at, FileWordFlags flags, char **ret_word);

/* Resolves the escapes in @text: 0, -EINVAL for an unknown one, or -ENOMEM. */
int file_text_unescape(const char *text, char **ret_text);
