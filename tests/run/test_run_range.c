/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The range of a batch: each rule of run_range.h by itself
 */

#include "range_fixture.h"

/* — issue — */

Test(run_range, items_are_issued_in_order_and_once) {
        RunRange *range = new_plain(3, 3, 3);

        for (uint64_t i = 0; i < 3; i++) {
                const RunRangeItem item = issue(range, START);

                cr_assert(eq(u64, item.index, i));
                cr_assert(eq(u32, item.tries, 0));
                cr_assert(run_range_is_out(range, i));
        }
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_ALL_OUT));
        end_all(range, 0, 2, RUN_RANGE_SUCCESS);
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_ALL_OUT));
        cr_assert(eq(int, end(range, 2, RUN_RANGE_SUCCESS), RUN_RANGE_DONE));
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_OVER));
        cr_assert(count(range).is_over);
        cr_assert(eq(u64, count(range).over, 3));
        run_range_free(range);
}

Test(run_range, a_batch_of_nothing_is_over) {
        RunRange *range = new_plain(0, 1, 1);

        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_OVER));
        cr_assert(count(range).is_over);
        run_range_free(range);
}

Test(run_range, it_may_begin_with_a_later_item) {
        const RunRangeSettings settings = { .n = UINT64_C(10000000000), .window = 8, .slots = 8 };
        RunRangeCounts counts;
        RunRangeItem item;
        RunRange *range;

        cr_assert(eq(int, run_range_new_from(&settings, settings.n + 1, &range), -EINVAL));
        cr_assert(eq(int, run_range_new_from(&settings, settings.n - 2, &range), 0));
        run_range_launch(range, 0);
        for (uint64_t i = settings.n - 2; i < settings.n; i++) {
                cr_assert(eq(int, run_range_issue(range, 0, &item), RUN_RANGE_ISSUED));
                cr_assert(eq(u64, item.index, i));
                cr_assert(eq(int, run_range_end(range, i, RUN_RANGE_SUCCESS, 0, 0, 0), RUN_RANGE_DONE));
        }
        run_range_count(range, &counts);
        cr_assert(eq(u64, counts.over, settings.n));
        cr_assert(counts.is_over);
        run_range_free(range);
}

Test(run_range, no_more_are_out_than_there_are_slots) {
        RunRange *range = new_plain(10, 10, 3);

        cr_assert(eq(u64, issue_all(range, START), 3));
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_SLOTS));
        cr_assert(eq(u64, run_range_due(range, START), USEC_INFINITY));
        (void) end(range, 1, RUN_RANGE_SUCCESS);
        cr_assert(eq(u64, run_range_due(range, START), START));
        cr_assert(eq(u64, issue(range, START).index, 3));
        run_range_free(range);
}

Test(run_range, nothing_is_issued_beyond_the_window) {
        RunRange *range = new_plain(100, 4, 4);

        cr_assert(eq(u64, issue_all(range, START), 4));
        end_all(range, 1, 3, RUN_RANGE_SUCCESS);
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_WINDOW));
        cr_assert(eq(u64, count(range).base, 0));
        (void) end(range, 0, RUN_RANGE_SUCCESS);
        cr_assert(eq(u64, count(range).base, 4));
        cr_assert(eq(u64, issue_all(range, START), 4));
        run_range_free(range);
}

/* Each width, so that the base stands at each bit of a word, and passes from one to two words. */
Test(run_range, the_base_moves_over_all_that_is_over) {
        for (uint32_t window = 1; window <= 200; window += 7) {
                RunRange *range = new_plain(1000, window, window);
                uint64_t base = 0;

                while (base < 1000) {
                        const uint64_t n = issue_all(range, START);

                        cr_assert(eq(u64, n, MIN((uint64_t) window, 1000 - base)));
                        for (uint64_t i = n - 1; i > 0; i--)
                                (void) end(range, base + i, RUN_RANGE_SUCCESS);
                        cr_assert(eq(u64, count(range).base, base));
                        cr_assert(eq(u64, count(range).over, base + n - 1));
                        (void) end(range, base, RUN_RANGE_SUCCESS);
                        base += n;
                        cr_assert(eq(u64, count(range).base, base));
                        cr_assert(eq(u64, count(range).over, base));
                }
                run_range_free(range);
        }
}

