/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A unit file as text
 *
 * A file is read as a whole and checked before it is parsed: NUL bytes,
 * invalid UTF-8 and excessive size are found here, so that parsers work on
 * plain strings. Only regular files are read: a FIFO or a device in a unit
 * folder must not block the manager.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "basic/macro.h"
#include "unitfile/file_text.h"

#define FILE_CHARACTER_MAX 4U /* bytes */

static int file_problem(FileProblem *ret_problem, unsigned line, const char *text) {
        *ret_problem = (FileProblem) { .line = line, .text = text };
        return -EBADMSG;
}

static unsigned file_count_lines(const char *text, const char *end) {
        unsigned n = 1;

        for (; text < end; text++)
                if (*text == '\n')
                        n++;
        return n;
}

/* The line of the first byte that makes @text invalid UTF-8. Rarely needed, so found by checking line after line. */
static unsigned file_find_invalid_line(const char *text) {
        unsigned n = 1;

        for (const char *at = text; *at; n++) {
                size_t length = strcspn(at, "\n");
                cleanup_free_ char *line = strndup(at, length);

                if (!line || !text_is_utf8(line))
                        return n;
                at += length;
                if (*at == '\n')
                        at++;
        }
        return n;
}

int file_text_check(const char *text, size_t n, FileProblem *ret_problem) {
        const char *nul = memchr(text, '\0', n);

        if (nul)
                return file_problem(ret_problem, file_count_lines(text, nul), "The line contains a NUL byte.");
        if (!text_is_utf8(text))
                return file_problem(ret_problem, file_find_invalid_line(text), "The line is not valid UTF-8.");
        return 0;
}

int file_text_read(const char *path, char **ret_text, struct stat *ret_stat, FileProblem *ret_problem) {
        return file_text_read_up_to(path, FILE_TEXT_MAX, "The file is larger than 1 MiB.", ret_text, ret_stat,
                                    ret_problem);
}

int file_text_read_up_to(const char *path, size_t max, const char *problem, char **ret_text, struct stat *ret_stat,
                         FileProblem *ret_problem) {
        cleanup_(file_reading_end) FileReading reading;
        int r = file_reading_begin(&reading, path, max, problem, ret_stat, ret_problem);

        if (r == 0)
                r = file_reading_go_on(&reading, SIZE_MAX, ret_problem);
        if (r == 0)
                *ret_text = take_ptr(reading.text);
        return r;
}

/* — in parts — */

int file_reading_begin(FileReading *reading, const char *path, size_t max, const char *problem, struct stat *ret_stat,
                       FileProblem *ret_problem) {
        assert(path);
        *ret_problem = (FileProblem) {};
        *reading = (FileReading) { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };

        if (reading->fd < 0)
                return -errno;
        if (fstat(reading->fd, ret_stat) < 0)
                return -errno;
        if (S_ISCHR(ret_stat->st_mode) && ret_stat->st_rdev == makedev(1, 3)) {
                reading->text = strdup("");
                return reading->text ? 0 : -ENOMEM;
        }
        if (!S_ISREG(ret_stat->st_mode))
                return file_problem(ret_problem, 0, "The file is not a regular file.");
        if ((size_t) ret_stat->st_size > max)
                return file_problem(ret_problem, 0, problem);
        reading->size = (size_t) ret_stat->st_size;
        reading->text = malloc(reading->size + 1);
        return reading->text ? 0 : -ENOMEM;
}

/* Returns true at the end of the file. */
static int file_read_part(FileReading *reading, size_t n) {
        const size_t end = reading->n + MIN(n, reading->size - reading->n);

        while (reading->n < end) {
                ssize_t got = read(reading->fd, reading->text + reading->n, end - reading->n);

                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return -errno;
                if (got == 0)
                        reading->size = reading->n; /* it was cut meanwhile */
                if (got == 0)
                        break;
                reading->n += (size_t) got;
        }
        reading->text[reading->n] = '\0';
        return reading->n == reading->size;
}

