/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Output for terminals without UTF-8
 *
 * Most such text comes from the manager, so it is translated where it leaves
 * rather than where it is made. A mark may be divided among two writes: its
 * beginning waits for the next one, or for the end of the stream.
 */

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "basic/fd_write.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/ascii.h"

#define MARK_MAX 4U

typedef struct AsciiStream {
        int fd;                         /* borrowed */
        char begun[MARK_MAX];           /* the first bytes of a mark */
        size_t n_begun;
} AsciiStream;

static const struct {
        const char *mark, *ascii;
} marks[] = {
        { "…", "..." }, { "→", "->" }, { "←", "<-" }, { "·", "-" }, { "—", "-" }, { "–", "-" }, { "●", "*" },
        { "○", "o" },   { "×", "x" },  { "≥", ">=" }, { "≤", "<=" }, { "│", "|" }, { "├", "|" }, { "└", "`" },
        { "─", "-" },   { "µ", "u" },  { "“", "\"" }, { "”", "\"" }, { "’", "'" },
};

/* The length of the mark at @text, 0 if there is none, or @n if all of it may be the beginning of one. */
static size_t find_mark(const char *text, size_t n, const char **ret_ascii) {
        for (size_t i = 0; i < ELEMENTSOF(marks); i++) {
                size_t length = strlen(marks[i].mark);

                *ret_ascii = n < length ? NULL : marks[i].ascii;
                if (memcmp(text, marks[i].mark, MIN(n, length)) == 0)
                        return MIN(n, length);
        }
        return 0;
}

static void translate(AsciiStream *stream, const char *bytes, size_t n, Text *text) {
        for (size_t i = 0; i < n;) {
                const char *ascii;
                size_t length = find_mark(bytes + i, n - i, &ascii);

                if (length > 0 && ascii)
                        text_add(text, ascii);
                else if (length > 0) {
                        memcpy(stream->begun, bytes + i, length);
                        stream->n_begun = length;
                } else {
                        text_add_char(text, bytes[i]);
                        length = 1;
                }
                i += length;
        }
}

static ssize_t ascii_write(void *cookie, const char *bytes, size_t n) {
        cleanup_(text_deinit) Text text = {}, all = {};
        AsciiStream *stream = cookie;
        int r;

        text_add_n(&all, stream->begun, stream->n_begun);
        text_add_n(&all, bytes, n);
        stream->n_begun = 0;
        translate(stream, all.string ?: "", all.n, &text);
        r = text.error < 0 || all.error < 0 ? -ENOMEM : fd_write_all(stream->fd, text.string ?: "", text.n);
        if (r < 0)
                errno = -r;
        return r < 0 ? 0 : (ssize_t) n;
}

static int ascii_close(void *cookie) {
        AsciiStream *stream = cookie;
        int r = fd_write_all(stream->fd, stream->begun, stream->n_begun);

        free(stream);
        return r < 0 ? EOF : 0;
}

FILE *ascii_stream(int fd, int mode) {
        AsciiStream *stream = calloc(1, sizeof(*stream));
        FILE *file;

        if (!stream)
                return NULL;
        stream->fd = fd;
        file = fopencookie(stream, "w", (cookie_io_functions_t) { .write = ascii_write, .close = ascii_close });
        if (!file) {
                free(stream);
                return NULL;
        }
        setvbuf(file, NULL, mode, 0);
        return file;
}