Test(run_range, without_a_launch_and_when_drained_nothing_is_issued) {
        RunRange *range;

        cr_assert(eq(int, run_range_new(&plain, &range), 0));
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_DRAINED));
        cr_assert(eq(u64, run_range_due(range, START), USEC_INFINITY));
        cr_assert(count(range).is_drained);
        run_range_launch(range, START);
        cr_assert(not(count(range).is_drained));
        (void) issue(range, START);
        run_range_drain(range);
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_DRAINED));
        cr_assert(eq(u64, run_range_due(range, START), USEC_INFINITY));
        cr_assert(eq(int, end(range, 0, RUN_RANGE_SUCCESS), RUN_RANGE_DONE));
        run_range_launch(range, START);
        cr_assert(eq(u64, issue(range, START).index, 1));
        run_range_free(range);
}

Test(run_range, an_open_range_waits_for_more) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = 1;
        settings.is_open = true;
        range = new_range(&settings);
        (void) issue(range, START);
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_UNKNOWN));
        (void) end(range, 0, RUN_RANGE_SUCCESS);
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_UNKNOWN));
        cr_assert(not(count(range).is_over));
        cr_assert(eq(int, run_range_extend(range, 1, false), 0));
        cr_assert(eq(u64, issue(range, START).index, 1));
        (void) end(range, 1, RUN_RANGE_SUCCESS);
        cr_assert(eq(int, run_range_extend(range, 0, true), 0));
        cr_assert(count(range).is_over);
        cr_assert(eq(int, run_range_extend(range, 1, true), -EINVAL));
        run_range_free(range);
}

Test(run_range, no_more_items_become_known_than_there_are_numbers) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.is_open = true;
        range = new_range(&settings);
        cr_assert(eq(int, run_range_extend(range, UINT64_MAX - 10, false), -EOVERFLOW));
        cr_assert(eq(u64, count(range).n, 10));
        cr_assert(eq(int, run_range_extend(range, UINT64_MAX - 11, false), 0));
        cr_assert(eq(u64, count(range).n, UINT64_MAX - 1));
        cr_assert(eq(int, run_range_extend(range, 1, true), -EOVERFLOW));
        run_range_free(range);
}

Test(run_range, settings_that_cannot_be_are_refused) {
        RunRangeSettings cases[8];
        RunRange *range;

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                cases[i] = plain;
        cases[0].n = UINT64_MAX;
        cases[1].window = 0;
        cases[2].window = RUN_RANGE_WINDOW_MAX + 1;
        cases[3].slots = 0;
        cases[4].slots = 11;
        cases[5].rate = 1;
        cases[6].max_error_percent = 101;
        cases[7].rate = 5;
        cases[7].period = USEC_INFINITY;
        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                cr_assert(eq(int, run_range_new(&cases[i], &range), -EINVAL), "%zu", i);
}

/* — the rate — */

Test(run_range, items_and_second_tries_take_tokens) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.rate = 10;
        settings.period = USEC_PER_SEC;
        settings.burst = 2;
        settings.retry = 1;
        range = new_range(&settings);
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_RATE));
        cr_assert(eq(u64, run_range_due(range, START), START + 100000));
        cr_assert(eq(int, try_issue(range, START + 99999), RUN_RANGE_RATE));
        cr_assert(eq(u64, issue(range, START + 100000).index, 0));
        cr_assert(eq(int, end_at(range, 0, RUN_RANGE_FAILURE, START + 100000), RUN_RANGE_RETRIES));
        cr_assert(eq(int, try_issue(range, START + 100000), RUN_RANGE_RATE));
        cr_assert(eq(u64, issue_all(range, START + USEC_PER_MINUTE), 2));
        cr_assert(run_range_is_out(range, 0));
        /* A launch has no tokens of the one before it. */
        run_range_launch(range, START + 2 * USEC_PER_MINUTE);
        cr_assert(eq(int, try_issue(range, START + 2 * USEC_PER_MINUTE), RUN_RANGE_RATE));
        run_range_free(range);
}

