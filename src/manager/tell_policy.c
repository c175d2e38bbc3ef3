/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When listeners are told what has happened
 *
 * Telling costs time: messages are built, a commit is written. The intervals
 * are chosen so that telling takes a third of the time at most, and nobody
 * waits longer than a person notices.
 *
 * A client that has asked for much waits for its answer three times as long
 * again as it took to find the answer; most of what it asked for happens in
 * that time. It is processor time: jobs that end in it are written down once,
 * as ended, however much others use the machine. Told in the middle, they would
 * be written and announced twice. A large request that wants no answer waits
 * likewise.
 */

#include <assert.h>

#include "basic/macro.h"
#include "manager/tell_policy.h"

#define LATER_MIN (10 * USEC_PER_MSEC)
#define LATER_MAX (100 * USEC_PER_MSEC)
#define ANSWER_MAX (500 * USEC_PER_MSEC)

/* Time to wait, for each that was spent. */
#define FACTOR 2U
#define ANSWER_FACTOR 3U

bool tell_policy_may_wait(TellPolicy *policy, bool has_answer, TellClock turn, TellClock now) {
        assert(policy);

        if (!has_answer && turn.now < policy->later_until)
                return true;
        if (policy->answer_until == 0) {
                policy->answer_until = usec_add(now.now, ANSWER_MAX);
                policy->answer_spent = usec_add(now.spent, ANSWER_FACTOR * usec_sub(now.spent, turn.spent));
        }
        return now.now < policy->answer_until && now.spent < policy->answer_spent;
}

void tell_policy_told(TellPolicy *policy, usec_t began, usec_t now) {
        usec_t took = usec_sub(now, began);

        assert(policy);

        policy->answer_until = 0;
        policy->later_until = usec_add(now, MIN(MAX(FACTOR * took, LATER_MIN), LATER_MAX));
}
