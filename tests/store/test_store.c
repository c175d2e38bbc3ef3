/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The store, with an owner whose state is two arrays of numbers
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "store/store.h"

#define NUMBERS 1000U

/* 0: there is none. */
typedef struct State {
        uint32_t values[_STORE_SPACE_MAX][NUMBERS];
        unsigned n_saved;
        bool fails;                     /* at the last number */
        int held;                       /* the descriptor of the spare that the keeper would hold; -1: none */
} State;

typedef struct World {
        char folder[32];
        char path[64];
        State state;
        Store *store;
        Failure failure;
} World;

static void save(void *userdata, StoreSpace space, uint32_t number, RecordWriter *writer) {
        State *state = userdata;

        state->n_saved++;
        if (state->fails && number == NUMBERS - 2)
                writer->has_failed = true;
        if (number < NUMBERS && state->values[space][number] > 0)
                record_put(writer, state->values[space][number]);
}

static int next(void *userdata, StoreSpace space, uint32_t number, uint32_t *ret_number) {
        const State *state = userdata;

        for (; number < NUMBERS; number++)
                if (state->values[space][number] > 0) {
                        *ret_number = number;
                        return 1;
                }
        return 0;
}

static int open_store(World *world, const char *format) {
        return store_open(&world->store, world->path, &(StoreFormat) { format, 1, 1, "here" }, &(StoreOwner) { &world->state, save, next }, &world->failure);
}

static void world_start(World *world) {
        *world = (World) { .folder = "/tmp/test-store-XXXXXX", .state.held = -1 };
        cr_assert(mkdtemp(world->folder) != NULL);
        snprintf(world->path, sizeof(world->path), "%s/state", world->folder);
        cr_assert(eq(int, open_store(world, "f"), STORE_E_OPENED), "%s", failure_message(&world->failure));
}

static void world_stop(World *world) {
        static const char *const suffixes[] = { "", "-wal", "-shm", ".1", ".1-wal", ".2", ".2-wal" };

        store_close(world->store);
        failure_deinit(&world->failure);
        for (size_t i = 0; i < ELEMENTSOF(suffixes); i++) {
                char path[128];

                snprintf(path, sizeof(path), "%s%s", world->path, suffixes[i]);
                unlink(path);
        }
        cr_assert(rmdir(world->folder) == 0, "something else was left there");
}

#define WORLD                                   \
        cleanup_(world_stop) World world;       \
        world_start(&world)

static void change(World *world, StoreSpace space, uint32_t number, uint32_t value) {
        world->state.values[space][number] = value;
        store_mark(world->store, space, number);
}

typedef struct Loading {
        State *state;
        StoreSpace space;
} Loading;

static int take(void *userdata, uint32_t number, RecordReader *record) {
        const Loading *loading = userdata;

        cr_assert(lt(u32, number, NUMBERS));
        loading->state->values[loading->space][number] = (uint32_t) record_get(record);
        return record->has_failed ? -EBADMSG : 0;
}

static int load(World *world, State *ret_state) {
        int r = 0;

        *ret_state = (State) {};
        for (StoreSpace space = 0; space < _STORE_SPACE_MAX && r == 0; space++)
                r = store_load(world->store, space, take, &(Loading) { ret_state, space });
        return r;
}

static void expect_loaded(World *world) {
        static State found;

        cr_assert(eq(int, load(world, &found), 0));
        cr_assert(memcmp(found.values, world->state.values, sizeof(found.values)) == 0);
}

static void again(World *world, const char *format, int expected) {
        world->store = store_close(world->store);
        cr_assert(eq(int, open_store(world, format), expected), "%s", failure_message(&world->failure));
}

static void expect_private(const World *world, const char *suffix) {
        struct stat status;
        char path[128];

        snprintf(path, sizeof(path), "%s%s", world->path, suffix);
        cr_assert(eq(int, stat(path, &status), 0), "%s", path);
        cr_assert(eq(u32, status.st_mode & 07777, 0600), "%s", path);
}