Test(run_range, what_is_due_and_has_no_token_waits_for_both) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = settings.retry = 1;
        settings.delay = 30 * USEC_PER_MSEC;
        settings.rate = 10;
        settings.period = USEC_PER_SEC;
        range = new_range(&settings);
        (void) issue(range, START + 100000);
        (void) end_at(range, 0, RUN_RANGE_FAILURE, START + 100000);
        cr_assert(eq(int, try_issue(range, START + 110000), RUN_RANGE_WAITS));
        cr_assert(eq(u64, run_range_due(range, START + 110000), START + 200000));
        cr_assert(eq(int, try_issue(range, START + 130000), RUN_RANGE_RATE));
        cr_assert(eq(u64, run_range_due(range, START + 130000), START + 200000));
        (void) issue(range, START + 200000);
        run_range_free(range);
}

/* — answers — */

Test(run_range, a_failure_is_tried_again_until_no_try_is_left) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.retry = 2;
        settings.delay = USEC_PER_SEC;
        settings.backoff = RUN_RANGE_EXPONENTIAL;
        range = new_range(&settings);
        (void) issue(range, START);
        cr_assert(eq(int, end_at(range, 0, RUN_RANGE_FAILURE, START), RUN_RANGE_RETRIES));
        cr_assert(not(run_range_is_out(range, 0)));
        cr_assert(eq(u64, issue(range, START + USEC_PER_SEC - 1).index, 1));
        cr_assert(eq(u64, issue(range, START + USEC_PER_SEC).index, 0));
        (void) end_at(range, 0, RUN_RANGE_FAILURE, START + USEC_PER_SEC);
        cr_assert(eq(u64, issue(range, START + 3 * USEC_PER_SEC - 1).index, 2));
        cr_assert(eq(u32, issue(range, START + 3 * USEC_PER_SEC).tries, 2));
        cr_assert(eq(int, end(range, 0, RUN_RANGE_FAILURE), RUN_RANGE_ERROR));
        cr_assert(eq(u64, count(range).base, 1));
        cr_assert(eq(u64, count(range).errors, 1));
        cr_assert(eq(u64, count(range).launch_errors, 1));
        cr_assert(eq(u64, count(range).launch_over, 1));
        cr_assert(eq(u64, count(range).over, 1));
        run_range_free(range);
}

Test(run_range, delays_grow_up_to_a_maximum_and_have_a_share_of_chance) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = 1;
        settings.retry = 5;
        settings.backoff = RUN_RANGE_LINEAR;
        settings.delay = USEC_PER_SEC;
        settings.max_delay = 2500 * USEC_PER_MSEC;
        settings.jitter = 10;
        range = new_range(&settings);
        for (unsigned i = 0; i < 3; i++) {
                static const usec_t delays[] = { 1100000, 2200000, 2750000 };

                (void) issue(range, START + 10 * i * USEC_PER_SEC);
                (void) run_range_end(range, 0, RUN_RANGE_FAILURE, START, 0, UINT32_MAX);
                cr_assert(eq(u64, run_range_due(range, START), START + delays[i]));
        }
        run_range_free(range);
}

Test(run_range, the_next_try_is_the_one_that_is_due_first_and_then_the_lowest) {
        RunRange *range = new_plain(6, 6, 6);

        (void) issue_all(range, START);
        for (uint64_t i = 6; i > 0; i--)
                cr_assert(eq(int, run_range_end(range, i - 1, RUN_RANGE_AGAIN, START, i % 3, 0), RUN_RANGE_RETRIES));
        cr_assert(eq(int, try_issue(range, START - 1), RUN_RANGE_WAITS));
        for (unsigned i = 0; i < 6; i++) {
                static const uint64_t order[] = { 2, 5, 0, 3, 1, 4 };

                cr_assert(eq(u64, issue(range, START + 2).index, order[i]));
        }
        run_range_free(range);
}

