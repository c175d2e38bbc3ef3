/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the output is connected to, and how text looks there
 *
 * Colours and cut lines are for people at a terminal; a pipe gets plain and
 * whole text. Widths count columns of the screen, not bytes.
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
        bool is_out_terminal;           /* standard output */
        bool is_err_terminal;
        bool has_out_color;
        bool has_err_color;
        bool has_utf8;                  /* may glyphs beyond ASCII be printed? */
        bool is_line_drawn;             /* a progress line stands on standard error */
        size_t width;                   /* columns of the terminal; 0 if there is none */
} Terminal;

/* Looks at both streams, $NO_COLOR, $TERM and $COLUMNS, and sets the locale for characters. */
void terminal_init(Terminal *terminal, bool no_color);

/* Lines of the terminal that standard output is; 0 if it is none. */
unsigned terminal_height(void);

/* The sequence that switches to @color on standard output, or "". */
const char *terminal_color(const Terminal *terminal, TerminalColor color);
const char *terminal_reset(const Terminal *terminal, TerminalColor color);

/* Prints to standard output in @color. Text from elsewhere must have been escaped before. */
void terminal_print(const Terminal *terminal, TerminalColor color, const char *text);

/* One line on standard error that the next call draws over; nothing if that is no terminal. */
void terminal_progress(Terminal *terminal, const char *line);
void terminal_progress_clear(Terminal *terminal);

/* Columns that @text takes; what cannot be shown counts as one. */
size_t terminal_text_width(const char *text);

/* A copy of @text in at most @width columns, with "…" where it was cut. 0 or -ENOMEM. */
int terminal_text_cut(const char *text, size_t width, bool has_utf8, char **ret_text);

/* Formats, makes control characters visible (line breaks stay), and prints it with a line break, after stdout. */
void terminal_say(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A copy in which control characters other than line breaks are visible. 0 or -ENOMEM. */
int terminal_escape(const char *text, char **ret_text);
