/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread that writes
 *
 * Each batch stands in a savepoint: one that breaks a constraint is refused
 * by itself. The mark "number" is a part of the transaction, so a batch that
 * comes again after any death is known to be there.
 *
 * The ballast is a file beside that of the store. It is given up when the
 * disk is full, so that what runs can be ended and paused, and made again
 * when there is room for it twice.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/vector.h"
#include "runstore/runstore_write.h"
#include "runstore/sha256.h"

#define STATEMENTS_MAX 64U
#define RETRY_MSEC 500U
#define LOOK_MSEC 2000U                 /* after a full disk: how often room is looked for */
#define BALLAST_SUFFIX ".ballast"

_Static_assert(SHA256_BYTES == RUNSTORE_HASH_BYTES, "a blob is known by its SHA-256");

/* — what is told to the thread that answers — */

static void give_back(RunStoreWriter *writer, RunStoreTask *task) {
        RunStoreTasks tasks = {};

        runstore_tasks_add(&tasks, task);
        runstore_worker_return(&writer->worker, &tasks);
}

static void tell(RunStoreWriter *writer, RunStoreReason reason, const char *sentence) {
        RunStoreTask *task = runstore_task_new(RUNSTORE_TASK_NOTICE);

        if (!task)
                return;
        runstore_task_refuse(task, reason, "%s", sentence);
        give_back(writer, task);
}

static void tell_opened(RunStoreWriter *writer) {
        RunStoreTask *task;

        /* Without this nobody would be answered, so it is tried until there is memory. */
        while (!(task = runstore_task_new(RUNSTORE_TASK_OPENED)))
                if (!runstore_worker_pause(&writer->worker, RETRY_MSEC))
                        return;
        task->file_identity = writer->file.identity;
        task->file_number = writer->number;
        task->file_epoch = writer->file.marks.epoch;
        task->file_instance = writer->file.marks.instance;
        task->file_refused = writer->file.marks.refused;
        if (writer->file.aside)
                (void) text_format(&task->sentence, "%s was damaged, and is called %s now.", writer->path,
                                   writer->file.aside);
        give_back(writer, task);
}

/* — the ballast — */

static char *ballast_path(const RunStoreWriter *writer) {
        char *path = NULL;

        return text_format(&path, "%s" BALLAST_SUFFIX, writer->path) < 0 ? NULL : path;
}

/* Written, not only allocated: a file system that compresses gives room back only for what it has stored. */
static int fill(int fd, uint64_t n) {
        int r = posix_fallocate(fd, 0, (off_t) n);

        return r > 0 ? -r : 0;
}

static void make_ballast(RunStoreWriter *writer) {
        cleanup_free_ char *path = ballast_path(writer);
        cleanup_fd_ int fd = -1;
        struct statvfs status;

        if (writer->has_ballast || writer->n_ballast == 0 || !path)
                return;
        if (statvfs(writer->path, &status) == 0 && (uint64_t) status.f_bavail * status.f_frsize < 2 * writer->n_ballast)
                return;
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (fd < 0)
                return;
        writer->has_ballast = fill(fd, writer->n_ballast) == 0;
        if (!writer->has_ballast)
                (void) unlink(path);
}

static bool give_up_ballast(RunStoreWriter *writer) {
        cleanup_free_ char *path = ballast_path(writer);

        writer->has_ballast = false;
        return path && unlink(path) == 0;
}

/* — statements — */

static const char *column_name(const RunStoreTableInfo *info, unsigned column) {
        return info->columns[column].name;
}

/* INSERT … ON CONFLICT changes the columns that are given, and leaves the others. */
static void write_put(Text *sql, const RunStoreTableInfo *info, uint64_t columns) {
        const char *separator = "";

        text_addf(sql, "INSERT INTO \"%s\" (", info->name);
        for (unsigned c = 0; c < info->n_columns; c++)
                if (columns >> c & 1) {
                        text_addf(sql, "%s\"%s\"", separator, column_name(info, c));
                        separator = ", ";
                }
        text_add(sql, ") VALUES (");
        separator = "";
        for (unsigned c = 0; c < info->n_columns; c++)
                if (columns >> c & 1) {
                        text_addf(sql, "%s?%u", separator, c + 1);
                        separator = ", ";
                }
        text_add(sql, ") ON CONFLICT (");
        for (unsigned c = 0; c < info->n_key; c++)
                text_addf(sql, "%s\"%s\"", c > 0 ? ", " : "", column_name(info, c));
        text_add(sql, ") DO ");
        separator = "UPDATE SET ";
        for (unsigned c = (unsigned) info->n_key; c < info->n_columns; c++)
                if (columns >> c & 1) {
                        text_addf(sql, "%s\"%s\" = ?%u", separator, column_name(info, c), c + 1);
                        separator = ", ";
                }
        if (!text_equal(separator, ", "))
                text_add(sql, "NOTHING");
}

