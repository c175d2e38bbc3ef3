/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When listeners are told: with a clock that the test moves
 */

#include "double/double_assert.h"
#include "manager/tell_policy.h"

#define MS USEC_PER_MSEC

Test(tell_policy, listeners_are_told_at_once_for_the_first_time) {
        TellPolicy policy = {};

        cr_assert(not(tell_policy_may_wait(&policy, false, 1000 * MS, 1000 * MS, 0)));
}

/* After it took @took. */
static usec_t wait_after(usec_t took) {
        TellPolicy policy = {};
        usec_t now = 5000 * MS;

        tell_policy_told(&policy, now - took, now);
        while (tell_policy_may_wait(&policy, false, now, now, now))
                now += MS;
        return now - 5000 * MS;
}

Test(tell_policy, listeners_wait_twice_as_long_as_telling_takes_within_limits) {
        cr_expect(eq(u64, wait_after(0), 10 * MS));
        cr_expect(eq(u64, wait_after(20 * MS), 40 * MS));
        cr_expect(eq(u64, wait_after(3000 * MS), 100 * MS));
}

Test(tell_policy, an_answer_waits_three_times_as_long_as_it_took_to_find_it) {
        TellPolicy policy = {};
        usec_t turn = 1000 * MS;

        cr_assert(tell_policy_may_wait(&policy, true, turn, turn + 30 * MS, 30 * MS));
        cr_assert(tell_policy_may_wait(&policy, true, turn + 110 * MS, turn + 119 * MS, 119 * MS));
        cr_assert(not(tell_policy_may_wait(&policy, true, turn + 120 * MS, turn + 120 * MS, 120 * MS)));
}

Test(tell_policy, time_that_others_have_the_processor_does_not_count) {
        TellPolicy policy = {};
        usec_t turn = 1000 * MS;

        cr_assert(tell_policy_may_wait(&policy, true, turn, turn + 30 * MS, 30 * MS));
        cr_assert(tell_policy_may_wait(&policy, true, turn + 400 * MS, turn + 400 * MS, 119 * MS));
        cr_assert(not(tell_policy_may_wait(&policy, true, turn + 410 * MS, turn + 410 * MS, 120 * MS)));
}

Test(tell_policy, a_large_request_without_an_answer_waits_likewise) {
        TellPolicy policy = {};
        usec_t turn = 1000 * MS;

        cr_assert(tell_policy_may_wait(&policy, false, turn, turn + 30 * MS, 30 * MS));
        cr_assert(tell_policy_may_wait(&policy, false, turn + 110 * MS, turn + 119 * MS, 119 * MS));
        cr_assert(not(tell_policy_may_wait(&policy, false, turn + 120 * MS, turn + 120 * MS, 120 * MS)));
}

Test(tell_policy, an_answer_never_waits_longer_than_half_a_second) {
        TellPolicy policy = {};
        usec_t turn = 1000 * MS, found = turn + 10000 * MS;

        cr_assert(tell_policy_may_wait(&policy, true, turn, found, 0));
        cr_assert(not(tell_policy_may_wait(&policy, true, turn, found + 500 * MS, MS)));
}

Test(tell_policy, the_next_answer_has_a_time_of_its_own) {
        TellPolicy policy = {};
        usec_t turn = 1000 * MS;

        cr_assert(tell_policy_may_wait(&policy, true, turn, turn + 30 * MS, 30 * MS));
        tell_policy_told(&policy, turn + 120 * MS, turn + 121 * MS);
        cr_assert(tell_policy_may_wait(&policy, true, turn + 130 * MS, turn + 160 * MS, 160 * MS));
}
