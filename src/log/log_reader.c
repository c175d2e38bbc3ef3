/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the files of jobd-log, sorted by time
 *
 * The order within a unit is that of its files, whatever the clock did; lines
 * of several units are merged by time. To find the last lines, each source
 * goes back as far as the wanted number, and the last of all these are kept.
 */

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "log/log_source.h"

#define MANAGER_BASE "jobd" LOG_FILE_SUFFIX
#define EVENTS (IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF)

typedef struct Wanted {
        char *unit;                     /* owned: name or pattern */
        bool with_manager;
} Wanted;

/* A copy of an entry. */
typedef struct Kept {
        LogRecord record;
        LogContext context;
        char *strings[7];               /* owned: the strings of the entry */
} Kept;

struct LogReader {
        char **folders;                 /* owned */
        LogFilter filter;
        char *invocation;               /* owned */
        VECTOR(Wanted) wanted;
        VECTOR(LogSource *) sources;    /* owned */
        VECTOR(Kept) kept;              /* the last entries, a ring … */
        size_t first_kept, n_kept;      /* … and its entries that are not returned yet */
        Kept told;                      /* owns the strings of the last returned entry */
        int notify_fd;                  /* owned */
        int *watches;                   /* owned; one for each folder, -1: none yet */
        bool has_begun;
        bool is_denied;                 /* some file could not be read for lack of permission */
};

static void kept_deinit(Kept *kept) {
        for (size_t i = 0; i < ELEMENTSOF(kept->strings); i++)
                free(kept->strings[i]);
        *kept = (Kept) {};
}

LogReader *log_reader_free(LogReader *reader) {
        if (!reader)
                return NULL;
        for (size_t i = 0; i < reader->wanted.n; i++)
                free(reader->wanted.items[i].unit);
        for (size_t i = 0; i < reader->sources.n; i++)
                log_source_free(reader->sources.items[i]);
        for (size_t i = 0; i < reader->kept.n; i++)
                kept_deinit(&reader->kept.items[i]);
        kept_deinit(&reader->told);
        vector_deinit(&reader->wanted);
        vector_deinit(&reader->sources);
        vector_deinit(&reader->kept);
        if (reader->notify_fd >= 0)
                close(reader->notify_fd);
        strv_free(reader->folders);
        free(reader->watches);
        free(reader->invocation);
        free(reader);
        return NULL;
}

static void watch_folders(LogReader *reader) {
        size_t i = 0;

        strv_foreach(folder, reader->folders) {
                if (reader->watches[i] < 0)
                        reader->watches[i] = inotify_add_watch(reader->notify_fd, *folder, EVENTS);
                i++;
        }
}

