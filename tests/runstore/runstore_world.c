/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A jobd-runstore, and core's end of it
 */

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "runstore/runstore_world.h"

RunStoreWorld world;

double world_now(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static void nap(void) {
        nanosleep(&(struct timespec) { .tv_nsec = 1000000 }, NULL);
}

void world_begin(void) {
        world = (RunStoreWorld) { .mode = "--sync=normal", .ballast = "--ballast=64K" };
        strcpy(world.folder, "/tmp/test-runstore-XXXXXX");
        cr_assert(mkdtemp(world.folder) != NULL);
        snprintf(world.file, sizeof(world.file), "%s/runs.db", world.folder);
        snprintf(world.socket, sizeof(world.socket), "%s/socket", world.folder);
}

void world_end(void) {
        DIR *folder;

        if (world.store > 0)
                world_kill_store(SIGKILL);
        folder = opendir(world.folder);
        for (struct dirent *entry; folder && (entry = readdir(folder));)
                (void) unlinkat(dirfd(folder), entry->d_name, 0);
        if (folder)
                closedir(folder);
        cr_assert(eq(int, rmdir(world.folder), 0));
}

void world_start_store(void) {
        char argument[128];
        int fd = -1;

        snprintf(argument, sizeof(argument), "--socket=%s", world.socket);
        world.store = fork();
        if (world.store == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                execl(JOBD_RUNSTORE_PROGRAM, "jobd-runstore", world.mode, world.ballast, argument, world.file, NULL);
                _exit(127);
        }
        cr_assert(world.store > 0);
        while (runstore_connect(world.socket, &fd) < 0) {
                cr_assert(eq(int, waitpid(world.store, NULL, WNOHANG), 0));
                nap();
        }
        close(fd);
}

void world_kill_store(int number) {
        kill(world.store, number);
        waitpid(world.store, NULL, 0);
        world.store = 0;
}

/* — core — */

static void on_welcomed(void *userdata, const RunStoreWelcome *welcome, bool has_lost) {
        RunStoreSeen *seen = &((WorldCore *) userdata)->seen;

        seen->n_welcomed++;
        seen->n_lost += has_lost;
        seen->welcome = *welcome;
        seen->accepted = welcome->accepted;
        seen->durable = welcome->durable;
}

static void on_accepted(void *userdata, uint64_t number) {
        ((WorldCore *) userdata)->seen.accepted = number;
}

static void on_durable(void *userdata, uint64_t number) {
        ((WorldCore *) userdata)->seen.durable = number;
}

static void on_refused(void *userdata, uint64_t number, const RunStoreRefusal *refusal) {
        RunStoreSeen *seen = &((WorldCore *) userdata)->seen;

        seen->n_refused++;
        seen->refused_number = number;
        seen->reason = refusal->reason;
        snprintf(seen->sentence, sizeof(seen->sentence), "%s", refusal->sentence);
}

static void on_stored(void *userdata, uint64_t number, const uint8_t hash[static RUNSTORE_HASH_BYTES], uint64_t n) {
        RunStoreSeen *seen = &((WorldCore *) userdata)->seen;

        seen->n_stored++;
        seen->stored_number = number;
        seen->stored_bytes = n;
        memcpy(seen->hash, hash, sizeof(seen->hash));
}

static void on_rows(void *userdata, uint64_t number, RunStorePage *page) {
        RunStoreSeen *seen = &((WorldCore *) userdata)->seen;
        const int n_columns = __builtin_popcountll(page->columns);

        seen->n_rows++;
        seen->n_page = page->n_rows;
        seen->has_more = page->has_more;
        memcpy(seen->cursor, page->cursor, sizeof(seen->cursor));
        for (uint64_t i = 0; i < page->n_rows; i++)
                for (int c = 0; c < n_columns; c++) {
                        RunStoreValue value;

                        runstore_get_value(&page->rows, &value);
                        if (c == 0 && value.type == RUNSTORE_INTEGER)
                                seen->ids[i] = value.integer;
                        if (value.type == RUNSTORE_TEXT)
                                snprintf(seen->text, sizeof(seen->text), "%s", (const char *) value.bytes);
                }
}

static const RunStoreClientOps ops = { on_welcomed, on_accepted, on_durable, on_refused, on_stored, on_rows };

void world_connect(WorldCore *core) {
        int fd = -1;

        if (runstore_connect(world.socket, &fd) == 0)
                cr_assert(eq(int, runstore_client_attach(core->client, fd), 0));
}

WorldCore *world_core_new(uint64_t instance) {
        WorldCore *core = calloc(1, sizeof(*core));

        cr_assert(eq(int, runstore_client_new(&core->client, instance, &ops, core), 0));
        world_connect(core);
        return core;
}

void world_core_free(WorldCore *core) {
        runstore_client_free(core->client);
        free(core);
}

int world_serve(WorldCore *core) {
        struct pollfd link = { .fd = runstore_client_fd(core->client), .events = runstore_client_events(core->client) };

        if (!runstore_client_is_attached(core->client)) {
                nap();
                world_connect(core);
                return 0;
        }
        (void) poll(&link, 1, 10);
        return runstore_client_serve(core->client);
}

uint64_t world_put_run(WorldCore *core, int64_t id, const char *name) {
        RecordWriter *writer;
        uint64_t number = 0;

        cr_assert(eq(int, runstore_client_begin(core->client, &writer), 0));
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 4);
        runstore_put_integer(writer, RUN_ROW_ID, id);
        runstore_put_text(writer, RUN_ROW_NAME, name);
        runstore_put_text(writer, RUN_ROW_STATE, "RUNNING");
        runstore_put_integer(writer, RUN_ROW_VALID, 1);
        cr_assert(eq(int, runstore_client_end(core->client, &number), 0));
        return number;
}

void world_wait_durable(WorldCore *core, uint64_t number) {
        world_wait(core, core->seen.durable >= number);
}

int64_t world_ask(const char *sql) {
        sqlite3_stmt *statement = NULL;
        int64_t number = -1;
        sqlite3 *db;

        cr_assert(eq(int, sqlite3_open_v2(world.file, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK));
        cr_assert(eq(int, sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK), "%s", sqlite3_errmsg(db));
        if (sqlite3_step(statement) == SQLITE_ROW)
                number = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
        sqlite3_close(db);
        return number;
}
