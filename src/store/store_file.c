/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file of the store
 *
 * SQLite's write-ahead log makes a commit one append; nothing is synced,
 * because the page cache outlives the process and the file system has no disk.
 * The file is locked by one process (locking_mode=EXCLUSIVE), so no shared
 * memory is used. No other process may even read it: its lock would keep the
 * next core process from opening it.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "basic/text.h"
#include "store/store_spare.h"

/* SQLite's cache; other pages are in the page cache, one system call away. */
#define CACHE_KIB "128"

/* "jobd", which identifies the file, for example to file(1). */
#define APPLICATION_ID 0x6a6f6264

/* How long to wait for another process's lock: ten seconds. */
#define LOCK_PAUSES 2000U
#define LOCK_PAUSE_NSEC 5000000L

/* Number of names for renamed files; after that the last name is reused. */
#define SET_ASIDE_MAX 100U

/*
 * SQLite's log is copied to the file when it has this many pages, SQLite's own default. On a small file system it is
 * copied earlier: the log never shrinks, and copying it needs free space.
 */
#define LOG_PAGES 1000U
#define LOG_PAGE_BYTES 4096U
#define LOG_PART 16U

static const char *const statement_texts[_STATEMENT_MAX] = {
        [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
        [STATEMENT_COMMIT] = "COMMIT",
        [STATEMENT_ROLLBACK] = "ROLLBACK",
        [STATEMENT_PUT] = "INSERT INTO log (number, bytes) VALUES (?1, ?2)",
        [STATEMENT_DROP] = "DELETE FROM log WHERE number < ?1",
        [STATEMENT_READ] = "SELECT bytes FROM log ORDER BY number DESC",
        [STATEMENT_NAME] = "UPDATE format SET name = ?1",
};

int store_map_error(int code) {
        switch (code & 0xff) {
        case SQLITE_FULL:
                return -ENOSPC;
        case SQLITE_NOMEM:
                return -ENOMEM;
        case SQLITE_ERROR:              /* the statements are correct, so the tables are not */
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
                return -EBADMSG;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
                return -EBUSY;
        case SQLITE_READONLY:
                return -EROFS;
        case SQLITE_CANTOPEN:
                return -ENOENT;
        default:
                return -EIO;
        }
}

int store_run(Store *store, StoreStatement which) {
        sqlite3_stmt *statement = store->statements[which];
        int code = sqlite3_step(statement);

        sqlite3_reset(statement);
        return code == SQLITE_DONE || code == SQLITE_ROW ? 0 : store_map_error(code);
}

static void close_file(Store *store) {
        for (size_t i = 0; i < _STATEMENT_MAX; i++) {
                sqlite3_finalize(store->statements[i]);
                store->statements[i] = NULL;
        }
        sqlite3_close(store->db);
        store->db = NULL;
        store->is_writing = false;
        store->n_log_pages = 0;
}

static int execute(Store *store, const char *sql) {
        int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

        return code == SQLITE_OK ? 0 : store_map_error(code);
}

/* Returns the first column of the first row as a number, or compares it with @expected. */
static int ask(Store *store, const char *sql, int *ret_number, const char *expected) {
        sqlite3_stmt *statement = NULL;
        int code, r = -EBADMSG;

        code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
        if (code == SQLITE_OK)
                code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
                const char *text = (const char *) sqlite3_column_text(statement, 0);

                if (ret_number)
                        *ret_number = sqlite3_column_int(statement, 0);
                r = !expected || text_equal(text, expected) ? 0 : -EBADMSG;
        } else if (code != SQLITE_DONE) {
                r = store_map_error(code);
        }
        sqlite3_finalize(statement);
        return r;
}

/* — the format — */

int store_write_format(Store *store) {
        sqlite3_stmt *statement = store->statements[STATEMENT_NAME];
        cleanup_free_ char *name = NULL;
        int r;

        if (store->found_version == store->version)
                return 0;
        r = store_name_format(store, &name);
        if (r < 0)
                return r;
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
        r = store_run(store, STATEMENT_NAME);
        sqlite3_clear_bindings(statement);
        return r;
}

