/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What happened between two commits
 *
 * The store says what was true when something last left the process. What has
 * left since then, and which children were reaped, stands here: a few pages of
 * a file on a tmpfs, written without a system call. A kill at any instruction
 * leaves them as they were at that instruction.
 *
 * Two of the entries are made by the kernel itself, in the call that makes them
 * true: waitid() puts down whom it has reaped, and clone() the pid of a child
 * before that runs. So there is no moment at which a child is gone, or here, and
 * the journal does not say so.
 *
 * A journal goes with one commit, by its number: entries of another one are
 * part of the state already.
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

/* Opens what is there, else makes an empty one; a file of another kind is replaced. -errno with @ret_failure. */
int journal_open(Journal **ret_journal, const char *path, Failure *ret_failure);
Journal *journal_close(Journal *journal);       /* NULL */
DEFINE_CLEANUP(Journal, journal_close)

uint64_t journal_commit(const Journal *journal);        /* that it goes with */

/* Empty, and of the commit @commit. */
void journal_begin(Journal *journal, uint64_t commit);

/* — children — */

/* Where waitid() shall put the next exit, with si_pid 0 for now; NULL if there is no room before the next commit. */
siginfo_t *journal_next_exit(Journal *journal);
size_t journal_room_for_exits(const Journal *journal);
const siginfo_t *journal_exit_at(const Journal *journal, size_t i);     /* NULL behind the last one */

/* — what leaves: each errand has a number, and they leave in its order — */

/* Where clone() shall put the pid of @errand's process; NULL if there is no room before the next commit. */
pid_t *journal_begin_spawn(Journal *journal, uint64_t errand);
/* Was it about to make one? */
bool journal_has_spawn(const Journal *journal, uint64_t errand);
/* The last that it has made; 0: none. */
pid_t journal_find_spawn(const Journal *journal, uint64_t errand);

void journal_note_sent(Journal *journal, uint64_t errand);
uint64_t journal_last_sent(const Journal *journal);     /* 0: none */
