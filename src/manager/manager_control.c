/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control lines of attempts
 *
 * The file is of the user of the attempt, so that anything may stand there:
 * it is opened without following a link, and only a regular file is read.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_control.h"

#define SENTENCE_BYTES 256U
#define WAKE_INTERVAL (1 * USEC_PER_SEC)
#define WAKES 10U /* in that time */
#define EVENT_BYTES 4096U
#define LINES_AT_ONCE 200U
#define TOGETHER_MAX 128U /* files of add-nodes that are taken at once */
#define SHOWN_BYTES 64U /* of a line that cannot be taken */

#define NODES_WORD "add-nodes"

typedef struct Reading {
        unsigned n; /* lines that may be read still */
        char **files; /* owned: of the lines of add-nodes that were gathered … */
        size_t first; /* … where the first of these begins … */
        uint64_t first_line; /* … and how many lines were before it */
        ManagerControl *control;
        const ManagerControlOps *ops;
        void *userdata;
} Reading;

void manager_control_init(ManagerControl *control) {
        *control = (ManagerControl) { .again = USEC_INFINITY, .n_together = TOGETHER_MAX };
}

void manager_control_deinit(ManagerControl *control) {
        free(control->pending);
        free(control->status);
        manager_control_init(control);
}

static void refuse(const Reading *reading, const char *format, ...) printf_(2, 3);

static void refuse(const Reading *reading, const char *format, ...) {
        char sentence[SENTENCE_BYTES];
        va_list arguments;

        va_start(arguments, format);
        (void) vsnprintf(sentence, sizeof(sentence), format, arguments);
        va_end(arguments);
        text_shorten(sentence, sizeof(sentence) - 1);
        if (reading->control->n_refused++ < MANAGER_CONTROL_REFUSED)
                reading->ops->refuse(reading->userdata, reading->control->n_lines, sentence);
}

/* — words: each 0 or -ENOMEM — */

static int set_text(char **text, const char *value) {
        char *copy;
        int r = text_copy(value, &copy);

        if (r < 0)
                return r;
        free(*text);
        *text = copy;
        return 0;
}

static int take_pending(Reading *reading, const char *argument) {
        return set_text(&reading->control->pending, argument);
}

static int take_status(Reading *reading, const char *argument) {
        return set_text(&reading->control->status, argument);
}

static int take_again(Reading *reading, const char *argument) {
        usec_t after;

        if (usec_parse(argument, USEC_PER_SEC, &after) < 0 || after == USEC_INFINITY)
                refuse(reading, "'%s' is no time: again-after wants seconds, as in 'again-after 30'", argument);
        else
                reading->control->again = after;
        return 0;
}

static int take_progress(Reading *reading, const char *argument) {
        cleanup_free_ char *done = NULL;
        const char *slash = strchr(argument, '/');
        uint64_t n, of;

        if (slash) {
                done = strndup(argument, (size_t) (slash - argument));
                if (!done)
                        return -ENOMEM;
        }
        if (!slash || text_parse_u64(done, &n) < 0 || text_parse_u64(slash + 1, &of) < 0 || of == 0 || n > of) {
                refuse(reading, "'%s' is no progress: it wants N/M, as in 'progress 3/10'", argument);
                return 0;
        }
        reading->control->progress = n;
        reading->control->progress_of = of;
        return 0;
}

static bool is_file(const char *name) {
        return name[0] != '\0' && name[0] != '.' && !strchr(name, '/');
}

static int take_nodes(Reading *reading, const char *argument) {
        int r;

        if (!is_file(argument)) {
                refuse(reading, "'%s' is no name of a file beside $JOBD_CONTROL", argument);
                return 0;
        }
        r = strv_push(&reading->files, argument);
        if (r == 0 && strv_length(reading->files) >= reading->control->n_together)
                reading->n = 0;
        return r;
}

static const struct {
        const char *word;
        int (*take)(Reading *reading, const char *argument);
} words[] = {
        { "pending", take_pending },   { "again-after", take_again }, { "progress", take_progress },
        { "status", take_status },     { NODES_WORD, take_nodes },
};

/* — lines — */

static int take_line(Reading *reading, char *line, size_t length) {
        char *argument;

        reading->control->n_lines++;
        if (memchr(line, '\0', length)) {
                refuse(reading, "it has a byte 0");
                return 0;
        }
        line[strcspn(line, "\r")] = '\0';
        line += strspn(line, " \t");
        if (*line == '\0')
                return 0;
        if (!text_is_utf8(line)) {
                refuse(reading, "it is not UTF-8");
                return 0;
        }
        argument = line + strcspn(line, " \t");
        if (*argument)
                *argument++ = '\0';
        argument += strspn(argument, " \t");
        for (size_t i = 0; i < ELEMENTSOF(words); i++)
                if (strcmp(line, words[i].word) == 0)
                        return words[i].take(reading, argument);
        text_shorten(line, SHOWN_BYTES);
        refuse(reading, "it begins with '%s', which is none of: pending, again-after, progress, status, add-nodes",
               line);
        return 0;
}

