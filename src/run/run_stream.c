/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A stream: what is pushed, linked, issued, and what comes of it
 *
 * A group has two lists: the chain, of linked elements from the head on, and
 * the elements that are not linked. The chain is a part of what is linked: the
 * rest of .waiting is behind it, in the store alone. So an element that is
 * linked joins the chain only while there is no rest. Each element of the chain
 * but the head has its data.
 *
 * What a group waits for is in .work, and decides which lists it is in. Room in
 * the heap and the tables is made when a group is, so that an end takes no
 * memory.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "run/run_private.h"
#include "run/run_retry.h"
#include "run/run_stream_private.h"

static const char *const element_states[_RUN_ELEMENT_STATE_MAX] = {
        [RUN_ELEMENT_UNLINKED] = "UNLINKED",   [RUN_ELEMENT_WAITING] = "WAITING", [RUN_ELEMENT_READY] = "READY",
        [RUN_ELEMENT_RUNNING] = "RUNNING",     [RUN_ELEMENT_PENDING] = "PENDING", [RUN_ELEMENT_SUCCEEDED] = "SUCCEEDED",
        [RUN_ELEMENT_FAILED] = "FAILED",       [RUN_ELEMENT_SKIPPED] = "SKIPPED",
};

static const char *const group_states[_RUN_GROUP_STATE_MAX] = {
        [RUN_GROUP_IDLE] = "IDLE",
        [RUN_GROUP_AT_WORK] = "AT-WORK",
        [RUN_GROUP_PENDING] = "PENDING",
};

static const char *const outcomes[_RUN_STREAM_OUTCOME_MAX] = {
        [RUN_STREAM_AS_SUCCESS] = "success",
        [RUN_STREAM_AS_FAILED] = "failed",
        [RUN_STREAM_AS_RETRY] = "retry",
        [RUN_STREAM_AS_SKIP] = "skip",
};

DEFINE_STRING_TABLE(run_element_state, RunElementState, element_states)
DEFINE_STRING_TABLE(run_group_state, RunGroupState, group_states)
DEFINE_STRING_TABLE(run_stream_outcome, RunStreamOutcome, outcomes)

bool run_element_state_is_over(RunElementState state) {
        return state == RUN_ELEMENT_SUCCEEDED || state == RUN_ELEMENT_FAILED || state == RUN_ELEMENT_SKIPPED;
}

/* — names — */

static bool is_plain(const char *text, size_t max) {
        size_t n = 0;

        while (*text) {
                const size_t length = text_utf8_length(text, strlen(text));

                /* C0, DEL and C1: the latter are two bytes. */
                if (length == 0 || (unsigned char) *text < ' ' || *text == '\x7f' ||
                    ((unsigned char) text[0] == 0xc2 && (unsigned char) text[1] < 0xa0))
                        return false;
                text += length;
                n++;
        }
        return n <= max;
}

int run_stream_check_group(const char *group) {
        return is_plain(group, RUN_STREAM_GROUP_MAX) ? 0 : -EINVAL;
}

int run_stream_check_key(const char *key) {
        return *key && strlen(key) <= RUN_STREAM_KEY_MAX && is_plain(key, RUN_STREAM_KEY_MAX) ? 0 : -EINVAL;
}

/* — the stream — */

static int check_settings(const RunStreamSettings *settings) {
        return settings->link_batch > 0 && settings->max_backlog > 0 && settings->max_groups > 0 ? 0 : -EINVAL;
}

static int compare_due(const void *a, const void *b) {
        const StreamGroup *left = a, *right = b;

        return left->due < right->due ? -1 : left->due > right->due;
}

static uint32_t *heap_place(void *group) {
        return &((StreamGroup *) group)->heap_place;
}

int run_stream_new(const RunStreamSettings *settings, uint64_t sequence, RunStream **ret_stream) {
        RunStream *stream;

        if (check_settings(settings) < 0 || sequence == 0)
                return -EINVAL;
        stream = calloc(1, sizeof(*stream));
        if (!stream)
                return -ENOMEM;
        stream->settings = *settings;
        stream->next_sequence = sequence;
        stream->is_restoring = true;
        stream->spare_group = stream->spare_key = stream->first_key = stream->last_key = STREAM_NO_SLOT;
        heap_init(&stream->delayed, compare_due, heap_place);
        *ret_stream = stream;
        return 0;
}

