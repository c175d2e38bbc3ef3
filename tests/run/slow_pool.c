/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "slow_pool.h"

#define EACH(i) (uint32_t i = 0; i < SLOW_CLAIMS; i++)

static bool is_above(const SlowPool *pool, uint32_t above, uint32_t claim) {
        while (claim != SLOW_NONE && claim != above)
                claim = pool->claims[claim].above;
        return claim == above;
}

static bool has_inherited(const SlowPool *pool, uint32_t claim, uint32_t name) {
        for (uint32_t at = pool->claims[claim].above; at != SLOW_NONE; at = pool->claims[at].above)
                if (name < SLOW_LOCKS && pool->claims[at].is_held[name])
                        return pool->fault != SLOW_INHERITS_NOTHING;
        return false;
}

void slow_wait(SlowPool *pool, uint32_t claim, usec_t since, uint64_t place) {
        SlowClaim *entry = &pool->claims[claim];

        entry->waits = true;
        entry->since = since;
        entry->place = place;
        for (uint32_t name = 0; name < SLOW_NAMES; name++)
                entry->is_queued[name] = entry->wants[name] > 0 && !entry->is_held[name] &&
                                         !has_inherited(pool, claim, name);
}

void slow_take(SlowPool *pool, uint32_t claim) {
        SlowClaim *entry = &pool->claims[claim];

        entry->waits = false;
        for (uint32_t name = 0; name < SLOW_NAMES; name++)
                entry->is_held[name] = entry->is_held[name] || entry->is_queued[name];
}

static uint32_t priority_of(const SlowPool *pool, const SlowClaim *claim) {
        const usec_t now = pool->now / USEC_PER_SEC * USEC_PER_SEC;
        uint32_t priority = claim->priority;

        for (usec_t at = claim->since + USEC_PER_MINUTE; at <= now && pool->fault != SLOW_FORGETS_AGE;
             at += USEC_PER_MINUTE)
                priority += 16;
        return priority > 255 ? 255 : priority;
}

static bool is_before(const SlowPool *pool, const SlowClaim *a, const SlowClaim *b) {
        const bool turns = pool->fault == SLOW_SERVES_LAST_FIRST;

        if (priority_of(pool, a) != priority_of(pool, b))
                return priority_of(pool, a) > priority_of(pool, b);
        if (a->since != b->since)
                return (a->since < b->since) != turns;
        if (a->place != b->place)
                return a->place < b->place;
        if (a->key.run != b->key.run)
                return a->key.run < b->key.run;
        return a->key.node < b->key.node;
}

/* Whether @claim can have the name beside all those that @counts says. */
static bool fits(const SlowPool *pool, uint32_t claim, uint32_t name, const bool *counts) {
        const SlowClaim *entry = &pool->claims[claim];
        uint32_t limit = name < SLOW_LOCKS ? entry->slots[name] : 0;
        uint64_t sum = 0;

        for EACH(i) {
                const SlowClaim *other = &pool->claims[i];

                if (!counts[i] || i == claim)
                        continue;
                sum += other->wants[name];
                if (name < SLOW_LOCKS && other->slots[name] < limit && pool->fault != SLOW_COUNTS_OWN_SLOTS)
                        limit = other->slots[name];
        }
        return name < SLOW_LOCKS ? sum < limit : sum + entry->wants[name] <= pool->totals[name];
}

static bool must_wait(const SlowPool *pool, uint32_t claim) {
        for EACH(i)
                if (pool->claims[i].is_there && pool->claims[i].waits && is_above(pool, claim, i))
                        return true;
        return false;
}

/* Whether it waits only for claims that need not wait themselves. */
static bool is_near(const SlowPool *pool, uint32_t claim) {
        for (uint32_t name = 0; name < SLOW_NAMES; name++) {
                bool counts[SLOW_CLAIMS];

                for EACH(i)
                        counts[i] = pool->claims[i].is_there && pool->claims[i].is_held[name] && must_wait(pool, i);
                if (pool->claims[claim].is_queued[name] && !fits(pool, claim, name, counts))
                        return false;
        }
        return true;
}