static int refuse_long(Reading *reading) {
        reading->control->n_lines++;
        refuse(reading, "it has more than %u bytes", MANAGER_CONTROL_LINE_BYTES);
        return 0;
}

/* @line is one of add-nodes, and nothing is wrong with it. */
static bool is_addition(const char *line, size_t length) {
        const char *end;

        if (length > MANAGER_CONTROL_LINE_BYTES || memchr(line, '\0', length) || !text_is_utf8(line))
                return false;
        line += strspn(line, " \t");
        if (!text_starts_with(line, NODES_WORD))
                return false;
        line += strlen(NODES_WORD);
        end = line + strcspn(line, "\r");
        if (end == line || !strchr(" \t", *line))
                return false;
        line += strspn(line, " \t");
        return line < end && *line != '.' && !memchr(line, '/', (size_t) (end - line));
}

/*
 * Adds the nodes of all lines that were gathered, since each addition reads the definition of the run. If they are
 * refused one of them may be the cause: then the same lines are read again, fewer at once. Returns whether they count
 * as read.
 */
static bool add_gathered(Reading *reading) {
        ManagerControl *control = reading->control;
        const unsigned n = (unsigned) strv_length(reading->files);

        if (n == 0)
                return true;
        if (reading->ops->add_nodes(reading->userdata, reading->files) < 0 && n > 1) {
                control->n_together = n / 2;
                control->n_lines = reading->first_line;
                control->has_more = true;
                return false;
        }
        control->n_together = MIN(2 * control->n_together, TOGETHER_MAX);
        return true;
}

/*
 * The lines of @n bytes at the place that was read up to. A line without its end waits for it, unless @is_over. What
 * was taken counts as read, whatever follows.
 */
static int take_lines(Reading *reading, char *bytes, size_t n, bool is_over) {
        ManagerControl *control = reading->control;
        size_t at = 0;
        int r = 0;

        while (at < n && r == 0) {
                char *line = bytes + at, *end = memchr(line, '\n', n - at);
                const size_t length = end ? (size_t) (end - line) : n - at;

                if (!end && !is_over)
                        break;
                line[length] = '\0';
                control->has_more = reading->n == 0 || (reading->files && !is_addition(line, length));
                if (control->has_more)
                        break;
                reading->n--;
                if (!reading->files) {
                        reading->first = at;
                        reading->first_line = control->n_lines;
                }
                r = length > MANAGER_CONTROL_LINE_BYTES ? refuse_long(reading) : take_line(reading, line, length);
                if (r < 0)
                        control->n_lines--;
                else
                        at += length + (end ? 1 : 0);
        }
        if (!add_gathered(reading))
                at = reading->first;
        control->n_read += at;
        return r < 0 ? r : at > 0;
}

/* — the file — */

static int open_file(const char *folder, const char *name, uint64_t *ret_size) {
        cleanup_free_ char *path = NULL;
        cleanup_fd_ int fd = -1;
        struct stat status;
        int r = text_join_path(folder, name, &path);

        if (r < 0)
                return r;
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (fd < 0 || fstat(fd, &status) < 0)
                return -errno;
        if (!S_ISREG(status.st_mode))
                return -EINVAL;
        *ret_size = (uint64_t) status.st_size;
        return fd_take(&fd);
}

/* @n bytes of the file, or what there is of them, and a NUL. */
static int read_part(int fd, uint64_t from, size_t n, char **ret_bytes, size_t *ret_n) {
        cleanup_free_ char *bytes = malloc(n + 1);
        size_t got = 0;

        if (!bytes)
                return -ENOMEM;
        while (got < n) {
                const ssize_t read = pread(fd, bytes + got, n - got, (off_t) (from + got));

                if (read < 0 && errno == EINTR)
                        continue;
                if (read < 0)
                        return -errno;
                if (read == 0)
                        break;
                got += (size_t) read;
        }
        bytes[got] = '\0';
        *ret_bytes = take_ptr(bytes);
        *ret_n = got;
        return 0;
}

int manager_control_read(ManagerControl *control, const char *folder, bool is_over, const ManagerControlOps *ops,
                         void *userdata) {
        Reading reading = { .n = LINES_AT_ONCE, .control = control, .ops = ops, .userdata = userdata };
        cleanup_free_ char *bytes = NULL;
        cleanup_fd_ int fd = -1;
        uint64_t size;
        size_t n;
        int r;

        control->has_more = false;
        fd = open_file(folder, MANAGER_CONTROL_FILE, &size);
        if (fd < 0)
                return fd == -ENOENT ? 0 : fd;
        if (size > MANAGER_CONTROL_BYTES && !control->is_at_limit) {
                control->is_at_limit = true;
                refuse(&reading, "the file has more than 1 MiB, of which no more is read");
        }
        if (size > MANAGER_CONTROL_BYTES)
                size = MANAGER_CONTROL_BYTES;
        if (size <= control->n_read)
                return 0;
        r = read_part(fd, control->n_read, size - control->n_read, &bytes, &n);
        if (r == 0)
                r = take_lines(&reading, bytes, n, is_over);
        strv_free(reading.files);
        return r;
}

