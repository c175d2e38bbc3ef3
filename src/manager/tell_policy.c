/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When listeners are told what has happened
 *
 * Telling costs time: messages are built, a commit is written. The intervals
 * are chosen so that telling takes a third of the time at most, and nobody
 * waits longer than a person notices. A client that has asked for much waits
 * for its answer twice as long again as it took to find the answer; most of
 * what it asked for happens in that time.
 */

#include <assert.h>

#include "basic/macro.h"
#include "manager/tell_policy.h"

#define LATER_MIN (10 * USEC_PER_MSEC)
#define LATER_MAX (100 * USEC_PER_MSEC)
#define ANSWER_MAX (500 * USEC_PER_MSEC)

/* Time to wait, for each that was spent. */
#define FACTOR 2U

bool tell_policy_may_wait(TellPolicy *policy, bool has_answer, usec_t turn, usec_t now) {
        assert(policy);

        if (!has_answer)
                return turn < policy->later_until;
        if (policy->answer_until == 0)
                policy->answer_until = usec_add(now, MIN(FACTOR * usec_sub(now, turn), ANSWER_MAX));
        return now < policy->answer_until;
}

void tell_policy_told(TellPolicy *policy, usec_t began, usec_t now) {
        usec_t took = usec_sub(now, began);

        assert(policy);

        policy->answer_until = 0;
        policy->later_until = usec_add(now, MIN(MAX(FACTOR * took, LATER_MIN), LATER_MAX));
}
