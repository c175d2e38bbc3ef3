/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <stddef.h>

#include "basic/macro.h"
#include "slow_stream.h"

SlowElement *slow_at(SlowStream *slow, uint64_t sequence) {
        return sequence >= 1 && sequence <= slow->n ? &slow->elements[sequence - 1] : NULL;
}

static bool is_over(const SlowStream *slow, const SlowElement *element) {
        if (slow->fault == SLOW_STREAM_GOES_ON && element->state == RUN_ELEMENT_PENDING)
                return true;
        if (slow->fault == SLOW_STREAM_FAILURE_STOPS && element->state == RUN_ELEMENT_FAILED)
                return false;
        return element->state == RUN_ELEMENT_SUCCEEDED || element->state == RUN_ELEMENT_FAILED ||
               element->state == RUN_ELEMENT_SKIPPED;
}

uint32_t slow_head(SlowStream *slow, uint32_t group) {
        for (uint32_t i = 0; i < slow->n; i++)
                if (slow->elements[i].group == group && slow->elements[i].position > 0 &&
                    !is_over(slow, &slow->elements[i]))
                        return i + 1;
        return 0;
}

uint32_t slow_count(SlowStream *slow, uint32_t group, RunElementState state) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < slow->n; i++)
                n += slow->elements[i].group == group && slow->elements[i].state == state;
        return n;
}

uint64_t slow_backlog(SlowStream *slow) {
        uint64_t n = 0;

        for (uint32_t i = 0; i < slow->n; i++)
                if (!is_over(slow, &slow->elements[i]) &&
                    (slow->fault != SLOW_STREAM_BACKLOG_LINKED || slow->elements[i].position > 0))
                        n++;
        return n;
}

static uint32_t linked(const SlowStream *slow, uint32_t group) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < slow->n; i++)
                n += slow->elements[i].group == group && slow->elements[i].position > 0;
        return n;
}

void slow_group_row(SlowStream *slow, uint32_t group, RunGroupRow *ret_row) {
        const uint32_t head = slow_head(slow, group);

        *ret_row = (RunGroupRow) {
                .done = slow_count(slow, group, RUN_ELEMENT_SUCCEEDED) + slow_count(slow, group, RUN_ELEMENT_SKIPPED),
                .failed = slow_count(slow, group, RUN_ELEMENT_FAILED),
                .state = head == 0                                              ? RUN_GROUP_IDLE :
                         slow_at(slow, head)->state == RUN_ELEMENT_PENDING ? RUN_GROUP_PENDING :
                                                                                  RUN_GROUP_AT_WORK,
        };
        if (slow->fault == SLOW_STREAM_SKIP_FAILS) {
                ret_row->done -= slow_count(slow, group, RUN_ELEMENT_SKIPPED);
                ret_row->failed += slow_count(slow, group, RUN_ELEMENT_SKIPPED);
        }
        for (uint32_t i = 0; i < slow->n; i++)
                if (slow->elements[i].group == group && slow->elements[i].position > 0)
                        ret_row->tail = i + 1;
        ret_row->waiting = linked(slow, group) - ret_row->done - ret_row->failed;
}

/* — pushes — */

uint32_t slow_find_key(SlowStream *slow, uint32_t key) {
        for (uint32_t i = 0; i < slow->n; i++) {
                const SlowElement *element = &slow->elements[i];

                if (element->key == key && (slow->fault != SLOW_STREAM_KEY_LOST || !is_over(slow, element)))
                        return i + 1;
        }
        return 0;
}

RunStreamPush slow_push(SlowStream *slow, uint32_t group, uint32_t key, uint32_t *ret_sequence) {
        *ret_sequence = key > 0 ? slow_find_key(slow, key) : 0;
        if (*ret_sequence > 0)
                return RUN_STREAM_REPEATED;
        if (slow_backlog(slow) >= slow->settings.max_backlog)
                return RUN_STREAM_FULL;
        slow->elements[slow->n++] = (SlowElement) { .group = group, .key = key };
        *ret_sequence = slow->n;
        return RUN_STREAM_PUSHED;
}

static uint32_t next_to_link(const SlowStream *slow, uint32_t group) {
        uint32_t found = 0;

        for (uint32_t i = 0; i < slow->n; i++)
                if (slow->elements[i].group == group && slow->elements[i].state == RUN_ELEMENT_UNLINKED &&
                    (found == 0 || slow->fault == SLOW_STREAM_LINKS_BACKWARDS))
                        found = i + 1;
        return found;
}

