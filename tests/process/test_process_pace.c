/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pace at which processes are made
 */

#include "double/double_assert.h"
#include "process/process_pace.h"

#define MSEC USEC_PER_MSEC
#define LIMIT 32U

static void arrive(ProcessPace *pace, unsigned n, usec_t delay) {
        while (n-- > 0)
                process_pace_note_arrival(pace, delay, false);
}

Test(process_pace, a_stretch_is_over_some_time) {
        ProcessPace pace;

        process_pace_init(&pace, LIMIT);
        cr_assert(process_pace_left_to_make(&pace, 1000 * MSEC) == 20 * MSEC);
        cr_assert(process_pace_left_to_wait(&pace, 1001 * MSEC) == 4 * MSEC);
        cr_assert(process_pace_left_to_wait(&pace, 1005 * MSEC) == 0);
        cr_assert(process_pace_left_to_make(&pace, 1015 * MSEC) == 5 * MSEC);
        cr_assert(process_pace_left_to_make(&pace, 1020 * MSEC) == 0);
        process_pace_end(&pace, 1020 * MSEC, true);
        cr_assert(not(process_pace_is_resting(&pace, 1020 * MSEC)));
        cr_assert(process_pace_left_to_make(&pace, 1020 * MSEC) == 20 * MSEC);
}

Test(process_pace, more_are_on_their_way_as_long_as_none_waits) {
        ProcessPace pace;

        process_pace_init(&pace, LIMIT);
        cr_assert(eq(uint, pace.most, 1));
        arrive(&pace, 7, 0);
        cr_assert(eq(uint, pace.most, 8));
        arrive(&pace, 1, 21 * MSEC);
        cr_assert(eq(uint, pace.most, 4));
        arrive(&pace, 100, 19 * MSEC);
        cr_assert(eq(uint, pace.most, LIMIT));
        arrive(&pace, 100, 500 * MSEC);
        cr_assert(eq(uint, pace.most, 1));
        cr_assert(pace.rest == 0, "others were in their way: a rest would not help");
}

Test(process_pace, where_one_alone_has_to_wait_there_are_rests) {
        ProcessPace pace;
        unsigned n = 0;

        process_pace_init(&pace, LIMIT);
        process_pace_note_arrival(&pace, 60 * MSEC, true);
        cr_assert(pace.rest == 0);
        process_pace_note_arrival(&pace, 70 * MSEC, true);
        cr_assert(pace.rest == 140 * MSEC);
        cr_assert(eq(uint, pace.most, 1));
        cr_assert(process_pace_left_to_wait(&pace, 1000 * MSEC) == 0);
        cr_assert(process_pace_left_to_make(&pace, 1000 * MSEC) == 20 * MSEC);
        process_pace_note_made(&pace, 1001 * MSEC);
        cr_assert(process_pace_left_to_make(&pace, 1001 * MSEC) == 0, "one in a stretch");
        process_pace_end(&pace, 1001 * MSEC, true);
        cr_assert(process_pace_is_resting(&pace, 1140 * MSEC));
        cr_assert(not(process_pace_is_resting(&pace, 1141 * MSEC)));

        process_pace_note_arrival(&pace, USEC_PER_SEC, true);
        cr_assert(pace.rest == 150 * MSEC, "but not for ever");
        for (; pace.rest > 0; n++) {
                const usec_t before = pace.rest;

                process_pace_note_arrival(&pace, 0, true);
                cr_assert(pace.rest < before);
        }
        cr_assert(n > 20 && n < 60, "%u", n);
        process_pace_note_arrival(&pace, 0, true);
        cr_assert(eq(uint, pace.most, 2));
}

Test(process_pace, a_stretch_that_had_to_wait_is_followed_by_no_rest_where_that_brings_nothing) {
        ProcessPace pace;

        process_pace_init(&pace, LIMIT);
        process_pace_left_to_make(&pace, 1000 * MSEC);
        process_pace_end(&pace, 2000 * MSEC, false);
        cr_assert(not(process_pace_is_resting(&pace, 2000 * MSEC)));
}

Test(process_pace, a_stretch_that_had_to_wait_is_followed_by_a_rest) {
        ProcessPace pace;

        process_pace_init(&pace, LIMIT);
        process_pace_left_to_make(&pace, 1000 * MSEC);
        process_pace_end(&pace, 1080 * MSEC, true);
        cr_assert(not(process_pace_is_resting(&pace, 1080 * MSEC)));
        cr_assert(not(process_pace_wants_rest(&pace, 1165 * MSEC)), "no stretch is under way");
        process_pace_left_to_make(&pace, 1080 * MSEC);
        cr_assert(not(process_pace_wants_rest(&pace, 1160 * MSEC)));
        cr_assert(process_pace_wants_rest(&pace, 1165 * MSEC));
        process_pace_end(&pace, 1165 * MSEC, true);
        cr_assert(eq(uint, pace.most, 1));
        cr_assert(process_pace_is_resting(&pace, 1294 * MSEC));
        cr_assert(not(process_pace_is_resting(&pace, 1295 * MSEC)));
}