static void write_delete(Text *sql, const RunStoreTableInfo *info, uint64_t columns) {
        const char *separator = "WHERE ";

        text_addf(sql, "DELETE FROM \"%s\" ", info->name);
        for (unsigned c = 0; c < info->n_key; c++)
                if (columns >> c & 1) {
                        text_addf(sql, "%s\"%s\" = ?%u", separator, column_name(info, c), c + 1);
                        separator = " AND ";
                }
}

static int prepare(RunStoreWriter *writer, const RunStoreOperation *operation, sqlite3_stmt **ret_statement) {
        RunStoreStatement made = { .table = operation->table, .kind = operation->kind, .columns = operation->columns };
        const RunStoreTableInfo *info = runstore_table(operation->table);
        cleanup_free_ char *text = NULL;
        Text sql = {};
        int r;

        if (operation->kind == RUNSTORE_PUT)
                write_put(&sql, info, operation->columns);
        else
                write_delete(&sql, info, operation->columns);
        r = text_finish(&sql, &text);
        text_deinit(&sql);
        if (r == 0)
                r = vector_reserve(&writer->statements, 1);
        if (r < 0)
                return r;
        r = runstore_map_error(writer->file.db, sqlite3_prepare_v3(writer->file.db, text, -1, SQLITE_PREPARE_PERSISTENT,
                                                                   &made.statement, NULL));
        if (r < 0)
                return r;
        if (writer->statements.n == STATEMENTS_MAX) {
                sqlite3_finalize(writer->statements.items[0].statement);
                memmove(writer->statements.items, writer->statements.items + 1, (STATEMENTS_MAX - 1) * sizeof(made));
                writer->statements.n--;
        }
        *ret_statement = made.statement;
        return vector_push(&writer->statements, made);
}

static int find_statement(RunStoreWriter *writer, const RunStoreOperation *operation, sqlite3_stmt **ret_statement) {
        for (size_t i = writer->statements.n; i > 0; i--) {
                const RunStoreStatement *known = &writer->statements.items[i - 1];

                if (known->table == operation->table && known->kind == operation->kind &&
                    known->columns == operation->columns) {
                        *ret_statement = known->statement;
                        return 0;
                }
        }
        return prepare(writer, operation, ret_statement);
}

static void forget_statements(RunStoreWriter *writer) {
        for (size_t i = 0; i < writer->statements.n; i++)
                sqlite3_finalize(writer->statements.items[i].statement);
        vector_clear(&writer->statements);
}

static void bind(sqlite3_stmt *statement, int place, const RunStoreValue *value) {
        switch (value->type) {
        case RUNSTORE_INTEGER:
                sqlite3_bind_int64(statement, place, value->integer);
                return;
        case RUNSTORE_TEXT:
                sqlite3_bind_text64(statement, place, value->bytes, value->n, SQLITE_STATIC, SQLITE_UTF8);
                return;
        case RUNSTORE_BYTES:
                /* NULL would be no bytes at all, but an absent value. */
                sqlite3_bind_blob64(statement, place, value->bytes ?: "", value->n, SQLITE_STATIC);
                return;
        case RUNSTORE_NULL:
        case _RUNSTORE_TYPE_MAX:
                sqlite3_bind_null(statement, place);
                return;
        }
}

static int apply(RunStoreWriter *writer, const RunStoreOperation *operation) {
        sqlite3_stmt *statement;
        int code, r = find_statement(writer, operation, &statement);

        if (r < 0)
                return r;
        for (unsigned c = 0; c < RUNSTORE_COLUMNS_MAX; c++)
                if (operation->columns >> c & 1)
                        bind(statement, (int) c + 1, &operation->values[c]);
        code = sqlite3_step(statement);
        r = runstore_map_error(writer->file.db, code);
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
        return r;
}

