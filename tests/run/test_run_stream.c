/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Elements of streams: names, the delay of the linker, rows, queries, memory, and the cost of a step
 *
 * S000-3, S000-4, S000-26 to S000-36, S000-38, S000-39
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "double/double_assert.h"
#include "double/double_memory.h"
#include "run/run_stream_private.h"

#define NOW (7 * USEC_PER_SEC)

static const RunStreamSettings usual = {
        .policy = { .recover = RUN_RECOVER_RETRY, .failure = RUN_POLICY_CONTINUE, .retry = 1, .delay = 1000,
                    .max_delay = USEC_INFINITY, .window = USEC_INFINITY },
        .link_batch = 100,
        .max_backlog = 1000000,
        .keep_done = 10,
        .max_groups = 4,
};

static RunStream *made(const RunStreamSettings *settings) {
        RunStream *stream;

        cr_assert(eq(int, run_stream_new(settings, 1, &stream), 0));
        run_stream_begin(stream);
        return stream;
}

static uint64_t pushed(RunStream *stream, const char *group) {
        const RunStreamElement element = { .group = group, .data = "abc", .size = 3 };
        uint64_t sequence;

        cr_assert(eq(int, run_stream_push(stream, &element, NOW, &sequence), RUN_STREAM_PUSHED));
        return sequence;
}

/* Takes all rows; the last one of an element, and how many there were. */
static uint32_t take_rows(RunStream *stream, RunElementRow *ret_last) {
        RunElementRow element;
        RunStreamPrune prune;
        RunGroupRow group;
        uint32_t n = 0;

        while (run_stream_take_element(stream, &element)) {
                if (ret_last)
                        *ret_last = element;
                n++;
        }
        while (run_stream_take_group(stream, &group))
                n++;
        while (run_stream_take_prune(stream, &prune))
                n++;
        return n;
}

/* The store has no group. */
static void answer_groups(RunStream *stream) {
        RunStreamQuery query;

        while (run_stream_take_query(stream, &query))
                if (query.kind == RUN_STREAM_QUERY_GROUP)
                        run_stream_answer_group(stream, query.group, NULL);
}

static uint64_t begun(RunStream *stream) {
        RunStreamBegin begin;

        return run_stream_take_begin(stream, &begin) ? begin.sequence : 0;
}

static RunStreamCounts count(const RunStream *stream) {
        RunStreamCounts counts;

        run_stream_count(stream, &counts);
        return counts;
}

Test(run_stream, names_of_groups_are_a_hundred_characters) {
        char name[4 * RUN_STREAM_GROUP_MAX + 8] = "";

        cr_assert(eq(int, run_stream_check_group(""), 0));
        for (uint32_t i = 0; i < RUN_STREAM_GROUP_MAX; i++)
                strcat(name, "单");
        cr_assert(eq(int, run_stream_check_group(name), 0));
        strcat(name, "x");
        cr_assert(eq(int, run_stream_check_group(name), -EINVAL));
        cr_assert(eq(int, run_stream_check_group("a\nb"), -EINVAL));
        cr_assert(eq(int, run_stream_check_group("a\x7f"), -EINVAL));
        cr_assert(eq(int, run_stream_check_group("a\xc2\x85"), -EINVAL));
        cr_assert(eq(int, run_stream_check_group("a\xff"), -EINVAL));
        cr_assert(eq(int, run_stream_check_key(""), -EINVAL));
        cr_assert(eq(int, run_stream_check_key("order 7"), 0));
}

Test(run_stream, settings_that_cannot_be) {
        RunStreamSettings settings = usual;
        RunStream *stream;

        cr_assert(eq(int, run_stream_new(&settings, 0, &stream), -EINVAL));
        settings.max_groups = 0;
        cr_assert(eq(int, run_stream_new(&settings, 1, &stream), -EINVAL));
}

/* Pushed, linked and issued in one turn, an element is one row. */
Test(run_stream, a_row_is_taken_once_in_a_turn) {
        RunStream *stream = made(&usual);
        RunElementRow row;

        pushed(stream, "a");
        answer_groups(stream);
        run_stream_step(stream, NOW);
        cr_assert(eq(u32, take_rows(stream, &row), 2));
        cr_assert(eq(int, row.state, RUN_ELEMENT_RUNNING));
        cr_assert(eq(int, (int) row.changes, RUN_ELEMENT_PUSHED | RUN_ELEMENT_LINKED | RUN_ELEMENT_BEGAN));
        cr_assert(eq(u64, row.position, 1));
        cr_assert(eq(u64, begun(stream), 1));
        cr_assert(eq(u64, begun(stream), 0));
        run_stream_free(stream);
}

