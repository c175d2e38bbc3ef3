/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state: sections, marks, and what a commit means
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "state/state.h"

enum { SECTION_NUMBERS, SECTION_MANY, SECTION_UNITS };

/* A state with numbers in two spaces: 0 is no record. */
typedef struct World {
        char folder[32];
        uint64_t many[4], units[4];
        unsigned n_written, n_committed;
        bool fails; /* the records of units cannot be written */
        State *state;
} World;

static World world;

static void write_numbers(void *userdata, uint32_t number, RecordWriter *writer) {
        state_write_numbers(world.state, writer);
}

static int read_numbers(void *userdata, uint32_t number, RecordReader *reader) {
        state_read_numbers(world.state, reader);
        return 0;
}

static void write_one(const uint64_t *from, RecordWriter *writer) {
        world.n_written++;
        if (*from > 0)
                record_put(writer, *from);
}

static int next_of(const uint64_t *from, uint32_t number, uint32_t first, uint32_t *ret_number) {
        for (uint32_t i = number - first; i < 4; i++)
                if (from[i] > 0) {
                        *ret_number = first + i;
                        return 1;
                }
        return 0;
}

static void write_many(void *userdata, uint32_t number, RecordWriter *writer) {
        write_one(&world.many[number - 10], writer);
}

static int next_many(void *userdata, uint32_t number, uint32_t *ret_number) {
        return next_of(world.many, number, 10, ret_number);
}

static int read_many(void *userdata, uint32_t number, RecordReader *reader) {
        ((uint64_t *) userdata)[number - 10] = record_get(reader);
        return 0;
}

static void write_unit(void *userdata, uint32_t number, RecordWriter *writer) {
        write_one(&world.units[number], writer);
        if (world.fails)
                writer->has_failed = true;
}

static int next_unit(void *userdata, uint32_t number, uint32_t *ret_number) {
        return next_of(world.units, number, 0, ret_number);
}

static int read_unit(void *userdata, uint32_t number, RecordReader *reader) {
        ((uint64_t *) userdata)[number] = record_get(reader);
        return 0;
}

static const StateSection sections[] = {
        [SECTION_NUMBERS] = { STORE_MANAGER, 0, 0, .write = write_numbers, .read = read_numbers },
        [SECTION_MANY] = { STORE_MANAGER, 10, UINT32_MAX, .write = write_many, .next = next_many, .read = read_many },
        [SECTION_UNITS] = { STORE_UNITS, 0, UINT32_MAX, .write = write_unit, .next = next_unit, .read = read_unit },
};

static void committed(void *userdata, bool is_written) {
        world.n_committed += is_written;
}

static void begin(void) {
        cleanup_(failure_deinit) Failure failure = {};
        const StateOptions options = {
                .folder = world.folder,
                .name = "test state",
                .version = 1,
                .oldest = 1,
                .sections = sections,
                .n_sections = ELEMENTSOF(sections),
                .numbers = SECTION_NUMBERS,
                .committed = committed,
        };

        cr_assert(eq(int, state_new(&world.state, &options), 0));
        cr_assert(eq(int, state_open(world.state, &failure), STORE_E_OPENED), "%s", failure_message(&failure));
}

static void setup(void) {
        strcpy(world.folder, "/tmp/test-state-XXXXXX");
        assert_not_null(mkdtemp(world.folder));
        begin();
        state_begin(world.state);
}

/* Restarts as after a crash: nothing is committed, the files stay. */
static void restart(void) {
        world.state = state_free(world.state);
        begin();
}

static void teardown(void) {
        char command[64];

        state_free(world.state);
        snprintf(command, sizeof(command), "rm -r %s", world.folder);
        cr_assert(eq(int, system(command), 0));
}

TestSuite(state, .init = setup, .fini = teardown);

Test(state, each_section_is_read_by_itself) {
        uint64_t many[4] = {}, units[4] = {};

        world.many[2] = 7;
        world.units[1] = 8;
        cr_assert(eq(int, state_commit(world.state), 0));
        restart();
        cr_assert(eq(int, state_read(world.state, SECTION_MANY, many), 0));
        cr_expect(eq(u64, many[2], 7));
        cr_assert(eq(int, state_read(world.state, SECTION_UNITS, units), 0));
        cr_expect(eq(u64, units[1], 8));
        cr_expect(eq(u64, units[2], 0));
}

Test(state, numbers_of_commits_and_errands_rise_over_a_restart) {
        uint64_t commit, errand;

        errand = state_number_errand(world.state);
        cr_assert(eq(int, state_commit(world.state), 0));
        commit = state_last_commit(world.state);
        restart();
        cr_assert(eq(int, state_read(world.state, SECTION_NUMBERS, NULL), 0));
        cr_expect(eq(u64, state_last_commit(world.state), commit));
        cr_expect(eq(u64, state_number_errand(world.state), errand + 1));
        state_begin(world.state);
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_expect(lt(u64, commit, state_last_commit(world.state)));
}

Test(state, only_marked_records_are_written) {
        world.units[0] = 1;
        cr_assert(eq(int, state_commit(world.state), 0));
        world.n_written = 0;
        state_mark(world.state, STORE_UNITS, 0);
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_expect(eq(u32, world.n_written, 1));
}

