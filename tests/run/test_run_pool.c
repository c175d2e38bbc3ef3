/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Locks and resources: each rule of run_pool.h by itself
 *
 * S004-16e, S004-31
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#include "double/double_memory.h"
#include "run/run_pool.h"

#define MANY 1000U
#define SLOTS 5U

static RunPool *new_pool(void) {
        RunPool *pool;

        cr_assert(eq(int, run_pool_new(&pool), 0));
        cr_assert(eq(int, run_pool_set_resource(pool, "cpu", 16), 0));
        cr_assert(eq(int, run_pool_set_resource(pool, "gpu", 1), 0));
        return pool;
}

/* A claim of run @id, for a lock (NULL: none), and CPUs (0: none). */
static RunClaim *new_claim(RunPool *pool, uint32_t id, const char *lock, uint32_t slots, uint64_t cpus) {
        const RunDemandLock locks[] = { { lock, slots } };
        const RunDemandNeed needs[] = { { "cpu", cpus } };
        RunClaim *claim;

        cr_assert(eq(int,
                     run_claim_new(pool,
                                   &(RunClaimSpec) { .key = { id, RUN_CLAIM_OF_RUN },
                                                     .priority = 128,
                                                     .demand = { locks, needs, lock != NULL, cpus > 0 } },
                                   &claim),
                     0));
        return claim;
}

static RunClaim *new_below(RunPool *pool, RunClaim *above, RunClaimKey key, const char *lock, uint64_t cpus) {
        const RunDemandLock locks[] = { { lock, 1 } };
        const RunDemandNeed needs[] = { { "cpu", cpus } };
        RunClaim *claim;

        cr_assert(eq(int,
                     run_claim_new(pool,
                                   &(RunClaimSpec) { .key = key,
                                                     .priority = 128,
                                                     .above = above,
                                                     .demand = { locks, needs, lock != NULL, cpus > 0 } },
                                   &claim),
                     0));
        return claim;
}

/* Waits, and takes what it wants if that is its turn. */
static bool take(RunPool *pool, RunClaim *claim) {
        run_claim_wait(claim, 0, 0);
        if (run_pool_next(pool, 0) != claim)
                return false;
        run_claim_take(claim);
        return true;
}

static RunLockRow lock_of(const RunClaim *claim) {
        RunLockRow row;

        cr_assert(run_claim_lock(claim, 0, &row));
        cr_assert(not(run_claim_lock(claim, 1, &row)));
        (void) run_claim_lock(claim, 0, &row);
        return row;
}

static void free_all(RunClaim **claims, size_t n) {
        while (n > 0)
                run_claim_free(claims[--n]);
}

Test(run_pool, a_lock_has_slots_and_the_lowest_free_one_is_taken) {
        RunPool *pool = new_pool();
        RunClaim *claims[3];

        for (uint32_t i = 0; i < 3; i++)
                claims[i] = new_claim(pool, i + 1, "db", 2, 0);
        cr_assert(take(pool, claims[0]));
        cr_assert(take(pool, claims[1]));
        cr_assert(not(take(pool, claims[2])));
        cr_assert(eq(u32, lock_of(claims[0]).slot, 0));
        cr_assert(eq(u32, lock_of(claims[1]).slot, 1));
        run_claim_release(claims[0], RUN_CLAIM_LOCKS);
        cr_assert(eq(ptr, run_pool_next(pool, 0), claims[2]));
        run_claim_take(claims[2]);
        cr_assert(eq(u32, lock_of(claims[2]).slot, 0));
        cr_assert(eq(u64, lock_of(claims[2]).fence, 3));
        free_all(claims, 3);
        run_pool_free(pool);
}

Test(run_pool, the_lowest_number_of_slots_of_all_that_share_a_lock_counts) {
        RunPool *pool = new_pool();
        RunClaim *alone = new_claim(pool, 1, "db", 1, 0), *shared = new_claim(pool, 2, "db", 5, 0);

        cr_assert(take(pool, alone));
        cr_assert(not(take(pool, shared)));
        run_claim_release(alone, RUN_CLAIM_ALL);
        cr_assert(eq(ptr, run_pool_next(pool, 0), shared));
        run_claim_take(shared);
        cr_assert(not(take(pool, alone)));
        run_claim_free(alone);
        run_claim_free(shared);
        run_pool_free(pool);
}