static void free_list(RunStream *stream, StreamList *list) {
        while (list->first)
                stream_element_free(stream, stream_list_take(list));
}

RunStream *run_stream_free(RunStream *stream) {
        if (!stream)
                return NULL;
        stream_settle(stream);
        heap_deinit(&stream->delayed);
        while (stream->first_dirty) {
                StreamElement *element = stream->first_dirty;

                stream->first_dirty = element->next_dirty;
                if (!element->is_kept)
                        stream_element_free(stream, element);
        }
        for (size_t i = 0; i < stream->groups.n; i++) {
                StreamGroup *group = stream->groups.items[i].group;

                if (!group)
                        continue;
                free_list(stream, &group->chain);
                free_list(stream, &group->unlinked);
                free(group->name);
                free(group);
        }
        vector_deinit(&stream->groups);
        index_table_deinit(&stream->by_name);
        index_table_deinit(&stream->by_sequence);
        stream_keys_deinit(stream);
        free(stream);
        return NULL;
}

/* — pushes — */

int run_stream_push(RunStream *stream, const RunStreamElement *push, usec_t now, uint64_t *ret_sequence) {
        const RunElementRow row = { .sequence = stream->next_sequence, .key = push->key, .data = push->data,
                                    .size = push->size };
        StreamElement *element;
        StreamGroup *group;
        int r;

        assert(!stream->is_restoring);

        stream_settle(stream);
        if (push->key && run_stream_find_key(stream, push->key, ret_sequence) == RUN_STREAM_KEY_USED)
                return RUN_STREAM_REPEATED;
        if (stream->backlog >= stream->settings.max_backlog)
                return RUN_STREAM_FULL;
        r = stream_group_get(stream, push->group, &group);
        if (r < 0)
                return r;
        r = stream_element_new(stream, group, &row, true, &element);
        if (r < 0) {
                stream->taken_group = group;
                return r;
        }
        stream->next_sequence++;
        if (push->key)
                stream_key_use(stream, push->key, row.sequence);
        stream_list_add(&group->unlinked, element);
        stream_element_touch(stream, element, RUN_ELEMENT_PUSHED);
        stream->backlog++;
        stream->unlinked++;
        if (!group->is_known)
                stream_want(stream, group);
        else {
                if (stream->queues[STREAM_QUEUE_LINK].n == 0)
                        stream->link_at = usec_add(now, stream->settings.link_delay);
                stream_queue_add(stream, group, STREAM_QUEUE_LINK);
        }
        *ret_sequence = row.sequence;
        return RUN_STREAM_PUSHED;
}

/* — the linker — */

static void become(RunStream *stream, StreamElement *element, RunElementState state, RunReason reason,
                   unsigned changes) {
        element->state = (uint8_t) state;
        element->reason = (uint8_t) reason;
        stream_element_touch(stream, element, changes);
}

/* Whether an element that is linked stays in memory: there is no rest before it, and room. */
static bool can_follow(const RunStream *stream, const StreamGroup *group, const StreamElement *element) {
        return group->waiting == group->chain.n && element->has_data && group->chain.n < RUN_STREAM_AHEAD &&
               stream->bytes <= RUN_STREAM_BYTES_MAX;
}

static void link_first(RunStream *stream, StreamGroup *group) {
        StreamElement *element = stream_list_take(&group->unlinked);
        const bool follows = can_follow(stream, group, element);

        element->position = group->done + group->failed + group->waiting + 1;
        become(stream, element, group->waiting == 0 ? RUN_ELEMENT_READY : RUN_ELEMENT_WAITING, RUN_REASON_NONE,
               RUN_ELEMENT_LINKED);
        group->tail = element->sequence;
        element->is_kept = false;
        group->n_held -= element->is_held;
        element->is_held = false;
        if (follows)
                stream_list_add(&group->chain, element);
        group->waiting++;
        stream->unlinked--;
}

static uint32_t link_group(RunStream *stream, StreamGroup *group, uint32_t max) {
        uint32_t n = 0;

        while (n < max && group->unlinked.n > 0) {
                link_first(stream, group);
                n++;
        }
        if (n > 0) {
                stream_group_touch(stream, group);
                if (group->work == STREAM_IDLE)
                        stream_queue_up(stream, group, false);
        }
        return n;
}

