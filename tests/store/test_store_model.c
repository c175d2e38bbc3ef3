/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The store against arrays: random changes, some written ahead of their
 * commits, failures of different kinds at random places, sweeps under way, and
 * deaths
 *
 * A death is an opening of copies of the files, which are what a killed process
 * would have left: what was committed last must be in them, and nothing else. A
 * commit that failed may have been written to its end.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "store/store.h"

#define NUMBERS 60U
/* Sanitizers take several times as long, and find what they look for in a part of the steps. */
#ifdef __SANITIZE_ADDRESS__
#define STEPS 1000U
#else
#define STEPS 4000U
#endif

/* One in so many steps fails. */
#define FAILURE_OF 9U
#define AHEAD_OF 3U
#define DEATH_OF 41U
#define OPENING_OF 397U
#define EVERYTHING_OF 701U

/* Beyond the numbers of a page of bits, and the last one that there is: 0 is a record of none. */
static const uint32_t strides[_STORE_SPACE_MAX] = { 1, 131, UINT32_MAX / (NUMBERS - 1), 1, 7, 3 };

typedef uint32_t Values[_STORE_SPACE_MAX][NUMBERS];

typedef struct Model {
        char folder[40], path[64], copy[64];
        Values values, committed, attempted;
        Store *store;
        Failure failure;
        unsigned n_until_failure; /* records that can be written before one cannot; UINT_MAX: all can */
        unsigned n_failed, n_failed_ahead, n_deaths;
} Model;

static unsigned draw(unsigned n) {
        return (unsigned) rand() % n;
}

/* Their lengths differ, so that rows end in different places. */
static void save(void *userdata, StoreSpace space, uint32_t number, RecordWriter *writer) {
        Model *model = userdata;
        uint32_t value = number % strides[space] == 0 ? model->values[space][number / strides[space]] : 0;

        if (model->n_until_failure != UINT32_MAX && model->n_until_failure-- == 0) {
                model->n_until_failure = UINT32_MAX;
                writer->has_failed = true;
        }
        for (uint32_t i = 0; value > 0 && i <= value % 700; i++)
                record_put(writer, value);
}

static int next(void *userdata, StoreSpace space, uint32_t number, uint32_t *ret_number) {
        const Model *model = userdata;

        for (uint32_t i = 0; i < NUMBERS; i++)
                if (i * strides[space] >= number && model->values[space][i] > 0) {
                        *ret_number = i * strides[space];
                        return 1;
                }
        return 0;
}

static int open_store(Model *model, const char *path, Store **ret_store) {
        return store_open(ret_store, path, &(StoreFormat) { "f", 1, 1, "here" }, &(StoreOwner) { model, save, next },
                          &model->failure);
}

typedef struct Loading {
        StoreSpace space;
        uint32_t *values;
} Loading;

static int take(void *userdata, uint32_t number, RecordReader *record) {
        const Loading *loading = userdata;
        uint32_t value = (uint32_t) record_get(record);

        cr_assert(number % strides[loading->space] == 0 && number / strides[loading->space] < NUMBERS);
        for (uint32_t i = 0; i < value % 700; i++)
                cr_assert(eq(u32, (uint32_t) record_get(record), value));
        loading->values[number / strides[loading->space]] = value;
        return 0;
}

static void load(Store *store, Values ret_values) {
        memset(ret_values, 0, sizeof(Values));
        for (StoreSpace space = 0; space < _STORE_SPACE_MAX; space++)
                cr_assert(eq(int, store_load(store, space, take, &(Loading) { space, ret_values[space] }), 0));
}

static void copy_file(const char *from, const char *to) {
        static char bytes[65536];
        int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        ssize_t n;

        while (in >= 0 && (n = read(in, bytes, sizeof(bytes))) > 0)
                cr_assert(write(out, bytes, (size_t) n) == n);
        close(in);
        close(out);
}

static void expect_same(const Values found, const Values expected, const Values otherwise, unsigned step) {
        for (unsigned space = 0; space < _STORE_SPACE_MAX; space++)
                for (unsigned i = 0; i < NUMBERS; i++)
                        cr_assert(found[space][i] == expected[space][i] ||
                                          memcmp(found, otherwise, sizeof(Values)) == 0,
                                  "step %u: record %u of space %u is %u, not %u", step, i, space, found[space][i],
                                  expected[space][i]);
}

static void die(Model *model, unsigned step) {
        char from[80], to[80];
        Store *store = NULL;
        Values found;

        snprintf(from, sizeof(from), "%s-wal", model->path);
        snprintf(to, sizeof(to), "%s-wal", model->copy);
        copy_file(model->path, model->copy);
        copy_file(from, to);
        cr_assert(eq(int, open_store(model, model->copy, &store), STORE_E_OPENED), "%s",
                  failure_message(&model->failure));
        load(store, found);
        expect_same(found, model->committed, model->attempted, step);
        store_close(store);
        unlink(model->copy);
        model->n_deaths++;
}

static void open_again(Model *model, unsigned step) {
        Values found;

        model->store = store_close(model->store);
        cr_assert(eq(int, open_store(model, model->path, &model->store), STORE_E_OPENED), "%s",
                  failure_message(&model->failure));
        load(model->store, found);
        expect_same(found, model->committed, model->attempted, step);
        memcpy(model->values, found, sizeof(Values));
        memcpy(model->committed, found, sizeof(Values));
}

