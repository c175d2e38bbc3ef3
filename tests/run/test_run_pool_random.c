/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The pool beside a slow model of it, in random sequences; and the same with each fault of the model, which must show
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "slow_pool.h"

#define SEQUENCES 1500U
#define STEPS 120U
#define MOST 9U /* of a resource */

static const char *const names[SLOW_NAMES] = { "a", "b", "c", "a", "b", "d", "cpu", "memory" };

typedef struct Case {
        uint64_t random;
        RunPool *pool;
        SlowPool slow;
        RunGate gates[SLOW_GATES];
        RunClaim *claims[SLOW_CLAIMS];
        uint32_t n_keys;
        uint64_t last_fence;
        char difference[128];
} Case;

static uint32_t pick(Case *test, uint32_t n) {
        test->random ^= test->random << 13;
        test->random ^= test->random >> 7;
        test->random ^= test->random << 17;
        return (uint32_t) (test->random >> 33) % n;
}

#define differ(test, ...) snprintf((test)->difference, sizeof((test)->difference), __VA_ARGS__)

static uint32_t pick_above(Case *test, bool is_run) {
        const uint32_t above = pick(test, SLOW_CLAIMS);

        if (pick(test, 3) == 0 || !test->claims[above] ||
            (test->slow.claims[above].key.node == RUN_CLAIM_OF_RUN) == is_run)
                return SLOW_NONE;
        return above;
}

static void add(Case *test, uint32_t at) {
        static const uint8_t priorities[] = { 0, 64, 128, 128, 128, 192, 255 };
        const bool is_run = pick(test, 2) == 0;
        SlowClaim *slow = &test->slow.claims[at];
        RunDemandLock locks[SLOW_LOCKS];
        RunDemandNeed needs[SLOW_NAMES];
        RunClaimSpec spec = { .demand = { .locks = locks, .needs = needs }, .is_unchecked = true, .userdata = slow };

        *slow = (SlowClaim) { .is_there = true, .above = pick_above(test, is_run), .gate = pick(test, 2 * SLOW_GATES) };
        slow->gate = slow->gate < SLOW_GATES ? slow->gate : SLOW_NONE;
        slow->priority = priorities[pick(test, sizeof(priorities))];
        test->n_keys++;
        slow->key = (RunClaimKey) { is_run ? test->n_keys : test->n_keys % 7, is_run ? RUN_CLAIM_OF_RUN : test->n_keys };
        for (uint32_t i = 0; i < SLOW_NAMES; i++) {
                if (pick(test, 3) > 0 || (i < SLOW_LOCKS && is_run != (i < SLOW_RUN_LOCKS)))
                        continue;
                slow->wants[i] = i < SLOW_LOCKS ? 1 : 1 + pick(test, MOST);
                if (i < SLOW_LOCKS) {
                        slow->slots[i] = 1 + pick(test, 3);
                        locks[spec.demand.n_locks++] = (RunDemandLock) { names[i], slow->slots[i] };
                } else
                        needs[spec.demand.n_needs++] = (RunDemandNeed) { names[i], slow->wants[i] };
        }
        spec.key = slow->key;
        spec.priority = slow->priority;
        spec.above = slow->above == SLOW_NONE ? NULL : test->claims[slow->above];
        spec.gate = slow->gate == SLOW_NONE ? NULL : &test->gates[slow->gate];
        cr_assert(eq(int, run_claim_new(test->pool, &spec, &test->claims[at]), 0));
}

static bool has_below(const Case *test, uint32_t at) {
        for (uint32_t i = 0; i < SLOW_CLAIMS; i++)
                if (test->claims[i] && test->slow.claims[i].above == at)
                        return true;
        return false;
}

static void drop(Case *test, uint32_t at) {
        test->claims[at] = run_claim_free(test->claims[at]);
        test->slow.claims[at] = (SlowClaim) {};
}

static void release(Case *test, uint32_t at, RunClaimPart part) {
        run_claim_release(test->claims[at], part);
        for (uint32_t i = 0; i < SLOW_NAMES; i++)
                if (part & (i < SLOW_LOCKS ? RUN_CLAIM_LOCKS : RUN_CLAIM_NEEDS))
                        test->slow.claims[at].is_held[i] = false;
}

/* There is a circle if the claim is stuck, and all of its claims are. */
static void check_cycle(Case *test, uint32_t at) {
        RunClaimKey keys[SLOW_CLAIMS];
        const bool is_stuck = slow_is_stuck(&test->slow, at);
        const size_t n = run_claim_find_cycle(test->claims[at], keys, SLOW_CLAIMS);

        if ((n > 0) != is_stuck || n > SLOW_CLAIMS) {
                differ(test, "claim %u: a circle of %zu, and it is %s", at, n, is_stuck ? "stuck" : "not stuck");
                return;
        }
        for (size_t i = 0; i < n; i++)
                for (uint32_t k = 0; k < SLOW_CLAIMS; k++)
                        if (test->claims[k] && memcmp(&test->slow.claims[k].key, &keys[i], sizeof(keys[i])) == 0 &&
                            test->slow.claims[k].waits && !slow_is_stuck(&test->slow, k))
                                differ(test, "claim %u in the circle of %u is not stuck", k, at);
}