static void wake(SlowStream *slow, uint32_t group) {
        const uint32_t head = slow_head(slow, group);

        if (head > 0 && slow_at(slow, head)->state == RUN_ELEMENT_WAITING)
                slow_at(slow, head)->state = RUN_ELEMENT_READY;
}

void slow_link(SlowStream *slow) {
        for (uint32_t group = 0; group < SLOW_GROUPS; group++) {
                uint32_t n = 0, next;

                while (slow->is_known[group] && (next = next_to_link(slow, group)) > 0 &&
                       (n < slow->settings.link_batch || slow->fault == SLOW_STREAM_LINKS_ALL)) {
                        slow_at(slow, next)->position = linked(slow, group) + 1;
                        slow_at(slow, next)->state = RUN_ELEMENT_WAITING;
                        n++;
                        if (slow->fault != SLOW_STREAM_LOSES_WAKE_UP)
                                wake(slow, group);
                }
        }
}

/* — attempts — */

bool slow_can_begin(SlowStream *slow, uint32_t group, usec_t now) {
        const uint32_t head = slow_head(slow, group);

        return head > 0 && slow_at(slow, head)->state == RUN_ELEMENT_READY && slow_at(slow, head)->due <= now;
}

const char *slow_begin(SlowStream *slow, uint64_t sequence, usec_t now) {
        SlowElement *element = slow_at(slow, sequence);

        if (!element)
                return "there is no such element";
        if (slow_head(slow, element->group) != sequence)
                return "it is not the head of its group";
        if (element->state != RUN_ELEMENT_READY)
                return "it is not READY";
        if (element->due > now)
                return "it is delayed";
        element->state = RUN_ELEMENT_RUNNING;
        element->reason = RUN_REASON_NONE;
        return NULL;
}

static void over(SlowStream *slow, SlowElement *element, RunElementState state, RunReason reason) {
        element->state = state;
        element->reason = reason;
        if (slow->fault != SLOW_STREAM_NEXT_WAITS)
                wake(slow, element->group);
}

static void pending(SlowElement *element, RunReason reason) {
        element->state = RUN_ELEMENT_PENDING;
        element->reason = reason;
}

static void ready(const SlowStream *slow, SlowElement *element, RunReason reason, usec_t due) {
        element->state = RUN_ELEMENT_READY;
        element->reason = reason;
        element->due = slow->fault == SLOW_STREAM_NO_DELAY ? 0 : due;
}

static void fail_for_good(SlowStream *slow, SlowElement *element, RunReason reason) {
        if (slow->settings.policy.failure == RUN_POLICY_SUSPEND && slow->fault != SLOW_STREAM_NO_SUSPEND)
                pending(element, RUN_REASON_FAILED);
        else
                over(slow, element, RUN_ELEMENT_FAILED, reason);
}

static void fail(SlowStream *slow, SlowElement *element, RunReason reason, usec_t now) {
        const uint32_t tries = slow->settings.policy.retry + (slow->fault == SLOW_STREAM_ONE_TRY_MORE);

        if (element->tries++ < tries)
                ready(slow, element, RUN_REASON_RETRY, now + slow->settings.policy.delay);
        else
                fail_for_good(slow, element, reason);
}

static void end_unknown(SlowStream *slow, SlowElement *element, RunReason reason, usec_t now) {
        const bool is_lost = reason == RUN_REASON_LOST;
        RunRecover recover = slow->settings.policy.recover;

        if (slow->fault == SLOW_STREAM_RECOVER_RETRIES)
                recover = RUN_RECOVER_RETRY;
        element->deaths += is_lost;
        element->tries += is_lost && slow->fault == SLOW_STREAM_LOST_TAKES_TRY;
        element->tries += !is_lost && slow->fault == SLOW_STREAM_INTERRUPTED_TAKES_TRY;
        if (recover == RUN_RECOVER_FAIL)
                fail_for_good(slow, element, reason);
        else if (is_lost && element->deaths >= 3 && slow->fault != SLOW_STREAM_NO_POISON)
                pending(element, RUN_REASON_POISON);
        else if (recover == RUN_RECOVER_PENDING)
                pending(element, reason);
        else
                ready(slow, element, is_lost ? reason : RUN_REASON_NONE,
                      is_lost ? now + slow->settings.policy.delay : 0);
}

