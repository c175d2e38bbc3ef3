/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of one unit in one folder, read as one text
 *
 * Read with pread(), not mapped: jobd-log may truncate a file whose last
 * write failed. A file that is renamed while it is open is read to its end;
 * then follows the next complete file, or the current one.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/text.h"
#include "log/log_source.h"

#define READ_BYTES ((size_t) 64 * 1024)
#define LINE_BYTES_MAX ((size_t) 1024 * 1024)
/* The distance from the end at which a search for the last records begins; four times as far each time. */
#define WINDOW ((uint64_t) 64 * 1024)

typedef VECTOR(usec_t) Times;

int log_source_new(LogSource **ret_source, const char *folder, const char *base, const char *mentions) {
        LogSource *source = calloc(1, sizeof(*source));

        if (!source)
                return -ENOMEM;
        source->fd = -1;
        source->mentions = mentions;
        source->folder = strdup(folder);
        source->base = strdup(base);
        if (!source->folder || !source->base) {
                log_source_free(source);
                return -ENOMEM;
        }
        *ret_source = source;
        return 0;
}

static void close_file(LogSource *source) {
        if (source->fd >= 0)
                close(source->fd);
        source->fd = -1;
        source->begin = source->end = 0;
        source->offset = 0;
}

LogSource *log_source_free(LogSource *source) {
        if (!source)
                return NULL;
        close_file(source);
        free(source->folder);
        free(source->base);
        free(source->buffer);
        free(source->context_line);
        free(source);
        return NULL;
}

/* — files — */

static int compare_times(const void *a, const void *b) {
        usec_t first = *(const usec_t *) a, second = *(const usec_t *) b;

        return (first > second) - (first < second);
}

/* The times of the files, in order; USEC_INFINITY is the current file. */
static int list_files(const LogSource *source, Times *times) {
        const size_t length = strlen(source->base);
        DIR *folder = opendir(source->folder);
        int r = 0;

        if (!folder)
                return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
        for (struct dirent *entry; r == 0 && (entry = readdir(folder));) {
                usec_t time;
                size_t n;

                if (log_file_name_read(entry->d_name, &n, &time) && n == length &&
                    memcmp(entry->d_name, source->base, n) == 0) {
                        time = time > 0 ? time : USEC_INFINITY;
                        r = vector_push(times, time);
                }
        }
        closedir(folder);
        if (times->n > 0)
                qsort(times->items, times->n, sizeof(*times->items), compare_times);
        return r;
}

static int name_file(const LogSource *source, usec_t time, char **ret_path) {
        if (time == USEC_INFINITY)
                return text_format(ret_path, "%s/%s", source->folder, source->base);
        return text_format(ret_path, "%s/%s.%" PRIu64, source->folder, source->base, time);
}

static int open_file(LogSource *source, usec_t time) {
        cleanup_free_ char *path = NULL;
        struct stat status;

        close_file(source);
        if (name_file(source, time, &path) < 0)
                return -ENOMEM;
        source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        if (source->fd < 0)
                return -errno;
        if (fstat(source->fd, &status) < 0 || !S_ISREG(status.st_mode)) {
                close_file(source);
                return -EBADF;
        }
        source->time = time;
        source->inode = (uint64_t) status.st_ino;
        return 0;
}

/* The time in the name that the open file was given when it was complete, unless it was deleted. */
static usec_t find_own_time(const LogSource *source, const Times *times) {
        for (size_t i = 0; i < times->n; i++) {
                cleanup_free_ char *path = NULL;
                struct stat status;

                if (name_file(source, times->items[i], &path) == 0 && stat(path, &status) == 0 &&
                    (uint64_t) status.st_ino == source->inode)
                        return times->items[i];
        }
        return source->time == USEC_INFINITY ? source->record.realtime : source->time;
}

/* Opens the file after the open one, or the first: 1; 0: there is none; or -errno. */
static int open_next(LogSource *source) {
        const bool is_first = source->fd < 0;
        usec_t own;
        Times times = {};
        int r;

        r = list_files(source, &times);
        own = r < 0 || is_first ? 0 : find_own_time(source, &times);
        for (size_t i = 0; r == 0 && i < times.n; i++)
                if (is_first || times.items[i] > own) {
                        r = open_file(source, times.items[i]);
                        r = r == 0 ? 1 : r == -ENOENT ? 0 : r;
                }
        vector_deinit(&times);
        return r;
}