/* The end of an element, and READY of the next, are rows of one turn. */
Test(run_stream, the_next_is_ready_with_the_end) {
        RunStream *stream = made(&usual);
        RunElementRow rows[3];

        pushed(stream, "a");
        pushed(stream, "a");
        answer_groups(stream);
        run_stream_step(stream, NOW);
        take_rows(stream, NULL);
        cr_assert(eq(int, run_stream_end(stream, 1, RUN_END_EXITED, 0, NOW, USEC_INFINITY, 0), RUN_STREAM_ENDED));
        cr_assert(run_stream_take_element(stream, &rows[0]));
        cr_assert(eq(int, rows[0].state, RUN_ELEMENT_SUCCEEDED));
        cr_assert(eq(int, (int) rows[0].changes, RUN_ELEMENT_ENDED | RUN_ELEMENT_OVER));
        cr_assert(run_stream_take_element(stream, &rows[1]));
        cr_assert(eq(u64, rows[1].sequence, 2));
        cr_assert(eq(int, rows[1].state, RUN_ELEMENT_READY));
        cr_assert(not(run_stream_take_element(stream, &rows[2])));
        cr_assert(eq(int, run_stream_end(stream, 1, RUN_END_EXITED, 0, NOW, USEC_INFINITY, 0), RUN_STREAM_STRANGE));
        cr_assert(eq(u64, count(stream).strange, 1));
        run_stream_free(stream);
}

Test(run_stream, the_linker_waits_for_its_delay) {
        RunStreamSettings settings = usual;
        RunStream *stream;

        settings.link_delay = 500;
        stream = made(&settings);
        pushed(stream, "a");
        cr_assert(eq(u64, run_stream_due(stream, NOW), USEC_INFINITY));
        answer_groups(stream);
        run_stream_step(stream, NOW);
        take_rows(stream, NULL);
        pushed(stream, "a");
        cr_assert(eq(u64, run_stream_due(stream, NOW), NOW + 500));
        run_stream_step(stream, NOW + 499);
        cr_assert(eq(u64, count(stream).unlinked, 1));
        run_stream_step(stream, NOW + 500);
        cr_assert(eq(u64, count(stream).unlinked, 0));
        run_stream_free(stream);
}

/* What is left over is linked in the next step, at once; what comes meanwhile comes behind. */
Test(run_stream, a_step_links_so_many_of_a_group) {
        RunStreamSettings settings = usual;
        RunStream *stream;

        settings.link_batch = 2;
        stream = made(&settings);
        for (uint32_t i = 0; i < 5; i++) {
                pushed(stream, "a");
                pushed(stream, "b");
        }
        answer_groups(stream);
        run_stream_step(stream, NOW);
        cr_assert(eq(u64, count(stream).unlinked, 6));
        cr_assert(eq(u64, run_stream_due(stream, NOW), NOW));
        run_stream_step(stream, NOW);
        run_stream_step(stream, NOW);
        cr_assert(eq(u64, count(stream).unlinked, 0));
        cr_assert(eq(u64, run_stream_due(stream, NOW), USEC_INFINITY));
        run_stream_free(stream);
}

Test(run_stream, a_group_without_work_is_no_more) {
        RunStream *stream = made(&usual);

        pushed(stream, "a");
        answer_groups(stream);
        run_stream_step(stream, NOW);
        take_rows(stream, NULL);
        cr_assert(eq(u64, begun(stream), 1));
        run_stream_end(stream, 1, RUN_END_EXITED, 0, NOW, USEC_INFINITY, 0);
        take_rows(stream, NULL);
        run_stream_step(stream, NOW);
        cr_assert(eq(u32, count(stream).groups, 0));
        cr_assert(eq(u64, count(stream).bytes, 0));
        cr_assert(eq(u64, count(stream).backlog, 0));
        cr_assert(eq(u64, count(stream).done, 1));
        run_stream_free(stream);
}