static void link_all(RunStream *stream, usec_t now) {
        uint32_t n_groups = stream->queues[STREAM_QUEUE_LINK].n, left = RUN_STREAM_LINK_MAX;

        if (now < stream->link_at)
                return;
        for (; n_groups > 0 && left > 0; n_groups--) {
                StreamGroup *group = stream->queues[STREAM_QUEUE_LINK].first;

                stream_queue_remove(stream, group, STREAM_QUEUE_LINK);
                left -= link_group(stream, group, MIN(stream->settings.link_batch, left));
                if (group->unlinked.n > 0)
                        stream_queue_add(stream, group, STREAM_QUEUE_LINK);
        }
}

/* — issue — */

void stream_delay(RunStream *stream, StreamGroup *group, usec_t due) {
        group->work = STREAM_DELAYED;
        group->due = due;
        /* There is room: stream_group_get(). */
        (void) heap_push(&stream->delayed, group);
}

static void end_delays(RunStream *stream, usec_t now) {
        StreamGroup *group;

        while ((group = heap_peek(&stream->delayed)) && group->due <= now) {
                heap_remove(&stream->delayed, group);
                stream_queue_up(stream, group, false);
        }
}

static usec_t delay_anew(const RunPolicy *policy, const StreamElement *head) {
        if (head->reason == RUN_REASON_RETRY)
                return run_retry_delay(policy, MAX(head->tries, 1U), 0);
        if (head->reason == RUN_REASON_LOST)
                return run_retry_delay(policy, 1, 0);
        return head->reason == RUN_REASON_AGAIN ? policy->again : 0;
}

/* The end of a delay is not stored: after a restart a head has all of it before it once more. */
static void delay_all_anew(RunStream *stream, usec_t now) {
        for (size_t i = 0; i < stream->groups.n; i++) {
                StreamGroup *group = stream->groups.items[i].group;
                usec_t again;

                if (!group || !group->is_restored)
                        continue;
                group->is_restored = false;
                again = group->chain.n > 0 ? delay_anew(&stream->settings.policy, group->chain.first) : 0;
                if (again == 0)
                        continue;
                stream_queue_remove(stream, group, STREAM_QUEUE_READY);
                stream_delay(stream, group, usec_add(now, again));
        }
        stream->has_restored = false;
}

static void issue(RunStream *stream, StreamGroup *group) {
        StreamElement *head = group->chain.first;

        group->work = STREAM_OUT;
        stream->n_out++;
        head->issue++;
        become(stream, head, RUN_ELEMENT_RUNNING, RUN_REASON_NONE, RUN_ELEMENT_BEGAN);
        stream_index(stream, group);
        stream_queue_add(stream, group, STREAM_QUEUE_BEGIN);
        stream_want(stream, group);
}

static void issue_all(RunStream *stream) {
        while (!stream->is_held && stream->queues[STREAM_QUEUE_READY].n > 0 &&
               stream->n_places < stream->settings.max_groups) {
                StreamGroup *group = stream->queues[STREAM_QUEUE_READY].first;

                stream_queue_remove(stream, group, STREAM_QUEUE_READY);
                stream->n_places++;
                if (group->chain.n > 0 && group->chain.first->has_data)
                        issue(stream, group);
                else {
                        group->work = STREAM_LOADING;
                        stream_want(stream, group);
                }
        }
}

void run_stream_hold(RunStream *stream, bool is_held) {
        stream->is_held = is_held;
}

static void ask_again(RunStream *stream, usec_t now) {
        StreamGroup *next;

        for (StreamGroup *group = stream->failed.first; group; group = next) {
                next = group->next[STREAM_QUEUE_ASK];
                if (group->asks_at > now)
                        continue;
                stream_queue_remove(stream, group, STREAM_QUEUE_ASK);
                group->ask = STREAM_ASK_NOTHING;
                stream_want(stream, group);
        }
}

void run_stream_step(RunStream *stream, usec_t now) {
        stream_settle(stream);
        if (stream->is_restoring)
                return;
        if (stream->has_restored)
                delay_all_anew(stream, now);
        ask_again(stream, now);
        link_all(stream, now);
        end_delays(stream, now);
        issue_all(stream);
}

