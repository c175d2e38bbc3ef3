/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State that outlives the process
 *
 * One row is a block of 16 records: (space, block) -> bytes. A mark is a block's
 * number, at the end of a list; the commit sorts the list and drops what is in
 * it twice. In a loop that commits each turn most marks of a turn fall into few
 * blocks, and the record of a job is some dozens of bytes.
 *
 * SQLite's write-ahead log makes the commit one append; nothing is synced, for
 * the page cache outlives the process, and the file system has no disk. The
 * file belongs to one process alone (locking_mode=EXCLUSIVE), so there is no
 * shared memory either. Nobody else may so much as read it: a lock of his would
 * keep the next one of us from it.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "basic/text.h"
#include "basic/vector.h"
#include "store/store.h"

#define BLOCK_SIZE 16U          /* most blocks fit into a page with others, without pages of their own */

/* What SQLite may keep of the file in memory: what it has not is in the page cache, a system call away. */
#define CACHE_KIB "128"

/* "jobd", so that file(1) and we know whose it is. */
#define APPLICATION_ID 0x6a6f6264

/* How long somebody else's lock is waited for: ten seconds. */
#define LOCK_PAUSES 2000U
#define LOCK_PAUSE_NSEC 5000000L

/* How often a file can be set aside before the last name is used again: what has it is replaced then. */
#define SET_ASIDE_MAX 100U

typedef enum Statement {
        STATEMENT_BEGIN,
        STATEMENT_COMMIT,
        STATEMENT_ROLLBACK,
        STATEMENT_PUT,
        STATEMENT_REMOVE,
        STATEMENT_CLEAR,
        _STATEMENT_MAX,
} Statement;

static const char *const statement_texts[_STATEMENT_MAX] = {
        [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
        [STATEMENT_COMMIT] = "COMMIT",
        [STATEMENT_ROLLBACK] = "ROLLBACK",
        [STATEMENT_PUT] = "INSERT OR REPLACE INTO block (place, bytes) VALUES (?1, ?2)",
        [STATEMENT_REMOVE] = "DELETE FROM block WHERE place = ?1",
        [STATEMENT_CLEAR] = "DELETE FROM block",
};

/* Each block once, however often it was marked. */
typedef struct Marks {
        VECTOR(uint32_t) blocks;
        uint64_t *bits;                 /* owned: by block */
        size_t n_words;
} Marks;

struct Store {
        sqlite3 *db;
        sqlite3_stmt *statements[_STATEMENT_MAX];
        char *path, *format;            /* owned */
        StoreOwner owner;
        Marks marks[_STORE_SPACE_MAX];
        bool all_is_marked;
        RecordWriter block, record;     /* their memory is used again and again */
};

static int map_error(int code) {
        switch (code & 0xff) {
        case SQLITE_FULL:
                return -ENOSPC;
        case SQLITE_NOMEM:
                return -ENOMEM;
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

/* — the file — */

static void close_database(Store *store) {
        for (size_t i = 0; i < _STATEMENT_MAX; i++) {
                sqlite3_finalize(store->statements[i]);
                store->statements[i] = NULL;
        }
        sqlite3_close(store->db);
        store->db = NULL;
}

static int execute(Store *store, const char *sql) {
        int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

        return code == SQLITE_OK ? 0 : map_error(code);
}

/* The first column of the first row: as a number, or compared with @expected. */
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
                r = map_error(code);
        }
        sqlite3_finalize(statement);
        return r;
}

static int create(Store *store) {
        cleanup_free_ char *sql = NULL;
        char *text;
        int r;

        text = sqlite3_mprintf("BEGIN IMMEDIATE; PRAGMA application_id = %d;"
                               "CREATE TABLE format (name TEXT NOT NULL) STRICT; INSERT INTO format VALUES (%Q);"
                               "CREATE TABLE block (place INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT; COMMIT",
                               APPLICATION_ID, store->format);
        if (!text)
                return -ENOMEM;
        r = execute(store, text);
        sqlite3_free(text);
        return r;
}

/* 0 if it is ours, 1 if it was empty, -EBADMSG if it is something else. */
static int examine(Store *store) {
        int id = 0, n = 0, r;

        r = ask(store, "SELECT count(*) FROM sqlite_schema", &n, NULL);
        if (r < 0 || n == 0)
                return r < 0 ? r : 1;
        r = ask(store, "PRAGMA application_id", &id, NULL);
        if (r < 0 || id != APPLICATION_ID)
                return r < 0 ? r : -EBADMSG;
        r = ask(store, "SELECT name FROM format", NULL, store->format);
        if (r < 0)
                return r;
        return ask(store, "PRAGMA quick_check(1)", NULL, "ok");
}

/* SQLite gives its log the mode that the file has. */
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

static int open_database(Store *store) {
        int code, r = make_private(store);

        if (r < 0)
                return r;
        code = sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                               SQLITE_OPEN_NOFOLLOW, NULL);
        if (code != SQLITE_OK)
                return map_error(code);
        r = execute(store, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
                           "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -" CACHE_KIB);
        if (r == 0)
                r = examine(store);
        if (r > 0)
                r = create(store);
        for (size_t i = 0; i < _STATEMENT_MAX && r == 0; i++) {
                code = sqlite3_prepare_v3(store->db, statement_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                          &store->statements[i], NULL);
                r = code == SQLITE_OK ? 0 : map_error(code);
        }
        return r;
}

