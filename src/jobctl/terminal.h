/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The kind of output, and the form of text there
 *
 * Colours and cut lines are for people at a terminal; a pipe gets plain and
 * whole text. Widths are in columns of the screen, not bytes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum TerminalColor {
        COLOR_NONE,
        COLOR_BOLD,
        COLOR_UNDERLINE,
        COLOR_RED,
        COLOR_GREEN,
        COLOR_YELLOW,
        COLOR_GREY,
        _COLOR_MAX,
} TerminalColor;

typedef struct Terminal {
        bool is_out_terminal;           /* standard output is a terminal */
        bool is_err_terminal;
        bool has_out_color;
        bool has_err_color;
        bool has_utf8;                  /* glyphs beyond ASCII may be printed */
        bool is_line_drawn;             /* a progress line is on standard error */
        size_t width;                   /* columns of the terminal; 0 if there is none */
} Terminal;

/* Checks both streams, $NO_COLOR, $TERM and $COLUMNS, and sets the locale for characters. */
void terminal_init(Terminal *terminal, bool no_color);

/* The number of lines of the terminal at standard output; 0 if it is none. */
unsigned terminal_height(void);

/* The sequence that switches to @color on standard output, or "". */
const char *terminal_color(const Terminal *terminal, TerminalColor color);
const char *terminal_reset(const Terminal *terminal, TerminalColor color);

/* Prints to standard output in @color. Text from outside must be escaped already. */
void terminal_print(const Terminal *terminal, TerminalColor color, const char *text);

/* Prints a line on standard error that the next call overwrites; nothing if that is no terminal. */
void terminal_progress(Terminal *terminal, const char *line);
void terminal_progress_clear(Terminal *terminal);

/* The columns of @text; an unprintable character counts as one. */
size_t terminal_text_width(const char *text);

/* A copy of @text in at most @width columns, with "…" where it was cut. 0 or -ENOMEM. */
int terminal_text_cut(const char *text, size_t width, bool has_utf8, char **ret_text);

/* Formats the message, escapes control characters except line breaks, and prints it with a line break, after stdout. */
void terminal_say(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A copy with control characters other than line breaks escaped. 0 or -ENOMEM. */
int terminal_escape(const char *text, char **ret_text);