/* 0, or -EBADMSG if the format cannot be read. */
static int examine_format(Store *store) {
        sqlite3_stmt *statement = NULL;
        int code, r = -EBADMSG;

        code = sqlite3_prepare_v2(store->db, "SELECT name FROM format", -1, &statement, NULL);
        if (code == SQLITE_OK)
                code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
                const char *text = (const char *) sqlite3_column_text(statement, 0);

                store->found_version = text ? store_version_of(store, text) : 0;
                if (store->found_version >= store->oldest && store->found_version <= store->version)
                        r = 0;
        } else if (code != SQLITE_DONE) {
                r = store_map_error(code);
        }
        sqlite3_finalize(statement);
        return r;
}

static int create(Store *store) {
        cleanup_free_ char *name = NULL;
        char *text;
        int r = store_name_format(store, &name);

        if (r < 0)
                return r;
        text = sqlite3_mprintf("BEGIN IMMEDIATE; PRAGMA application_id = %d;"
                               "CREATE TABLE format (name TEXT NOT NULL) STRICT; INSERT INTO format VALUES (%Q);"
                               "CREATE TABLE log (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT; COMMIT",
                               APPLICATION_ID, name);
        if (!text)
                return -ENOMEM;
        r = execute(store, text);
        sqlite3_free(text);
        if (r == 0 && store->found_version <= store->version)
                store->found_version = store->version;
        return r;
}

/* 0 for a file of this format, 1 for an empty one, -EBADMSG for any other. */
static int examine(Store *store) {
        int id = 0, n = 0, r;

        r = ask(store, "SELECT count(*) FROM sqlite_schema", &n, NULL);
        if (r < 0 || n == 0)
                return r < 0 ? r : 1;
        r = ask(store, "PRAGMA application_id", &id, NULL);
        if (r < 0 || id != APPLICATION_ID)
                return r < 0 ? r : -EBADMSG;
        r = examine_format(store);
        if (r < 0)
                return r;
        return ask(store, "PRAGMA quick_check(1)", NULL, "ok");
}

/*
 * Finds the range of existing rows. They are kept until the first commit, which writes everything, because their
 * numbers are not known.
 */
static int find_rows(Store *store) {
        sqlite3_stmt *statement = NULL;
        int code;

        code = sqlite3_prepare_v2(store->db, "SELECT min(number), max(number) FROM log", -1, &statement, NULL);
        if (code == SQLITE_OK)
                code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
                store->committed = (StoreProgress) {
                        .next_row = sqlite3_column_int64(statement, 1) + 1,
                        .lowest_row = sqlite3_column_int64(statement, 0),
                        .needed_row = sqlite3_column_int64(statement, 0),
                };
                store->all_is_marked = store->all_is_marked || sqlite3_column_type(statement, 0) != SQLITE_NULL;
        }
        sqlite3_finalize(statement);
        return code == SQLITE_ROW ? 0 : store_map_error(code);
}

/* SQLite gives its log the mode of the file. */
static int make_private(const Store *store) {
        int fd = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
        cleanup_free_ char *log = NULL;
        int r;

        if (fd < 0)
                return -errno;
        r = fchmod(fd, 0600) < 0 ? -errno : text_format(&log, "%s-wal", store->path);
        close(fd);
        if (r == 0 && chmod(log, 0600) < 0 && errno != ENOENT)
                r = -errno;
        return r;
}

/* Replaces SQLite's own checkpoint within the commit. */
static int note_log(void *userdata, sqlite3 *db, const char *name, int n_pages) {
        Store *store = userdata;

        store->n_log_pages = (unsigned) n_pages;
        return SQLITE_OK;
}

static void find_log_limit(Store *store) {
        struct statvfs status;
        uint64_t n = 0;

        if (statvfs(store->path, &status) == 0)
                n = (uint64_t) status.f_blocks * status.f_frsize / LOG_PAGE_BYTES / LOG_PART;
        store->log_pages = n > 0 && n < LOG_PAGES ? (unsigned) n : LOG_PAGES;
}

static int open_database(Store *store) {
        int code, r = make_private(store);

        if (r < 0)
                return r;
        find_log_limit(store);
        code = sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                               SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL);
        if (code != SQLITE_OK)
                return store_map_error(code);
        r = execute(store, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
                           "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -" CACHE_KIB);
        sqlite3_wal_hook(store->db, note_log, store);
        if (r == 0)
                r = examine(store);
        if (r > 0)
                r = create(store);
        if (r == 0)
                r = find_rows(store);
        for (size_t i = 0; i < _STATEMENT_MAX && r == 0; i++) {
                code = sqlite3_prepare_v3(store->db, statement_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                          &store->statements[i], NULL);
                r = code == SQLITE_OK ? 0 : store_map_error(code);
        }
        return r;
}