/*
 * Whoever had the file open before us may be dead and its lock still there: a process that it was about to make shares its
 * descriptors until that one is scheduled. So its state is waited for, though not for ever.
 */
static int open_database_patiently(Store *store) {
        int r = open_database(store);

        for (unsigned i = 0; i < LOCK_PAUSES && r == -EBUSY; i++) {
                close_database(store);
                nanosleep(&(struct timespec) { .tv_nsec = LOCK_PAUSE_NSEC }, NULL);
                r = open_database(store);
        }
        return r;
}

/* A name that is not taken. */
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

        /* If that is as far as we get, a log without its file is nothing; a file without its log would be an old state. */
        r = aside ? move_aside(store->path, aside, "") : -ENOMEM;
        if (r == 0)
                r = move_aside(store->path, aside, "-wal");
        /* It is seen to have moved, so the log is left as it was. */
        close_database(store);
        if (r == 0)
                r = open_database(store);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "%s cannot be used, nor be set aside: %s", store->path, strerror(-r));
        store->all_is_marked = true;
        return 0;
}

int store_open(Store **ret_store, const char *path, const char *format, const StoreOwner *owner, Failure *ret_failure) {
        cleanup_(store_closep) Store *store = calloc(1, sizeof(*store));
        bool is_set_aside = false;
        int r;

        if (!store)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for the state in %s", path);
        store->owner = *owner;
        store->path = strdup(path);
        store->format = strdup(format);
        if (!store->path || !store->format)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for the state in %s", path);
        r = open_database_patiently(store);
        if (r == -EBADMSG) {
                is_set_aside = true;
                r = store_set_aside(store, ret_failure);
                if (r < 0)
                        return r;
        }
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot open the state in %s: %s", path, strerror(-r));
        *ret_store = take_ptr(store);
        return is_set_aside ? STORE_E_SET_ASIDE : STORE_E_OPENED;
}

Store *store_close(Store *store) {
        if (!store)
                return NULL;
        close_database(store);
        for (size_t i = 0; i < _STORE_SPACE_MAX; i++) {
                vector_deinit(&store->marks[i].blocks);
                free(store->marks[i].bits);
        }
        record_writer_deinit(&store->block);
        record_writer_deinit(&store->record);
        free(store->path);
        free(store->format);
        free(store);
        return NULL;
}

/* One number for both: a table by such numbers keeps larger rows within its pages than one by two columns. */
static sqlite3_int64 place_of(StoreSpace space, uint32_t block) {
        return (sqlite3_int64) space << 32 | block;
}

/* — loading — */

static int load_block(uint32_t block, const void *bytes, size_t n, StoreTake take, void *userdata) {
        RecordReader reader;

        record_reader_init(&reader, bytes, n);
        while (!record_is_at_end(&reader)) {
                uint32_t number = block * BLOCK_SIZE + (uint32_t) record_get_below(&reader, BLOCK_SIZE);
                RecordReader record;
                const void *own;
                size_t size;
                int r;

                own = record_get_bytes(&reader, &size);
                if (reader.has_failed)
                        return -EBADMSG;
                record_reader_init(&record, own, size);
                r = take(userdata, number, &record);
                if (r < 0)
                        return r;
                if (!record_is_at_end(&record))
                        return -EBADMSG;
        }
        return 0;
}

int store_load(Store *store, StoreSpace space, StoreTake take, void *userdata) {
        sqlite3_stmt *statement = NULL;
        int code, r = 0;

        code = sqlite3_prepare_v2(store->db, "SELECT place, bytes FROM block WHERE place BETWEEN ?1 AND ?2 ORDER BY place", -1,
                                  &statement, NULL);
        if (code == SQLITE_OK)
                code = sqlite3_bind_int64(statement, 1, place_of(space, 0));
        if (code == SQLITE_OK)
                code = sqlite3_bind_int64(statement, 2, place_of(space, UINT32_MAX));
        while (r >= 0 && (code == SQLITE_OK || code == SQLITE_ROW)) {
                code = sqlite3_step(statement);
                if (code == SQLITE_ROW)
                        r = load_block((uint32_t) (sqlite3_column_int64(statement, 0) & UINT32_MAX),
                                       sqlite3_column_blob(statement, 1), (size_t) sqlite3_column_bytes(statement, 1), take, userdata);
        }
        sqlite3_finalize(statement);
        if (r < 0)
                return r;
        return code == SQLITE_DONE ? 0 : map_error(code);
}

/* — marks — */

