/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * State that outlives the process
 *
 * Records under numbers, in a few spaces (jobs by id, units by index, …), in an
 * SQLite file that lies on a tmpfs. What was committed is there after a kill at
 * any instruction; what was not is not, and nothing lies in between. A power
 * cut is no concern: the tmpfs does not survive it either.
 *
 * The store keeps no copy. The owner marks what has changed; a commit asks it
 * for these records anew, and appends them to a log. So that the log does not
 * grow without end, it asks now and then for others, too.
 *
 * No function waits for anything but the file system. Errors are negative
 * errnos: -ENOSPC if the file system is full, -EIO for what SQLite reports
 * otherwise, -ENOMEM. After a failed commit everything is still marked, and the
 * next one tries again.
 */

#include "basic/failure.h"
#include "basic/record.h"

typedef struct Store Store;

typedef enum StoreSpace {
        STORE_MANAGER,                  /* counters, what there is one of */
        STORE_UNITS,
        STORE_JOBS,
        _STORE_SPACE_MAX,
} StoreSpace;

enum {
        STORE_E_OPENED,
        STORE_E_SET_ASIDE,              /* what was there could not be used, and lies beside it now; … */
        STORE_E_TOO_NEW,                /* … so does this: it is of a later version than ours */
};

/* What is in the file. It says so in words: "jobd state 5 of boot 0123…". */
typedef struct StoreFormat {
        const char *name;
        unsigned version;               /* of what is written */
        unsigned oldest;                /* version that can be read */
        const char *place;              /* what is of another one is of no use */
} StoreFormat;

/* Whoever has the state. */
typedef struct StoreOwner {
        void *userdata;
        /* Writes the record; nothing if there is none of that number. */
        void (*save)(void *userdata, StoreSpace space, uint32_t number, RecordWriter *writer);
        /* The first number from @number on that has a record: 1, 0 if there is none, or a negative errno. */
        int (*next)(void *userdata, StoreSpace space, uint32_t number, uint32_t *ret_number);
        /* The record will be written soon, so its memory may be fetched; may be NULL. */
        void (*soon)(void *userdata, StoreSpace space, uint32_t number);
} StoreOwner;

/*
 * A file of another @format, a damaged one, or what is no such file at all is
 * renamed to @path.NUMBER, never deleted, and a new one made. What is there is
 * written anew with the first commit, and is of the version of @format then.
 * Returns STORE_E_… or a negative errno.
 */
int store_open(Store **ret_store, const char *path, const StoreFormat *format, const StoreOwner *owner,
               Failure *ret_failure);
Store *store_close(Store *store);       /* without a commit; NULL */
DEFINE_CLEANUP(Store, store_close)

/* The version of what is to be loaded; after STORE_E_TOO_NEW, until a commit, of what was set aside. */
unsigned store_version(const Store *store);

/*
 * Gives every record to @take, by number, with the version of the file. A negative return of it ends the loading and is
 * returned: -EBADMSG if it cannot be read.
 */
typedef int (*StoreTake)(void *userdata, uint32_t number, RecordReader *record);
int store_load(Store *store, StoreSpace space, StoreTake take, void *userdata);

/*
 * Is what stands in the file what the owner would write now? 0, 1 and the first record that is not, or an errno. It
 * reads all of both: for tests, which so find changes that were not marked.
 */
int store_compare(Store *store, StoreSpace *ret_space, uint32_t *ret_number);

/* The records cannot be understood: sets the file aside, as store_open() does, and goes on with an empty one. */
int store_set_aside(Store *store, Failure *ret_failure);

/* The record has changed, or has come or gone. Cannot fail: without memory the next commit writes everything. */
void store_mark(Store *store, StoreSpace space, uint32_t number);
void store_mark_all(Store *store);
bool store_is_dirty(const Store *store);

/* Writes what is marked. 0 or a negative errno. */
int store_commit(Store *store);

/*
 * Writes what is marked in @space for the next commit already, if that is @n_min records or more. What is marked later
 * is asked for once more. 0, or a negative errno: everything is marked again, and the commit will say what is wrong.
 */
int store_write_ahead(Store *store, StoreSpace space, size_t n_min);

/* What commits have left to be done, for an idle moment: about a microsecond for each KiB committed since. */
void store_tidy(Store *store);
