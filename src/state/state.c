/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of a process, written down
 *
 * The store knows records by space and number, the owner knows sections. Here
 * the one is mapped to the other, commits are counted, and the two files (the
 * store's and the journal's) are kept together.
 *
 * A change that is not marked is lost if the process dies, and nothing shows it
 * until then. So tests compare all that is in memory with what was committed,
 * after each commit: $JOBD_CHECK_STATE names the file that says what differs.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/macro.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "state/state.h"

/* Records of units that are written ahead at once: many for a row, and few enough to be in the caches yet. */
#define WRITTEN_AHEAD_MIN 256U

typedef struct StateLater {
        StoreSpace space;
        uint32_t number;
} StateLater;

struct State {
        StateOptions options;           /* .folder is owned */
        Store *store;                   /* owned; NULL: nothing is written down */
        Journal *journal;               /* owned; NULL if .store is */
        char *path, *journal_path;      /* owned */
        VECTOR(StateLater) later;       /* marks that are put off; some twice */
        uint64_t commit;                /* number of the last one */
        uint64_t last_errand;           /* number of the last errand … */
        uint64_t written_errand;        /* … and of the last one that is written down */
        int error;                      /* of the last commit: it was said; 0: none */
        bool is_in_memory;              /* the last commit is in memory, not in the file: it was said */
        const char *check_path;         /* of the environment; NULL: nothing is checked */
        const StateSection *found;      /* the last that was looked for: many records of one are written in a row */
};

int state_new(State **ret_state, const StateOptions *options) {
        cleanup_(state_freep) State *state = calloc(1, sizeof(*state));

        assert(ret_state);
        assert(options && options->sections && options->committed);

        if (!state)
                return -ENOMEM;
        state->options = *options;
        state->options.folder = strdup(options->folder);
        if (!state->options.folder)
                return -ENOMEM;
        *ret_state = take_ptr(state);
        return 0;
}

static void close_files(State *state) {
        state->store = store_close(state->store);
        state->journal = journal_close(state->journal);
}

State *state_free(State *state) {
        if (!state)
                return NULL;

        close_files(state);
        vector_deinit(&state->later);
        free(state->path);
        free(state->journal_path);
        free((char *) state->options.folder);
        free(state);
        return NULL;
}

/* — records — */

static int hold(void *userdata, int fd) {
        const State *state = userdata;

        return state->options.hold(state->options.userdata, fd);
}

static bool section_has(const StateSection *section, StoreSpace space, uint32_t number) {
        return section->space == space && section->first <= number && number <= section->last;
}

static const StateSection *find_section(State *state, StoreSpace space, uint32_t number) {
        if (state->found && section_has(state->found, space, number))
                return state->found;
        for (size_t i = 0; i < state->options.n_sections; i++) {
                const StateSection *section = &state->options.sections[i];

                if (section_has(section, space, number)) {
                        state->found = section;
                        return section;
                }
        }
        return NULL;
}

static void save(void *userdata, StoreSpace space, uint32_t number, RecordWriter *writer) {
        State *state = userdata;
        const StateSection *section = find_section(state, space, number);

        if (section)
                section->write(state->options.userdata, number, writer);
}

static int next_in(const State *state, const StateSection *section, uint32_t number, uint32_t *ret_number) {
        if (section->next)
                return section->next(state->options.userdata, number, ret_number);
        *ret_number = section->first;
        return number <= section->first;
}

static int next(void *userdata, StoreSpace space, uint32_t number, uint32_t *ret_number) {
        const State *state = userdata;

        for (size_t i = 0; i < state->options.n_sections; i++) {
                const StateSection *section = &state->options.sections[i];
                int r;

                if (section->space != space || section->last < number)
                        continue;
                r = next_in(state, section, MAX(number, section->first), ret_number);
                if (r != 0)
                        return r;
        }
        return 0;
}

static void soon(void *userdata, StoreSpace space, uint32_t number, bool is_found) {
        State *state = userdata;
        const StateSection *section = find_section(state, space, number);

        if (section && section->soon)
                section->soon(state->options.userdata, number, is_found);
}

/* One section of a space; the records of others are passed over. */
typedef struct Reading {
        const StateSection *section;
        StoreTake take;
        void *userdata;                 /* borrowed */
} Reading;

static int take(void *userdata, uint32_t number, RecordReader *reader) {
        const Reading *reading = userdata;

        if (number >= reading->section->first && number <= reading->section->last)
                return reading->take(reading->userdata, number, reader);
        reader->at = reader->end;
        return 0;
}

