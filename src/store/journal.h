/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The journal: events between two commits
 *
 * The store holds the state at the time when something last left the process.
 * Everything that has left since, and every child reaped since, is recorded
 * here: in a few mapped pages of a file on a tmpfs, written without a system
 * call. If the process is killed at any instruction, the pages are as they
 * were at that instruction.
 *
 * Two kinds of entries are written by the kernel, in the call that makes them
 * true: waitid() stores the exit of the child that it reaps, and clone() the
 * pid of a child before the child runs. So there is no moment at which a child
 * was reaped or made without an entry.
 *
 * A journal belongs to one commit, by its number: entries with the number of
 * an earlier commit are already part of the state.
 */

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/failure.h"
#include "basic/macro.h"

#define JOURNAL_EXITS_MAX 256U
#define JOURNAL_SPAWNS_MAX 256U

typedef struct Journal Journal;

/* Opens the journal or makes an empty one; a file of another format is replaced. -errno with @ret_failure. */
int journal_open(Journal **ret_journal, const char *path, Failure *ret_failure);
Journal *journal_close(Journal *journal);       /* returns NULL */
DEFINE_CLEANUP(Journal, journal_close)

uint64_t journal_commit(const Journal *journal);        /* the commit that it belongs to */

/* Erases all entries; the journal then belongs to @commit. */
void journal_begin(Journal *journal, uint64_t commit);

/* — children — */

/* The place for waitid() to store the next exit, with si_pid 0; NULL if the journal is full until the next commit. */
siginfo_t *journal_next_exit(Journal *journal);
size_t journal_room_for_exits(const Journal *journal);
const siginfo_t *journal_exit_at(const Journal *journal, size_t i);     /* NULL after the last one */

/* — items that leave the process: each has an errand number, in the order of leaving — */

/* The place for clone() to store the pid of @errand's process; NULL if the journal is full until the next commit. */
pid_t *journal_begin_spawn(Journal *journal, uint64_t errand);
/* Was it about to make one? */
bool journal_has_spawn(const Journal *journal, uint64_t errand);
/* The last that it has made; 0: none. */
pid_t journal_find_spawn(const Journal *journal, uint64_t errand);

void journal_note_sent(Journal *journal, uint64_t errand);
uint64_t journal_last_sent(const Journal *journal);     /* 0: none */
