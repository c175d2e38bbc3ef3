/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file of the store of runs
 *
 * The format is the user_version in the header of SQLite's file, so it is
 * read without SQLite: a later format is recognised before anything is
 * opened, which could change the file. Columns of the tables are those of
 * runstore_table.c; a key is NOT NULL, all else may be absent.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "runstore/runstore_schema.h"
#include "runstore/runstore_table.h"

/* "jobr", which identifies the file, for example to file(1). */
#define APPLICATION_ID 0x6a6f6272U
#define FILE_MAGIC "SQLite format 3"
#define FILE_HEADER_BYTES 100U
#define FILE_VERSION_AT 60U
#define FILE_APPLICATION_AT 68U

#define SET_ASIDE_MAX 100U
#define BUSY_MSEC 5000

/* An index, a view or a trigger. */
typedef struct SchemaPart {
        const char *kind, *name, *rest;
} SchemaPart;

#define BLOB_IS_USED "\n        INSERT INTO blob_use VALUES (NEW.run, NEW.blob) ON CONFLICT DO NOTHING;"

/*
 * A large result goes with the last of the runs that have it: no order of batches can take away what a run needs. A
 * definition stays, since core puts it once and takes it for stored from then on.
 */
static const SchemaPart parts[] = {
        { "INDEX", "run_state", "ON run (state)" },
        { "INDEX", "run_kind", "ON run (kind)" },
        { "INDEX", "run_unit", "ON run (unit)" },
        { "UNIQUE INDEX", "run_valid_name", "ON run (name) WHERE valid = 1" },
        { "INDEX", "run_name", "ON run (name)" },
        { "UNIQUE INDEX", "run_key", "ON run (unit, key) WHERE key IS NOT NULL" },
        { "INDEX", "run_operator", "ON run (operator) WHERE operator IS NOT NULL" },
        { "INDEX", "run_namespace", "ON run (namespace) WHERE namespace IS NOT NULL" },
        { "INDEX", "run_reqid", "ON run (reqid) WHERE reqid IS NOT NULL" },
        { "INDEX", "run_client", "ON run (client) WHERE client IS NOT NULL" },
        { "INDEX", "run_ret_stat", "ON run (ret_stat) WHERE ret_stat IS NOT NULL" },
        { "INDEX", "run_cost", "ON run (cost) WHERE cost IS NOT NULL" },
        { "INDEX", "run_ended", "ON run (ended) WHERE ended IS NOT NULL" },
        { "INDEX", "node_label", "ON node (label) WHERE label IS NOT NULL" },
        { "INDEX", "node_reqid", "ON node (reqid) WHERE reqid IS NOT NULL" },
        { "INDEX", "node_state", "ON node (state) WHERE state <> 'SUCCEEDED'" },
        { "INDEX", "node_ret_stat", "ON node (ret_stat) WHERE state <> 'SUCCEEDED'" },
        { "INDEX", "attempt_node", "ON attempt (run, node)" },
        { "INDEX", "outbox_state", "ON outbox (state)" },
        { "INDEX", "outbox_run", "ON outbox (run)" },
        { "INDEX", "alarm_run", "ON alarm (run)" },
        { "INDEX", "alarm_open", "ON alarm (raised) WHERE acknowledged IS NULL" },
        /* Elements of a group, or of a state, are in their order. */
        { "INDEX", "element_group", "ON element (run, \"group\", sequence)" },
        { "INDEX", "element_position", "ON element (run, \"group\", position)" },
        { "INDEX", "element_key", "ON element (run, key) WHERE key IS NOT NULL" },
        { "INDEX", "element_state", "ON element (run, state, sequence)" },
        { "INDEX", "stream_group_state", "ON stream_group (run, state)" },
        { "INDEX", "stream_key_at", "ON stream_key (run, at)" },
        { "INDEX", "blob_use_hash", "ON blob_use (hash)" },
        { "TRIGGER", "run_deleted", "AFTER DELETE ON run BEGIN"
          "\n        DELETE FROM blob_use WHERE run = OLD.id;\nEND" },
        { "TRIGGER", "node_put", "AFTER INSERT ON node WHEN NEW.blob IS NOT NULL BEGIN" BLOB_IS_USED "\nEND" },
        { "TRIGGER", "node_changed", "AFTER UPDATE OF blob ON node WHEN NEW.blob IS NOT NULL BEGIN" BLOB_IS_USED
          "\nEND" },
        { "TRIGGER", "blob_use_deleted", "AFTER DELETE ON blob_use"
          " WHEN NOT EXISTS (SELECT 1 FROM blob_use WHERE hash = OLD.hash) BEGIN"
          "\n        DELETE FROM blob WHERE hash = OLD.hash;\nEND" },
};