Test(run_pool, locks_of_runs_and_of_nodes_are_different_ones) {
        RunPool *pool = new_pool();
        RunClaim *run = new_claim(pool, 1, "db", 1, 0);
        RunClaim *node = new_below(pool, NULL, (RunClaimKey) { 2, 0 }, "db", 0);

        cr_assert(take(pool, run));
        cr_assert(take(pool, node));
        run_claim_free(node);
        run_claim_free(run);
        run_pool_free(pool);
}

Test(run_pool, a_claim_takes_all_or_nothing) {
        RunPool *pool = new_pool();
        RunClaim *holder = new_claim(pool, 1, NULL, 0, 10), *both = new_claim(pool, 2, "db", 1, 7);

        cr_assert(take(pool, holder));
        cr_assert(not(take(pool, both)));
        cr_assert(not(run_claim_holds(both, RUN_CLAIM_ALL)));
        run_claim_free(holder);
        cr_assert(eq(ptr, run_pool_next(pool, 0), both));
        run_claim_take(both);
        cr_assert(run_claim_holds(both, RUN_CLAIM_LOCKS));
        cr_assert(run_claim_holds(both, RUN_CLAIM_NEEDS));
        run_claim_release(both, RUN_CLAIM_NEEDS);
        cr_assert(run_claim_holds(both, RUN_CLAIM_LOCKS));
        cr_assert(not(run_claim_holds(both, RUN_CLAIM_NEEDS)));
        run_claim_free(both);
        run_pool_free(pool);
}

Test(run_pool, a_big_claim_is_not_passed_by_small_ones_behind_it) {
        RunPool *pool = new_pool();
        RunClaim *holder = new_claim(pool, 1, "db", 1, 0), *big = new_claim(pool, 2, "db", 1, 14);
        RunClaim *small = new_claim(pool, 3, NULL, 0, 2), *smaller = new_claim(pool, 4, NULL, 0, 1);

        cr_assert(take(pool, holder));
        cr_assert(not(take(pool, big)));
        /* Two beside the big one are there, three are not. */
        cr_assert(take(pool, small));
        cr_assert(not(take(pool, smaller)));
        run_claim_free(holder);
        cr_assert(eq(ptr, run_pool_next(pool, 0), big));
        run_claim_take(big);
        cr_assert(eq(ptr, run_pool_next(pool, 0), NULL));
        run_claim_free(small);
        cr_assert(eq(ptr, run_pool_next(pool, 0), smaller));
        run_claim_free(big);
        run_claim_free(smaller);
        run_pool_free(pool);
}

Test(run_pool, a_claim_that_goes_keeps_nothing_back) {
        RunPool *pool = new_pool();
        RunClaim *holder = new_claim(pool, 1, NULL, 0, 4), *big = new_claim(pool, 2, NULL, 0, 16);
        RunClaim *small = new_claim(pool, 3, NULL, 0, 1);

        cr_assert(take(pool, holder));
        cr_assert(not(take(pool, big)));
        cr_assert(not(take(pool, small)));
        run_claim_leave(big);
        cr_assert(eq(ptr, run_pool_next(pool, 0), small));
        run_claim_free(holder);
        run_claim_free(big);
        run_claim_free(small);
        run_pool_free(pool);
}

Test(run_pool, a_shut_gate_is_passed_over) {
        RunPool *pool = new_pool();
        RunGate gate = {};
        const RunDemandNeed needs[] = { { "gpu", 1 } };
        const RunClaimSpec spec = { .key = { 1, 0 }, .gate = &gate, .demand = { .needs = needs, .n_needs = 1 } };
        RunClaim *claim;

        cr_assert(eq(int, run_claim_new(pool, &spec, &claim), 0));
        run_gate_set(pool, &gate, true);
        cr_assert(not(take(pool, claim)));
        run_gate_set(pool, &gate, false);
        cr_assert(eq(ptr, run_pool_next(pool, 0), claim));
        run_claim_free(claim);
        cr_assert(eq(u32, gate.n_waiting, 0));
        run_pool_free(pool);
}

