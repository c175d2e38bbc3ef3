/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The state of a process, written down for its successor
 *
 * The state consists of sections: rows of a table that the owner gives, each
 * with a function that writes a record of it and one that reads it. Where data
 * change, their record is marked; marks are cheap and cannot fail. A commit
 * asks for the records that are marked. It stands in front of everything that
 * leaves the process, and before the process waits: so whatever anybody has
 * seen of the process is true for its successor, too. What happens between two
 * commits and cannot be undone (children that come and go) stands in the
 * journal.
 *
 * Without a folder to write to the owner goes on. While a full one does not
 * take a commit the state says so once, and commits to a memory file, which
 * the owner gives to somebody who outlives the process. If that fails, too,
 * the files are behind: the journal knows, and so does the successor.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/failure.h"
#include "basic/record.h"
#include "store/journal.h"
#include "store/store.h"

typedef struct State State;

typedef struct StateSection {
        StoreSpace space;
        uint32_t first, last;           /* the numbers of its records */
        /* Writes a record; nothing if there is none of that number. Called often in a row, by number. */
        void (*write)(void *userdata, uint32_t number, RecordWriter *writer);
        /* The first record from @number on: 1, 0 if there is none, or -ENOMEM. NULL: always the one at .first. */
        int (*next)(void *userdata, uint32_t number, uint32_t *ret_number);
        /* The record will be written soon: its memory may be fetched, in two steps, as StoreOwner says. May be NULL. */
        void (*soon)(void *userdata, uint32_t number, bool is_found);
        /* "a job", for tests: says which record was not marked. May be NULL. */
        const char *(*describe)(void *userdata, uint32_t number);
        /* With the userdata of state_read(). 0, -EBADMSG if it cannot be read, or -ENOMEM. */
        int (*read)(void *userdata, uint32_t number, RecordReader *reader);
} StateSection;

typedef struct StateOptions {
        const char *folder;             /* copied */
        const char *name;               /* with .version: the format of the file, see StoreFormat; borrowed */
        unsigned version, oldest;
        const StateSection *sections;   /* borrowed; those of a space in the order of their numbers */
        size_t n_sections;
        /* The section that each commit writes: its record begins with state_write_numbers(). */
        size_t numbers;
        void *userdata;                 /* of the sections' functions and of .committed; borrowed */
        /* After a commit, also if there was nothing to write. @is_written: all that is true is written down. */
        void (*committed)(void *userdata, bool is_written);
        /*
         * A memory file with what the file in the folder has no room for: it is to be held in place of the one before,
         * for the successor; -1: none any more. 0 or -errno. And: what was held for us, owned, -1: nothing. NULL: both.
         */
        int (*hold)(void *userdata, int fd);
        int (*take_held)(void *userdata);
} StateOptions;

/* Nothing is written down before state_open(); marks do nothing. 0 or -ENOMEM. */
int state_new(State **ret_state, const StateOptions *options);
State *state_free(State *state);
DEFINE_CLEANUP(State, state_free)

/* Opens the files, or makes them. STORE_E_…, or a negative errno with @ret_failure; what was set aside is said. */
int state_open(State *state, Failure *ret_failure);
/* The files are removed and made again. 0 or a negative errno with @ret_failure; then nothing is written down. */
int state_open_anew(State *state, Failure *ret_failure);
/* The file cannot be read after all. As state_open_anew(), but the old one is kept under another name. */
int state_set_aside(State *state, Failure *ret_failure);

/* Returns true if the files lack changes that a process before this one could not write down. */
bool state_is_behind(State *state);
/* Returns true if a process before this one has written a state that is not there any more. */
bool state_is_missing(State *state);

/* Gives the records of a section to its .read, by number, until one of them returns something else than 0. */
int state_read(State *state, size_t section, void *userdata);
/* The same, for a look at it: with another reader. */
int state_look(State *state, size_t section, StoreTake take, void *userdata);

/* All that was read is taken over: from here on all is written, with the first commit. */
void state_begin(State *state);
/* Nothing is written down any more, without a commit. @is_done: there is no successor, and the files are removed. */
void state_close(State *state, bool is_done);

/* — marks: a record has changed, has come or gone — */

void state_mark(State *state, StoreSpace space, uint32_t number);
void state_mark_all(State *state);
/*
 * The same, of a change that a successor finds out by itself, such as that a record is needed no longer: the next
 * commit writes it, but it alone makes none.
 */
void state_mark_later(State *state, StoreSpace space, uint32_t number);
/* Marks that are put off are so no longer: the next commit writes their records, too. */
void state_hasten(State *state);

/* — commits — */

/* 0, or why the state cannot be written. */
int state_commit(State *state);
int state_error(const State *state);    /* of the last commit: 0 or a negative errno */
uint64_t state_last_commit(const State *state);
void state_raise_commit(State *state, uint64_t commit);         /* the last one had that number, or a higher one */

/* While a commit is put off, writes some of its records: their memory is still in the processor's cache. */
void state_write_ahead(State *state);
/* Before a wait. */
void state_tidy(State *state);

const char *state_path(const State *state);     /* of the file; NULL before state_open() */
Store *state_store(State *state);               /* for tests; NULL: nothing is written down */

/* — between commits — */

Journal *state_journal(State *state);           /* borrowed; NULL: nothing is written down */
/* Errands are what leaves: each has a number, which rises, over commits and successors. */
uint64_t state_number_errand(State *state);

/* The numbers of the last commit and the last errand, as part of a record. */
void state_write_numbers(const State *state, RecordWriter *writer);
void state_read_numbers(State *state, RecordReader *reader);
