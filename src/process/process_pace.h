/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * When processes are made, and how many at once
 *
 * Pure: the time is an argument, CLOCK_MONOTONIC in µs.
 */

#include <stdbool.h>

#include "basic/usec.h"

typedef struct ProcessPace {
        unsigned limit;                 /* of .most */
        unsigned most;                  /* to be on their way at once */
        usec_t began;                   /* this stretch; 0: none has */
        usec_t rest;                    /* after each process; 0: there is enough of a processor */
        usec_t rest_until;              /* nothing is made before that */
} ProcessPace;

void process_pace_init(ProcessPace *pace, unsigned limit);

/* No stretch is under way, and the next is not to begin yet. */
bool process_pace_is_resting(const ProcessPace *pace, usec_t now);
/* The rest of this stretch, which begins with the first call, for what is to be made, or for a wait; 0: it is over. */
usec_t process_pace_left_to_make(ProcessPace *pace, usec_t now);
usec_t process_pace_left_to_wait(ProcessPace *pace, usec_t now);
/* The stretch has taken so long that a rest is to follow, if there may be one. */
bool process_pace_wants_rest(const ProcessPace *pace, usec_t now);
/* @may_rest: false where a process waits for a processor however few there are, as under SCHED_IDLE. */
void process_pace_end(ProcessPace *pace, usec_t now, bool may_rest);

/* A process has been made. */
void process_pace_note_made(ProcessPace *pace, usec_t now);
/* Must a process that has taken @taken be asked how long it waited for a processor? */
bool process_pace_wants_delay(usec_t taken);
/* One has its program, for which it waited for a processor for so long. @was_alone: no other was on its way. */
void process_pace_note_arrival(ProcessPace *pace, usec_t delay, bool was_alone);