/*
 * This process has one thread, but SQLite takes a lock in each allocation. Once it is initialized it refuses this
 * setting and keeps its locks.
 */
static void leave_out_locks(void) {
        (void) sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
}

/*
 * The process that had the file open may be dead while its lock still exists: a child that it was making shares its
 * descriptors until that child is scheduled. So this waits for the lock, for a limited time.
 */
static int open_database_patiently(Store *store) {
        int r = open_database(store);

        for (unsigned i = 0; i < LOCK_PAUSES && r == -EBUSY; i++) {
                close_file(store);
                nanosleep(&(struct timespec) { .tv_nsec = LOCK_PAUSE_NSEC }, NULL);
                r = open_database(store);
        }
        return r;
}

/* Copies SQLite's log to the file; if that fails, the log keeps growing. */
void store_shorten_log(Store *store) {
        (void) sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        store->n_log_pages = 0;
}

/* Finds an unused name. */
static char *name_aside(const char *path) {
        char *name = NULL;

        for (unsigned i = 1; i <= SET_ASIDE_MAX; i++) {
                free(name);
                name = NULL;
                if (text_format(&name, "%s.%u", path, i) < 0)
                        return NULL;
                if (access(name, F_OK) < 0)
                        break;
        }
        return name;
}

static int move_aside(const char *path, const char *aside, const char *suffix) {
        cleanup_free_ char *from = NULL, *to = NULL;

        if (text_format(&from, "%s%s", path, suffix) < 0 || text_format(&to, "%s%s", aside, suffix) < 0)
                return -ENOMEM;
        return rename(from, to) < 0 && errno != ENOENT ? -errno : 0;
}

int store_set_aside(Store *store, Failure *ret_failure) {
        cleanup_free_ char *aside = name_aside(store->path);
        int r;

        /* In this order: a log without its file is useless, but a file without its log would be an old state. */
        r = aside ? move_aside(store->path, aside, "") : -ENOMEM;
        if (r == 0)
                r = move_aside(store->path, aside, "-wal");
        /* SQLite notices that the file was renamed, and leaves the log as it is. */
        close_file(store);
        if (r == 0)
                r = open_database(store);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "%s cannot be used, nor be set aside: %s", store->path,
                                   strerror(-r));
        store->all_is_marked = true;
        store_spare_end(store);
        return 0;
}

unsigned store_version(const Store *store) {
        return store->found_version;
}

int store_open(Store **ret_store, const char *path, const StoreFormat *format, const StoreOwner *owner,
               Failure *ret_failure) {
        cleanup_(store_closep) Store *store = calloc(1, sizeof(*store));
        bool is_set_aside = false;
        int r;

        if (!store)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for the state in %s", path);
        store->owner = *owner;
        store->path = strdup(path);
        store->name = strdup(format->name);
        store->place = strdup(format->place);
        store->version = format->version;
        store->oldest = format->oldest;
        if (!store->path || !store->name || !store->place)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for the state in %s", path);
        leave_out_locks();
        r = open_database_patiently(store);
        if (r == -EBADMSG) {
                is_set_aside = true;
                r = store_set_aside(store, ret_failure);
                if (r < 0)
                        return r;
        }
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot open the state in %s: %s", path, strerror(-r));
        if (!is_set_aside)
                r = STORE_E_OPENED;
        else
                r = store->found_version > store->version ? STORE_E_TOO_NEW : STORE_E_SET_ASIDE;
        *ret_store = take_ptr(store);
        return r;
}

Store *store_close(Store *store) {
        if (!store)
                return NULL;
        close_file(store);
        store_spare_close(store);
        for (size_t i = 0; i < _STORE_SPACE_MAX; i++) {
                vector_deinit(&store->marks[i].numbers);
                vector_deinit(&store->marks[i].ahead);
                number_set_deinit(&store->marks[i].set);
                number_set_deinit(&store->live[i]);
        }
        vector_deinit(&store->gone);
        record_writer_deinit(&store->row);
        record_writer_deinit(&store->record);
        free(store->path);
        free(store->name);
        free(store->place);
        free(store);
        return NULL;
}