Test(run_range, not_yet_is_no_failure) {
        RunRange *range = new_plain(1, 1, 1);

        for (unsigned i = 0; i < 1000; i++) {
                cr_assert(eq(u32, issue(range, START + i * USEC_PER_SEC).tries, 0));
                cr_assert(eq(int, run_range_end(range, 0, RUN_RANGE_AGAIN, START + i * USEC_PER_SEC, USEC_PER_SEC, 0),
                             RUN_RANGE_RETRIES));
                cr_assert(eq(int, try_issue(range, START + (i + 1) * USEC_PER_SEC - 1), RUN_RANGE_WAITS));
        }
        run_range_free(range);
}

Test(run_range, what_waits_for_ever_is_never_due) {
        RunRange *range = new_plain(1, 1, 1);

        (void) issue(range, START);
        (void) run_range_end(range, 0, RUN_RANGE_AGAIN, START, USEC_INFINITY, 0);
        cr_assert(eq(u64, run_range_due(range, START), USEC_INFINITY));
        run_range_free(range);
}

Test(run_range, the_third_loss_in_all_tries_is_poison) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = settings.retry = 1;
        range = new_range(&settings);
        for (unsigned i = 0; i < 2; i++) {
                cr_assert(eq(u32, issue(range, START).tries, i));
                cr_assert(eq(int, end(range, 0, RUN_RANGE_LOST), RUN_RANGE_RETRIES));
                (void) issue(range, START);
                cr_assert(eq(int, end(range, 0, i == 0 ? RUN_RANGE_FAILURE : RUN_RANGE_AGAIN), RUN_RANGE_RETRIES));
        }
        (void) issue(range, START);
        cr_assert(eq(int, end(range, 0, RUN_RANGE_LOST), RUN_RANGE_POISON));
        cr_assert(eq(u64, count(range).errors, 1));
        cr_assert(eq(u64, count(range).launch_errors, 1));
        cr_assert(count(range).is_over);
        run_range_free(range);
}

Test(run_range, a_loss_has_the_delay_of_a_failure) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = 1;
        settings.backoff = RUN_RANGE_LINEAR;
        settings.delay = USEC_PER_SEC;
        range = new_range(&settings);
        for (unsigned i = 1; i < RUN_RANGE_DEATHS_MAX; i++) {
                (void) issue(range, START + 5 * i * USEC_PER_SEC);
                cr_assert(eq(int, end(range, 0, RUN_RANGE_LOST), RUN_RANGE_RETRIES));
                cr_assert(eq(u64, run_range_due(range, START), START + i * USEC_PER_SEC));
        }
        run_range_free(range);
}

Test(run_range, what_is_returned_is_due_at_once_and_has_no_try_behind_it) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.delay = USEC_PER_HOUR;
        range = new_range(&settings);
        for (unsigned i = 0; i < 10; i++) {
                const RunRangeItem item = issue(range, START);

                cr_assert(eq(u64, item.index, 0));
                cr_assert(eq(u32, item.tries, 0));
                cr_assert(eq(int, end(range, 0, RUN_RANGE_RETURNED), RUN_RANGE_RETRIES));
        }
        cr_assert(eq(u32, count(range).waiting, 1));
        cr_assert(eq(u64, count(range).errors, 0));
        run_range_free(range);
}