/* While it is held nothing is issued, and pushes are linked. */
Test(run_stream, a_stream_that_is_held_issues_nothing) {
        RunStream *stream = made(&usual);

        run_stream_hold(stream, true);
        pushed(stream, "a");
        answer_groups(stream);
        run_stream_step(stream, NOW);
        cr_assert(eq(u64, begun(stream), 0));
        cr_assert(eq(u64, count(stream).unlinked, 0));
        cr_assert(eq(u64, run_stream_due(stream, NOW), USEC_INFINITY));
        run_stream_hold(stream, false);
        cr_assert(eq(u64, run_stream_due(stream, NOW), NOW));
        run_stream_step(stream, NOW);
        cr_assert(eq(u64, begun(stream), 1));
        run_stream_free(stream);
}

/* A group that has been served stands behind those that wait. */
Test(run_stream, groups_take_turns) {
        RunStreamSettings settings = usual;
        RunStream *stream;

        settings.max_groups = 1;
        stream = made(&settings);
        for (uint32_t i = 0; i < 2; i++) {
                pushed(stream, "a");
                pushed(stream, "b");
        }
        answer_groups(stream);
        for (uint64_t i = 1; i <= 4; i++) {
                run_stream_step(stream, NOW);
                cr_assert(eq(u64, begun(stream), i));
                cr_assert(eq(u64, begun(stream), 0));
                run_stream_end(stream, i, RUN_END_EXITED, 0, NOW, USEC_INFINITY, 0);
        }
        run_stream_free(stream);
}

/* The answer that there is no such key comes after the element with it is durable. */
Test(run_stream, a_late_answer_about_a_key_makes_no_second_element) {
        const RunStreamElement element = { .group = "a", .key = "k" };
        RunStream *stream = made(&usual);
        uint64_t sequence = 0;
        RunStreamKey found;

        cr_assert(eq(int, run_stream_pin_key(stream, "k", &found, &sequence), 0));
        cr_assert(eq(int, found, RUN_STREAM_KEY_ASK));
        cr_assert(eq(int, run_stream_pin_key(stream, "k", &found, &sequence), 0));
        cr_assert(eq(int, found, RUN_STREAM_KEY_ASKED));
        run_stream_answer_key(stream, "k", 0);
        cr_assert(eq(int, run_stream_push(stream, &element, NOW, &sequence), RUN_STREAM_PUSHED));
        run_stream_unpin_key(stream, "k");
        take_rows(stream, NULL);
        run_stream_note_durable(stream, sequence);
        cr_assert(eq(int, run_stream_push(stream, &element, NOW, &sequence), RUN_STREAM_REPEATED));
        cr_assert(eq(u64, sequence, 1));
        run_stream_unpin_key(stream, "k");
        cr_assert(eq(int, run_stream_pin_key(stream, "k", &found, &sequence), 0));
        cr_assert(eq(int, found, RUN_STREAM_KEY_ASK));
        run_stream_answer_key(stream, "k", 1);
        cr_assert(eq(int, run_stream_find_key(stream, "k", &sequence), RUN_STREAM_KEY_USED));
        run_stream_unpin_key(stream, "k");
        run_stream_free(stream);
}

/* After each allocation that fails nothing has changed, and the push succeeds when there is memory. */
Test(run_stream, a_push_without_memory_changes_nothing) {
        const RunStreamElement element = { .group = "a", .key = "k", .data = "abc", .size = 3 };
        bool has_failed = true;

        for (size_t n = 1; has_failed; n++) {
                RunStream *stream = made(&usual);
                RunStreamKey found;
                uint64_t sequence;
                int r;

                double_memory_arm(n, false);
                r = run_stream_pin_key(stream, "k", &found, &sequence);
                if (r == 0) {
                        run_stream_answer_key(stream, "k", 0);
                        r = run_stream_push(stream, &element, NOW, &sequence);
                }
                has_failed = double_memory_disarm();
                cr_assert(eq(int, r, has_failed ? -ENOMEM : RUN_STREAM_PUSHED), "allocation %zu", n);
                cr_assert(eq(u64, count(stream).backlog, !has_failed));
                cr_assert(eq(u32, take_rows(stream, NULL), !has_failed));
                run_stream_step(stream, NOW);
                cr_assert(eq(u32, count(stream).groups, !has_failed));
                run_stream_free(stream);
        }
}