int log_reader_new(LogReader **ret_reader, char *const *folders, const LogFilter *filter) {
        cleanup_(log_reader_freep) LogReader *reader = calloc(1, sizeof(*reader));
        size_t n = strv_length(folders);

        if (!reader)
                return -ENOMEM;
        reader->notify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (reader->notify_fd < 0)
                return -errno;
        reader->filter = *filter;
        if (filter->invocation) {
                reader->invocation = strdup(filter->invocation);
                reader->filter.invocation = reader->invocation;
                if (!reader->invocation)
                        return -ENOMEM;
        }
        reader->watches = calloc(n + 1, sizeof(*reader->watches));
        if (!reader->watches || strv_copy(folders, &reader->folders) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                reader->watches[i] = -1;
        watch_folders(reader);
        *ret_reader = take_ptr(reader);
        return 0;
}

int log_reader_add(LogReader *reader, const char *unit, bool with_manager) {
        Wanted wanted = { .unit = strdup(unit), .with_manager = with_manager };
        int r = wanted.unit ? vector_push(&reader->wanted, wanted) : -ENOMEM;

        if (r < 0)
                free(wanted.unit);
        return r;
}

/* — sources — */

static bool has_source(const LogReader *reader, const char *folder, const char *base, size_t n, const char *about) {
        for (size_t i = 0; i < reader->sources.n; i++) {
                const LogSource *source = reader->sources.items[i];

                if (strncmp(source->base, base, n) == 0 && source->base[n] == '\0' &&
                    strcmp(source->folder, folder) == 0 && source->mentions == about)
                        return true;
        }
        return false;
}

static int add_source(LogReader *reader, const char *folder, const char *name, size_t n, const char *about) {
        cleanup_free_ char *base = NULL;
        LogSource *source;
        int r;

        if (has_source(reader, folder, name, n, about))
                return 0;
        base = strndup(name, n);
        r = base ? log_source_new(&source, folder, base, about) : -ENOMEM;
        if (r < 0)
                return r;
        /* A file that appears later is entirely new. */
        r = reader->has_begun ? 0 : log_source_seek(source, &reader->filter);
        if (r == 0)
                r = vector_push(&reader->sources, source);
        if (r < 0)
                log_source_free(source);
        reader->is_denied = reader->is_denied || r == -EACCES;
        return r == -EACCES ? 0 : r;
}

static bool is_meant(const char *unit, const char *name, size_t n) {
        char file[LOG_FILE_NAME_MAX];

        if (strpbrk(unit, "*?[")) {
                snprintf(file, sizeof(file), "%.*s", (int) (n - strlen(LOG_FILE_SUFFIX)), name);
                return fnmatch(unit, file, 0) == 0;
        }
        return strlen(log_file_name(unit, file)) == n && memcmp(file, name, n) == 0;
}

static int consider_file(LogReader *reader, const char *folder, const char *name) {
        usec_t time;
        size_t n;
        int r = 0;

        if (!log_file_name_read(name, &n, &time))
                return 0;
        for (size_t i = 0; i < reader->wanted.n && r == 0; i++) {
                const Wanted *wanted = &reader->wanted.items[i];

                if (is_meant(wanted->unit, name, n))
                        r = add_source(reader, folder, name, n, NULL);
                else if (wanted->with_manager && strncmp(name, MANAGER_BASE, n) == 0 && MANAGER_BASE[n] == '\0')
                        r = add_source(reader, folder, name, n, wanted->unit);
        }
        return r;
}

static int find_sources(LogReader *reader) {
        int r = 0;

        strv_foreach(path, reader->folders) {
                DIR *folder = opendir(*path);

                if (!folder) {
                        reader->is_denied = reader->is_denied || errno == EACCES;
                        continue;
                }
                for (struct dirent *entry; r == 0 && (entry = readdir(folder));)
                        r = consider_file(reader, *path, entry->d_name);
                closedir(folder);
        }
        return r;
}

/* — entries — */

/* Records with the same time are always in the same order of units. */
static bool is_before(const LogSource *a, const LogSource *b) {
        if (a->record.realtime != b->record.realtime)
                return a->record.realtime < b->record.realtime;
        return strcmp(a->base, b->base) < 0;
}

/* The source with the earliest record: 1, 0 or -errno. */
static int choose(LogReader *reader, LogSource **ret_source) {
        LogSource *chosen = NULL;

        for (size_t i = 0; i < reader->sources.n; i++) {
                LogSource *source = reader->sources.items[i];
                int r = log_source_fill(source, &reader->filter);

                if (r < 0)
                        return r;
                if (r > 0 && (!chosen || is_before(source, chosen)))
                        chosen = source;
        }
        *ret_source = chosen;
        return chosen != NULL;
}

static int next_by_time(LogReader *reader, LogEntry *ret_entry) {
        LogSource *source;
        int r;

        r = choose(reader, &source);
        if (r <= 0)
                return r;
        *ret_entry = (LogEntry) { .record = source->record, .context = source->context };
        source->has_record = false;
        return 1;
}

static int copy_string(const char *string, size_t n, char **slot, const char **ret_copy) {
        if (!string)
                return 0;
        *slot = malloc(n + 1);
        if (!*slot)
                return -ENOMEM;
        memcpy(*slot, string, n);
        (*slot)[n] = '\0';
        *ret_copy = *slot;
        return 0;
}

static int keep(const LogEntry *entry, Kept *kept) {
        const LogContext *from = &entry->context;
        LogContext *to = &kept->context;
        const struct {
                const char *from;
                const char **to;
        } strings[] = {
                { from->unit, &to->unit }, { from->invocation, &to->invocation }, { from->boot, &to->boot },
                { from->identifier, &to->identifier }, { from->extra, &to->extra },
        };
        int r;

        kept_deinit(kept);
        kept->record = entry->record;
        kept->context.pid = from->pid;
        r = copy_string(entry->record.message, entry->record.length, &kept->strings[5], &kept->record.message);
        for (size_t i = 0; i < ELEMENTSOF(strings) && r == 0; i++)
                if (strings[i].from)
                        r = copy_string(strings[i].from, strlen(strings[i].from), &kept->strings[i], strings[i].to);
        return r;
}

/* Reads all present entries and keeps the last ones. */
static int keep_last(LogReader *reader) {
        LogEntry entry;
        size_t n = 0;
        int r;

        while ((r = next_by_time(reader, &entry)) > 0) {
                if (reader->kept.n < reader->filter.last) {
                        r = vector_push(&reader->kept, ((Kept) {}));
                        if (r < 0)
                                return r;
                }
                r = keep(&entry, &reader->kept.items[n++ % reader->filter.last]);
                if (r < 0)
                        return r;
        }
        reader->n_kept = reader->kept.n;
        reader->first_kept = n > reader->kept.n ? n % reader->filter.last : 0;
        return r;
}

static int begin(LogReader *reader) {
        int r;

        r = find_sources(reader);
        reader->has_begun = true;
        if (r == 0 && reader->filter.last > 0 && reader->filter.last != LOG_LAST_NONE)
                r = keep_last(reader);
        return r;
}

int log_reader_next(LogReader *reader, LogEntry *ret_entry) {
        int r = reader->has_begun ? 0 : begin(reader);

        if (r < 0)
                return r;
        if (reader->n_kept == 0)
                return next_by_time(reader, ret_entry);
        kept_deinit(&reader->told);
        reader->told = reader->kept.items[reader->first_kept];
        reader->kept.items[reader->first_kept] = (Kept) {};
        reader->first_kept = (reader->first_kept + 1) % reader->kept.n;
        reader->n_kept--;
        *ret_entry = (LogEntry) { .record = reader->told.record, .context = reader->told.context };
        return 1;
}

bool log_reader_is_denied(const LogReader *reader) {
        return reader->is_denied;
}

/* — waiting — */

int log_reader_fd(const LogReader *reader) {
        return reader->notify_fd;
}

/* Reads events; a new file may belong to a wanted unit. */
static int take_events(LogReader *reader) {
        char events[16 * 1024] __attribute__((aligned(8)));
        bool is_new = false;
        ssize_t n;

        while ((n = read(reader->notify_fd, events, sizeof(events))) > 0)
                for (ssize_t at = 0; at < n;) {
                        const struct inotify_event *event = (const struct inotify_event *) (events + at);

                        is_new = is_new || event->mask & (IN_CREATE | IN_MOVED_TO | IN_Q_OVERFLOW);
                        at += (ssize_t) (sizeof(*event) + event->len);
                }
        return is_new ? find_sources(reader) : 0;
}

static bool has_all_watches(const LogReader *reader) {
        for (size_t i = 0; i < strv_length(reader->folders); i++)
                if (reader->watches[i] < 0)
                        return false;
        return true;
}

int log_reader_wait(LogReader *reader, usec_t timeout) {
        /* A folder that does not exist yet is checked now and then. */
        const usec_t patience = has_all_watches(reader) ? timeout : MIN(timeout, USEC_PER_SEC / 2);
        struct pollfd fd = { .fd = reader->notify_fd, .events = POLLIN };
        int n, r;

        n = poll(&fd, 1, patience == USEC_INFINITY ? -1 : (int) MIN(patience / USEC_PER_MSEC, (usec_t) 3600000));
        if (n < 0)
                return -errno;
        if (n == 0 && !has_all_watches(reader)) {
                watch_folders(reader);
                r = find_sources(reader);
                return r < 0 ? r : patience < timeout;
        }
        r = n == 0 ? 0 : take_events(reader);
        return r < 0 ? r : n;
}

int log_reader_find_invocation(char *const *folders, const char *unit, char ret_invocation[static 33]) {
        char name[LOG_FILE_NAME_MAX];
        int r = -ENOENT;

        log_file_name(unit, name);
        strv_foreach(folder, folders) {
                LogSource *source = NULL;

                if (r == 0)
                        break;
                r = log_source_new(&source, *folder, name, NULL);
                if (r == 0)
                        r = log_source_find_invocation(source, ret_invocation);
                log_source_free(source);
        }
        return r;
}