Test(run_pool, what_can_never_be_had_is_refused_by_name) {
        const struct {
                RunDemand demand;
                int error;
                const char *problem;
        } cases[] = {
                { { .needs = (RunDemandNeed[]) { { "cpu", 17 } }, .n_needs = 1 }, -ERANGE,
                  "17 of the resource 'cpu' are wanted, and there are 16 in all." },
                { { .needs = (RunDemandNeed[]) { { "disk", 1 } }, .n_needs = 1 }, -ENOENT,
                  "There is no resource 'disk'." },
                { { .needs = (RunDemandNeed[]) { { "cpu", 0 } }, .n_needs = 1 }, -EINVAL,
                  "Nothing is wanted of the resource 'cpu'." },
                { { .needs = (RunDemandNeed[]) { { "cpu", 1 }, { "cpu", 2 } }, .n_needs = 2 }, -EINVAL,
                  "The resource 'cpu' is named twice." },
                { { .locks = (RunDemandLock[]) { { "db", 0 } }, .n_locks = 1 }, -EINVAL,
                  "The lock 'db' has no slot." },
                { { .locks = (RunDemandLock[]) { { "db", 1 }, { "db", 2 } }, .n_locks = 2 }, -EINVAL,
                  "The lock 'db' is named twice." },
        };
        RunPool *pool = new_pool();

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *problem = NULL;
                RunClaim *claim;

                cr_assert(eq(int, run_pool_check(pool, &cases[i].demand, &problem), cases[i].error));
                cr_assert(eq(str, problem, (char *) cases[i].problem));
                cr_assert(eq(int, run_claim_new(pool, &(RunClaimSpec) { .demand = cases[i].demand }, &claim),
                             cases[i].error));
        }
        cr_assert(eq(int, run_pool_set_resource(pool, "cpu", RUN_AMOUNT_MAX + 1), -ERANGE));
        run_pool_free(pool);
}

Test(run_pool, a_resource_may_become_larger_or_smaller) {
        RunPool *pool = new_pool();
        RunClaim *all = new_claim(pool, 1, NULL, 0, 16), *one = new_claim(pool, 2, NULL, 0, 1);

        cr_assert(take(pool, all));
        cr_assert(not(take(pool, one)));
        cr_assert(eq(int, run_pool_set_resource(pool, "cpu", 8), 0));
        cr_assert(eq(ptr, run_pool_next(pool, 0), NULL));
        cr_assert(eq(int, run_pool_set_resource(pool, "cpu", 17), 0));
        cr_assert(eq(ptr, run_pool_next(pool, 0), one));
        run_claim_free(all);
        run_claim_free(one);
        run_pool_free(pool);
}

/* — many — */

typedef struct Queue {
        RunPool *pool;
        RunClaim *claims[MANY];
        usec_t now;
        uint32_t n_held;
} Queue;

static uint8_t priority_of(uint32_t id) {
        static const uint8_t priorities[] = { 192, 128, 64 };

        return priorities[id % 3];
}

/* All wait for one lock, a second apart. */
static void set_up_queue(Queue *queue, bool has_ageing) {
        const RunDemandLock locks[] = { { "db", SLOTS } };

        *queue = (Queue) { .pool = new_pool(), .now = USEC_PER_HOUR };
        run_pool_set_ageing(queue->pool, has_ageing);
        for (uint32_t i = 0; i < MANY; i++) {
                const RunClaimSpec spec = { .key = { i + 1, RUN_CLAIM_OF_RUN },
                                            .priority = priority_of(i),
                                            .demand = { .locks = locks, .n_locks = 1 } };

                cr_assert(eq(int, run_claim_new(queue->pool, &spec, &queue->claims[i]), 0));
                run_claim_wait(queue->claims[i], queue->now, 0);
                queue->now += USEC_PER_SEC;
        }
}

/* Who is served next; MANY: nobody. */
static uint32_t serve(Queue *queue) {
        RunClaim *claim = run_pool_next(queue->pool, queue->now);
        uint32_t at = 0;

        if (!claim)
                return MANY;
        run_claim_take(claim);
        queue->n_held++;
        while (queue->claims[at] != claim)
                at++;
        return at;
}

/* The holder of the lowest slot gives it back: it ends in one of several ways. */
static void end_one(Queue *queue) {
        for (uint32_t i = 0; i < MANY; i++)
                if (queue->claims[i] && run_claim_holds(queue->claims[i], RUN_CLAIM_ALL)) {
                        if (i % 2 == 0)
                                run_claim_release(queue->claims[i], RUN_CLAIM_LOCKS);
                        else
                                queue->claims[i] = run_claim_free(queue->claims[i]);
                        queue->n_held--;
                        return;
                }
}