Test(run_range, answers_for_what_is_not_out_are_counted_and_dropped) {
        RunRange *range = new_plain(100, 10, 10);

        (void) issue_all(range, START);
        end_all(range, 0, 6, RUN_RANGE_SUCCESS);
        (void) run_range_end(range, 7, RUN_RANGE_AGAIN, START, USEC_PER_SEC, 0);
        cr_assert(eq(int, end(range, 3, RUN_RANGE_FAILURE), RUN_RANGE_STRANGE)); /* below the base */
        cr_assert(eq(int, end(range, 7, RUN_RANGE_SUCCESS), RUN_RANGE_STRANGE)); /* waits */
        (void) end(range, 8, RUN_RANGE_SUCCESS);
        cr_assert(eq(int, end(range, 8, RUN_RANGE_SUCCESS), RUN_RANGE_STRANGE)); /* twice */
        cr_assert(eq(int, end(range, 10, RUN_RANGE_SUCCESS), RUN_RANGE_STRANGE)); /* not issued */
        cr_assert(eq(int, end(range, 6 + 64, RUN_RANGE_SUCCESS), RUN_RANGE_STRANGE)); /* the same place in the ring */
        cr_assert(eq(int, end(range, UINT64_MAX, RUN_RANGE_SUCCESS), RUN_RANGE_STRANGE));
        cr_assert(eq(u64, count(range).strange, 6));
        cr_assert(eq(u64, count(range).base, 6));
        cr_assert(eq(u32, count(range).out, 2));
        cr_assert(eq(u64, count(range).over, 7));
        run_range_free(range);
}

/* — errors that are issued again — */

Test(run_range, an_error_that_succeeds_is_mended) {
        RunRange *range = new_plain(100, 10, 10);

        (void) issue_all(range, START);
        (void) end(range, 0, RUN_RANGE_FAILURE);
        (void) end(range, 1, RUN_RANGE_SUCCESS);
        (void) end(range, 5, RUN_RANGE_FAILURE);
        cr_assert(eq(u64, count(range).base, 2));
        cr_assert(eq(int, run_range_retry(range, 0), 0)); /* below the base */
        cr_assert(eq(int, run_range_retry(range, 5), 0)); /* above it */
        cr_assert(eq(u64, count(range).over, 1));
        cr_assert(eq(u64, count(range).errors, 2));
        cr_assert(eq(u64, issue(range, START).index, 0));
        cr_assert(eq(u64, issue(range, START).index, 5));
        cr_assert(run_range_is_out(range, 0) && run_range_is_out(range, 5));
        cr_assert(eq(int, end(range, 0, RUN_RANGE_SUCCESS), RUN_RANGE_MENDED));
        cr_assert(eq(int, end(range, 5, RUN_RANGE_SUCCESS), RUN_RANGE_MENDED));
        cr_assert(eq(u64, count(range).over, 3));
        cr_assert(eq(u64, count(range).errors, 0));
        cr_assert(eq(u64, count(range).launch_errors, 2));
        cr_assert(eq(int, run_range_retry(range, 0), -EINVAL)); /* none is an error */
        run_range_free(range);
}

Test(run_range, an_error_that_fails_again_counts_for_the_launch_only) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = settings.retry = 1;
        range = new_range(&settings);
        for (unsigned i = 0; i < 3; i++) {
                cr_assert(eq(u32, issue(range, START).tries, 0));
                cr_assert(eq(int, end(range, 0, RUN_RANGE_FAILURE), RUN_RANGE_RETRIES));
                cr_assert(eq(u32, issue(range, START).tries, 1));
                cr_assert(eq(int, end(range, 0, RUN_RANGE_FAILURE), RUN_RANGE_ERROR));
                cr_assert(eq(u64, count(range).errors, 1));
                cr_assert(eq(u64, count(range).launch_errors, i + 1));
                cr_assert(count(range).is_over);
                cr_assert(eq(int, try_issue(range, START), RUN_RANGE_OVER));
                cr_assert(eq(int, run_range_retry(range, 0), 0));
                cr_assert(not(count(range).is_over));
        }
        run_range_free(range);
}