/* The rest of a long group is in the store: what is in memory does not grow. */
Test(run_stream, a_long_group_takes_no_memory) {
        RunStream *stream = made(&usual);

        pushed(stream, "a");
        answer_groups(stream);
        for (uint32_t i = 0; i < 100000; i++) {
                pushed(stream, "a");
                if (i % 100 == 99) {
                        run_stream_step(stream, NOW);
                        run_stream_step(stream, NOW);
                        take_rows(stream, NULL);
                }
        }
        run_stream_step(stream, NOW);
        take_rows(stream, NULL);
        run_stream_step(stream, NOW);
        cr_assert(eq(u64, count(stream).backlog, 100001));
        cr_assert(le(u64, count(stream).bytes, 3 * (RUN_STREAM_AHEAD + 1)));
        cr_assert(eq(u32, stream_group_find(stream, "a")->chain.n, RUN_STREAM_AHEAD));
        run_stream_free(stream);
}

/* Ends take no memory. */
Test(run_stream, what_has_ended_needs_no_memory) {
        RunStreamSettings settings = usual;
        RunStream *stream;

        settings.policy.retry = 0;
        settings.max_groups = 64;
        stream = made(&settings);
        for (uint32_t i = 0; i < 64; i++) {
                char group[8] = { (char) ('0' + i / 10), (char) ('0' + i % 10) };

                pushed(stream, group);
                pushed(stream, group);
        }
        answer_groups(stream);
        double_memory_arm(1, true);
        run_stream_step(stream, NOW);
        for (uint64_t sequence; (sequence = begun(stream)) > 0;)
                run_stream_end(stream, sequence, sequence % 4 ? RUN_END_EXITED : RUN_END_LOST, sequence % 8 == 1, NOW,
                               USEC_INFINITY, 0);
        run_stream_step(stream, NOW + USEC_PER_SEC);
        cr_assert(not(double_memory_disarm()));
        cr_assert(eq(u32, count(stream).out, 64));
        run_stream_free(stream);
}

/* Also if nothing that is over is to be kept. */
Test(run_stream, the_tail_is_never_pruned) {
        RunStreamSettings settings = usual;
        RunStreamPrune prune = {};
        RunStream *stream;

        settings.keep_done = 0;
        stream = made(&settings);
        for (uint32_t i = 0; i < RUN_STREAM_PRUNE; i++)
                pushed(stream, "a");
        answer_groups(stream);
        for (uint64_t i = 1; i <= RUN_STREAM_PRUNE; i++) {
                RunStreamQuery query;

                run_stream_step(stream, NOW);
                while (run_stream_take_query(stream, &query)) {
                        for (uint64_t n = query.position + 1; n <= query.position + query.limit; n++)
                                run_stream_answer_element(stream, &(RunElementRow) { .sequence = n, .group = "a",
                                                                                     .position = n,
                                                                                     .state = RUN_ELEMENT_WAITING });
                        run_stream_answer_end(stream, "a", NOW);
                        run_stream_step(stream, NOW);
                }
                cr_assert(eq(u64, begun(stream), i));
                run_stream_end(stream, i, RUN_END_EXITED, 0, NOW, USEC_INFINITY, 0);
        }
        cr_assert(run_stream_take_prune(stream, &prune));
        assert_string(prune.group, "a");
        cr_assert(eq(u64, prune.position, RUN_STREAM_PRUNE - 1));
        run_stream_free(stream);
}

/* A store that answers what it was not asked for makes no second element. */
Test(run_stream, an_answer_that_is_none_is_dropped) {
        const RunElementRow row = { .sequence = 1, .group = "a", .position = 1, .state = RUN_ELEMENT_READY };
        RunStream *stream = made(&usual);
        RunStreamQuery query;

        cr_assert(eq(int, run_stream_answer_element(stream, &row), 0));
        run_stream_answer_end(stream, "a", NOW);
        run_stream_answer_group(stream, "a", NULL);
        for (uint32_t i = 0; i < RUN_STREAM_AHEAD + 8; i++)
                pushed(stream, "a");
        answer_groups(stream);
        run_stream_step(stream, NOW);
        take_rows(stream, NULL);
        for (uint64_t i = 1; i <= RUN_STREAM_AHEAD * 3 / 4; i++) {
                cr_assert(eq(u64, begun(stream), i));
                run_stream_end(stream, i, RUN_END_EXITED, 0, NOW, USEC_INFINITY, 0);
                run_stream_step(stream, NOW);
        }
        cr_assert(run_stream_take_query(stream, &query));
        cr_assert(eq(int, query.kind, RUN_STREAM_QUERY_ELEMENTS));
        cr_assert(eq(u64, query.position, RUN_STREAM_AHEAD));
        for (uint64_t n = 1; n <= RUN_STREAM_AHEAD; n++)
                cr_assert(eq(int, run_stream_answer_element(stream, &(RunElementRow) { .sequence = n, .group = "a",
                                                                                       .position = n }), 0));
        cr_assert(eq(u32, stream_group_find(stream, "a")->chain.n, RUN_STREAM_AHEAD / 4));
        run_stream_free(stream);
}