/* — lines — */

static int make_room(LogSource *source) {
        size_t n = source->end - source->begin;

        if (source->begin > 0) {
                memmove(source->buffer, source->buffer + source->begin, n);
                source->begin = 0;
                source->end = n;
        }
        if (source->size - source->end > READ_BYTES)
                return 0;
        return vector_reserve_raw((void **) &source->buffer, &source->size, 1, source->end + 2 * READ_BYTES);
}

/* Reads more of the open file: 1; 0: its end; or -errno. */
static int read_more(LogSource *source) {
        ssize_t n;
        int r;

        r = make_room(source);
        if (r < 0)
                return r;
        n = pread(source->fd, source->buffer + source->end, READ_BYTES, (off_t) source->offset);
        if (n < 0)
                return -errno;
        source->end += (size_t) n;
        source->offset += (uint64_t) n;
        return n > 0;
}

/* The next line of the open file, with a NUL in place of the line break: 1, 0, or -errno. */
static int next_line(LogSource *source, char **ret_line, size_t *ret_n) {
        size_t looked = 0;

        for (;;) {
                /* Before the first read there is no buffer. */
                char *begin = source->buffer ? source->buffer + source->begin : NULL, *end;
                int r;

                end = source->end > source->begin + looked
                      ? memchr(begin + looked, '\n', source->end - source->begin - looked) : NULL;
                if (end) {
                        *end = '\0';
                        *ret_line = begin;
                        *ret_n = (size_t) (end - begin);
                        source->begin += *ret_n + 1;
                        return 1;
                }
                looked = source->end - source->begin;
                if (looked > LINE_BYTES_MAX)
                        source->begin = source->end, looked = 0;
                r = read_more(source);
                if (r <= 0)
                        return r;
        }
}

static int keep_context(LogSource *source, const char *line, size_t n) {
        char *copy = malloc(n + 1);
        LogRecord nothing;

        if (!copy)
                return -ENOMEM;
        memcpy(copy, line, n + 1);
        free(source->context_line);
        source->context_line = copy;
        if (log_line_read(copy, n, &source->context, &nothing) < 0)
                source->context = (LogContext) {};
        return 0;
}

/* The next record or context of the open file: 1 with .record, 0, or -errno. Malformed lines are skipped. */
static int next_record(LogSource *source) {
        char *line;
        size_t n;
        int r;

        while ((r = next_line(source, &line, &n)) > 0) {
                LogContext context;

                if (n > 1 && line[0] == '@') {
                        r = keep_context(source, line, n);
                        if (r < 0)
                                return r;
                        continue;
                }
                if (source->context.unit && log_line_read(line, n, &context, &source->record) == 2)
                        return 1;
        }
        return r;
}

/* — wanted records — */