static uint8_t aged(const Queue *queue, uint32_t at) {
        return run_claim_priority(queue->claims[at], queue->now);
}

/* Serves all; returns how many were served of those whose priority was not the highest in the beginning. */
static uint32_t serve_all(Queue *queue, uint32_t n_first) {
        uint32_t served[MANY], n = 0, n_low = 0, at;

        while (n < MANY) {
                while ((at = serve(queue)) < MANY) {
                        for (uint32_t i = 0; i < MANY; i++)
                                if (queue->claims[i] && run_claim_waits(queue->claims[i]))
                                        cr_assert(aged(queue, i) < aged(queue, at) ||
                                                          (aged(queue, i) == aged(queue, at) && i > at),
                                                  "%u passed %u", at, i);
                        n_low += n < n_first && priority_of(at) < 192;
                        served[n++] = at;
                }
                cr_assert(eq(u32, queue->n_held, SLOTS));
                end_one(queue);
                queue->now += 500 * USEC_PER_MSEC;
        }
        for (uint32_t i = 1; i < MANY; i++)
                for (uint32_t k = 0; k < i && priority_of(served[i]) == priority_of(served[k]); k++)
                        cr_assert(served[k] < served[i]);
        return n_low;
}

static void tear_down_queue(Queue *queue) {
        RunClaim *last;

        while (queue->n_held > 0)
                end_one(queue);
        free_all(queue->claims, MANY);
        /* Nothing is left of them: one can be alone. */
        last = new_claim(queue->pool, 1, "db", 1, 16);
        cr_assert(take(queue->pool, last));
        run_claim_free(last);
        run_pool_free(queue->pool);
}

Test(run_pool, a_thousand_wait_for_five_slots_by_priority_and_in_the_order_of_their_coming) {
        static Queue queue;

        set_up_queue(&queue, false);
        cr_assert(eq(u32, serve_all(&queue, MANY / 3), 0));
        tear_down_queue(&queue);
}

Test(run_pool, a_thousand_age) {
        static Queue queue;

        set_up_queue(&queue, true);
        cr_assert(lt(u32, 0, serve_all(&queue, MANY / 3)));
        tear_down_queue(&queue);
}

Test(run_pool, age_raises_the_priority_each_full_minute_up_to_255) {
        RunPool *pool = new_pool();
        RunClaim *claim = new_claim(pool, 1, "db", 1, 0);

        run_claim_wait(claim, USEC_PER_MINUTE, 0);
        cr_assert(eq(u8, run_claim_priority(claim, 0), 128));
        cr_assert(eq(u8, run_claim_priority(claim, 2 * USEC_PER_MINUTE - 1), 128));
        cr_assert(eq(u8, run_claim_priority(claim, 2 * USEC_PER_MINUTE), 144));
        cr_assert(eq(u8, run_claim_priority(claim, 8 * USEC_PER_MINUTE), 240));
        cr_assert(eq(u8, run_claim_priority(claim, 9 * USEC_PER_MINUTE), 255));
        cr_assert(eq(u8, run_claim_priority(claim, USEC_INFINITY), 255));
        run_pool_set_ageing(pool, false);
        cr_assert(eq(u8, run_claim_priority(claim, USEC_INFINITY), 128));
        run_claim_free(claim);
        run_pool_free(pool);
}

Test(run_pool, time_alone_may_let_a_claim_pass) {
        RunPool *pool = new_pool();
        const RunDemandLock lock[] = { { "db", 1 } };
        const RunDemandNeed needs[] = { { "cpu", 16 } };
        const RunClaimSpec high = { .key = { 2, RUN_CLAIM_OF_RUN },
                                    .priority = 136,
                                    .demand = { lock, needs, 1, 1 } };
        RunClaim *holder = new_claim(pool, 1, "db", 1, 0), *both, *old = new_claim(pool, 3, NULL, 0, 1);

        cr_assert(take(pool, holder));
        cr_assert(eq(int, run_claim_new(pool, &high, &both), 0));
        run_claim_wait(both, 30 * USEC_PER_SEC, 0);
        run_claim_wait(old, 0, 0);
        cr_assert(eq(ptr, run_pool_next(pool, 59 * USEC_PER_SEC), NULL));
        cr_assert(eq(u64, run_pool_deadline(pool, 59 * USEC_PER_SEC), USEC_PER_MINUTE));
        cr_assert(eq(ptr, run_pool_next(pool, USEC_PER_MINUTE), old));
        run_claim_take(old);
        cr_assert(eq(u64, run_pool_deadline(pool, USEC_PER_MINUTE), USEC_INFINITY));
        run_claim_free(old);
        run_claim_free(both);
        run_claim_free(holder);
        run_pool_free(pool);
}