static const char *const type_names[_RUNSTORE_TYPE_MAX] = {
        [RUNSTORE_INTEGER] = "INTEGER",
        [RUNSTORE_TEXT] = "TEXT",
        [RUNSTORE_BYTES] = "BLOB",
};

int runstore_map_error(sqlite3 *db, int code) {
        switch (code & 0xff) {
        case SQLITE_OK:
        case SQLITE_ROW:
        case SQLITE_DONE:
                return 0;
        case SQLITE_FULL:
                return -ENOSPC;
        case SQLITE_NOMEM:
                return -ENOMEM;
        case SQLITE_ERROR: /* the statements are correct, so the tables are not */
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
                return -EBADMSG;
        case SQLITE_CONSTRAINT:
                return -EEXIST;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
                return -EBUSY;
        case SQLITE_READONLY:
                return -EROFS;
        case SQLITE_IOERR:
                /* The log's index is written by mmap() after ftruncate(), which SQLite takes for any error. */
                return db && sqlite3_system_errno(db) == ENOSPC ? -ENOSPC : -EIO;
        case SQLITE_CANTOPEN:
                return db && sqlite3_system_errno(db) > 0 ? -sqlite3_system_errno(db) : -ENOENT;
        default:
                return -EIO;
        }
}

/* — the tables — */

static void write_table(Text *text, const RunStoreTableInfo *info) {
        /* A single number is SQLite's own key of rows. */
        const bool has_number = info->n_key == 1 && info->columns[0].type == RUNSTORE_INTEGER;

        text_addf(text, "CREATE TABLE \"%s\" (\n", info->name);
        for (size_t i = 0; i < info->n_columns; i++)
                text_addf(text, "        \"%s\" %s%s,\n", info->columns[i].name, type_names[info->columns[i].type],
                          i < info->n_key ? " NOT NULL" : "");
        text_add(text, "        PRIMARY KEY (");
        for (size_t i = 0; i < info->n_key; i++)
                text_addf(text, "%s\"%s\"", i > 0 ? ", " : "", info->columns[i].name);
        text_addf(text, ")\n) STRICT%s;\n", has_number || info->n_key == 1 ? "" : ", WITHOUT ROWID");
}

void runstore_schema_write(Text *text) {
        text_add(text, "CREATE TABLE \"schema\" (\n        \"name\" TEXT NOT NULL PRIMARY KEY,\n        \"value\" "
                       "INTEGER NOT NULL\n"
                       ") STRICT, WITHOUT ROWID;\n");
        for (unsigned i = 0; i < _RUNSTORE_TABLE_MAX; i++)
                write_table(text, runstore_table((RunStoreTable) i));
        for (size_t i = 0; i < ELEMENTSOF(parts); i++)
                text_addf(text, "CREATE %s %s %s;\n", parts[i].kind, parts[i].name, parts[i].rest);
}