static int execute(RunStoreWriter *writer, const char *sql) {
        return runstore_map_error(writer->file.db, sqlite3_exec(writer->file.db, sql, NULL, NULL, NULL));
}

/* — tasks — */

static bool is_of_streams(RunStoreTable table) {
        return table == RUNSTORE_ELEMENT || table == RUNSTORE_STREAM_GROUP || table == RUNSTORE_STREAM_KEY;
}

static int write_batch(RunStoreWriter *writer, const RunStoreTask *task) {
        RunStoreOperation operation;
        RecordReader reader;
        bool leaves_out = false;
        int r;

        record_reader_init(&reader, task->bytes, task->n);
        while ((r = runstore_next_operation(&reader, &operation)) > 0) {
                if (operation.kind == RUNSTORE_AFTER)
                        leaves_out = (uint64_t) operation.values[ELEMENT_SEQUENCE].integer <= writer->refused;
                else if (!leaves_out || !is_of_streams(operation.table))
                        r = apply(writer, &operation);
                if (r < 0)
                        return r;
        }
        return r;
}

static int put_chunks(RunStoreWriter *writer, const uint8_t *hash, const uint8_t *bytes, size_t n) {
        RunStoreOperation operation = { .table = RUNSTORE_BLOB, .kind = RUNSTORE_PUT, .columns = (1 << _BLOB_MAX) - 1 };
        size_t done = 0;
        int r = 0;

        operation.values[BLOB_HASH] = (RunStoreValue) { .type = RUNSTORE_BYTES,
                                                       .bytes = hash,
                                                       .n = RUNSTORE_HASH_BYTES };
        for (int64_t chunk = 0; r == 0 && (done < n || chunk == 0); chunk++) {
                size_t length = MIN(n - done, RUNSTORE_CHUNK_BYTES);

                operation.values[BLOB_CHUNK] = (RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = chunk };
                operation.values[BLOB_BYTES] = (RunStoreValue) { .type = RUNSTORE_BYTES,
                                                                .bytes = bytes + done,
                                                                .n = length };
                r = apply(writer, &operation);
                done += length;
        }
        return r;
}

static int put_use(RunStoreWriter *writer, uint64_t run, const uint8_t *hash) {
        RunStoreOperation operation = {
                .table = RUNSTORE_BLOB_USE, .kind = RUNSTORE_PUT, .columns = (1 << _BLOB_USE_MAX) - 1,
        };

        operation.values[BLOB_USE_RUN] = (RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = (int64_t) run };
        operation.values[BLOB_USE_HASH] = (RunStoreValue) { .type = RUNSTORE_BYTES,
                                                           .bytes = hash,
                                                           .n = RUNSTORE_HASH_BYTES };
        return apply(writer, &operation);
}

/* At most n_max bytes, and one more to see that there are more. */
static int read_file(int fd, uint64_t n_max, uint8_t **ret_bytes, size_t *ret_n) {
        cleanup_free_ uint8_t *bytes = NULL;
        struct stat status;
        size_t n = 0, size;

        if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
                return -EINVAL;
        size = (size_t) MIN((uint64_t) status.st_size, n_max) + 1;
        bytes = malloc(size);
        if (!bytes)
                return -ENOMEM;
        while (n < size) {
                ssize_t got = pread(fd, bytes + n, size - n, (off_t) n);

                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return -EINVAL;
                if (got == 0)
                        break;
                n += (size_t) got;
        }
        if (n > n_max)
                return -EFBIG;
        *ret_bytes = take_ptr(bytes);
        *ret_n = n;
        return 0;
}

static int collect(RunStoreWriter *writer, RunStoreTask *task) {
        cleanup_free_ uint8_t *bytes = NULL;
        size_t n = 0;
        int r = read_file(task->fd, MIN(task->n_max, (uint64_t) RUNSTORE_FRAME_MAX), &bytes, &n);

        if (r == -EFBIG)
                runstore_task_refuse(task, RUNSTORE_REFUSED_TOO_LARGE, "The result has more than %llu bytes.",
                                     (unsigned long long) MIN(task->n_max, (uint64_t) RUNSTORE_FRAME_MAX));
        else if (r == -EINVAL)
                runstore_task_refuse(task, RUNSTORE_REFUSED_FILE, "The result is no regular file that can be read.");
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        sha256(bytes, n, task->hash);
        task->n_stored = n;
        if (task->run > 0)
                r = put_use(writer, task->run, task->hash);
        return r < 0 ? r : put_chunks(writer, task->hash, bytes, n);
}