/* Of a range whose budget is spent all errors may be issued again. */
Test(run_range, an_error_that_is_issued_again_is_not_in_the_budget_of_all) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = 2;
        settings.retry = 0;
        settings.max_errors_total = 1;
        range = new_range(&settings);
        for (unsigned i = 0; i < 2; i++) {
                (void) issue(range, START);
                (void) end(range, i, RUN_RANGE_FAILURE);
        }
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_SPENT_TOTAL));
        cr_assert(eq(int, run_range_retry(range, 1), 0));
        cr_assert(eq(u32, count(range).seconds, 1));
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_WITHIN));
        (void) issue(range, START);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_WITHIN));
        (void) end(range, 1, RUN_RANGE_FAILURE);
        cr_assert(eq(u32, count(range).seconds, 0));
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_SPENT_TOTAL));
        run_range_free(range);
}

Test(run_range, an_error_does_not_hold_up_the_base) {
        RunRange *range = new_plain(100, 4, 4);

        (void) issue(range, START);
        (void) end(range, 0, RUN_RANGE_FAILURE);
        (void) run_range_retry(range, 0);
        cr_assert(eq(u64, issue(range, START).index, 0));
        for (uint64_t i = 1; i < 100; i++) {
                cr_assert(eq(u64, issue(range, START).index, i));
                (void) end(range, i, RUN_RANGE_SUCCESS);
        }
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_ALL_OUT));
        cr_assert(eq(u64, count(range).base, 100));
        cr_assert(eq(u64, count(range).over, 99));
        cr_assert(eq(int, end(range, 0, RUN_RANGE_SUCCESS), RUN_RANGE_MENDED));
        cr_assert(count(range).is_over);
        run_range_free(range);
}

Test(run_range, only_errors_are_issued_again_and_once) {
        RunRange *range = new_plain(100, 10, 10);

        (void) issue_all(range, START);
        end_all(range, 0, 3, RUN_RANGE_FAILURE);
        (void) run_range_end(range, 4, RUN_RANGE_AGAIN, START, 1, 0);
        cr_assert(eq(int, run_range_retry(range, 3), -EINVAL)); /* out */
        cr_assert(eq(int, run_range_retry(range, 4), -EINVAL)); /* waits */
        cr_assert(eq(int, run_range_retry(range, 10), -EINVAL)); /* not issued */
        cr_assert(eq(int, run_range_retry(range, 1), 0));
        cr_assert(eq(int, run_range_retry(range, 1), -EINVAL)); /* so already */
        (void) issue(range, START);
        cr_assert(eq(int, run_range_retry(range, 1), -EINVAL));
        run_range_free(range);
}

Test(run_range, many_errors_are_found_and_their_places_are_used_again) {
        const uint64_t n = 20000;
        RunRange *range = new_plain(n, 100, 100);
        size_t allocated = 0;

        for (uint64_t i = 0; i < n; i++)
                (void) end(range, issue(range, START).index, RUN_RANGE_FAILURE);
        for (unsigned round = 0; round < 3; round++) {
                for (uint64_t i = 0; i < n; i++)
                        cr_assert(eq(int, run_range_retry(range, (i * 7919) % n), 0));
                cr_assert(eq(u64, count(range).over, 0));
                cr_assert(round == 0 || range->seconds.allocated == allocated);
                allocated = range->seconds.allocated;
                for (uint64_t i = 0; i < n; i++) {
                        cr_assert(eq(u64, issue(range, START).index, i));
                        cr_assert(eq(int, end(range, i, round < 2 ? RUN_RANGE_FAILURE : RUN_RANGE_SUCCESS),
                                     round < 2 ? RUN_RANGE_ERROR : RUN_RANGE_MENDED));
                }
        }
        cr_assert(eq(u64, count(range).errors, 0));
        run_range_free(range);
}

/* — the budget — */