static int execute(sqlite3 *db, const char *sql) {
        return runstore_map_error(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

static int create(sqlite3 *db) {
        cleanup_free_ char *sql = NULL;
        uint64_t identity = 0;
        Text text = {};
        int r;

        /* SQLite reads it as a number with a sign, which is not to be negative. */
        if (getrandom(&identity, sizeof(identity), 0) != sizeof(identity))
                return -errno;
        identity &= INT64_MAX;
        text_addf(&text, "BEGIN IMMEDIATE;\nPRAGMA application_id = %u;\nPRAGMA user_version = %u;\n", APPLICATION_ID,
                  RUNSTORE_FORMAT);
        runstore_schema_write(&text);
        text_addf(&text,
                  "INSERT INTO \"schema\" VALUES ('format', %u), ('oldest', %u), ('identity', %llu), ('number', 0),"
                  " ('epoch', 0), ('instance', 0);\nCOMMIT;\n",
                  RUNSTORE_FORMAT, RUNSTORE_FORMAT_OLDEST, (unsigned long long) identity);
        r = text_finish(&text, &sql);
        text_deinit(&text);
        if (r == 0)
                r = execute(db, sql);
        /* The format must be in the header of the file, not in the log. */
        return r < 0 ? r : execute(db, "PRAGMA wal_checkpoint(TRUNCATE)");
}

/* — opening — */

static int read_marks(RunStoreFile *file) {
        const struct {
                const char *name;
                uint64_t *value;
        } rows[] = {
                { "identity", &file->identity },
                { "number", &file->marks.number },
                { "epoch", &file->marks.epoch },
                { "instance", &file->marks.instance },
                /* The row is made with the first refusal. */
                { "refused", &file->marks.refused },
        };
        sqlite3_stmt *statement = NULL;
        int code, r;

        code = sqlite3_prepare_v2(file->db, "SELECT value FROM \"schema\" WHERE name = ?1", -1, &statement, NULL);
        r = runstore_map_error(file->db, code);
        for (size_t i = 0; i < ELEMENTSOF(rows) && r == 0; i++) {
                sqlite3_bind_text(statement, 1, rows[i].name, -1, SQLITE_STATIC);
                code = sqlite3_step(statement);
                if (code == SQLITE_ROW)
                        *rows[i].value = (uint64_t) sqlite3_column_int64(statement, 0);
                else
                        r = runstore_map_error(file->db, code) ?: rows[i].value == &file->marks.refused ? 0 : -EBADMSG;
                sqlite3_reset(statement);
        }
        sqlite3_finalize(statement);
        return r;
}

static uint32_t big_endian(const uint8_t *at) {
        return (uint32_t) at[0] << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3];
}

/* Without SQLite: 0 for ours, 1 for one that is or may be empty, -EPROTONOSUPPORT, -EBADMSG or -errno. */
static int examine(int fd, const char *path, Failure *ret_failure) {
        uint8_t header[FILE_HEADER_BYTES];
        ssize_t n = pread(fd, header, sizeof(header), 0);
        uint32_t format, application;

        if (n < 0)
                return failure_set(ret_failure, -errno, "Failed", "%s cannot be read: %m", path);
        if (n == 0)
                return 1;
        if (n < (ssize_t) sizeof(header) || memcmp(header, FILE_MAGIC, sizeof(FILE_MAGIC)) != 0)
                return -EBADMSG;
        format = big_endian(header + FILE_VERSION_AT);
        application = big_endian(header + FILE_APPLICATION_AT);
        /* The tables were being made when the program was killed; SQLite knows more. */
        if (format == 0 && application == 0)
                return 1;
        if (application != APPLICATION_ID)
                return -EBADMSG;
        if (format > RUNSTORE_FORMAT)
                return failure_set(
                        ret_failure, -EPROTONOSUPPORT, "Failed",
                        "%s has format %u, and this jobd-runstore knows formats up to %u: it is left as it is. "
                        "Install the version of jobd that wrote it, or move it away.",
                        path, format, RUNSTORE_FORMAT);
        return format == 0 ? -EBADMSG : 0;
}

/* The first column of the first row. */
static int ask(sqlite3 *db, const char *sql, int64_t *ret_number) {
        sqlite3_stmt *statement = NULL;
        int code, r;

        code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
        if (code == SQLITE_OK)
                code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
                *ret_number = sqlite3_column_int64(statement, 0);
        r = code == SQLITE_ROW ? 0 : runstore_map_error(db, code) ?: -EBADMSG;
        sqlite3_finalize(statement);
        return r;
}

uint64_t runstore_file_identity(sqlite3 *db) {
        int64_t identity;

        return ask(db, "SELECT value FROM \"schema\" WHERE name = 'identity'", &identity) < 0 ? 0 : (uint64_t) identity;
}

/* Makes the tables, unless they are in the log already. */
static int ensure_tables(sqlite3 *db) {
        int64_t n, application, format;
        int r = ask(db, "SELECT count(*) FROM sqlite_schema", &n);

        if (r < 0)
                return r;
        if (n == 0)
                return create(db);
        r = ask(db, "PRAGMA application_id", &application);
        if (r == 0)
                r = ask(db, "PRAGMA user_version", &format);
        if (r == 0 && (application != APPLICATION_ID || format != RUNSTORE_FORMAT))
                r = -EBADMSG;
        return r < 0 ? r : execute(db, "PRAGMA wal_checkpoint(TRUNCATE)");
}

/* Columns that this program knows and the one that made the tables did not. */
static int add_columns(sqlite3 *db, const RunStoreTableInfo *info) {
        cleanup_free_ char *question = NULL;
        int64_t n;
        int r = text_format(&question, "SELECT count(*) FROM pragma_table_info('%s')", info->name);

        if (r == 0)
                r = ask(db, question, &n);
        for (size_t i = r == 0 && n > 0 ? (size_t) n : info->n_columns; i < info->n_columns && r == 0; i++) {
                const RunStoreColumn *column = &info->columns[i];
                cleanup_free_ char *sql = NULL;

                r = text_format(&sql, "ALTER TABLE \"%s\" ADD COLUMN \"%s\" %s", info->name, column->name,
                                type_names[column->type]);
                if (r == 0)
                        r = execute(db, sql);
        }
        return r;
}

/* Tables that the program that made the file did not know. */
static int add_tables(sqlite3 *db) {
        static const RunStoreTable later[] = {
                RUNSTORE_ITEM_ERROR, RUNSTORE_ELEMENT, RUNSTORE_STREAM_GROUP, RUNSTORE_STREAM_KEY,
        };
        cleanup_free_ char *sql = NULL;
        Text text = {};
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(later) && r == 0; i++) {
                const RunStoreTableInfo *info = runstore_table(later[i]);
                cleanup_free_ char *question = NULL;
                int64_t n = 0;

                r = text_format(&question, "SELECT count(*) FROM pragma_table_info('%s')", info->name);
                if (r == 0)
                        r = ask(db, question, &n);
                if (r == 0 && n == 0)
                        write_table(&text, info);
        }
        if (r == 0)
                r = text_finish(&text, &sql);
        text_deinit(&text);
        return r < 0 ? r : execute(db, sql);
}