/* The last character may not be there as a whole yet. */
static int file_check_part(FileReading *reading, bool is_whole, FileProblem *ret_problem) {
        const char *text = reading->text;

        if (memchr(text + reading->n_checked, '\0', reading->n - reading->n_checked))
                return file_text_check(text, reading->n, ret_problem);
        while (reading->n_checked < reading->n) {
                const char *at = text + reading->n_checked;
                const size_t left = reading->n - reading->n_checked;
                const size_t n = (unsigned char) *at < 0x80 ? 1 : text_utf8_length(at, left);

                if (n == 0 && !is_whole && left < FILE_CHARACTER_MAX)
                        break;
                if (n == 0)
                        return file_text_check(text, reading->n, ret_problem);
                reading->n_checked += n;
        }
        return 0;
}

int file_reading_go_on(FileReading *reading, size_t n, FileProblem *ret_problem) {
        int is_whole = file_read_part(reading, n), r;

        if (is_whole < 0)
                return is_whole;
        r = file_check_part(reading, is_whole, ret_problem);
        if (r < 0 || !is_whole)
                return r < 0 ? r : 1;
        if (text_starts_with(reading->text, "\xEF\xBB\xBF")) {
                memmove(reading->text, reading->text + 3, reading->n - 2);
                reading->n -= 3;
        }
        return 0;
}

void file_reading_end(FileReading *reading) {
        if (reading->fd >= 0)
                close(reading->fd);
        free(reading->text);
        *reading = (FileReading) { .fd = -1 };
}

void file_lines_deinit(FileLines *lines) {
        text_deinit(&lines->joined);
}

/* Takes one physical line, ending in LF or CRLF, from the text; NULL at the end. */
static char *file_lines_cut(FileLines *lines) {
        char *line = lines->next, *end;

        if (!line || !*line)
                return NULL;
        end = line + strcspn(line, "\n");
        lines->next = *end ? end + 1 : end;
        *end = '\0';
        if (end > line && end[-1] == '\r')
                end[-1] = '\0';
        lines->number++;
        return line;
}

static bool file_line_is_comment(const char *line) {
        line += strspn(line, " \t");
        return *line == '#' || *line == ';';
}

/* If the line ends with a backslash that is not itself escaped, removes it and returns true. */
static bool file_line_continues(char *line, size_t *ret_n) {
        size_t n = strlen(line), backslashes = 0;

        while (backslashes < n && line[n - 1 - backslashes] == '\\')
                backslashes++;
        *ret_n = n;
        if (backslashes % 2 == 0)
                return false;
        line[n - 1] = ' ';
        return true;
}

static char *file_line_trim(char *line) {
        size_t n;

        line += strspn(line, " \t");
        n = strlen(line);
        while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t' || line[n - 1] == '\r'))
                line[--n] = '\0';
        return line;
}

/*
 * Reads one logical line; @ret_line may be empty. A continued line keeps the blanks at its beginning: it may begin
 * inside of quotes.
 */
static int file_lines_join(FileLines *lines, char **ret_line, unsigned *ret_number) {
        bool is_joined = false;
        char *part;

        lines->joined.n = 0;
        while ((part = file_lines_cut(lines))) {
                size_t n;
                bool continues;

                if (file_line_is_comment(part))
                        continue;       /* also between continued lines */
                continues = file_line_continues(part, &n);
                if (!is_joined)
                        *ret_number = lines->number;
                if (!is_joined && !continues) {
                        *ret_line = part;
                        return n > FILE_LINE_MAX ? -E2BIG : 1;
                }
                is_joined = true;
                text_add_n(&lines->joined, part, n);
                if (lines->joined.error < 0)
                        return lines->joined.error;
                if (lines->joined.n > FILE_LINE_MAX)
                        return -E2BIG;
                if (!continues)
                        break;
        }
        *ret_line = lines->joined.string;
        return is_joined ? 1 : 0;
}

int file_lines_next(FileLines *lines, char **ret_line, unsigned *ret_number) {
        for (;;) {
                char *line = NULL;
                int r = file_lines_join(lines, &line, ret_number);

                if (r <= 0)
                        return r;
                line = file_line_trim(line);
                if (*line) {
                        *ret_line = line;
                        return 1;
                }
        }
}