Test(run_range, more_errors_than_may_be_spend_the_launch) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = settings.window = settings.slots = 100;
        settings.max_errors = 3;
        settings.max_errors_total = 5;
        range = new_range(&settings);
        (void) issue_all(range, START);
        end_all(range, 0, 3, RUN_RANGE_FAILURE);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_WITHIN));
        (void) end(range, 3, RUN_RANGE_FAILURE);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_SPENT));
        run_range_launch(range, START);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_WITHIN));
        (void) end(range, 4, RUN_RANGE_FAILURE);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_WITHIN));
        (void) end(range, 5, RUN_RANGE_FAILURE);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_SPENT_TOTAL));
        cr_assert(eq(int, run_range_launch_budget(range), RUN_RANGE_WITHIN));
        end_all(range, 6, 2, RUN_RANGE_FAILURE);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_SPENT_TOTAL));
        cr_assert(eq(int, run_range_launch_budget(range), RUN_RANGE_SPENT));
        run_range_free(range);
}

Test(run_range, the_percentage_counts_from_a_hundred_on) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = settings.window = settings.slots = 1000;
        settings.max_error_percent = 10;
        range = new_range(&settings);
        (void) issue_all(range, START);
        end_all(range, 0, 11, RUN_RANGE_FAILURE);
        end_all(range, 11, 88, RUN_RANGE_SUCCESS);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_WITHIN));
        (void) end(range, 99, RUN_RANGE_SUCCESS);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_SPENT));
        end_all(range, 100, 10, RUN_RANGE_SUCCESS);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_WITHIN)); /* 11 of 110 are not more */
        (void) end(range, 110, RUN_RANGE_FAILURE);
        cr_assert(eq(int, run_range_budget(range), RUN_RANGE_SPENT));
        run_range_free(range);
}

/* — other settings — */

Test(run_range, other_settings_keep_what_has_been) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.n = 1000;
        settings.window = settings.slots = 100;
        settings.retry = 1;
        settings.delay = USEC_PER_MINUTE;
        range = new_range(&settings);
        (void) issue_all(range, START);
        settings.window = 20;
        settings.slots = 10;
        settings.n = 500;
        cr_assert(eq(int, run_range_set(range, &settings), -EBUSY));
        end_all(range, 10, 70, RUN_RANGE_SUCCESS);
        end_all(range, 0, 10, RUN_RANGE_RETURNED);
        end_all(range, 80, 20, RUN_RANGE_FAILURE);
        settings.n = 99;
        cr_assert(eq(int, run_range_set(range, &settings), -EINVAL));
        cr_assert(eq(u64, count(range).n, 1000));
        settings.n = 500;
        cr_assert(eq(int, run_range_set(range, &settings), 0));
        cr_assert(eq(u64, count(range).n, 500));
        cr_assert(eq(u64, count(range).over, 70));
        cr_assert(eq(u64, issue_all(range, START), 10));
        end_all(range, 0, 10, RUN_RANGE_SUCCESS);
        /* The base has moved, up to what waits. */
        cr_assert(eq(u64, count(range).base, 80));
        cr_assert(eq(int, try_issue(range, START), RUN_RANGE_WINDOW));
        cr_assert(eq(u64, run_range_due(range, START), START + USEC_PER_MINUTE));
        cr_assert(eq(u64, issue(range, START + USEC_PER_MINUTE).index, 80));
        run_range_free(range);
}

Test(run_range, another_rate_fills_the_bucket_from_now_on) {
        RunRangeSettings settings = plain;
        RunRange *range;

        settings.rate = 100;
        settings.period = USEC_PER_SEC;
        settings.burst = 10;
        range = new_range(&settings);
        end_all(range, issue(range, START + USEC_PER_SEC).index, 1, RUN_RANGE_SUCCESS);
        settings.burst = 2;
        settings.rate = 1;
        cr_assert(eq(int, run_range_set(range, &settings), 0));
        cr_assert(eq(u64, issue_all(range, START + USEC_PER_SEC), 2));
        cr_assert(eq(u64, run_range_due(range, START + USEC_PER_SEC), START + 2 * USEC_PER_SEC));
        run_range_free(range);
}