usec_t run_stream_due(const RunStream *stream, usec_t now) {
        const StreamGroup *delayed = heap_peek(&stream->delayed);
        usec_t due = USEC_INFINITY;

        if (stream->is_restoring)
                return USEC_INFINITY;
        if (stream->queues[STREAM_QUEUE_READY].n > 0 && !stream->is_held &&
            stream->n_places < stream->settings.max_groups)
                return now;
        if (stream->queues[STREAM_QUEUE_LINK].n > 0)
                due = stream->link_at;
        if (delayed)
                due = MIN(due, delayed->due);
        for (const StreamGroup *group = stream->failed.first; group; group = group->next[STREAM_QUEUE_ASK])
                due = MIN(due, group->asks_at);
        return due == USEC_INFINITY ? due : MAX(due, now);
}

static void fill_begin(const RunStream *stream, const StreamGroup *group, RunStreamBegin *ret_begin) {
        const StreamElement *head = group->chain.first;

        *ret_begin = (RunStreamBegin) {
                .sequence = head->sequence,
                .group = group->name,
                .key = head->key,
                .data = head->data,
                .size = head->size,
                .tries = head->tries,
                .issue = head->issue,
                .is_repeatable = stream->settings.policy.recover == RUN_RECOVER_RETRY,
        };
}

bool run_stream_take_begin(RunStream *stream, RunStreamBegin *ret_begin) {
        StreamGroup *group = stream->queues[STREAM_QUEUE_BEGIN].first;

        stream_settle(stream);
        if (!group)
                return false;
        stream_queue_remove(stream, group, STREAM_QUEUE_BEGIN);
        fill_begin(stream, group, ret_begin);
        return true;
}

int run_stream_find_begin(const RunStream *stream, uint64_t sequence, RunStreamBegin *ret_begin) {
        const StreamGroup *group = stream_find_out(stream, sequence);

        if (!group || !group->chain.first->has_data)
                return -ENOENT;
        fill_begin(stream, group, ret_begin);
        return 0;
}

bool run_stream_is_out(const RunStream *stream, uint64_t sequence, uint32_t issue) {
        const StreamGroup *group = stream_find_out(stream, sequence);

        return group && group->chain.first->issue == issue;
}

/* — ends — */

/* The head is not out any more. */
static void leave(RunStream *stream, StreamGroup *group) {
        stream_unindex(stream, group);
        stream_queue_remove(stream, group, STREAM_QUEUE_BEGIN);
        stream->n_out--;
        stream->n_places--;
        group->work = STREAM_IDLE;
}

static void note_prune(RunStream *stream, StreamGroup *group) {
        const uint64_t over = group->done + group->failed;
        const uint32_t keep = stream->settings.keep_done;

        if (over % RUN_STREAM_PRUNE != 0 || over <= keep)
                return;
        /* The tail is over if nothing waits: it stays. */
        group->pruned = MIN(over - keep, over + group->waiting - 1);
        if (group->pruned > 0)
                stream_queue_add(stream, group, STREAM_QUEUE_PRUNE);
}

/* The next element becomes READY in the same batch; if it is not in memory, its state is that of its group. */
static void finish(RunStream *stream, StreamGroup *group, RunElementState state, RunReason reason, unsigned changes) {
        StreamElement *element = stream_list_take(&group->chain);

        become(stream, element, state, reason, changes | RUN_ELEMENT_OVER);
        element->is_kept = false;
        group->waiting--;
        stream->backlog--;
        if (state == RUN_ELEMENT_FAILED) {
                group->failed++;
                stream->n_failed++;
        } else {
                group->done++;
                stream->done++;
        }
        note_prune(stream, group);
        stream_group_touch(stream, group);
        if (group->waiting == 0)
                return;
        if (group->chain.n > 0)
                become(stream, group->chain.first, RUN_ELEMENT_READY, RUN_REASON_NONE, 0);
        stream_queue_up(stream, group, false);
}

/* A head that is not issued again soon gives its data up if there is much; they are asked for then. */
static void rest_head(RunStream *stream, StreamElement *head) {
        if (stream->bytes > RUN_STREAM_BYTES_MAX && !(head->changes & RUN_ELEMENT_PUSHED))
                stream_element_drop_data(stream, head);
}

