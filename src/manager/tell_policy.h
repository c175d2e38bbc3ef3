/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The times at which listeners are told
 *
 * Normally at the end of each turn. While jobs begin and end one after the
 * other, many turns are combined: one message for all changes of a unit, and
 * one commit. Pure: the time is an argument, CLOCK_MONOTONIC in µs.
 */

#include <stdbool.h>

#include "basic/usec.h"

/* Two clocks read together: CLOCK_MONOTONIC, and the processor time of the process. */
typedef struct TellClock {
        usec_t now, spent;
} TellClock;

typedef struct TellPolicy {
        usec_t later_until;             /* until then listeners wait while jobs begin and end */
        usec_t answer_until;            /* until then a client's answer waits, likewise; 0: none */
        usec_t answer_spent;            /* or until this much processor time was spent */
} TellPolicy;

/* Must listeners wait because the last time is recent, and no client waits? @turn: when the turn began. */
bool tell_policy_is_recent(const TellPolicy *policy, bool has_answer, usec_t turn);

/*
 * May what is to be told at the end of a turn wait for a later one? To be asked while jobs are ready. @has_answer: a
 * client waits for something. @turn: when the turn began.
 */
bool tell_policy_may_wait(TellPolicy *policy, bool has_answer, TellClock turn, TellClock now);

/* Everything was told; that took from @began to @now, both of CLOCK_MONOTONIC. */
void tell_policy_told(TellPolicy *policy, usec_t began, usec_t now);