/* Parts that the program that made the file did not know, in the transaction at hand. */
static int add_parts(sqlite3 *db) {
        cleanup_free_ char *sql = NULL;
        Text text = {};
        int64_t n;
        int r = ask(db, "SELECT count(*) FROM pragma_table_info('blob_use')", &n);

        if (r == 0 && n == 0) {
                write_table(&text, runstore_table(RUNSTORE_BLOB_USE));
                text_add(&text, "INSERT INTO blob_use SELECT DISTINCT run, blob FROM node WHERE blob IS NOT NULL;\n");
        }
        for (size_t i = 0; i < ELEMENTSOF(parts); i++)
                text_addf(&text, "CREATE %s IF NOT EXISTS %s %s;\n", parts[i].kind, parts[i].name, parts[i].rest);
        if (r == 0)
                r = text_finish(&text, &sql);
        text_deinit(&text);
        return r < 0 ? r : execute(db, sql);
}

static int add_what_is_new(sqlite3 *db) {
        int r = execute(db, "BEGIN IMMEDIATE");

        for (unsigned i = 0; i < _RUNSTORE_TABLE_MAX && r == 0; i++)
                r = add_columns(db, runstore_table((RunStoreTable) i));
        if (r == 0)
                r = add_tables(db);
        if (r == 0)
                r = add_parts(db);
        if (r == 0)
                r = execute(db, "COMMIT");
        if (r < 0 && !sqlite3_get_autocommit(db))
                (void) execute(db, "ROLLBACK");
        return r;
}