static void stop_group(RunStream *stream, StreamGroup *group, RunReason reason) {
        become(stream, group->chain.first, RUN_ELEMENT_PENDING, reason, RUN_ELEMENT_BECAME_PENDING);
        rest_head(stream, group->chain.first);
        group->work = STREAM_STOPPED;
        stream->n_pending++;
        stream_group_touch(stream, group);
}

static void wait_until(RunStream *stream, StreamGroup *group, RunReason reason, usec_t due) {
        become(stream, group->chain.first, RUN_ELEMENT_READY, reason, 0);
        rest_head(stream, group->chain.first);
        stream_delay(stream, group, due);
}

static void fail_for_good(RunStream *stream, StreamGroup *group, RunReason reason) {
        if (stream->settings.policy.failure == RUN_POLICY_SUSPEND)
                stop_group(stream, group, RUN_REASON_FAILED);
        else
                finish(stream, group, RUN_ELEMENT_FAILED, reason, 0);
}

static void fail(RunStream *stream, StreamGroup *group, RunReason reason, usec_t now, uint32_t random) {
        const RunPolicy *policy = &stream->settings.policy;
        StreamElement *head = group->chain.first;

        head->tries++;
        if (head->tries > policy->retry) {
                fail_for_good(stream, group, reason);
                return;
        }
        wait_until(stream, group, RUN_REASON_RETRY,
                   usec_add(now, run_retry_delay(policy, head->tries, policy->jitter > 0 ? random : 0)));
}

static void end_unknown(RunStream *stream, StreamGroup *group, RunReason reason, usec_t now) {
        const RunPolicy *policy = &stream->settings.policy;
        StreamElement *head = group->chain.first;

        head->deaths += reason == RUN_REASON_LOST;
        if (policy->recover == RUN_RECOVER_FAIL)
                fail_for_good(stream, group, reason);
        else if (reason == RUN_REASON_LOST && head->deaths >= RUN_LOSSES_MAX)
                stop_group(stream, group, RUN_REASON_POISON);
        else if (policy->recover == RUN_RECOVER_PENDING)
                stop_group(stream, group, reason);
        else if (reason == RUN_REASON_LOST)
                wait_until(stream, group, reason, usec_add(now, run_retry_delay(policy, 1, 0)));
        else {
                become(stream, head, RUN_ELEMENT_READY, RUN_REASON_NONE, 0);
                stream_queue_up(stream, group, false);
        }
}

typedef struct Ended {
        uint16_t end;
        usec_t now, again;
        uint32_t random;
} Ended;

static void end_exited(RunStream *stream, StreamGroup *group, const Ended *ended) {
        const RunPolicy *policy = &stream->settings.policy;

        if (ended->end == 0 || run_end_set_has(policy->success_ends, ended->end))
                finish(stream, group, RUN_ELEMENT_SUCCEEDED, RUN_REASON_NONE, 0);
        else if (run_end_set_has(policy->pending_ends, ended->end))
                stop_group(stream, group, RUN_REASON_STATUS);
        else if (policy->again > 0 && run_end_set_has(policy->again_ends, ended->end))
                wait_until(stream, group, RUN_REASON_AGAIN,
                           usec_add(ended->now, ended->again == USEC_INFINITY ? policy->again : ended->again));
        else if (run_policy_retries(policy, ended->end))
                fail(stream, group, RUN_REASON_NONE, ended->now, ended->random);
        else {
                group->chain.first->tries++;
                fail_for_good(stream, group, RUN_REASON_NONE);
        }
}

/* The command has ended well, and what was left as the result is none: another try may leave a better one. */
static void end_without_result(RunStream *stream, StreamGroup *group, RunReason reason, const Ended *ended) {
        if (ended->end == 0 || run_end_set_has(stream->settings.policy.success_ends, ended->end))
                fail(stream, group, reason, ended->now, ended->random);
        else
                end_exited(stream, group, ended);
}