/* The rows of a group that was dormant begin with those that are over, and are not asked for. */
Test(run_stream, a_group_that_wakes_asks_for_what_is_not_over) {
        RunStream *stream = made(&usual);
        RunStreamQuery query;

        for (uint32_t i = 0; i < 2 * RUN_STREAM_AHEAD; i++)
                pushed(stream, "a");
        take_rows(stream, NULL);
        cr_assert(run_stream_take_query(stream, &query));
        run_stream_answer_group(stream, "a", &(RunGroupRow) { .name = "a", .tail = 7, .done = 500, .failed = 40 });
        run_stream_step(stream, NOW);
        cr_assert(eq(u32, stream_group_find(stream, "a")->chain.n, RUN_STREAM_AHEAD));
        cr_assert(eq(u64, begun(stream), 1));
        for (uint64_t i = 1; i <= RUN_STREAM_AHEAD * 3 / 4; i++) {
                run_stream_end(stream, i, RUN_END_EXITED, 0, NOW, USEC_INFINITY, 0);
                run_stream_step(stream, NOW);
        }
        cr_assert(run_stream_take_query(stream, &query));
        cr_assert(eq(int, query.kind, RUN_STREAM_QUERY_ELEMENTS));
        cr_assert(eq(u64, query.position, 540 + RUN_STREAM_AHEAD));
        run_stream_free(stream);
}

/* What is linked and not in memory is asked for, and a group that does not get it holds up no other. */
Test(run_stream, a_head_that_does_not_come_takes_no_place) {
        RunStreamSettings settings = usual;
        RunStreamQuery query;
        RunStream *stream;

        settings.max_groups = 1;
        cr_assert(eq(int, run_stream_new(&settings, 900, &stream), 0));
        cr_assert(eq(int, run_stream_restore_group(stream, &(RunGroupRow) { .name = "a", .tail = 800, .waiting = 2,
                                                                            .done = 600 }), 0));
        run_stream_begin(stream);
        run_stream_step(stream, NOW);
        cr_assert(run_stream_take_query(stream, &query));
        cr_assert(eq(u64, query.position, 600));
        cr_assert(eq(u32, count(stream).places, 1));
        run_stream_answer_end(stream, "a", NOW + 100);
        cr_assert(eq(u32, count(stream).places, 0));
        cr_assert(eq(u64, run_stream_due(stream, NOW), NOW + 100));
        run_stream_step(stream, NOW + 100);
        cr_assert(run_stream_take_query(stream, &query));
        cr_assert(eq(int, run_stream_answer_element(stream, &(RunElementRow) { .sequence = 790, .group = "a",
                                                                               .position = 601,
                                                                               .state = RUN_ELEMENT_WAITING }), 0));
        run_stream_answer_end(stream, "a", NOW + 100);
        run_stream_step(stream, NOW + 100);
        cr_assert(eq(u64, begun(stream), 790));
        run_stream_free(stream);
}

Test(run_stream, words_of_states) {
        assert_string(run_element_state_to_string(RUN_ELEMENT_UNLINKED), "UNLINKED");
        assert_string(run_group_state_to_string(RUN_GROUP_AT_WORK), "AT-WORK");
        cr_assert(eq(int, (int) run_stream_outcome_from_string("skip"), RUN_STREAM_AS_SKIP));
        cr_assert(eq(int, (int) run_element_state_from_string("READY"), RUN_ELEMENT_READY));
}

