/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * All that can be done to the queue of one unit, and the states that it can get into
 */

#include "fuzz_player.h"

#define SEQUENCE_STEPS_MAX 4

/* Something that is done to the unit: one to four steps of a case. */
typedef struct SequenceOperation {
        FuzzStep steps[SEQUENCE_STEPS_MAX];
        unsigned n;
        bool is_basic;                  /* one of the few that are played in every sequence, whatever they lead to */
        bool is_common;                 /* one of those that come last */
} SequenceOperation;

#define SEQUENCE_OPERATIONS_MAX 80
#define SEQUENCE_UNITS_MAX 16
#define SEQUENCE_LENGTH_MAX 5U
/* So many operations are any, those behind them common ones: as far as a few seconds go, with sanitizers half a minute. */
#ifdef __SANITIZE_ADDRESS__
#define SEQUENCE_ANY_MAX 3U
#else
#define SEQUENCE_ANY_MAX 4U
#endif

extern SequenceOperation sequence_operations[SEQUENCE_OPERATIONS_MAX];
extern unsigned n_sequence_operations;
/* The unit, and how it begins. */
extern FuzzUnit sequence_units[SEQUENCE_UNITS_MAX];
extern unsigned n_sequence_units;

void sequence_fill_tables(void);

/*
 * What a player is in, down to the last field of engine and model that a later
 * operation could meet; but jobs are numbered by their age, and times are
 * counted back from now. Two equal ones go on in the same way.
 */
typedef struct SequenceState {
        uint64_t hashes[2];
} SequenceState;

SequenceState sequence_state(const FuzzPlayer *player);