/* A part of the transaction, too: what follows the refusal has to know it, and core may ask for it later. */
static int note_refused(RunStoreWriter *writer, uint64_t number) {
        static const char sql[] = "INSERT INTO \"schema\" VALUES ('refused', ?1)"
                                  " ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        sqlite3_stmt *statement = NULL;
        int code = sqlite3_prepare_v2(writer->file.db, sql, -1, &statement, NULL), ended;

        writer->refused = number;
        if (code == SQLITE_OK) {
                sqlite3_bind_int64(statement, 1, (sqlite3_int64) number);
                code = sqlite3_step(statement);
        }
        ended = sqlite3_finalize(statement);
        return runstore_map_error(writer->file.db, ended ?: code);
}

/* A task that is refused leaves nothing; errors of the disk end the transaction. */
static int write_task(RunStoreWriter *writer, RunStoreTask *task) {
        int r = execute(writer, "SAVEPOINT task");

        if (r < 0)
                return r;
        task->refused = -1;             /* it may be the second time */
        r = task->kind == RUNSTORE_TASK_BATCH ? write_batch(writer, task) : collect(writer, task);
        if (r == -EEXIST) {
                runstore_task_refuse(task, RUNSTORE_REFUSED_CONSTRAINT, "The batch was not written: %s.",
                                     sqlite3_errmsg(writer->file.db));
                r = execute(writer, "ROLLBACK TO task");
                if (r == 0)
                        r = note_refused(writer, task->number);
        }
        return r < 0 ? r : execute(writer, "RELEASE task");
}

static int write_marks(RunStoreWriter *writer, const RunStoreTask *last) {
        static const char sql[] =
                "UPDATE \"schema\" SET value = CASE name WHEN 'number' THEN ?1 WHEN 'epoch' THEN ?2 ELSE ?3 END"
                " WHERE name IN ('number', 'epoch', 'instance')";
        sqlite3_stmt *statement = NULL;
        int code = sqlite3_prepare_v2(writer->file.db, sql, -1, &statement, NULL), ended;

        if (code == SQLITE_OK) {
                sqlite3_bind_int64(statement, 1, (sqlite3_int64) last->number);
                sqlite3_bind_int64(statement, 2, (sqlite3_int64) last->epoch);
                sqlite3_bind_int64(statement, 3, (sqlite3_int64) last->instance);
                code = sqlite3_step(statement);
        }
        ended = sqlite3_finalize(statement);
        return runstore_map_error(writer->file.db, ended ?: code);
}

static int write_all(RunStoreWriter *writer, RunStoreTasks *tasks) {
        const uint64_t refused = writer->refused;
        int r = execute(writer, "BEGIN IMMEDIATE");

        for (RunStoreTask *task = tasks->first; task && r == 0; task = task->next)
                r = write_task(writer, task);
        if (r == 0)
                r = write_marks(writer, tasks->last);
        if (r == 0)
                r = execute(writer, "COMMIT");
        if (r < 0 && !sqlite3_get_autocommit(writer->file.db))
                (void) execute(writer, "ROLLBACK");
        /* Tried again, tasks before the one that is refused must not know that yet. */
        if (r < 0)
                writer->refused = refused;
        return r;
}

/* — the file — */

/* Until it can be opened; false: the thread has to end. What is wrong is told once. */
static bool open_file(RunStoreWriter *writer) {
        cleanup_free_ char *aside = take_ptr(writer->file.aside);
        Failure failure = {};
        int told = 0;

        for (;;) {
                int r = runstore_file_open(&writer->file, writer->path, writer->is_full_sync, &failure);

                if (r == 0)
                        break;
                if (r == -ENOSPC && give_up_ballast(writer))
                        continue;
                if (r != told)
                        tell(writer, RUNSTORE_REFUSED_UNAVAILABLE, failure_message(&failure));
                told = r;
                if (!runstore_worker_pause(&writer->worker, RETRY_MSEC)) {
                        failure_deinit(&failure);
                        return false;
                }
        }
        failure_deinit(&failure);
        if (aside && !writer->file.aside)
                writer->file.aside = take_ptr(aside);
        writer->number = MAX(writer->number, writer->file.marks.number);
        writer->refused = MAX(writer->refused, writer->file.marks.refused);
        make_ballast(writer);
        tell_opened(writer);
        return true;
}

