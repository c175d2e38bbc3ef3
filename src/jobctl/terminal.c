/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Terminal output
 *
 * Names, descriptions and status texts come from unit files and services and
 * must not reach a terminal unescaped: an escape sequence in a description
 * could change the title of the window or worse. All strings from the bus for
 * people are escaped when they are read (value.c), and words of the command
 * line in terminal_say().
 *
 * Widths are measured in a UTF-8 locale whatever the user's locale, as D-Bus
 * strings are UTF-8; only the choice of glyphs follows the user's locale.
 */

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/terminal.h"

#define DEFAULT_WIDTH 80

static const char *const color_sequences[_COLOR_MAX] = {
        [COLOR_NONE] = "",
        [COLOR_BOLD] = "\033[1m",
        [COLOR_UNDERLINE] = "\033[4m",
        [COLOR_RED] = "\033[1;31m",
        [COLOR_GREEN] = "\033[1;32m",
        [COLOR_YELLOW] = "\033[1;33m",
        [COLOR_GREY] = "\033[90m",
};

static size_t terminal_measure(int fd) {
        const char *columns = getenv("COLUMNS");
        struct winsize size;
        uint32_t n;

        if (columns && text_parse_u32(columns, &n) == 0 && n > 0)
                return n;
        if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
                return size.ws_col;
        return DEFAULT_WIDTH;
}

unsigned terminal_height(void) {
        struct winsize size;

        return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

void terminal_init(Terminal *terminal, bool no_color) {
        const char *setting = getenv("NO_COLOR");
        const char *term = getenv("TERM");
        bool may_color = !no_color && (!setting || !*setting) && !text_equal(term, "dumb");

        *terminal = (Terminal) {};
        setlocale(LC_ALL, "");
        terminal->has_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
        setlocale(LC_CTYPE, "C.UTF-8");

        terminal->is_out_terminal = isatty(STDOUT_FILENO) == 1;
        terminal->is_err_terminal = isatty(STDERR_FILENO) == 1;
        terminal->has_out_color = terminal->is_out_terminal && may_color;
        terminal->has_err_color = terminal->is_err_terminal && may_color;
        if (terminal->is_out_terminal)
                terminal->width = terminal_measure(STDOUT_FILENO);
        else if (terminal->is_err_terminal)
                terminal->width = terminal_measure(STDERR_FILENO);
}

const char *terminal_color(const Terminal *terminal, TerminalColor color) {
        return terminal->has_out_color ? color_sequences[color] : "";
}

const char *terminal_reset(const Terminal *terminal, TerminalColor color) {
        return terminal->has_out_color && color != COLOR_NONE ? "\033[0m" : "";
}

void terminal_print(const Terminal *terminal, TerminalColor color, const char *text) {
        printf("%s%s%s", terminal_color(terminal, color), text, terminal_reset(terminal, color));
}

void terminal_progress(Terminal *terminal, const char *line) {
        cleanup_free_ char *cut = NULL;

        if (!terminal->is_err_terminal)
                return;
        if (terminal_text_cut(line, terminal->width > 1 ? terminal->width - 1 : DEFAULT_WIDTH, terminal->has_utf8,
                              &cut) < 0)
                return;
        /* Another process that prints to the terminal, such as jobd, then begins at the left. */
        fprintf(stderr, "\r%s\033[K\r", cut);
        fflush(stderr);
        terminal->is_line_drawn = true;
}

void terminal_progress_clear(Terminal *terminal) {
        if (!terminal->is_line_drawn)
                return;
        fputs("\r\033[K", stderr);
        fflush(stderr);
        terminal->is_line_drawn = false;
}

/* The next character: its length in bytes and its columns. */
static size_t text_step(const char *text, size_t *ret_width) {
        mbstate_t state = {};
        wchar_t character;
        size_t n = mbrtowc(&character, text, strlen(text), &state);
        int width;

        if (n == 0 || n == (size_t) -1 || n == (size_t) -2) {
                *ret_width = 1;
                return 1;
        }
        width = wcwidth(character);
        *ret_width = width >= 0 ? (size_t) width : 1;
        return n;
}

size_t terminal_text_width(const char *text) {
        size_t total = 0;

        while (*text) {
                size_t width;

                text += text_step(text, &width);
                total += width;
        }
        return total;
}

/* The number of bytes of @text that fit into @width columns. */
static size_t text_fit(const char *text, size_t width) {
        size_t used = 0, n = 0;

        while (text[n]) {
                size_t columns, bytes = text_step(text + n, &columns);

                if (used + columns > width)
                        break;
                used += columns;
                n += bytes;
        }
        return n;
}

int terminal_text_cut(const char *text, size_t width, bool has_utf8, char **ret_text) {
        const char *mark = has_utf8 ? "…" : "...";
        size_t mark_width = has_utf8 ? 1 : 3;

        if (terminal_text_width(text) <= width)
                return text_format(ret_text, "%s", text);
        if (width < mark_width)
                return text_format(ret_text, "%.*s", (int) text_fit(text, width), text);
        return text_format(ret_text, "%.*s%s", (int) text_fit(text, width - mark_width), text, mark);
}

static int escape_line(Text *text, const char *line, size_t n) {
        cleanup_free_ char *copy = strndup(line, n);
        cleanup_free_ char *escaped = NULL;
        int r;

        if (!copy)
                return -ENOMEM;
        r = text_escape_control(copy, &escaped);
        if (r < 0)
                return r;
        text_add(text, escaped);
        return 0;
}

int terminal_escape(const char *text, char **ret_text) {
        cleanup_(text_deinit) Text escaped = {};

        for (;;) {
                size_t n = strcspn(text, "\n");
                int r = escape_line(&escaped, text, n);

                if (r < 0)
                        return r;
                if (!text[n])
                        break;
                text_add_char(&escaped, '\n');
                text += n + 1;
        }
        return text_finish(&escaped, ret_text);
}

void terminal_say(FILE *stream, const char *format, ...) {
        cleanup_free_ char *raw = NULL;
        cleanup_free_ char *escaped = NULL;
        va_list args;
        int r;

        va_start(args, format);
        r = text_vformat(&raw, format, args);
        va_end(args);
        fflush(stdout);
        if (r < 0 || terminal_escape(raw, &escaped) < 0)
                fputs("Out of memory.\n", stream);
        else
                fprintf(stream, "%s\n", escaped);
}
