/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exits that core has not acknowledged yet
 */

#include "double/double_assert.h"
#include "keeper/exit_ring.h"

static ExitRing ring;

static void add(pid_t pid) {
        exit_ring_add(&ring, &(ExitRecord) { .pid = pid });
}

Test(exit_ring, begins_with_one_and_counts_on) {
        exit_ring_init(&ring);
        cr_assert(eq(ptr, (void *) exit_ring_at(&ring, 0), NULL));
        cr_assert(eq(ptr, (void *) exit_ring_at(&ring, 1), NULL));
        add(10);
        add(11);
        cr_assert(eq(int, exit_ring_at(&ring, 1)->pid, 10));
        cr_assert(eq(int, exit_ring_at(&ring, 2)->pid, 11));
        assert_null(exit_ring_at(&ring, 3));
}

Test(exit_ring, what_was_taken_is_gone_and_numbers_are_not_used_again) {
        exit_ring_init(&ring);
        add(10);
        add(11);
        exit_ring_take(&ring, 1);
        assert_null(exit_ring_at(&ring, 1));
        cr_assert(eq(int, exit_ring_at(&ring, 2)->pid, 11));
        exit_ring_take(&ring, 1);
        cr_assert(eq(int, exit_ring_at(&ring, 2)->pid, 11));
        exit_ring_take(&ring, 1000);
        add(12);
        cr_assert(eq(int, exit_ring_at(&ring, 3)->pid, 12));
}

Test(exit_ring, oldest_goes_when_it_is_full_and_that_is_known_until_all_is_taken) {
        exit_ring_init(&ring);
        for (unsigned i = 1; i <= EXIT_RING_SIZE; i++)
                add((pid_t) i);
        cr_assert(not(ring.has_lost));
        add(99999);
        cr_assert(ring.has_lost);
        assert_null(exit_ring_at(&ring, 1));
        cr_assert(eq(int, exit_ring_at(&ring, 2)->pid, 2));
        cr_assert(eq(int, exit_ring_at(&ring, EXIT_RING_SIZE + 1)->pid, 99999));
        exit_ring_take(&ring, EXIT_RING_SIZE);
        cr_assert(ring.has_lost);
        exit_ring_take(&ring, EXIT_RING_SIZE + 1);
        cr_assert(not(ring.has_lost));
}
