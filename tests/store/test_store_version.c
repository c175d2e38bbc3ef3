/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Versions of what is in the store
 *
 * One record, whose value is all there is. What an earlier version of the
 * program wrote is read, as what it is; what a later one wrote is set aside.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "store/store.h"

#define NUMBER 5U

typedef struct World {
        char folder[32];
        char path[64];
        Store *store;
        Failure failure;
        uint64_t value;                 /* 0: there is none */
        uint64_t found;                 /* by load() … */
        unsigned format;                /* … in a file of that version */
} World;

static void save(void *userdata, StoreSpace space, uint32_t number, RecordWriter *writer) {
        const World *world = userdata;

        if (space == STORE_JOBS && number == NUMBER && world->value > 0)
                record_put(writer, world->value);
}

static int next(void *userdata, StoreSpace space, uint32_t number, uint32_t *ret_number) {
        const World *world = userdata;

        *ret_number = NUMBER;
        return space == STORE_JOBS && number <= NUMBER && world->value > 0;
}

static int take(void *userdata, uint32_t number, RecordReader *record) {
        World *world = userdata;

        cr_assert(eq(u32, number, NUMBER));
        world->format = record->format;
        world->found = record_get(record);
        return record->has_failed ? -EBADMSG : 0;
}

static int open_at(World *world, unsigned version, unsigned oldest, const char *place) {
        world->store = store_close(world->store);
        return store_open(&world->store, world->path, &(StoreFormat) { "f", version, oldest, place },
                          &(StoreOwner) { world, save, next }, &world->failure);
}

/* @found: the version that is said to have been there. */
static void expect(World *world, unsigned version, unsigned oldest, int expected, unsigned found) {
        cr_assert(eq(int, open_at(world, version, oldest, "here"), expected), "%s", failure_message(&world->failure));
        cr_assert(eq(u32, store_version(world->store), found));
}

static void expect_value(World *world, uint64_t value, unsigned format) {
        world->found = world->format = 0;
        cr_assert(eq(int, store_load(world->store, STORE_JOBS, take, world), 0));
        cr_assert(eq(u64, world->found, value));
        cr_assert(eq(u32, world->format, format));
}

static void commit(World *world, uint64_t value) {
        world->value = value;
        store_mark(world->store, STORE_JOBS, NUMBER);
        cr_assert(eq(int, store_commit(world->store), 0));
}

static void world_start(World *world) {
        *world = (World) { .folder = "/tmp/test-store-XXXXXX" };
        cr_assert(mkdtemp(world->folder) != NULL);
        snprintf(world->path, sizeof(world->path), "%s/state", world->folder);
        cr_assert(eq(int, open_at(world, 7, 7, "here"), STORE_E_OPENED), "%s", failure_message(&world->failure));
        commit(world, 1);
}

static bool is_there(const World *world, const char *suffix) {
        char path[80];

        snprintf(path, sizeof(path), "%s%s", world->path, suffix);
        return access(path, F_OK) == 0;
}

static void world_stop(World *world) {
        char command[80];

        store_close(world->store);
        failure_deinit(&world->failure);
        snprintf(command, sizeof(command), "rm -r %s", world->folder);
        cr_assert(eq(int, system(command), 0));
}

#define WORLD                                   \
        cleanup_(world_stop) World world;       \
        world_start(&world)

/* With its own format, until it has been written in the present one. */
Test(store_version, an_older_one_is_read) {
        WORLD;

        expect(&world, 9, 7, STORE_E_OPENED, 7);
        expect_value(&world, 1, 7);
        expect(&world, 8, 7, STORE_E_OPENED, 7);
        expect_value(&world, 1, 7);
        commit(&world, 2);
        cr_assert(eq(u32, store_version(world.store), 8));
        expect_value(&world, 2, 8);
        expect(&world, 9, 8, STORE_E_OPENED, 8);
        expect_value(&world, 2, 8);
        cr_assert(not(is_there(&world, ".1")));
}

/* Nothing is changed before the first commit, so the version before can be started again. */
Test(store_version, nothing_is_changed_by_looking) {
        WORLD;

        expect(&world, 8, 7, STORE_E_OPENED, 7);
        expect(&world, 7, 7, STORE_E_OPENED, 7);
        expect_value(&world, 1, 7);
}

Test(store_version, one_that_is_too_old_is_set_aside) {
        WORLD;

        expect(&world, 9, 8, STORE_E_SET_ASIDE, 9);
        cr_assert(is_there(&world, ".1"));
        expect_value(&world, 0, 0);
}

Test(store_version, a_later_one_is_set_aside) {
        WORLD;

        expect(&world, 6, 6, STORE_E_TOO_NEW, 7);
        cr_assert(is_there(&world, ".1"));
        expect_value(&world, 0, 0);
        commit(&world, 3);
        expect(&world, 6, 6, STORE_E_OPENED, 6);
        expect_value(&world, 3, 6);
}

/* Whatever its version is. */
Test(store_version, one_of_another_place_is_set_aside) {
        WORLD;

        cr_assert(eq(int, open_at(&world, 7, 7, "elsewhere"), STORE_E_SET_ASIDE));
        cr_assert(eq(int, open_at(&world, 6, 6, "here"), STORE_E_SET_ASIDE));
        cr_assert(is_there(&world, ".2"));
}