static bool make_room_for_bit(Marks *marks, size_t word) {
        size_t n = MAX(word + 1, 2 * marks->n_words);
        uint64_t *bits = realloc(marks->bits, n * sizeof(*bits));

        if (!bits)
                return false;
        memset(bits + marks->n_words, 0, (n - marks->n_words) * sizeof(*bits));
        marks->bits = bits;
        marks->n_words = n;
        return true;
}

static bool mark_block(Marks *marks, uint32_t block) {
        size_t word = block / 64;
        uint64_t bit = UINT64_C(1) << block % 64;

        if (word >= marks->n_words && !make_room_for_bit(marks, word))
                return false;
        if (marks->bits[word] & bit)
                return true;
        if (vector_push(&marks->blocks, block) < 0)
                return false;
        marks->bits[word] |= bit;
        return true;
}

void store_mark(Store *store, StoreSpace space, uint32_t number) {
        if (!mark_block(&store->marks[space], number / BLOCK_SIZE))
                store->all_is_marked = true;
}

bool store_in_one_block(uint32_t a, uint32_t b) {
        return a / BLOCK_SIZE == b / BLOCK_SIZE;
}

void store_mark_all(Store *store) {
        store->all_is_marked = true;
}

bool store_is_dirty(const Store *store) {
        for (size_t i = 0; i < _STORE_SPACE_MAX; i++)
                if (store->marks[i].blocks.n > 0)
                        return true;
        return store->all_is_marked;
}

static void forget_marks(Store *store) {
        for (size_t i = 0; i < _STORE_SPACE_MAX; i++) {
                Marks *marks = &store->marks[i];

                for (size_t k = 0; k < marks->blocks.n; k++)
                        marks->bits[marks->blocks.items[k] / 64] = 0;
                vector_clear(&marks->blocks);
        }
        store->all_is_marked = false;
}

/* — committing — */

static int run(Store *store, Statement which) {
        sqlite3_stmt *statement = store->statements[which];
        int code = sqlite3_step(statement);

        sqlite3_reset(statement);
        return code == SQLITE_DONE || code == SQLITE_ROW ? 0 : map_error(code);
}

static int put_block(Store *store, StoreSpace space, uint32_t block) {
        sqlite3_stmt *statement = store->statements[store->block.n > 0 ? STATEMENT_PUT : STATEMENT_REMOVE];
        int r;

        sqlite3_bind_int64(statement, 1, place_of(space, block));
        if (store->block.n > 0)
                sqlite3_bind_blob64(statement, 2, store->block.bytes, store->block.n, SQLITE_STATIC);
        r = run(store, store->block.n > 0 ? STATEMENT_PUT : STATEMENT_REMOVE);
        sqlite3_clear_bindings(statement);
        return r;
}

/* The records of @block as the owner has them now. */
static int write_block(Store *store, StoreSpace space, uint32_t block) {
        record_writer_clear(&store->block);
        for (uint32_t i = 0; i < BLOCK_SIZE; i++) {
                record_writer_clear(&store->record);
                store->owner.save(store->owner.userdata, space, block * BLOCK_SIZE + i, &store->record);
                if (store->record.has_failed)
                        return -ENOMEM;
                if (store->record.n == 0)
                        continue;
                record_put(&store->block, i);
                record_put_bytes(&store->block, store->record.bytes, store->record.n);
        }
        return store->block.has_failed ? -ENOMEM : put_block(store, space, block);
}

static int compare_blocks(const void *a, const void *b) {
        uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

        return (x > y) - (x < y);
}

static int write_marked(Store *store, StoreSpace space) {
        Marks *marks = &store->marks[space];
        int r = 0;

        if (marks->blocks.n > 1)
                qsort(marks->blocks.items, marks->blocks.n, sizeof(*marks->blocks.items), compare_blocks);
        for (size_t i = 0; i < marks->blocks.n && r == 0; i++)
                r = write_block(store, space, marks->blocks.items[i]);
        return r;
}

static int write_everything(Store *store, StoreSpace space) {
        uint32_t number = 0;
        int r = 0;

        while (r == 0 && store->owner.next(store->owner.userdata, space, number, &number)) {
                uint32_t block = number / BLOCK_SIZE;

                r = write_block(store, space, block);
                if (block == UINT32_MAX / BLOCK_SIZE)
                        break;
                number = (block + 1) * BLOCK_SIZE;
        }
        return r;
}

int store_commit(Store *store) {
        int r;

        if (!store_is_dirty(store))
                return 0;
        r = run(store, STATEMENT_BEGIN);
        if (r < 0)
                return r;
        if (store->all_is_marked)
                r = run(store, STATEMENT_CLEAR);
        for (StoreSpace space = 0; space < _STORE_SPACE_MAX && r == 0; space++)
                r = store->all_is_marked ? write_everything(store, space) : write_marked(store, space);
        if (r == 0)
                r = run(store, STATEMENT_COMMIT);
        if (r < 0) {
                run(store, STATEMENT_ROLLBACK);
                return r;
        }
        forget_marks(store);
        return 0;
}
