/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When processes are made, and how many at once
 *
 * A process on its way to its program works, and a sandbox is much work. Where
 * it has to wait for a processor, others make it wait longer, and us, too: the
 * quota of a control group holds for all in it, and whoever comes when it is
 * used up waits for the next period, 100 ms by default.
 *
 * So processes are made in stretches, between which all sources are served. The
 * number of those on their way grows by one with each that had a processor when
 * it wanted one, and is halved by each that had not. If one that was alone had
 * to wait, there is next to no processor: then a stretch makes one, and a rest
 * follows, twice as long as it waited. It gets shorter with each that did not. So not
 * every period of a quota is used up, and there is something left for answers.
 */

#include "basic/macro.h"
#include "process/process_pace.h"

/* The longer, the cheaper, for each turn writes down what waits. */
#define STRETCH (20 * USEC_PER_MSEC)
/* For those on their way alone: most have their programs by then. */
#define WAIT (5 * USEC_PER_MSEC)
/* A stretch that takes so much longer had to wait for a processor itself. */
#define LONGER_BY (60 * USEC_PER_MSEC)

/* To begin with. */
#define MOST_FIRST 1U
/* One that waits so long has others in its way … */
#define DELAY_OF_MANY (20 * USEC_PER_MSEC)
/* … and if it was alone, there is next to no processor: on a machine that is merely busy a turn comes sooner. */
#define DELAY_ALONE (60 * USEC_PER_MSEC)
#define REST_MIN (10 * USEC_PER_MSEC)
#define REST_MAX (150 * USEC_PER_MSEC)
/* Of a rest, which the next one is shorter by: what all rests after a delay cost is a small multiple of it. */
#define REST_PART 16U

void process_pace_init(ProcessPace *pace, unsigned limit) {
        *pace = (ProcessPace) { .limit = limit, .most = MIN(MOST_FIRST, limit) };
}

bool process_pace_is_resting(const ProcessPace *pace, usec_t now) {
        return now < pace->rest_until && pace->began == 0;
}

static usec_t left_of(ProcessPace *pace, usec_t length, usec_t now) {
        if (pace->began == 0)
                pace->began = now;
        return usec_sub(pace->began + length, now);
}

usec_t process_pace_left_to_make(ProcessPace *pace, usec_t now) {
        return now < pace->rest_until ? 0 : left_of(pace, STRETCH, now);
}

usec_t process_pace_left_to_wait(ProcessPace *pace, usec_t now) {
        return pace->rest > 0 ? 0 : left_of(pace, WAIT, now);
}

static void slow_down(ProcessPace *pace, usec_t delay) {
        pace->most = 1;
        pace->rest = MAX(pace->rest, MIN(2 * delay, REST_MAX));
}

bool process_pace_wants_rest(const ProcessPace *pace, usec_t now) {
        return pace->began > 0 && usec_sub(now, pace->began) > STRETCH + LONGER_BY;
}

void process_pace_end(ProcessPace *pace, usec_t now, bool may_rest) {
        if (may_rest && process_pace_wants_rest(pace, now)) {
                slow_down(pace, usec_sub(now, pace->began) - STRETCH);
                pace->rest_until = now + pace->rest;
        }
        pace->began = 0;
}

void process_pace_note_made(ProcessPace *pace, usec_t now) {
        if (pace->rest > 0)
                pace->rest_until = now + pace->rest;
}

bool process_pace_wants_delay(usec_t taken) {
        return taken > DELAY_OF_MANY;
}

void process_pace_note_arrival(ProcessPace *pace, usec_t delay, bool was_alone) {
        if (was_alone && delay > DELAY_ALONE) {
                slow_down(pace, delay);
        } else if (delay > DELAY_OF_MANY) {
                pace->most = MAX(pace->most / 2, 1U);
        } else if (pace->rest > 0) {
                pace->rest -= pace->rest / REST_PART;
                if (pace->rest < REST_MIN)
                        pace->rest = 0;
        } else {
                pace->most = MIN(pace->most + 1, pace->limit);
        }
}