static void end_exited(SlowStream *slow, SlowElement *element, uint16_t end, usec_t now, usec_t again) {
        const RunPolicy *policy = &slow->settings.policy;

        if (end == 0)
                over(slow, element, RUN_ELEMENT_SUCCEEDED, RUN_REASON_NONE);
        else if (run_end_set_has(policy->pending_ends, end))
                pending(element, RUN_REASON_STATUS);
        else if (run_end_set_has(policy->again_ends, end)) {
                element->tries += slow->fault == SLOW_STREAM_AGAIN_TAKES_TRY;
                ready(slow, element, RUN_REASON_AGAIN, now + (again == USEC_INFINITY ? policy->again : again));
        } else if (run_end_set_has(policy->no_retry_ends, end)) {
                element->tries++;
                fail_for_good(slow, element, RUN_REASON_NONE);
        } else
                fail(slow, element, RUN_REASON_NONE, now);
}

RunStreamEnd slow_end(SlowStream *slow, uint64_t sequence, RunEndKind kind, uint16_t end, usec_t now, usec_t again) {
        SlowElement *element = slow_at(slow, sequence);

        if (!element || element->state != RUN_ELEMENT_RUNNING)
                return RUN_STREAM_STRANGE;
        if (kind == RUN_END_EXITED)
                end_exited(slow, element, end, now, again);
        else if (kind == RUN_END_LOST)
                end_unknown(slow, element, RUN_REASON_LOST, now);
        else if (kind == RUN_END_INTERRUPTED)
                end_unknown(slow, element, RUN_REASON_INTERRUPTED, now);
        else if (kind == RUN_END_PENDING)
                pending(element, RUN_REASON_STATUS);
        else if (kind == RUN_END_TIMEOUT)
                fail(slow, element, RUN_REASON_DEADLINE, now);
        else
                fail_for_good(slow, element, RUN_REASON_REFUSED);
        return RUN_STREAM_ENDED;
}

RunStreamEnd slow_return(SlowStream *slow, uint64_t sequence) {
        SlowElement *element = slow_at(slow, sequence);

        if (!element || element->state != RUN_ELEMENT_RUNNING)
                return RUN_STREAM_STRANGE;
        element->tries += slow->fault == SLOW_STREAM_RETURN_TAKES_TRY;
        ready(slow, element, RUN_REASON_NONE, 0);
        return RUN_STREAM_ENDED;
}

int slow_resolve(SlowStream *slow, uint32_t group, uint64_t sequence, RunStreamOutcome outcome) {
        const uint32_t head = slow_head(slow, group);
        SlowElement *element = slow_at(slow, head);

        if (!element)
                return -ENOENT;
        if (element->state != RUN_ELEMENT_PENDING)
                return -EBUSY;
        if (sequence != 0 && sequence != head)
                return -ESTALE;
        switch (outcome) {
        case RUN_STREAM_AS_SUCCESS:
                over(slow, element, RUN_ELEMENT_SUCCEEDED, RUN_REASON_OPERATOR);
                break;
        case RUN_STREAM_AS_FAILED:
                over(slow, element, RUN_ELEMENT_FAILED, RUN_REASON_OPERATOR);
                break;
        case RUN_STREAM_AS_SKIP:
                over(slow, element, RUN_ELEMENT_SKIPPED, RUN_REASON_OPERATOR);
                break;
        case RUN_STREAM_AS_RETRY:
        case _RUN_STREAM_OUTCOME_MAX:
                if (slow->fault != SLOW_STREAM_RETRY_KEEPS_TRIES)
                        element->tries = element->deaths = 0;
                ready(slow, element, RUN_REASON_OPERATOR, 0);
                break;
        }
        return 0;
}

void slow_restart(SlowStream *slow, usec_t now) {
        for (uint32_t i = 0; i < slow->n; i++) {
                SlowElement *element = &slow->elements[i];
                const bool is_again = element->reason == RUN_REASON_AGAIN;

                if (element->state != RUN_ELEMENT_READY)
                        continue;
                element->due = 0;
                if (is_again || element->reason == RUN_REASON_RETRY || element->reason == RUN_REASON_LOST)
                        ready(slow, element, element->reason,
                              now + (is_again ? slow->settings.policy.again : slow->settings.policy.delay));
        }
}
