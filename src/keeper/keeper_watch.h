/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Whether core still serves
 *
 * A core that asks to be watched is asked now and then whether it serves, if
 * nothing has come from it by itself; a core that does not answer is ended,
 * and the next one is started. What takes its time on a busy machine is not
 * taken for that: the processor time of core tells.
 */

#include <stdbool.h>
#include <stdint.h>

typedef enum KeeperWatchStage {
        KEEPER_WATCH_RESTS,             /* heard of core not long ago */
        KEEPER_WATCH_ASKS,              /* has asked */
        KEEPER_WATCH_DOUBTS,            /* … and looks at the processor time */
        KEEPER_WATCH_ENDS,              /* core was told to end */
        KEEPER_WATCH_KILLED,
} KeeperWatchStage;

typedef struct KeeperWatch {
        uint64_t limit;                 /* µs: a core that does not answer for so long is ended; 0: it is not watched */
        KeeperWatchStage stage;
        bool wants_answer;              /* the question is to be sent */
        uint64_t next;                  /* µs: the time of the next step */
        uint64_t asked_at;              /* µs */
        uint64_t processor;             /* µs of processor time of core at the last step */
} KeeperWatch;

typedef struct Keeper Keeper;

/* @limit in µs; 0: core is not watched any more. */
void keeper_watch_set(Keeper *keeper, uint64_t limit, uint64_t now);
/* A message has come from core. */
void keeper_watch_heard(Keeper *keeper, uint64_t now);
/* Does what is due. */
void keeper_watch_step(Keeper *keeper, uint64_t now);
/* The time of the next step; KEEPER_NEVER without one. */
uint64_t keeper_watch_next(const Keeper *keeper);

/*
 * Whether a process that has used @used µs of processor time within @span µs, and is in a state of proc(5), loops or
 * waits for something that does not come.
 */
bool keeper_watch_is_hung(uint64_t used, uint64_t span, char state);