int state_look(State *state, size_t section, StoreTake reader, void *userdata) {
        Reading reading = { .section = &state->options.sections[section], .take = reader, .userdata = userdata };

        assert(section < state->options.n_sections);

        return store_load(state->store, reading.section->space, take, &reading);
}

int state_read(State *state, size_t section, void *userdata) {
        return state_look(state, section, state->options.sections[section].read, userdata);
}

static int take_commit(void *userdata, uint32_t number, RecordReader *reader) {
        *(uint64_t *) userdata = record_get(reader);
        reader->at = reader->end;       /* the rest is only for taking over */
        return reader->has_failed ? -EBADMSG : 0;
}

/* 0: there is none, or it cannot be read. */
static uint64_t find_commit(State *state) {
        uint64_t commit = 0;
        int r = state_look(state, state->options.numbers, take_commit, &commit);

        return r < 0 ? 0 : commit;
}

bool state_is_behind(State *state) {
        const uint64_t commit = find_commit(state);

        return commit > 0 && journal_commit(state->journal) > commit;
}

bool state_is_missing(State *state) {
        return find_commit(state) == 0 && journal_commit(state->journal) > 0;
}

/* — marks — */

void state_mark(State *state, StoreSpace space, uint32_t number) {
        if (state->store)
                store_mark(state->store, space, number);
}

void state_mark_all(State *state) {
        if (state->store)
                store_mark_all(state->store);
}

void state_mark_later(State *state, StoreSpace space, uint32_t number) {
        if (state->store && vector_push(&state->later, ((StateLater) { space, number })) < 0)
                state_mark(state, space, number);
}

void state_hasten(State *state) {
        for (size_t i = 0; i < state->later.n; i++)
                state_mark(state, state->later.items[i].space, state->later.items[i].number);
        vector_clear(&state->later);
}

/* — the files — */

static void read_boot_id(char id[static 37]) {
        int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, id, 36);

        if (fd >= 0)
                close(fd);
        if (n != 36)
                strcpy(id, "unknown");
        else
                id[36] = '\0';
}

static int open_store(State *state, Failure *ret_failure) {
        const StateOptions *options = &state->options;
        char boot_id[37], place[48];
        const StoreFormat format = { options->name, options->version, options->oldest, place };
        int r;

        read_boot_id(boot_id);
        snprintf(place, sizeof(place), "boot %s", boot_id);
        r = store_open(&state->store, state->path, &format,
                       &(StoreOwner) { state, save, next, soon, options->hold ? hold : NULL }, ret_failure);
        if (r == STORE_E_TOO_NEW)
                log_warning("The state in %s is of a later version of jobd (format %u; this one knows %u): "
                            "the file was renamed. Running units are found by their processes; jobs are lost.",
                            state->path, store_version(state->store), options->version);
        else if (r == STORE_E_SET_ASIDE)
                log_warning("The state in %s is damaged, too old or of another boot: "
                            "the file was renamed, and is not used.", state->path);
        return r;
}

static void take_held(State *state) {
        int fd = state->options.take_held ? state->options.take_held(state->options.userdata) : -1;

        if (fd >= 0 && store_take_spare(state->store, fd))
                log_notice("The state is taken from memory, as %s could not be written.", state->path);
}

static int open_files(State *state, Failure *ret_failure) {
        int r = journal_open(&state->journal, state->journal_path, ret_failure);

        if (r >= 0)
                r = open_store(state, ret_failure);
        if (r < 0)
                close_files(state);
        return r;
}

int state_open(State *state, Failure *ret_failure) {
        int r;

        assert(!state->path);

        if (text_format(&state->path, "%s/state", state->options.folder) < 0 ||
            text_format(&state->journal_path, "%s/journal", state->options.folder) < 0)
                return failure_set(ret_failure, -ENOMEM, "NoMemory", "No memory for the state.");
        r = open_files(state, ret_failure);
        if (r >= 0)
                take_held(state);
        return r;
}

static void remove_files(const State *state) {
        static const char *const suffixes[] = { "", "-wal", "-journal" };
        cleanup_free_ char *path = NULL;

        for (size_t i = 0; i < ELEMENTSOF(suffixes); i++) {
                free(take_ptr(path));
                if (text_format(&path, "%s%s", state->path, suffixes[i]) == 0)
                        unlink(path);
        }
        unlink(state->journal_path);
}

int state_open_anew(State *state, Failure *ret_failure) {
        int r;

        close_files(state);
        remove_files(state);
        if (state->options.hold)
                (void) state->options.hold(state->options.userdata, -1);
        r = open_files(state, ret_failure);
        return MIN(r, 0);
}

int state_set_aside(State *state, Failure *ret_failure) {
        int r = store_set_aside(state->store, ret_failure);

        if (r < 0)
                close_files(state);
        return r;
}