/* Usually changes few records; one in three added records is removed again. */
static void change(Model *model, unsigned step) {
        unsigned n = draw(20) == 0 ? draw(200) : draw(4);
        bool behind_its_back = draw(EVERYTHING_OF) == 0;

        for (unsigned i = 0; i < n; i++) {
                StoreSpace space = (StoreSpace) draw(_STORE_SPACE_MAX);
                uint32_t place = draw(step / 500 % 2 == 0 ? NUMBERS : 7);

                model->values[space][place] = draw(3) == 0 ? 0 : 1 + draw(100000);
                if (!behind_its_back)
                        store_mark(model->store, space, place * strides[space]);
        }
        if (behind_its_back)
                store_mark_all(model->store);
}

static off_t size_of_log(const Model *model) {
        struct stat status = {};
        char path[80];

        snprintf(path, sizeof(path), "%s-wal", model->path);
        return stat(path, &status) < 0 ? 0 : status.st_size;
}

static int write_ahead(Store *store) {
        return store_write_ahead(store, (StoreSpace) draw(_STORE_SPACE_MAX), draw(3));
}

/* A record that cannot be made, a file that cannot grow any more, or no memory for SQLite. */
static int with_failure(Model *model, int (*write)(Store *store)) {
        struct rlimit whole;
        int r;

        cr_assert(getrlimit(RLIMIT_FSIZE, &whole) == 0);
        switch (draw(3)) {
        case 0:
                model->n_until_failure = draw(12);
                break;
        case 1:
                cr_assert(setrlimit(RLIMIT_FSIZE,
                                    &(struct rlimit) { (rlim_t) size_of_log(model) * draw(3) / 2 + draw(9000),
                                                      whole.rlim_max }) == 0);
                break;
        case 2:
                sqlite3_hard_heap_limit64(MAX(sqlite3_memory_used() + draw(6000), 1));
                break;
        }
        r = write(model->store);
        model->n_until_failure = UINT32_MAX;
        sqlite3_hard_heap_limit64(0);
        cr_assert(setrlimit(RLIMIT_FSIZE, &whole) == 0);
        return r;
}

static void commit(Model *model) {
        bool may_fail = draw(FAILURE_OF) == 0;
        int r = may_fail ? with_failure(model, store_commit) : store_commit(model->store);

        cr_assert(r == 0 || may_fail, "%s", strerror(-r));
        memcpy(model->attempted, model->values, sizeof(Values));
        if (r == 0)
                memcpy(model->committed, model->values, sizeof(Values));
        else
                cr_assert(store_is_dirty(model->store));
        model->n_failed += r < 0;
}

/* Several times before a commit, with changes in between; what was written so is there with the commit only. */
static void change_ahead(Model *model, unsigned step) {
        while (draw(AHEAD_OF) > 0) {
                bool may_fail = draw(FAILURE_OF) == 0;
                int r = may_fail ? with_failure(model, write_ahead) : write_ahead(model->store);

                cr_assert(r == 0 || may_fail, "%s", strerror(-r));
                model->n_failed_ahead += r < 0;
                if (draw(DEATH_OF) == 0)
                        die(model, step);
                change(model, step);
        }
        if (draw(10) == 0)
                store_tidy(model->store);
}

static void model_start(Model *model) {
        *model = (Model) { .folder = "/tmp/test-store-model-XXXXXX", .n_until_failure = UINT32_MAX };
        cr_assert(mkdtemp(model->folder) != NULL);
        snprintf(model->path, sizeof(model->path), "%s/state", model->folder);
        snprintf(model->copy, sizeof(model->copy), "%s/copy", model->folder);
        cr_assert(eq(int, open_store(model, model->path, &model->store), STORE_E_OPENED));
}

static void model_stop(Model *model) {
        static const char *const names[] = { "state", "state-wal", "copy", "copy-wal" };

        store_close(model->store);
        failure_deinit(&model->failure);
        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                char path[80];

                snprintf(path, sizeof(path), "%s/%s", model->folder, names[i]);
                unlink(path);
        }
        cr_assert(rmdir(model->folder) == 0, "something else was left there");
}

static void run(unsigned seed) {
        cleanup_(model_stop) Model model;
        StoreSpace space;
        uint32_t number;

        signal(SIGXFSZ, SIG_IGN);
        srand(seed);
        model_start(&model);
        for (unsigned step = 0; step < STEPS; step++) {
                change(&model, step);
                if (step / 100 % 2 > 0)
                        change_ahead(&model, step);
                commit(&model);
                if (draw(DEATH_OF) == 0)
                        die(&model, step);
                if (draw(OPENING_OF) == 0)
                        open_again(&model, step);
        }
        cr_assert(eq(int, store_commit(model.store), 0));
        cr_assert(eq(int, store_compare(model.store, &space, &number), 0));
        cr_expect(lt(u32, STEPS / FAILURE_OF / 4, model.n_failed), "only %u commits failed", model.n_failed);
        cr_expect(lt(u32, STEPS / 2 / FAILURE_OF / 10, model.n_failed_ahead), "only %u failed ahead",
                  model.n_failed_ahead);
        cr_expect(lt(u32, STEPS / DEATH_OF / 2, model.n_deaths));
}

Test(store_model, what_was_committed_is_there_whatever_failed_since_1) {
        run(1);
}

Test(store_model, what_was_committed_is_there_whatever_failed_since_2) {
        run(2);
}

Test(store_model, what_was_committed_is_there_whatever_failed_since_3) {
        run(3);
}
