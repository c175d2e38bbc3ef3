/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times at which listeners are called: with a clock that the test moves
 */

#include "double/double_assert.h"
#include "manager/tell_policy.h"

#define MS USEC_PER_MSEC

/* On an otherwise idle processor both clocks advance alike. */
static TellClock alone(usec_t time) {
        return (TellClock) { time, time };
}

Test(tell_policy, listeners_are_told_at_once_for_the_first_time) {
        TellPolicy policy = {};

        cr_assert(not(tell_policy_may_wait(&policy, false, alone(1000 * MS), alone(1000 * MS))));
}

/* After it took @took. */
static usec_t wait_after(usec_t took) {
        TellPolicy policy = {};
        usec_t now = 5000 * MS;

        tell_policy_told(&policy, now - took, now);
        while (tell_policy_may_wait(&policy, false, alone(now), alone(now)))
                now += MS;
        return now - 5000 * MS;
}

Test(tell_policy, listeners_wait_twice_as_long_as_telling_takes_within_limits) {
        cr_expect(eq(u64, wait_after(0), 10 * MS));
        cr_expect(eq(u64, wait_after(20 * MS), 40 * MS));
        cr_expect(eq(u64, wait_after(3000 * MS), 100 * MS));
}

static void expect_three_times(bool has_answer) {
        const usec_t turn = 1000 * MS;
        TellPolicy policy = {};

        cr_assert(tell_policy_may_wait(&policy, has_answer, alone(turn), alone(turn + 30 * MS)));
        cr_assert(tell_policy_may_wait(&policy, has_answer, alone(turn + 110 * MS), alone(turn + 119 * MS)));
        cr_assert(not(tell_policy_may_wait(&policy, has_answer, alone(turn + 120 * MS), alone(turn + 120 * MS))));
}

Test(tell_policy, an_answer_waits_three_times_as_long_as_it_took_to_find_it) {
        expect_three_times(true);
}

Test(tell_policy, a_large_request_without_an_answer_waits_likewise) {
        expect_three_times(false);
}

/* Five in a hundred: the turn lasted 100 ms, in which jobd had the processor for 5. */
Test(tell_policy, time_that_others_have_the_processor_does_not_count) {
        const TellClock turn = { 1000 * MS, 40 * MS };
        TellPolicy policy = {};

        cr_assert(tell_policy_may_wait(&policy, true, turn, (TellClock) { 1100 * MS, 45 * MS }));
        cr_assert(tell_policy_may_wait(&policy, true, turn, (TellClock) { 1380 * MS, 59 * MS }));
        cr_assert(not(tell_policy_may_wait(&policy, true, turn, (TellClock) { 1400 * MS, 60 * MS })));
}

Test(tell_policy, an_answer_never_waits_longer_than_half_a_second) {
        const TellClock turn = { 1000 * MS, 0 };
        TellPolicy policy = {};

        cr_assert(tell_policy_may_wait(&policy, true, turn, (TellClock) { 11000 * MS, 10000 * MS }));
        cr_assert(not(tell_policy_may_wait(&policy, true, turn, (TellClock) { 11500 * MS, 10001 * MS })));
}

Test(tell_policy, the_next_answer_has_a_time_of_its_own) {
        const usec_t turn = 1000 * MS;
        TellPolicy policy = {};

        cr_assert(tell_policy_may_wait(&policy, true, alone(turn), alone(turn + 30 * MS)));
        tell_policy_told(&policy, turn + 120 * MS, turn + 121 * MS);
        cr_assert(tell_policy_may_wait(&policy, true, alone(turn + 130 * MS), alone(turn + 160 * MS)));
}