/* — above and below — */

Test(run_pool, what_a_claim_above_holds_is_its_own) {
        RunPool *pool = new_pool();
        RunClaim *run = new_claim(pool, 1, "db", 1, 0), *other = new_claim(pool, 3, "db", 1, 0);
        RunClaim *node = new_below(pool, run, (RunClaimKey) { 1, 0 }, "db", 0);
        RunClaim *sub = new_below(pool, node, (RunClaimKey) { 2, RUN_CLAIM_OF_RUN }, "db", 0);
        RunLockRow row;

        cr_assert(take(pool, run));
        cr_assert(take(pool, node));
        cr_assert(not(take(pool, other)));
        cr_assert(take(pool, sub));
        cr_assert(not(run_claim_lock(sub, 0, &row)));
        run_claim_free(sub);
        cr_assert(eq(ptr, run_pool_next(pool, 0), NULL));
        run_claim_free(node);
        run_claim_free(run);
        cr_assert(eq(ptr, run_pool_next(pool, 0), other));
        run_claim_free(other);
        run_pool_free(pool);
}

Test(run_pool, a_claim_that_waits_for_a_holder_does_not_keep_back_what_the_holder_waits_for) {
        RunPool *pool = new_pool();
        RunClaim *run = new_claim(pool, 1, "db", 1, 4), *big = new_claim(pool, 2, NULL, 0, 16);
        RunClaim *node = new_below(pool, run, (RunClaimKey) { 1, 0 }, NULL, 2);

        cr_assert(take(pool, run));
        cr_assert(not(take(pool, big)));
        cr_assert(take(pool, node));
        run_claim_free(node);
        run_claim_free(run);
        cr_assert(eq(ptr, run_pool_next(pool, 0), big));
        run_claim_free(big);
        run_pool_free(pool);
}

Test(run_pool, a_circle_of_waits_is_found_when_it_closes) {
        RunPool *pool = new_pool();
        RunClaim *first = new_claim(pool, 1, "a", 1, 0), *second = new_claim(pool, 2, "b", 1, 0);
        RunClaim *below_first = new_below(pool, first, (RunClaimKey) { 3, RUN_CLAIM_OF_RUN }, "b", 0);
        RunClaim *below_second = new_below(pool, second, (RunClaimKey) { 4, RUN_CLAIM_OF_RUN }, "a", 0);
        RunClaimKey keys[4];

        cr_assert(take(pool, first));
        cr_assert(take(pool, second));
        cr_assert(not(take(pool, below_first)));
        cr_assert(eq(sz, run_claim_find_cycle(below_first, keys, 4), 0));
        cr_assert(not(take(pool, below_second)));
        cr_assert(eq(sz, run_claim_find_cycle(below_second, keys, 4), 2));
        cr_assert(eq(u32, keys[0].run, 4));
        cr_assert(eq(u32, keys[1].run, 3));
        cr_assert(eq(sz, run_claim_find_cycle(below_second, keys, 0), 2));
        run_claim_leave(below_first);
        cr_assert(eq(sz, run_claim_find_cycle(below_second, keys, 4), 0));
        run_claim_free(below_first);
        run_claim_free(below_second);
        run_claim_free(first);
        run_claim_free(second);
        run_pool_free(pool);
}

Test(run_pool, a_node_that_waits_for_what_its_own_run_holds_is_a_circle) {
        RunPool *pool = new_pool();
        RunClaim *run = new_claim(pool, 1, NULL, 0, 12);
        RunClaim *node = new_below(pool, run, (RunClaimKey) { 1, 7 }, NULL, 5);
        RunClaimKey keys[2];

        cr_assert(take(pool, run));
        cr_assert(not(take(pool, node)));
        cr_assert(eq(sz, run_claim_find_cycle(node, keys, 2), 1));
        cr_assert(eq(u32, keys[0].node, 7));
        run_claim_free(node);
        run_claim_free(run);
        run_pool_free(pool);
}