static bool is_impossible(const SlowPool *pool, const SlowClaim *claim) {
        for (uint32_t name = SLOW_LOCKS; name < SLOW_NAMES; name++)
                if (claim->is_queued[name] && claim->wants[name] > pool->totals[name])
                        return true;
        return false;
}

static bool is_shut(const SlowPool *pool, const SlowClaim *claim) {
        if (is_impossible(pool, claim))
                return true;
        return claim->gate != SLOW_NONE && pool->is_shut[claim->gate] && pool->fault != SLOW_IGNORES_GATES;
}

static bool keeps_back(const SlowPool *pool, uint32_t other, uint32_t claim) {
        const SlowClaim *entry = &pool->claims[other];

        if (!entry->is_there || !entry->waits || is_shut(pool, entry) || pool->fault == SLOW_KEEPS_NOTHING_BACK ||
            !is_before(pool, entry, &pool->claims[claim]))
                return false;
        return is_near(pool, other) || pool->fault == SLOW_KEEPS_ALL_BACK;
}

static bool can_be_served(const SlowPool *pool, uint32_t claim) {
        for (uint32_t name = 0; name < SLOW_NAMES; name++) {
                bool counts[SLOW_CLAIMS];

                for EACH(i)
                        counts[i] = pool->claims[i].is_there &&
                                    (pool->claims[i].is_held[name] ||
                                     (pool->claims[i].is_queued[name] && keeps_back(pool, i, claim)));
                if (pool->claims[claim].is_queued[name] && !fits(pool, claim, name, counts))
                        return false;
        }
        return true;
}

uint32_t slow_next(const SlowPool *pool) {
        uint32_t best = SLOW_NONE;

        for EACH(i)
                if (pool->claims[i].is_there && pool->claims[i].waits && !is_shut(pool, &pool->claims[i]) &&
                    can_be_served(pool, i) &&
                    (best == SLOW_NONE || is_before(pool, &pool->claims[i], &pool->claims[best])))
                        best = i;
        return best;
}

bool slow_is_stuck(const SlowPool *pool, uint32_t claim) {
        SlowPool copy = *pool;
        bool has_changed = true;

        /* Whoever need not wait ends; whoever can have all that it wants then takes it, and ends too. */
        while (has_changed) {
                has_changed = false;
                for EACH(i) {
                        SlowClaim *entry = &copy.claims[i];
                        bool can = true, never = is_impossible(&copy, entry);

                        for (uint32_t name = 0; name < SLOW_NAMES && entry->is_there && entry->waits && !never;
                             name++) {
                                bool counts[SLOW_CLAIMS];

                                for EACH(k)
                                        counts[k] = copy.claims[k].is_there && copy.claims[k].is_held[name];
                                can = can && (!entry->is_queued[name] || fits(&copy, i, name, counts));
                        }
                        if (entry->is_there && entry->waits && can) {
                                entry->waits = false;
                                has_changed = true;
                        }
                        for (uint32_t name = 0; name < SLOW_NAMES && !must_wait(&copy, i); name++)
                                if (entry->is_there && entry->is_held[name]) {
                                        entry->is_held[name] = false;
                                        has_changed = true;
                                }
                }
        }
        return copy.claims[claim].is_there && copy.claims[claim].waits;
}

bool slow_is_sound(const SlowPool *pool) {
        for (uint32_t name = 0; name < SLOW_NAMES; name++) {
                uint64_t sum = 0, limit = name < SLOW_LOCKS ? UINT32_MAX : pool->totals[name];

                for EACH(i) {
                        if (!pool->claims[i].is_there || !pool->claims[i].is_held[name])
                                continue;
                        sum += pool->claims[i].wants[name];
                        if (name < SLOW_LOCKS && pool->claims[i].slots[name] < limit)
                                limit = pool->claims[i].slots[name];
                }
                if (sum > limit && name < SLOW_LOCKS)
                        return false;
        }
        return true;
}
