/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The store: state that outlives the process
 *
 * Records, identified by numbers within a few spaces (jobs by id, units by
 * index, …), in an SQLite file on a tmpfs. If the process is killed at any
 * instruction, all committed data is there and nothing else. Power cuts need
 * no care: the tmpfs does not survive them either.
 *
 * The store keeps no copy of records. The owner marks changed records; a
 * commit requests these from the owner and appends them to a log. To bound the
 * log, it sometimes requests unmarked ones, too.
 *
 * While the file cannot be written, commits go to a spare, a memory file that
 * somebody holds for the next process. The file is tried again when space has
 * become free, and now and then.
 *
 * No function waits for anything but the file system. Errors are negative
 * errnos: -ENOSPC if the file system is full, -EIO for other errors of SQLite,
 * -ENOMEM. After a failed commit everything is still marked, and the next
 * commit tries again.
 */

#include "basic/failure.h"
#include "basic/record.h"

typedef struct Store Store;

typedef enum StoreSpace {
        STORE_MANAGER, /* counters, and objects of which there is one */
        STORE_UNITS,
        STORE_JOBS,
        STORE_ERRANDS,
        STORE_ATTEMPTS,
        STORE_CALLBACKS,
        _STORE_SPACE_MAX,
} StoreSpace;

enum {
        STORE_E_OPENED,
        STORE_E_SET_ASIDE, /* the file was unusable, and was renamed */
        STORE_E_TOO_NEW, /* the same, because a later version wrote it */
};

/* The format of the file, which is stored in it as text: "jobd state 5 of boot 0123…". */
typedef struct StoreFormat {
        const char *name;
        unsigned version; /* version to be written */
        unsigned oldest; /* oldest version that can be read */
        const char *place; /* a file of another place is not used */
} StoreFormat;

/* The owner of the state. */
typedef struct StoreOwner {
        void *userdata;
        /* Writes the record; writes nothing if there is no such record. */
        void (*save)(void *userdata, StoreSpace space, uint32_t number, RecordWriter *writer);
        /* The first number from @number on that has a record: 1, 0 if there is none, or a negative errno. */
        int (*next)(void *userdata, StoreSpace space, uint32_t number, uint32_t *ret_number);
        /*
         * Announces that the record will be written soon, so that its memory can be prefetched: first what is found by
         * the number, and some records later, with @is_found, what that refers to. May be NULL.
         */
        void (*soon)(void *userdata, StoreSpace space, uint32_t number, bool is_found);
        /*
         * Has a copy of the spare held, in place of the one before, until the next call; -1: none any more. 0 or
         * -errno. NULL: nobody can, and there are no spares.
         */
        int (*hold)(void *userdata, int fd);
} StoreOwner;

/*
 * Opens or makes the file. A file of another @format, a damaged one, or one that is no SQLite file is renamed to
 * @path.NUMBER, never deleted, and a new one is made. The first commit writes all records again, in the version of
 * @format. Returns STORE_E_… or a negative errno. SQLite is configured for a process with one thread.
 */
int store_open(Store **ret_store, const char *path, const StoreFormat *format, const StoreOwner *owner,
               Failure *ret_failure);
Store *store_close(Store *store); /* without a commit; returns NULL */
DEFINE_CLEANUP(Store, store_close)

/*
 * Before anything is loaded: the spare of a process before this one, owned. True: it has later records than the file,
 * which are loaded from it.
 */
bool store_take_spare(Store *store, int fd);

/* The version of the records to be loaded; after STORE_E_TOO_NEW, and until a commit, that of the renamed file. */
unsigned store_version(const Store *store);

/*
 * Passes every record to @take, by number. A negative return value of @take ends the loading and is returned, such as
 * -EBADMSG for a record that cannot be read.
 */
typedef int (*StoreTake)(void *userdata, uint32_t number, RecordReader *record);
int store_load(Store *store, StoreSpace space, StoreTake take, void *userdata);

/*
 * Compares all records with those that the owner would write now: 0 if they are equal, 1 with the first difference, or
 * a negative errno. For tests, which find changes that were not marked this way.
 */
int store_compare(Store *store, StoreSpace *ret_space, uint32_t *ret_number);

/* For records that cannot be understood: renames the file, like store_open(), and continues with an empty one. */
int store_set_aside(Store *store, Failure *ret_failure);

/* The record has changed, was added or removed. Cannot fail: without memory the next commit writes everything. */
void store_mark(Store *store, StoreSpace space, uint32_t number);
void store_mark_all(Store *store);
bool store_is_dirty(const Store *store);

/* Writes the marked records, to the file or to a spare. 0, or a negative errno if neither is possible. */
int store_commit(Store *store);
/* Why the records are in a spare, a negative errno; 0: they are in the file. */
int store_file_error(const Store *store);

/*
 * Writes the marked records of @space ahead of the next commit, if there are at least @n_min. A record marked after
 * that is written again. 0, or a negative errno: everything is marked again, and the commit will report the error.
 */
int store_write_ahead(Store *store, StoreSpace space, size_t n_min);

/* Does work that commits have postponed, in an idle moment: about a microsecond for each KiB committed since. */
void store_tidy(Store *store);