/* The file was removed or renamed, or its file system cannot be written any more. */
static bool open_again(RunStoreWriter *writer) {
        forget_statements(writer);
        runstore_file_close(&writer->file);
        return open_file(writer);
}

/* A damaged file is renamed, and another one is made. */
static bool replace_file(RunStoreWriter *writer) {
        cleanup_free_ char *aside = NULL;

        if (runstore_file_set_aside(writer->path, &aside) < 0 && !runstore_worker_pause(&writer->worker, RETRY_MSEC))
                return false;
        forget_statements(writer);
        runstore_file_close(&writer->file);
        writer->file.aside = take_ptr(aside);
        return open_file(writer);
}

/* — the loop — */

/* After a transaction that failed: whether it is tried again. */
static bool prepare_again(RunStoreWriter *writer, int error) {
        if (error == -EBADMSG)
                return replace_file(writer);
        if (error == -EROFS)
                return runstore_worker_pause(&writer->worker, RETRY_MSEC) && open_again(writer);
        if (error == -ENOSPC && give_up_ballast(writer)) {
                tell(writer, RUNSTORE_REFUSED_FULL,
                     "The disk of the runs is full: the reserve was given up, so that what runs can "
                     "be ended.");
                writer->degraded = RUNSTORE_HAS_NO_BALLAST;
                return true;
        }
        if (writer->degraded != error)
                tell(writer, error == -ENOSPC ? RUNSTORE_REFUSED_FULL : RUNSTORE_REFUSED_IO,
                     error == -ENOSPC ? "The disk of the runs is full: nothing is recorded until there is room."
                                      : strerrordesc_np(-error));
        writer->degraded = error;
        return runstore_worker_pause(&writer->worker, RETRY_MSEC);
}

/* The disk takes everything again when there is room for the ballast, too. */
static void look_for_room(RunStoreWriter *writer) {
        make_ballast(writer);
        if (writer->degraded == 0 || (writer->n_ballast > 0 && !writer->has_ballast))
                return;
        writer->degraded = 0;
        tell(writer, RUNSTORE_REFUSED_NONE, "The runs are recorded again.");
}

static bool write_until_done(RunStoreWriter *writer, RunStoreTasks *tasks) {
        int r;

        while ((r = write_all(writer, tasks)) < 0)
                if (!prepare_again(writer, r))
                        return false;
        writer->number = tasks->last->number;
        return true;
}

/* Looks at the damage that the reader has found. By now the file may be another one. */
static bool mend(RunStoreWriter *writer, RunStoreTasks *tasks) {
        bool is_damaged = false;
        RunStoreTasks rest = {};

        for (RunStoreTask *task; (task = runstore_tasks_take(tasks));)
                if (task->kind == RUNSTORE_TASK_DAMAGED) {
                        is_damaged |= task->file_identity == writer->file.identity;
                        runstore_task_free(task);
                } else {
                        runstore_tasks_add(&rest, task);
                }
        *tasks = rest;
        return !is_damaged || replace_file(writer);
}

static void *run(void *userdata) {
        RunStoreWriter *writer = userdata;
        RunStoreTasks tasks = {};

        if (!open_file(writer))
                return NULL;
        while (runstore_worker_wait(&writer->worker, writer->degraded != 0 ? LOOK_MSEC : 0, &tasks)) {
                if (!mend(writer, &tasks))
                        break;
                if (tasks.first) {
                        if (!write_until_done(writer, &tasks))
                                break;
                        runstore_worker_return(&writer->worker, &tasks);
                }
                if (writer->degraded != 0 || !writer->has_ballast)
                        look_for_room(writer);
        }
        runstore_worker_return(&writer->worker, &tasks);
        return NULL;
}

int runstore_writer_start(RunStoreWriter *writer, const char *path, bool is_full_sync, uint64_t n_ballast) {
        *writer = (RunStoreWriter) { .path = path, .is_full_sync = is_full_sync, .n_ballast = n_ballast };
        return runstore_worker_start(&writer->worker, run, writer);
}

void runstore_writer_end(RunStoreWriter *writer) {
        runstore_worker_end(&writer->worker);
        forget_statements(writer);
        vector_deinit(&writer->statements);
        runstore_file_close(&writer->file);
}