Test(state, what_is_marked_for_later_makes_no_commit_and_goes_with_the_next) {
        uint64_t commit, units[4] = {};

        world.units[0] = world.units[1] = 1;
        cr_assert(eq(int, state_commit(world.state), 0));
        commit = state_last_commit(world.state);
        world.units[0] = 2;
        state_mark_later(world.state, STORE_UNITS, 0);
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_expect(eq(u64, state_last_commit(world.state), commit));
        world.units[1] = 2;
        state_mark(world.state, STORE_UNITS, 1);
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_expect(eq(u64, state_last_commit(world.state), commit + 1));
        restart();
        cr_assert(eq(int, state_read(world.state, SECTION_UNITS, units), 0));
        cr_expect(eq(u64, units[0], 2));
        cr_expect(eq(u64, units[1], 2));
}

Test(state, what_is_marked_for_later_is_not_put_off_for_ever) {
        uint64_t commit;

        world.units[0] = 1;
        cr_assert(eq(int, state_commit(world.state), 0));
        commit = state_last_commit(world.state);
        world.units[0] = 0;
        state_mark_later(world.state, STORE_UNITS, 0);
        state_hasten(world.state);
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_expect(eq(u64, state_last_commit(world.state), commit + 1));
        state_hasten(world.state);
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_expect(eq(u64, state_last_commit(world.state), commit + 1));
        restart();
        cr_assert(eq(int, state_read(world.state, SECTION_UNITS, world.units), 0));
        cr_expect(eq(u64, world.units[0], 0));
}

/* Nothing is missing that was marked, be it for later. */
Test(state, the_check_waits_for_what_is_marked_for_later) {
        char path[64];

        snprintf(path, sizeof(path), "%s/unmarked", world.folder);
        setenv("JOBD_CHECK_STATE", path, 1);
        restart();
        state_begin(world.state);
        world.units[3] = 5;
        cr_assert(eq(int, state_commit(world.state), 0));
        world.units[3] = 6;
        state_mark_later(world.state, STORE_UNITS, 3);
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_expect(lt(int, access(path, F_OK), 0));
        world.units[2] = 1;
        state_hasten(world.state);
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_expect(eq(int, access(path, F_OK), 0), "the record that was not marked is found");
}

Test(state, a_commit_of_nothing_keeps_its_number_and_is_told) {
        uint64_t commit;
        unsigned n;

        cr_assert(eq(int, state_commit(world.state), 0));
        commit = state_last_commit(world.state);
        n = world.n_committed;
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_expect(eq(u64, state_last_commit(world.state), commit));
        cr_expect(eq(u32, world.n_committed, n + 1));
}

Test(state, the_check_says_what_was_not_marked) {
        char path[64], line[256] = "";
        FILE *file;

        snprintf(path, sizeof(path), "%s/unmarked", world.folder);
        setenv("JOBD_CHECK_STATE", path, 1);
        restart();
        state_begin(world.state);
        world.units[3] = 5;
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_assert(lt(int, access(path, F_OK), 0), "all was marked");
        world.units[3] = 6;
        cr_assert(eq(int, state_commit(world.state), 0));
        file = fopen(path, "re");
        assert_not_null(file);
        assert_not_null(fgets(line, sizeof(line), file));
        fclose(file);
        cr_expect(strstr(line, "(1/3)") != NULL, "%s", line);
}

/* The journal outlives a file that could not be written. */
Test(state, files_that_lack_a_commit_are_behind) {
        world.units[0] = 1;
        cr_assert(eq(int, state_commit(world.state), 0));
        restart();
        cr_assert(not(state_is_behind(world.state)));
        cr_assert(eq(int, state_read(world.state, SECTION_NUMBERS, NULL), 0));
        state_begin(world.state);
        cr_assert(eq(int, state_commit(world.state), 0));
        world.fails = true;
        state_mark(world.state, STORE_UNITS, 0);
        cr_assert(lt(int, state_commit(world.state), 0));
        restart();
        cr_assert(not(state_is_behind(world.state)), "nothing has left since");

        cr_assert(eq(int, state_read(world.state, SECTION_NUMBERS, NULL), 0));
        state_begin(world.state);
        state_number_errand(world.state);
        cr_assert(lt(int, state_commit(world.state), 0));
        restart();
        cr_assert(state_is_behind(world.state));
}

Test(state, what_could_be_written_at_last_is_not_behind) {
        world.units[0] = 1;
        world.fails = true;
        state_number_errand(world.state);
        cr_assert(lt(int, state_commit(world.state), 0));
        world.fails = false;
        cr_assert(eq(int, state_commit(world.state), 0));
        restart();
        cr_assert(not(state_is_behind(world.state)));
}

Test(state, a_closed_state_takes_marks_and_writes_nothing) {
        char path[64];

        snprintf(path, sizeof(path), "%s/state", world.folder);
        state_close(world.state, true);
        cr_assert(lt(int, access(path, F_OK), 0));
        state_mark(world.state, STORE_UNITS, 0);
        cr_assert(eq(int, state_commit(world.state), 0));
        cr_assert(lt(int, access(path, F_OK), 0));
}