/* — questions, restart, memory — */

Test(run_pool, a_claim_knows_who_holds_what_it_waits_for_and_who_is_before_it) {
        RunPool *pool = new_pool();
        RunClaim *claims[3];
        RunClaimWhy why;

        for (uint32_t i = 0; i < 3; i++)
                claims[i] = new_claim(pool, i + 1, "db", 1, 2);
        cr_assert(take(pool, claims[0]));
        cr_assert(not(take(pool, claims[1])));
        cr_assert(not(take(pool, claims[2])));
        cr_assert(run_claim_why(claims[2], 0, &why));
        cr_assert(eq(int, strcmp(why.name, "db"), 0));
        cr_assert(why.is_lock);
        cr_assert(eq(u32, why.holder.run, 1));
        cr_assert(eq(u32, why.n_before, 1));
        cr_assert(eq(u32, why.other.run, 2));
        cr_assert(eq(u64, why.total, 1));
        cr_assert(eq(u64, why.unused, 0));
        run_claim_free(claims[0]);
        cr_assert(not(run_claim_why(claims[1], 0, &why)), "nothing but its turn is missing");
        cr_assert(run_claim_why(claims[2], 0, &why));
        cr_assert(not(why.has_holder));
        cr_assert(why.has_other);
        cr_assert(eq(u64, why.unused, 1));
        run_claim_free(claims[1]);
        run_claim_free(claims[2]);
        run_pool_free(pool);
}

Test(run_pool, locks_are_given_back_after_a_restart) {
        RunPool *pool = new_pool();
        RunClaim *claims[3];

        for (uint32_t i = 0; i < 3; i++)
                claims[i] = new_claim(pool, i + 1, "db", 2, i == 0 ? 3 : 0);
        cr_assert(eq(int, run_claim_restore_lock(claims[0], &(RunLockRow) { "db", 1, 41 }), 0));
        cr_assert(eq(int, run_claim_restore_lock(claims[0], &(RunLockRow) { "db", 0, 41 }), -EBUSY));
        cr_assert(eq(int, run_claim_restore_lock(claims[1], &(RunLockRow) { "db", 1, 41 }), -EBUSY));
        cr_assert(eq(int, run_claim_restore_lock(claims[1], &(RunLockRow) { "x", 0, 41 }), -ENOENT));
        run_claim_force(claims[0], RUN_CLAIM_ALL);
        cr_assert(run_claim_holds(claims[0], RUN_CLAIM_NEEDS));
        cr_assert(eq(u32, lock_of(claims[0]).slot, 1));
        cr_assert(take(pool, claims[1]));
        cr_assert(eq(u32, lock_of(claims[1]).slot, 0));
        cr_assert(lt(u64, 41, lock_of(claims[1]).fence));
        cr_assert(not(take(pool, claims[2])));
        run_claim_force(claims[2], RUN_CLAIM_ALL);
        cr_assert(eq(u32, lock_of(claims[2]).slot, 2));
        free_all(claims, 3);
        run_pool_free(pool);
}

Test(run_pool, a_claim_is_made_or_refused_when_memory_is_short) {
        bool was_reached = true;

        for (size_t n = 1; was_reached; n++) {
                RunPool *pool = new_pool();
                const RunDemandLock locks[] = { { "b", 1 }, { "a", 1 } };
                const RunDemandNeed needs[] = { { "cpu", 1 } };
                const RunClaimSpec spec = { .demand = { locks, needs, 2, 1 } };
                RunClaim *claim = NULL;
                int r;

                double_memory_arm(n, false);
                r = run_claim_new(pool, &spec, &claim);
                was_reached = double_memory_disarm();
                cr_assert(eq(int, r, was_reached ? -ENOMEM : 0));
                run_claim_free(claim);
                run_pool_free(pool);
        }
}

Test(run_pool, no_memory_is_taken_to_wait_to_take_and_to_release) {
        RunPool *pool = new_pool();
        RunClaim *claim = new_claim(pool, 1, "db", 1, 3);

        double_memory_arm(1, true);
        cr_assert(take(pool, claim));
        run_claim_release(claim, RUN_CLAIM_ALL);
        cr_assert(not(double_memory_disarm()));
        run_claim_free(claim);
        run_pool_free(pool);
}