/* A user who can read the file can lock it, so that no core can open it; and the file may contain secrets. */
Test(store, is_for_nobody_else) {
        WORLD;

        for (int i = 0; i < 2; i++) {
                change(&world, STORE_MANAGER, 0, 7);
                cr_assert(eq(int, store_commit(world.store), 0));
                expect_private(&world, "");
                expect_private(&world, "-wal");
                cr_assert(eq(int, chmod(world.path, 0644), 0), "as an earlier version left it");
                again(&world, "f", STORE_E_OPENED);
                expect_private(&world, "");
        }
}

Test(store, committed_records_are_there_again) {
        WORLD;

        change(&world, STORE_MANAGER, 0, 7);
        change(&world, STORE_UNITS, 63, 8);
        change(&world, STORE_UNITS, 64, 9);
        change(&world, STORE_JOBS, 999, 10);
        cr_assert(eq(int, store_commit(world.store), 0));
        again(&world, "f", STORE_E_OPENED);
        expect_loaded(&world);

        change(&world, STORE_UNITS, 63, 0);
        change(&world, STORE_JOBS, 999, 11);
        cr_assert(eq(int, store_commit(world.store), 0));
        again(&world, "f", STORE_E_OPENED);
        expect_loaded(&world);
}

Test(store, what_was_not_committed_is_not_there) {
        WORLD;

        change(&world, STORE_JOBS, 1, 1);
        cr_assert(store_is_dirty(world.store));
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(not(store_is_dirty(world.store)));
        change(&world, STORE_JOBS, 1, 2);
        again(&world, "f", STORE_E_OPENED);
        world.state.values[STORE_JOBS][1] = 1;
        expect_loaded(&world);
}

Test(store, record_is_written_once_a_commit) {
        WORLD;

        for (unsigned i = 0; i < 10; i++)
                for (uint32_t number = 0; number < 32; number++)
                        change(&world, STORE_JOBS, number, i + 1);
        world.state.n_saved = 0;
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(eq(u32, world.state.n_saved, 32));
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(eq(u32, world.state.n_saved, 32), "nothing was marked");
}

/* A record that was added and removed between two commits is not logged. */
Test(store, what_never_was_is_not_logged) {
        struct stat before, after;
        char log[128];
        WORLD;

        change(&world, STORE_MANAGER, 0, 1);
        cr_assert(eq(int, store_commit(world.store), 0));
        snprintf(log, sizeof(log), "%s-wal", world.path);
        cr_assert(eq(int, stat(log, &before), 0));
        for (uint32_t number = 0; number < NUMBERS; number++) {
                change(&world, STORE_JOBS, number, 7);
                change(&world, STORE_JOBS, number, 0);
                change(&world, STORE_UNITS, number, 0);
        }
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(eq(int, stat(log, &after), 0));
        cr_expect(le(int, (int) (after.st_size - before.st_size), 2 * 4120), "pages of the table alone");
        change(&world, STORE_MANAGER, 0, 0);
        cr_assert(eq(int, store_commit(world.store), 0));
        again(&world, "f", STORE_E_OPENED);
        expect_loaded(&world);
}

/* A failed commit has logged nothing: the removal of a record must be logged again. */
Test(store, what_is_gone_is_told_until_it_is_committed) {
        WORLD;

        for (uint32_t number = 0; number < NUMBERS; number++)
                change(&world, STORE_JOBS, number, 7);
        cr_assert(eq(int, store_commit(world.store), 0));
        for (uint32_t number = 0; number < NUMBERS; number += 2)
                change(&world, STORE_JOBS, number, 0);
        world.state.fails = true;
        cr_assert(eq(int, store_commit(world.store), -ENOMEM));
        world.state.fails = false;
        cr_assert(eq(int, store_commit(world.store), 0));
        again(&world, "f", STORE_E_OPENED);
        expect_loaded(&world);
}