static int add_file(const char *folder, const char *file, Text *lines) {
        cleanup_free_ char *bytes = NULL;
        cleanup_fd_ int fd = -1;
        uint64_t size;
        size_t n;
        int r;

        fd = open_file(folder, file, &size);
        if (fd < 0)
                return fd;
        if (size > MANAGER_CONTROL_BYTES - MIN(lines->n, MANAGER_CONTROL_BYTES))
                return -EFBIG;
        r = read_part(fd, 0, size, &bytes, &n);
        if (r < 0)
                return r;
        text_addf(lines, "%s%s", lines->n > 0 ? "\n" : "", bytes);
        return 0;
}

int manager_control_read_nodes(const char *folder, char *const *files, char **ret_lines) {
        cleanup_(text_deinit) Text lines = {};
        int r = 0;

        strv_foreach(file, files)
                if (r == 0)
                        r = add_file(folder, *file, &lines);
        return r < 0 ? r : text_finish(&lines, ret_lines);
}

/* — watching — */

static bool is_about(const struct inotify_event *event) {
        return event->len > 0 && strcmp(event->name, MANAGER_CONTROL_FILE) == 0;
}

static int on_event(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        const ManagerControlWatches *watches = userdata;
        char buffer[EVENT_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
        const ssize_t n = read(fd, buffer, sizeof(buffer));
        int last = -1;

        for (ssize_t at = 0; at < n;) {
                const struct inotify_event *event = (const struct inotify_event *) (const void *) (buffer + at);

                at += (ssize_t) sizeof(*event) + (ssize_t) event->len;
                if (event->mask & IN_Q_OVERFLOW)
                        watches->changed(watches->userdata, -1);
                else if (is_about(event) && event->wd != last)
                        watches->changed(watches->userdata, event->wd);
                last = is_about(event) ? event->wd : last;
        }
        return 0;
}

static int open_watches(ManagerControlWatches *watches, sd_event *event) {
        cleanup_fd_ int fd = -1;
        int r;

        if (watches->fd > 0)
                return 0;
        fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (fd < 0)
                return -errno;
        r = sd_event_add_io(event, &watches->source, fd, EPOLLIN, on_event, watches);
        /* A command that writes without an end wakes the manager no more often; the rest waits in the kernel. */
        if (r >= 0)
                r = sd_event_source_set_ratelimit(watches->source, WAKE_INTERVAL, WAKES);
        if (r < 0) {
                watches->source = sd_event_source_disable_unref(watches->source);
                return r;
        }
        watches->fd = fd_take(&fd);
        return 0;
}

int manager_control_watch(ManagerControlWatches *watches, sd_event *event, const char *folder) {
        int r = open_watches(watches, event);

        if (r < 0)
                return r;
        r = inotify_add_watch(watches->fd, folder, IN_MODIFY | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW);
        return r < 0 ? -errno : r;
}

static int on_due(sd_event_source *source, uint64_t usec, void *userdata) {
        ManagerControlWatches *watches = userdata;
        const usec_t now = clock_monotonic();
        usec_t next;

        watches->is_set = false;
        next = watches->due(watches->userdata, now);
        if (next == USEC_INFINITY)
                return 0;
        /* Folders that are due soon after each other are watched together. */
        next = MAX(next, usec_add(now, MANAGER_CONTROL_DELAY / 2));
        return manager_control_watch_later(watches, sd_event_source_get_event(source), next);
}

/* The timer stays set when nobody waits any more: to take that back would cost more than to wake up once. */
int manager_control_watch_later(ManagerControlWatches *watches, sd_event *event, usec_t due) {
        int r = 0;

        if (watches->is_set)
                return 0;
        if (!watches->timer)
                r = sd_event_add_time(event, &watches->timer, CLOCK_MONOTONIC, due, 1, on_due, watches);
        else
                r = sd_event_source_set_time(watches->timer, due);
        if (r >= 0)
                r = sd_event_source_set_enabled(watches->timer, SD_EVENT_ONESHOT);
        watches->is_set = r >= 0;
        return MIN(r, 0);
}

void manager_control_unwatch(const ManagerControlWatches *watches, int watch) {
        if (watch >= 0 && watches->fd > 0)
                (void) inotify_rm_watch(watches->fd, watch);
}

void manager_control_end(ManagerControlWatches *watches) {
        watches->source = sd_event_source_disable_unref(watches->source);
        watches->timer = sd_event_source_disable_unref(watches->timer);
        if (watches->fd > 0)
                close(watches->fd);
        watches->fd = 0;
}