static void end_by_kind(RunStream *stream, StreamGroup *group, RunEndKind kind, const Ended *ended) {
        switch (kind) {
        case RUN_END_EXITED:
                end_exited(stream, group, ended);
                return;
        case RUN_END_FAILED:
                fail(stream, group, RUN_REASON_NONE, ended->now, ended->random);
                return;
        case RUN_END_TIMEOUT:
                fail(stream, group, RUN_REASON_DEADLINE, ended->now, ended->random);
                return;
        case RUN_END_LOST:
                end_unknown(stream, group, RUN_REASON_LOST, ended->now);
                return;
        case RUN_END_INTERRUPTED:
                end_unknown(stream, group, RUN_REASON_INTERRUPTED, ended->now);
                return;
        case RUN_END_PENDING:
                stop_group(stream, group, RUN_REASON_STATUS);
                return;
        case RUN_END_RESULT_INVALID:
                end_without_result(stream, group, RUN_REASON_RESULT_INVALID, ended);
                return;
        case RUN_END_RESULT_TOO_LARGE:
                end_without_result(stream, group, RUN_REASON_RESULT_TOO_LARGE, ended);
                return;
        case RUN_END_OUTPUT_MISSING:
                end_without_result(stream, group, RUN_REASON_OUTPUT_MISSING, ended);
                return;
        case RUN_END_WITH_ERRORS:
                finish(stream, group, RUN_ELEMENT_SUCCEEDED, RUN_REASON_NONE, 0);
                return;
        case RUN_END_REFUSED:
        case RUN_END_INPUT_MISSING:
        case RUN_END_CANCELLED:
        case _RUN_END_KIND_MAX:
                break;
        }
        fail_for_good(stream, group, kind == RUN_END_CANCELLED ? RUN_REASON_ENDED : RUN_REASON_REFUSED);
}

RunStreamEnd run_stream_end(RunStream *stream, uint64_t sequence, RunEndKind kind, uint16_t end, usec_t now,
                            usec_t again, uint32_t random) {
        const Ended ended = { .end = end, .now = now, .again = again, .random = random };
        StreamGroup *group = stream_find_out(stream, sequence);

        stream_settle(stream);
        if (!group) {
                stream->strange++;
                return RUN_STREAM_STRANGE;
        }
        leave(stream, group);
        group->chain.first->end = end;
        stream_element_touch(stream, group->chain.first, RUN_ELEMENT_ENDED);
        end_by_kind(stream, group, kind, &ended);
        return RUN_STREAM_ENDED;
}

RunStreamEnd run_stream_return(RunStream *stream, uint64_t sequence) {
        StreamGroup *group = stream_find_out(stream, sequence);

        stream_settle(stream);
        if (!group) {
                stream->strange++;
                return RUN_STREAM_STRANGE;
        }
        leave(stream, group);
        become(stream, group->chain.first, RUN_ELEMENT_READY, RUN_REASON_NONE, 0);
        stream_queue_up(stream, group, true);
        return RUN_STREAM_ENDED;
}

int run_stream_resolve(RunStream *stream, const char *name, uint64_t sequence, RunStreamOutcome outcome,
                       uint64_t *ret_sequence) {
        StreamElement *head;
        StreamGroup *group;

        stream_settle(stream);
        group = stream_group_find(stream, name);
        if (!group || group->waiting == 0)
                return -ENOENT;
        head = group->chain.first;
        if (!head || head->state != RUN_ELEMENT_PENDING)
                return -EBUSY;
        if (sequence != 0 && head->sequence != sequence)
                return -ESTALE;
        *ret_sequence = head->sequence;
        stream->n_pending--;
        group->work = STREAM_IDLE;
        stream_group_touch(stream, group);
        switch (outcome) {
        case RUN_STREAM_AS_SUCCESS:
                finish(stream, group, RUN_ELEMENT_SUCCEEDED, RUN_REASON_OPERATOR, RUN_ELEMENT_RESOLVED);
                return 0;
        case RUN_STREAM_AS_FAILED:
                finish(stream, group, RUN_ELEMENT_FAILED, RUN_REASON_OPERATOR, RUN_ELEMENT_RESOLVED);
                return 0;
        case RUN_STREAM_AS_SKIP:
                finish(stream, group, RUN_ELEMENT_SKIPPED, RUN_REASON_OPERATOR, RUN_ELEMENT_RESOLVED);
                return 0;
        case RUN_STREAM_AS_RETRY:
        case _RUN_STREAM_OUTCOME_MAX:
                break;
        }
        head->tries = head->deaths = 0;
        become(stream, head, RUN_ELEMENT_READY, RUN_REASON_OPERATOR, RUN_ELEMENT_RESOLVED);
        stream_queue_up(stream, group, false);
        return 0;
}