static RunStream *restored(RunElementState state, uint32_t issue) {
        const RunElementRow row = {
                .sequence = 1, .group = "a", .data = "abc", .size = 3, .position = 1, .state = state, .issue = issue
        };
        RunStream *stream;

        cr_assert(eq(int, run_stream_new(&usual, 2, &stream), 0));
        cr_assert(eq(int, run_stream_restore_group(stream, &(RunGroupRow) { .name = "a", .head = 1, .tail = 1,
                                                                            .waiting = 1,
                                                                            .state = RUN_GROUP_AT_WORK }), 0));
        cr_assert(eq(int, run_stream_restore_element(stream, &row), 0));
        return stream;
}

/* The store has died before it had the end of the first attempt, and the begin of the second. */
Test(run_stream, the_newest_attempt_is_the_elements_whatever_the_store_has) {
        RunStream *stream = restored(RUN_ELEMENT_RUNNING, 1);
        RunElementRow last = {};

        cr_assert(eq(int, run_stream_claim(stream, 1, 2, 1), 0));
        cr_assert(eq(int, run_stream_claim(stream, 1, 1, 0), -ENOENT), "the older one is over");
        cr_assert(eq(u64, run_stream_next_unclaimed(stream, 1), 0));
        run_stream_begin(stream);
        cr_assert(run_stream_is_out(stream, 1, 2));
        cr_assert(not(run_stream_is_out(stream, 1, 1)));
        cr_assert(eq(int, (int) take_rows(stream, &last), 1));
        cr_assert(eq(u32, last.issue, 2));
        cr_assert(eq(u32, last.tries, 1), "the failure of the first one counts");
        cr_assert(eq(int, run_stream_end(stream, 1, RUN_END_EXITED, 1, NOW, USEC_INFINITY, 0), RUN_STREAM_ENDED));
        cr_assert(eq(int, (int) take_rows(stream, &last), 2));
        cr_assert(eq(int, last.state, RUN_ELEMENT_FAILED), "and that was the last try");
        run_stream_free(stream);
        stream = restored(RUN_ELEMENT_RUNNING, 2);
        cr_assert(eq(int, run_stream_claim(stream, 1, 1, 0), -ENOENT));
        cr_assert(eq(u64, run_stream_next_unclaimed(stream, 1), 1));
        run_stream_free(stream);
}

/* Two clients push at once into a group of which the stream knows nothing: in one turn, and in the next. */
Test(run_stream, first_pushes_into_a_group_at_once_are_one_chain_and_one_element_each_key) {
        const RunStreamElement element = { .group = "new", .key = "k", .data = "abc", .size = 3 };
        RunStream *stream = made(&usual);
        RunStreamKey answer;
        RunElementRow last;
        uint64_t sequence;

        cr_assert(eq(int, run_stream_pin_key(stream, "k", &answer, &sequence), 0));
        cr_assert(eq(int, answer, RUN_STREAM_KEY_ASK));
        cr_assert(eq(int, run_stream_pin_key(stream, "k", &answer, &sequence), 0));
        cr_assert(eq(int, answer, RUN_STREAM_KEY_ASKED), "the store is asked once");
        cr_assert(eq(u64, pushed(stream, "new"), 1));
        run_stream_answer_key(stream, "k", 0);
        cr_assert(eq(int, run_stream_push(stream, &element, NOW, &sequence), RUN_STREAM_PUSHED));
        cr_assert(eq(u64, sequence, 2));
        cr_assert(eq(int, run_stream_push(stream, &element, NOW, &sequence), RUN_STREAM_REPEATED));
        cr_assert(eq(u64, sequence, 2));
        run_stream_unpin_key(stream, "k");
        run_stream_unpin_key(stream, "k");
        run_stream_step(stream, NOW);
        cr_assert(eq(u32, take_rows(stream, &last), 2), "none is linked before the group is known");
        cr_assert(eq(u64, pushed(stream, "new"), 3));
        answer_groups(stream);
        run_stream_step(stream, NOW);
        (void) take_rows(stream, &last);
        for (uint64_t i = 1; i <= 3; i++) {
                cr_assert(eq(u64, begun(stream), i));
                cr_assert(eq(u64, begun(stream), 0), "one at a time");
                cr_assert(eq(int, run_stream_end(stream, i, RUN_END_EXITED, 0, NOW, USEC_INFINITY, 0), RUN_STREAM_ENDED));
                run_stream_step(stream, NOW);
                (void) take_rows(stream, &last);
                cr_assert(eq(u64, last.position, MIN(i + 1, (uint64_t) 3)));
        }
        run_stream_free(stream);
}