void state_begin(State *state) {
        if (!state->store)
                return;
        state->check_path = getenv("JOBD_CHECK_STATE");
        state->commit = MAX(state->commit, journal_commit(state->journal)) + 1;
        store_mark_all(state->store);
}

void state_close(State *state, bool is_done) {
        if (is_done && state->store)
                remove_files(state);
        close_files(state);
}

/* — was everything that has changed marked? — */

static void say_unmarked(State *state, int fd, StoreSpace space, uint32_t number) {
        const StateSection *section = find_section(state, space, number);
        const char *name = NULL;

        if (section && section->describe)
                name = section->describe(state->options.userdata, number);
        dprintf(fd, "Commit %llu: %s (%d/%u) has changed, and was not marked.\n", (unsigned long long) state->commit,
                name ?: "a record", space, number);
}

static void check(State *state) {
        StoreSpace space = 0;
        uint32_t number = 0;
        int fd, r;

        if (!state->check_path || state->later.n > 0)
                return;
        r = store_compare(state->store, &space, &number);
        if (r == 0)
                return;
        fd = open(state->check_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (fd < 0)
                return;
        if (r > 0)
                say_unmarked(state, fd, space, number);
        else
                dprintf(fd, "Commit %llu cannot be read: %d\n", (unsigned long long) state->commit, r);
        close(fd);
}

/* — commits — */

static void note_failure(State *state, int error) {
        if (state->error == 0)
                log_error("Cannot write the state to %s: %s. Jobs and services go on; "
                          "but if jobd dies before there is room again, its successor looks for running units "
                          "by their processes, and knows of no jobs.",
                          state->path, strerror(-error));
        state->error = error;
        state->is_in_memory = false;
}

static void note_success(State *state) {
        const int error = store_file_error(state->store);

        if (error < 0 && !state->is_in_memory)
                log_error("Cannot write the state to %s: %s. It is in memory until there is room again, and outlives "
                          "jobd-core, but not jobd.",
                          state->path, strerror(-error));
        else if (error == 0 && (state->error < 0 || state->is_in_memory))
                log_notice("The state can be written to %s again.", state->path);
        state->error = 0;
        state->is_in_memory = error < 0;
}

/* Without the commit: what has left since the last one, and what was reaped, is in the journal, and known by that. */
static bool journal_suffices(const State *state) {
        return state->last_errand == state->written_errand &&
               journal_room_for_exits(state->journal) > JOURNAL_EXITS_MAX / 2;
}

static int write_marked(State *state) {
        const StateSection *numbers = &state->options.sections[state->options.numbers];
        int r;

        state->commit++;
        state_hasten(state);
        state_mark(state, numbers->space, numbers->first);
        r = store_commit(state->store);
        if (r < 0) {
                note_failure(state, r);
                if (journal_suffices(state)) {
                        state->commit--;
                        return r;
                }
        } else {
                note_success(state);
                state->written_errand = state->last_errand;
        }
        /* Also after a failure: a journal of a later commit than the file's says that the file is behind. */
        journal_begin(state->journal, state->commit);
        return r;
}

int state_commit(State *state) {
        int r = 0;

        if (state->store && store_is_dirty(state->store))
                r = write_marked(state);
        if (state->store && r == 0)
                check(state);
        state->options.committed(state->options.userdata, r == 0);
        return r;
}

int state_error(const State *state) {
        return state->error;
}

uint64_t state_last_commit(const State *state) {
        return state->commit;
}

void state_raise_commit(State *state, uint64_t commit) {
        state->commit = MAX(state->commit, commit);
}

void state_write_ahead(State *state) {
        if (state->store && state->error == 0)
                (void) store_write_ahead(state->store, STORE_UNITS, WRITTEN_AHEAD_MIN);
}

void state_tidy(State *state) {
        if (state->store)
                store_tidy(state->store);
}

const char *state_path(const State *state) {
        return state->path;
}

Store *state_store(State *state) {
        return state->store;
}

/* — between commits — */

Journal *state_journal(State *state) {
        return state->journal;
}

uint64_t state_number_errand(State *state) {
        const StateSection *numbers = &state->options.sections[state->options.numbers];

        state_mark(state, numbers->space, numbers->first);
        return ++state->last_errand;
}

void state_write_numbers(const State *state, RecordWriter *writer) {
        record_put(writer, state->commit);
        record_put(writer, state->last_errand);
}

void state_read_numbers(State *state, RecordReader *reader) {
        state->commit = record_get(reader);
        state->last_errand = state->written_errand = record_get(reader);
}