static void wait(Case *test, uint32_t at) {
        const usec_t since = test->slow.now - pick(test, 2) * pick(test, 200) * USEC_PER_SEC;
        const uint64_t place = pick(test, 4);

        run_claim_wait(test->claims[at], since, place);
        slow_wait(&test->slow, at, since, place);
        check_cycle(test, at);
}

static void take(Case *test, uint32_t at) {
        RunLockRow row;

        run_claim_take(test->claims[at]);
        slow_take(&test->slow, at);
        for (size_t i = 0; run_claim_lock(test->claims[at], i, &row); i++)
                if (row.fence > run_pool_fence(test->pool))
                        differ(test, "claim %u has a number that was not given", at);
        if (run_pool_fence(test->pool) < test->last_fence)
                differ(test, "the number of grants fell");
        test->last_fence = run_pool_fence(test->pool);
}

static uint32_t place_of(const Case *test, const RunClaim *claim) {
        return claim ? (uint32_t) ((SlowClaim *) run_claim_userdata(claim) - test->slow.claims) : SLOW_NONE;
}

static void shut(Case *test, uint32_t gate, bool is_shut) {
        run_gate_set(test->pool, &test->gates[gate], is_shut);
        test->slow.is_shut[gate] = is_shut;
}

/* Serves some; a claim with a gate may find it shut instead. */
static void serve(Case *test) {
        while (test->difference[0] == '\0') {
                const uint32_t fast = place_of(test, run_pool_next(test->pool, test->slow.now));
                const uint32_t slow = slow_next(&test->slow);

                if (fast != slow)
                        differ(test, "next is %u, and %u in the model", fast, slow);
                if (fast != slow || fast == SLOW_NONE || pick(test, 12) == 0)
                        return;
                if (test->slow.claims[fast].gate != SLOW_NONE && pick(test, 3) == 0)
                        shut(test, test->slow.claims[fast].gate, true);
                else
                        take(test, fast);
        }
}

static void set_total(Case *test, uint32_t name, uint64_t total) {
        cr_assert(eq(int, run_pool_set_resource(test->pool, names[name], total), 0));
        test->slow.totals[name] = total;
}

static void step(Case *test) {
        const uint32_t at = pick(test, SLOW_CLAIMS), gate = pick(test, SLOW_GATES);

        if (pick(test, 6) == 0)
                test->slow.now += pick(test, 100) * USEC_PER_SEC + pick(test, 1000);
        if (pick(test, 20) == 0)
                set_total(test, SLOW_LOCKS + pick(test, SLOW_NAMES - SLOW_LOCKS), 1 + pick(test, MOST));
        if (pick(test, 4) == 0)
                shut(test, gate, pick(test, 4) == 0);
        if (!test->claims[at])
                add(test, at);
        else if (pick(test, 12) == 0 && !has_below(test, at))
                drop(test, at);
        else if (test->slow.claims[at].waits) {
                if (pick(test, 3) > 0)
                        return;
                run_claim_leave(test->claims[at]);
                test->slow.claims[at].waits = false;
        } else if (run_claim_holds(test->claims[at], RUN_CLAIM_ALL) && pick(test, 2) == 0)
                release(test, at, 1 + pick(test, 3));
        else
                wait(test, at);
}

/* Whether the pool and the model have differed; *ret_difference says where. */
static bool play(uint64_t seed, SlowFault fault, char ret_difference[static 128]) {
        Case test = { .random = seed * 2654435761U + 88172645463325252U };

        test.slow.fault = fault;
        test.slow.now = USEC_PER_HOUR;
        cr_assert(eq(int, run_pool_new(&test.pool), 0));
        for (uint32_t i = SLOW_LOCKS; i < SLOW_NAMES; i++)
                set_total(&test, i, i == SLOW_LOCKS ? 4 : MOST);
        for (uint32_t i = 0; i < STEPS && test.difference[0] == '\0'; i++) {
                step(&test);
                serve(&test);
                if (!slow_is_sound(&test.slow))
                        differ(&test, "a lock has too many holders");
        }
        for (bool is_left = true; is_left;) {
                is_left = false;
                for (uint32_t i = 0; i < SLOW_CLAIMS; i++)
                        if (test.claims[i] && !has_below(&test, i)) {
                                drop(&test, i);
                                is_left = true;
                        }
        }
        test.pool = run_pool_free(test.pool);
        memcpy(ret_difference, test.difference, sizeof(test.difference));
        return test.difference[0] != '\0';
}

Test(run_pool_random, the_pool_does_as_its_model) {
        char difference[128];

        for (uint64_t seed = 1; seed <= SEQUENCES; seed++)
                cr_assert(not(play(seed, SLOW_IS_RIGHT, difference)), "seed %lu: %s", seed, difference);
}

Test(run_pool_random, each_fault_of_the_model_is_found) {
        char difference[128];

        for (SlowFault fault = SLOW_IS_RIGHT + 1; fault < _SLOW_FAULT_MAX; fault++) {
                uint64_t seed = 1;

                while (seed <= SEQUENCES && !play(seed, fault, difference))
                        seed++;
                cr_assert(le(u64, seed, SEQUENCES), "fault %d was not found", fault);
        }
}