static int count_rows(const World *world) {
        sqlite3_stmt *statement;
        sqlite3 *db;
        int n;

        cr_assert(sqlite3_open_v2(world->path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK);
        cr_assert(sqlite3_prepare_v2(db, "SELECT count(*) FROM log", -1, &statement, NULL) == SQLITE_OK);
        cr_assert(sqlite3_step(statement) == SQLITE_ROW);
        n = sqlite3_column_int(statement, 0);
        sqlite3_finalize(statement);
        sqlite3_close(db);
        return n;
}

/* Whenever the store is opened again, all records are there, and old entries do not accumulate. */
Test(store, log_is_swept) {
        WORLD;
        unsigned most = 0;

        srand(1);
        for (uint32_t number = 0; number < NUMBERS; number += 3)
                change(&world, STORE_UNITS, number, number + 1);
        for (unsigned round = 1; round <= 30000; round++) {
                for (unsigned i = 0; i < 3; i++)
                        change(&world, (StoreSpace) ((unsigned) rand() % _STORE_SPACE_MAX), (uint32_t) rand() % (round % 900 + 1),
                               (uint32_t) rand() % 3 * round);
                world.state.n_saved = 0;
                cr_assert(eq(int, store_commit(world.store), 0));
                if (round % 997 != 1)           /* not the first after it was opened */
                        most = MAX(most, world.state.n_saved);
                if (round % 997 == 0) {
                        again(&world, "f", STORE_E_OPENED);
                        expect_loaded(&world);
                }
        }
        cr_expect(le(u32, most, 100), "%u records in one commit", most);
        world.store = store_close(world.store);
        cr_expect(le(int, count_rows(&world), 6000));
}

Test(store, what_was_not_marked_is_found) {
        StoreSpace space;
        uint32_t number;
        WORLD;

        for (uint32_t i = 0; i < 300; i += 3)
                change(&world, STORE_JOBS, i, i + 1);
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(eq(int, store_compare(world.store, &space, &number), 0));
        for (unsigned i = 0; i < 3; i++) {
                static const uint32_t places[] = { 3, 4, 299 }, values[] = { 0, 7, 7 }, before[] = { 4, 0, 0 };

                world.state.values[STORE_JOBS][places[i]] = values[i];
                cr_assert(eq(int, store_compare(world.store, &space, &number), 1));
                cr_assert(eq(u32, number, places[i]));
                cr_assert(eq(int, (int) space, STORE_JOBS));
                world.state.values[STORE_JOBS][places[i]] = before[i];
        }
        cr_assert(eq(int, store_compare(world.store, &space, &number), 0));
}

Test(store, everything_can_be_written_anew) {
        WORLD;

        change(&world, STORE_JOBS, 5, 1);
        change(&world, STORE_JOBS, 700, 1);
        cr_assert(eq(int, store_commit(world.store), 0));
        /* Changes a value without marking it. */
        world.state.values[STORE_JOBS][5] = 0;
        world.state.values[STORE_UNITS][6] = 2;
        store_mark_all(world.store);
        cr_assert(eq(int, store_commit(world.store), 0));
        again(&world, "f", STORE_E_OPENED);
        expect_loaded(&world);
}

static bool is_there(World *world, const char *suffix) {
        char path[128];

        snprintf(path, sizeof(path), "%s%s", world->path, suffix);
        return access(path, F_OK) == 0;
}

Test(store, other_format_is_set_aside_and_kept) {
        WORLD;

        change(&world, STORE_JOBS, 5, 1);
        cr_assert(eq(int, store_commit(world.store), 0));
        again(&world, "g", STORE_E_SET_ASIDE);
        cr_assert(is_there(&world, ".1"));
        world.state = (State) {};
        expect_loaded(&world);
        cr_assert(eq(int, store_commit(world.store), 0));
        again(&world, "f", STORE_E_SET_ASIDE);
        cr_assert(is_there(&world, ".1"));
        cr_assert(is_there(&world, ".2"));
}

/* This includes a log of the kind that a killed process leaves. */
Test(store, log_of_what_is_set_aside_goes_with_it) {
        static const int size = 4096 * 4;
        WORLD;
        char path[96], bytes[64];
        int fd;

        change(&world, STORE_JOBS, 5, 1);
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(is_there(&world, "-wal"));
        snprintf(path, sizeof(path), "%s", world.path);
        fd = open(path, O_WRONLY | O_CLOEXEC);
        memset(bytes, 'x', sizeof(bytes));
        cr_assert(pwrite(fd, bytes, sizeof(bytes), size) == sizeof(bytes));
        close(fd);
        cr_assert(eq(int, store_set_aside(world.store, &world.failure), 0));
        cr_assert(is_there(&world, ".1"));
        cr_assert(is_there(&world, ".1-wal"));
        cr_assert(store_is_dirty(world.store), "the new one is empty");
        cr_assert(eq(int, store_commit(world.store), 0));
        expect_loaded(&world);
}

/* As if killed in between: a file never remains without its log. */
Test(store, file_is_set_aside_before_its_log) {
        WORLD;
        char path[96];

        change(&world, STORE_JOBS, 5, 1);
        cr_assert(eq(int, store_commit(world.store), 0));
        again(&world, "f", STORE_E_OPENED);
        change(&world, STORE_JOBS, 5, 2);
        cr_assert(eq(int, store_commit(world.store), 0));
        snprintf(path, sizeof(path), "%s.1-wal", world.path);
        cr_assert(mkdir(path, 0700) == 0);
        cr_assert(lt(int, store_set_aside(world.store, &world.failure), 0));
        cr_assert(is_there(&world, "-wal"));
        cr_assert(is_there(&world, ".1"));

        again(&world, "f", STORE_E_OPENED);
        world.state = (State) {};
        expect_loaded(&world);
        cr_assert(rmdir(path) == 0);
}

Test(store, garbage_is_set_aside) {
        WORLD;
        FILE *file;

        for (unsigned i = 0; i < 2; i++) {
                world.store = store_close(world.store);
                file = fopen(world.path, "we");
                fputs(i == 0 ? "no database at all, but rather long so that it may be taken for one by its size" : "short", file);
                fclose(file);
                cr_assert(eq(int, open_store(&world, "f"), STORE_E_SET_ASIDE), "%s", failure_message(&world.failure));
                expect_loaded(&world);
        }
        cr_assert(is_there(&world, ".2"));
}

/* The file is sound and has the mark of a store, but other tables. */
Test(store, file_with_other_tables_is_set_aside) {
        static const char *const changes[] = { "ALTER TABLE log RENAME TO logs", "DROP TABLE format",
                                               "ALTER TABLE log RENAME COLUMN bytes TO words" };
        WORLD;

        for (unsigned i = 0; i < ELEMENTSOF(changes); i++) {
                char path[96];
                sqlite3 *db;

                world.store = store_close(world.store);
                cr_assert(sqlite3_open_v2(world.path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
                cr_assert(eq(int, sqlite3_exec(db, changes[i], NULL, NULL, NULL), SQLITE_OK));
                sqlite3_close(db);
                cr_assert(eq(int, open_store(&world, "f"), STORE_E_SET_ASIDE), "%s: %s", changes[i],
                          failure_message(&world.failure));
                snprintf(path, sizeof(path), "%s.1", world.path);
                cr_assert(eq(int, unlink(path), 0));
        }
}

/* Damages each byte of the file in turn: the file is refused or can be read, and nothing crashes. */
Test(store, damage_is_survived) {
        WORLD;
        struct stat status;
        unsigned n_aside = 0;

        for (uint32_t i = 0; i < 200; i++)
                change(&world, STORE_JOBS, i, i + 1);
        cr_assert(eq(int, store_commit(world.store), 0));
        world.store = store_close(world.store);
        cr_assert(stat(world.path, &status) == 0);
        for (off_t at = 0; at < status.st_size; at += 37) {
                static State found;
                char path[128], byte = 0;
                int fd = open(world.path, O_RDWR | O_CLOEXEC);

                cr_assert(pread(fd, &byte, 1, at) == 1);
                byte = (char) ~byte;
                cr_assert(pwrite(fd, &byte, 1, at) == 1);
                if (open_store(&world, "f") == STORE_E_SET_ASIDE) {
                        n_aside++;
                        world.store = store_close(world.store);
                        snprintf(path, sizeof(path), "%s.1", world.path);
                        cr_assert(rename(path, world.path) == 0);
                } else if (world.store) {
                        load(&world, &found);
                        world.store = store_close(world.store);
                }
                byte = (char) ~byte;
                cr_assert(pwrite(fd, &byte, 1, at) == 1);
                close(fd);
        }
        cr_assert(lt(u32, 0, n_aside));
        cr_assert(eq(int, open_store(&world, "f"), STORE_E_OPENED));
        expect_loaded(&world);
}

Test(store, full_file_system_loses_nothing_that_was_there) {
        WORLD;
        FILE *filler;
        char path[96];
        int r;

        world.store = store_close(world.store);
        unlink(world.path);
        cr_assert(mount("tmpfs", world.folder, "tmpfs", 0, "size=256k") == 0);
        cr_assert(eq(int, open_store(&world, "f"), STORE_E_OPENED));
        change(&world, STORE_JOBS, 1, 1);
        cr_assert(eq(int, store_commit(world.store), 0));
        snprintf(path, sizeof(path), "%s/filler", world.folder);
        filler = fopen(path, "we");
        while (fputc('x', filler) != EOF && fflush(filler) != EOF)
                ;
        fclose(filler);

        for (uint32_t i = 0; i < NUMBERS; i++)
                change(&world, STORE_JOBS, i, UINT32_MAX);
        r = store_commit(world.store);
        cr_assert(eq(int, r, -ENOSPC), "%s", strerror(-r));
        cr_assert(store_is_dirty(world.store));
        unlink(path);
        cr_assert(eq(int, store_commit(world.store), 0), "there is room again");
        again(&world, "f", STORE_E_OPENED);
        expect_loaded(&world);
        world.store = store_close(world.store);
        cr_assert(umount2(world.folder, MNT_DETACH) == 0);
}

/* — the spare — */

static int hold(void *userdata, int fd) {
        State *state = userdata;

        if (state->held >= 0)
                close(state->held);
        state->held = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
        return 0;
}

/* Opens the store as the next process, with the held spare. Returns true if the records come from the spare. */
static bool open_kept_store(World *world) {
        world->store = store_close(world->store);
        cr_assert(eq(int,
                     store_open(&world->store, world->path, &(StoreFormat) { "f", 1, 1, "here" },
                                &(StoreOwner) { &world->state, save, next, .hold = hold }, &world->failure),
                     STORE_E_OPENED),
                  "%s", failure_message(&world->failure));
        return world->state.held >= 0 && store_take_spare(world->store, fcntl(world->state.held, F_DUPFD_CLOEXEC, 0));
}

static void fill(const World *world) {
        char path[96];
        FILE *filler;

        snprintf(path, sizeof(path), "%s/filler", world->folder);
        filler = fopen(path, "we");
        while (fputc('x', filler) != EOF && fflush(filler) != EOF)
                ;
        fclose(filler);
}

static void make_room(const World *world) {
        char path[96];

        snprintf(path, sizeof(path), "%s/filler", world->folder);
        cr_assert(eq(int, unlink(path), 0));
}

/* With a record in the file, and no room for another page. */
static void fill_store(World *world) {
        world->store = store_close(world->store);
        unlink(world->path);
        cr_assert(eq(int, mount("tmpfs", world->folder, "tmpfs", 0, "size=256k"), 0));
        cr_assert(not(open_kept_store(world)));
        change(world, STORE_JOBS, 1, 1);
        change(world, STORE_UNITS, 7, 8);
        cr_assert(eq(int, store_commit(world->store), 0));
        fill(world);
}

static void empty_store(World *world) {
        world->store = store_close(world->store);
        hold(&world->state, -1);
        cr_assert(eq(int, umount2(world->folder, MNT_DETACH), 0));
}

static void change_jobs(World *world, uint32_t value) {
        for (uint32_t i = 0; i < NUMBERS; i++)
                change(world, STORE_JOBS, i, value);
}

Test(store, spare_has_what_the_file_has_no_room_for) {
        WORLD;

        fill_store(&world);
        change_jobs(&world, UINT32_MAX);
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(eq(int, store_file_error(world.store), -ENOSPC));
        cr_assert(ge(int, world.state.held, 0));
        cr_assert(not(store_is_dirty(world.store)));
        expect_loaded(&world);
        cr_assert(open_kept_store(&world));
        expect_loaded(&world);
        empty_store(&world);
}

Test(store, spare_takes_changes_and_what_goes) {
        WORLD;

        fill_store(&world);
        change_jobs(&world, UINT32_MAX);
        cr_assert(eq(int, store_commit(world.store), 0));
        world.state.n_saved = 0;
        change(&world, STORE_JOBS, 3, 4);
        change(&world, STORE_UNITS, 7, 0);
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_expect(eq(u32, world.state.n_saved, 2), "only what has changed is written");
        change(&world, STORE_JOBS, 5, 6);
        cr_assert(open_kept_store(&world));
        world.state.values[STORE_JOBS][5] = UINT32_MAX; /* not committed */
        expect_loaded(&world);

        /* The next process has no room, either. */
        change(&world, STORE_JOBS, 9, 10);
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(open_kept_store(&world));
        expect_loaded(&world);
        empty_store(&world);
}

Test(store, file_has_everything_once_there_is_room) {
        WORLD;

        fill_store(&world);
        change_jobs(&world, UINT32_MAX);
        cr_assert(eq(int, store_commit(world.store), 0));
        make_room(&world);
        change(&world, STORE_JOBS, 3, 4);
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(eq(int, store_file_error(world.store), 0));
        cr_assert(lt(int, world.state.held, 0), "nobody needs to hold it");
        cr_assert(not(open_kept_store(&world)));
        expect_loaded(&world);
        empty_store(&world);
}

/* A process may end between its commit to the file and the one to the spare. */
Test(store, spare_that_is_older_than_the_file_does_not_count) {
        int held;
        WORLD;

        fill_store(&world);
        change_jobs(&world, UINT32_MAX);
        cr_assert(eq(int, store_commit(world.store), 0));
        held = fcntl(world.state.held, F_DUPFD_CLOEXEC, 0);
        make_room(&world);
        change(&world, STORE_JOBS, 3, 4);
        cr_assert(eq(int, store_commit(world.store), 0));
        cr_assert(lt(int, world.state.held, 0));
        world.state.held = held;
        cr_assert(not(open_kept_store(&world)));
        expect_loaded(&world);
        empty_store(&world);
}

/* More than is kept: the log begins anew, and the new one is handed out. */
Test(store, spare_does_not_grow_without_end) {
        struct stat first = {}, last = {};
        WORLD;

        fill_store(&world);
        change_jobs(&world, UINT32_MAX);
        cr_assert(eq(int, store_commit(world.store), 0));
        for (uint32_t i = 1; i < 300; i++) {
                change_jobs(&world, i);
                cr_assert(eq(int, store_commit(world.store), 0));
                cr_assert(eq(int, fstat(world.state.held, &last), 0));
                if (i == 1)
                        first = last;
        }
        cr_assert(lt(i64, last.st_size, first.st_size + 1000000));
        cr_assert(open_kept_store(&world));
        expect_loaded(&world);
        empty_store(&world);
}

Test(store, what_is_no_spare_is_none) {
        WORLD;

        change(&world, STORE_JOBS, 1, 1);
        cr_assert(eq(int, store_commit(world.store), 0));
        world.state.held = memfd_create("no state", MFD_CLOEXEC);
        cr_assert(not(open_kept_store(&world)));
        cr_assert(eq(i64, write(world.state.held, "This is no state of anything", 28), 28));
        cr_assert(not(open_kept_store(&world)));
        expect_loaded(&world);
        hold(&world.state, -1);
}

/* What there is takes a page; what was written of it since, thousands. Also if there never is a moment to tidy up. */
Test(store, log_leaves_room_on_a_small_file_system) {
        WORLD;

        world.store = store_close(world.store);
        unlink(world.path);
        cr_assert(mount("tmpfs", world.folder, "tmpfs", 0, "size=1m") == 0);
        cr_assert(eq(int, open_store(&world, "f"), STORE_E_OPENED));
        for (uint32_t i = 1; i < 4000; i++) {
                int r;

                change(&world, STORE_JOBS, i % 10, i);
                r = store_commit(world.store);
                cr_assert(eq(int, r, 0), "commit %u: %s", i, strerror(-r));
                if (i > 2000)
                        store_tidy(world.store);
        }
        again(&world, "f", STORE_E_OPENED);
        expect_loaded(&world);
        world.store = store_close(world.store);
        cr_assert(umount2(world.folder, MNT_DETACH) == 0);
}

/* In a child: commits until killed, and reports each commit. Each state is the number of the round in three spaces. */
static _Noreturn void commit_for_ever(World *world, int fd) {
        for (uint32_t round = 1;; round++) {
                for (uint32_t i = 0; i < 300; i += 7)
                        change(world, STORE_JOBS, i, round);
                change(world, STORE_UNITS, 3, round);
                change(world, STORE_MANAGER, 0, round);
                if (store_commit(world->store) < 0 || write(fd, &round, sizeof(round)) != sizeof(round))
                        _exit(1);
        }
}

Test(store, killed_between_two_instructions_it_has_all_of_a_commit_or_nothing) {
        static State found;
        WORLD;

        for (unsigned i = 0; i < 60; i++) {
                uint32_t told = 0, round, value;
                int ends[2], status;
                pid_t pid;

                world.store = store_close(world.store);
                cr_assert(pipe(ends) == 0);
                pid = fork();
                if (pid == 0) {
                        if (open_store(&world, "f") < 0)
                                _exit(2);
                        commit_for_ever(&world, ends[1]);
                }
                close(ends[1]);
                for (unsigned k = 0; k <= i; k++)
                        cr_assert(read(ends[0], &told, sizeof(told)) == sizeof(told));
                kill(pid, SIGKILL);
                cr_assert(waitpid(pid, &status, 0) == pid);
                while (read(ends[0], &round, sizeof(round)) == sizeof(round))
                        told = round;
                close(ends[0]);

                cr_assert(eq(int, open_store(&world, "f"), STORE_E_OPENED));
                cr_assert(eq(int, load(&world, &found), 0));
                value = found.values[STORE_MANAGER][0];
                cr_assert(value == told || value == told + 1, "told %u, found %u", told, value);
                cr_assert(eq(u32, found.values[STORE_UNITS][3], value));
                for (uint32_t k = 0; k < 300; k += 7)
                        cr_assert(eq(u32, found.values[STORE_JOBS][k], value));
        }
}

static noreturn void hold_for_a_while(void) {
        const struct timespec while_ = { .tv_nsec = 300 * 1000 * 1000 };

        nanosleep(&while_, NULL);
        _exit(0);
}

/* Like a core that is killed while it makes a process. */
static noreturn void die_with_a_child_that_has_our_descriptors(World *world) {
        long pid;

        change(world, STORE_JOBS, 1, 5);
        cr_assert(eq(int, store_commit(world->store), 0));
        pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
        if (pid < 0)
                _exit(1);
        if (pid == 0)
                hold_for_a_while();
        raise(SIGKILL);
        _exit(1);
}

Test(store, lock_of_the_dead_is_waited_for) {
        WORLD;
        pid_t pid;

        world.store = store_close(world.store);
        pid = fork();
        if (pid == 0) {
                if (open_store(&world, "f") < 0)
                        _exit(1);
                die_with_a_child_that_has_our_descriptors(&world);
        }
        cr_assert(eq(int, waitpid(pid, NULL, 0), pid));
        cr_assert(eq(int, open_store(&world, "f"), STORE_E_OPENED), "%s", failure_message(&world.failure));
        world.state.values[STORE_JOBS][1] = 5;
        expect_loaded(&world);
}
