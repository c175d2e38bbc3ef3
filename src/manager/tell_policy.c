/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times at which listeners are told
 *
 * Telling takes time: messages are built, a commit is written. The intervals
 * are chosen so that telling takes at most a third of the time, and no client
 * waits for a noticeable time.
 *
 * The answer to a large request is delayed by three times the time that the
 * request took, in which most of the requested jobs run. The delay is measured
 * in processor time: jobs that end in it are recorded once, as ended, whatever
 * the load of the machine. Otherwise they would be recorded and announced
 * twice. A large request that wants no answer is treated in the same way.
 */

#include <assert.h>

#include "basic/macro.h"
#include "manager/tell_policy.h"

#define LATER_MIN (10 * USEC_PER_MSEC)
#define LATER_MAX (100 * USEC_PER_MSEC)
#define ANSWER_MAX (500 * USEC_PER_MSEC)

/* Waiting time as a multiple of the time spent. */
#define FACTOR 2U
#define ANSWER_FACTOR 3U

bool tell_policy_is_recent(const TellPolicy *policy, bool has_answer, usec_t turn) {
        assert(policy);

        return !has_answer && turn < policy->later_until;
}

bool tell_policy_may_wait(TellPolicy *policy, bool has_answer, TellClock turn, TellClock now) {
        assert(policy);

        if (tell_policy_is_recent(policy, has_answer, turn.now))
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