static int open_database(RunStoreFile *file, const char *path, bool is_full_sync, bool is_new) {
        int code = sqlite3_open_v2(path, &file->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW,
                                   NULL);
        int r = runstore_map_error(file->db, code);

        if (r < 0)
                return r;
        sqlite3_busy_timeout(file->db, BUSY_MSEC);
        sqlite3_extended_result_codes(file->db, 1);
        r = execute(file->db,
                    is_new ? "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA trusted_schema = OFF;"
                           : "PRAGMA journal_mode = WAL; PRAGMA trusted_schema = OFF;");
        if (r == 0)
                r = execute(file->db, is_full_sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
        if (r == 0 && is_new)
                r = ensure_tables(file->db);
        if (r == 0)
                r = add_what_is_new(file->db);
        if (r == 0)
                r = read_marks(file);
        return r;
}

void runstore_file_close(RunStoreFile *file) {
        sqlite3_close(file->db);
        file->db = NULL;
        free(file->aside);
        file->aside = NULL;
}

static int move(const char *path, const char *aside, const char *suffix) {
        cleanup_free_ char *from = NULL, *to = NULL;

        if (text_format(&from, "%s%s", path, suffix) < 0 || text_format(&to, "%s%s", aside, suffix) < 0)
                return -ENOMEM;
        return rename(from, to) < 0 && errno != ENOENT ? -errno : 0;
}

int runstore_file_set_aside(const char *path, char **ret_aside) {
        cleanup_free_ char *aside = NULL;
        int r;

        for (unsigned i = 1; i <= SET_ASIDE_MAX; i++) {
                free(take_ptr(aside));
                if (text_format(&aside, "%s.damaged-%u", path, i) < 0)
                        return -ENOMEM;
                if (access(aside, F_OK) < 0)
                        break;
        }
        r = move(path, aside, "");
        if (r == 0)
                r = move(path, aside, "-wal");
        if (r == 0)
                r = move(path, aside, "-shm");
        if (r == 0)
                *ret_aside = take_ptr(aside);
        return r;
}

static int try_open(RunStoreFile *file, const char *path, bool is_full_sync, Failure *ret_failure) {
        cleanup_fd_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
        struct stat status;
        int r;

        if (fd < 0)
                return failure_set(ret_failure, -errno, "Failed", "%s cannot be written: %m. Runs are not recorded.",
                                   path);
        if (fstat(fd, &status) < 0)
                return failure_set(ret_failure, -errno, "Failed", "%s cannot be read: %m", path);
        if (!S_ISREG(status.st_mode))
                return failure_set(ret_failure, -EINVAL, "Failed", "%s is no regular file. Runs are not recorded.",
                                   path);
        r = examine(fd, path, ret_failure);
        if (r < 0)
                return r;
        /* Closing any descriptor of a file gives up the locks that SQLite has on it. */
        fd = fd_close(fd);
        r = open_database(file, path, is_full_sync, r > 0);
        if (r < 0 && r != -EBADMSG)
                failure_set(ret_failure, r, "Failed", "%s cannot be opened: %s. Runs are not recorded.", path,
                            strerror(-r));
        return r;
}

int runstore_file_open(RunStoreFile *file, const char *path, bool is_full_sync, Failure *ret_failure) {
        cleanup_free_ char *aside = NULL;
        int r;

        *file = (RunStoreFile) {};
        r = try_open(file, path, is_full_sync, ret_failure);
        if (r == -EBADMSG) {
                runstore_file_close(file);
                r = runstore_file_set_aside(path, &aside);
                if (r < 0)
                        return failure_set(ret_failure, r, "Failed", "%s is damaged, and cannot be set aside: %s", path,
                                           strerror(-r));
                r = try_open(file, path, is_full_sync, ret_failure);
                file->aside = take_ptr(aside);
        }
        if (r < 0)
                runstore_file_close(file);
        return r;
}

int runstore_file_open_to_read(const char *path, sqlite3 **ret_db) {
        int code = sqlite3_open_v2(path, ret_db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW,
                                   NULL);
        int r = runstore_map_error(*ret_db, code);

        if (r < 0) {
                sqlite3_close(*ret_db);
                *ret_db = NULL;
                return r;
        }
        sqlite3_busy_timeout(*ret_db, BUSY_MSEC);
        return 0;
}