static bool is_name_char(char c) {
        return c == '-' || c == '_' || c == '@' || c == '\\' || (c >= '0' && c <= '9') ||
               (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether the message has the name as a word. */
static bool mentions(const LogRecord *record, const char *name) {
        const size_t n = strlen(name);
        const char *begin = record->message, *end = begin + record->length, *at = begin;

        while ((at = memmem(at, (size_t) (end - at), name, n))) {
                if ((at == begin || !is_name_char(at[-1])) && (at + n == end || !is_name_char(at[n])))
                        return true;
                at++;
        }
        return false;
}

static bool is_wanted(const LogSource *source, const LogFilter *filter) {
        const LogRecord *record = &source->record;
        const char *invocation = source->context.invocation;

        if (record->priority > filter->priority_max || record->realtime < filter->since ||
            (filter->until > 0 && record->realtime > filter->until))
                return false;
        if (filter->invocation && (!invocation || !text_starts_with(invocation, filter->invocation)))
                return false;
        return !source->mentions || mentions(record, source->mentions);
}

/* The next wanted record of the open file. */
static int next_wanted(LogSource *source, const LogFilter *filter) {
        int r;

        while ((r = next_record(source)) > 0)
                if (is_wanted(source, filter))
                        return 1;
        return r;
}

/* Whether the open file is still the current one. */
static bool is_current(const LogSource *source) {
        cleanup_free_ char *path = NULL;
        struct stat status;

        return source->time == USEC_INFINITY && name_file(source, USEC_INFINITY, &path) == 0 &&
               stat(path, &status) == 0 && (uint64_t) status.st_ino == source->inode;
}

int log_source_fill(LogSource *source, const LogFilter *filter) {
        int r;

        for (;;) {
                if (source->has_record)
                        return 1;
                r = source->fd < 0 ? 0 : next_wanted(source, filter);
                if (r == 0 && source->fd >= 0) {
                        if (is_current(source))
                                return 0;
                        /* The file is complete by now, so this time the end is final. */
                        r = next_wanted(source, filter);
                }
                source->has_record = r > 0;
                if (r != 0)
                        return r;
                r = open_next(source);
                if (r <= 0)
                        return r;
        }
}

/* — the place to begin — */

static uint64_t size_of(const LogSource *source) {
        struct stat status;

        return fstat(source->fd, &status) < 0 ? 0 : (uint64_t) status.st_size;
}

/* Continues after the line at @offset; a context follows sooner or later. */
static void go_to(LogSource *source, uint64_t offset) {
        char *line;
        size_t n;

        source->offset = offset;
        source->begin = source->end = 0;
        source->context = (LogContext) {};
        if (offset > 0)
                (void) next_line(source, &line, &n);
}

/* The number of wanted records after @offset. */
static size_t count_from(LogSource *source, const LogFilter *filter, uint64_t offset) {
        size_t n = 0;

        go_to(source, offset);
        while (next_wanted(source, filter) > 0)
                n++;
        return n;
}

/* Goes back in the open file until @wanted records follow, if it has as many; returns their number. */
static size_t go_back(LogSource *source, const LogFilter *filter, size_t wanted) {
        const uint64_t size = size_of(source);
        uint64_t window = WINDOW, offset;
        size_t n;

        do {
                offset = size > window ? size - window : 0;
                n = count_from(source, filter, offset);
                window *= 4;
        } while (n < wanted && offset > 0);
        go_to(source, offset);
        return n;
}

static int seek_last(LogSource *source, const LogFilter *filter, const Times *times) {
        size_t wanted = filter->last, i = times->n;
        int r = 0;

        while (r == 0 && i > 0 && wanted > 0) {
                size_t n;

                r = open_file(source, times->items[--i]);
                n = r < 0 ? 0 : go_back(source, filter, wanted);
                wanted -= MIN(n, wanted);
        }
        return r == -ENOENT ? 0 : r;
}

static int seek_end(LogSource *source, const Times *times) {
        int r = times->n == 0 ? 0 : open_file(source, times->items[times->n - 1]);
        LogFilter all = { .priority_max = 7 };

        if (r == 0 && source->fd >= 0) {
                (void) go_back(source, &all, 1);
                while (next_wanted(source, &all) > 0)
                        ;
        }
        return r == -ENOENT ? 0 : r;
}

static int seek_since(LogSource *source, const LogFilter *filter, const Times *times) {
        for (size_t i = 0; i < times->n; i++)
                if (times->items[i] >= filter->since)
                        return open_file(source, times->items[i]);
        return 0;
}

int log_source_seek(LogSource *source, const LogFilter *filter) {
        Times times = {};
        int r;

        r = list_files(source, &times);
        if (r == 0)
                r = filter->last == LOG_LAST_NONE ? seek_end(source, &times)
                    : filter->last > 0            ? seek_last(source, filter, &times)
                                                  : seek_since(source, filter, &times);
        vector_deinit(&times);
        return r == -ENOENT ? 0 : r;
}

int log_source_find_invocation(LogSource *source, char ret_invocation[static 33]) {
        const LogFilter all = { .priority_max = 7 };
        Times times = {};
        bool is_found = false;

        if (list_files(source, &times) == 0)
                for (size_t i = times.n; i-- > 0 && !is_found;) {
                        if (open_file(source, times.items[i]) < 0)
                                continue;
                        while (next_wanted(source, &all) > 0)
                                if (source->context.invocation && strlen(source->context.invocation) == 32) {
                                        strcpy(ret_invocation, source->context.invocation);
                                        is_found = true;
                                }
                }
        vector_deinit(&times);
        return is_found ? 0 : -ENOENT;
}
