/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Claims: the queues, what is held, and which claim is next
 *
 * A change for the better of some claim touches its names.
 * Only queues of touched names are walked, and a walk ends where nothing of
 * the name is left: a release costs about as many steps as the name has slots,
 * not as it has claims that wait. Whether a claim can have another name, too,
 * is found by a walk over that one's queue, up to the claim.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "run/run_pool_private.h"

/* — order — */

/* Age is judged in steps of a second. */
static usec_t pool_now(usec_t now) {
        return now - now % USEC_PER_SEC;
}

uint8_t run_pool_priority(const RunPool *pool, uint8_t priority, usec_t since, usec_t now) {
        const usec_t minutes = usec_sub(pool_now(now), since) / USEC_PER_MINUTE;

        return (uint8_t) (pool->has_ageing ? MIN(priority + 16 * MIN(minutes, RUN_PRIORITY_MAX), RUN_PRIORITY_MAX) :
                                             priority);
}

uint8_t run_claim_priority(const RunClaim *claim, usec_t now) {
        return run_pool_priority(claim->pool, claim->priority, claim->since, now);
}

static int compare(uint64_t a, uint64_t b) {
        return (a > b) - (a < b);
}

/* The order in a band. */
static int compare_wait(const RunClaim *a, const RunClaim *b) {
        int order = compare(a->since, b->since);

        if (order == 0)
                order = compare(a->place, b->place);
        if (order == 0)
                order = compare(a->key.run, b->key.run);
        return order != 0 ? order : compare(a->key.node, b->key.node);
}

static bool is_before(const RunClaim *a, const RunClaim *b, usec_t now) {
        const uint8_t left = run_claim_priority(a, now), right = run_claim_priority(b, now);

        return left != right ? left > right : compare_wait(a, b) < 0;
}

void pool_walk_begin(PoolWalk *walk, const PoolName *name, const RunGate *own, usec_t now) {
        walk->name = name;
        walk->now = now;
        for (PoolBand *band = name->bands; band; band = band->next)
                band->at = band->gate && band->gate->is_shut && band->gate != own ? NULL : band->first;
}

PoolLink *pool_walk_next(PoolWalk *walk) {
        PoolBand *best = NULL;
        PoolLink *link;

        for (PoolBand *band = walk->name->bands; band; band = band->next)
                if (band->at && (!best || is_before(band->at->claim, best->at->claim, walk->now)))
                        best = band;
        if (!best)
                return NULL;
        link = best->at;
        best->at = link->next;
        return link;
}

/* Finds or makes the band for a link: 0 or -ENOMEM. */
static int add_band(PoolLink *link) {
        const RunClaim *claim = link->claim;
        PoolBand *band = link->name->bands;

        while (band && (band->priority != claim->priority || band->gate != claim->gate))
                band = band->next;
        if (!band) {
                band = calloc(1, sizeof(*band));
                if (!band)
                        return -ENOMEM;
                *band = (PoolBand) { .priority = claim->priority, .gate = claim->gate, .next = link->name->bands };
                link->name->bands = band;
        }
        band->n_refs++;
        link->band = band;
        return 0;
}

static void unref_band(PoolLink *link) {
        PoolBand **slot = &link->name->bands;

        if (!link->band || --link->band->n_refs > 0)
                return;
        while (*slot != link->band)
                slot = &(*slot)->next;
        *slot = link->band->next;
        free(link->band);
}

/* Behind @previous; in front if that is NULL. */
static void link_in(PoolLink **first, PoolLink **last, PoolLink *previous, PoolLink *link) {
        link->previous = previous;
        link->next = previous ? previous->next : *first;
        if (link->next)
                link->next->previous = link;
        else
                *last = link;
        if (previous)
                previous->next = link;
        else
                *first = link;
}

static void link_out(PoolLink **first, PoolLink **last, PoolLink *link) {
        if (link->previous)
                link->previous->next = link->next;
        else
                *first = link->next;
        if (link->next)
                link->next->previous = link->previous;
        else
                *last = link->previous;
        link->state = POOL_LINK_IDLE;
}

static void queue_in(PoolLink *link) {
        PoolBand *band = link->band;
        PoolLink *previous = band->last;

        while (previous && compare_wait(previous->claim, link->claim) > 0)
                previous = previous->previous;
        link_in(&band->first, &band->last, previous, link);
        link->state = POOL_LINK_WAITS;
        link->name->n_waiting++;
}

static void queue_out(PoolLink *link) {
        link_out(&link->band->first, &link->band->last, link);
        link->name->n_waiting--;
        if (link->name->n_waiting == 0)
                pool_untouch(link->name);
}

/* — holding — */

/* The last holder before a free slot; NULL: slot 0 is free. */
static PoolLink *before_free_slot(const PoolName *name) {
        PoolLink *previous = NULL;

        for (PoolLink *at = name->first; at && at->slot == (previous ? previous->slot + 1 : 0); at = at->next)
                previous = at;
        return previous;
}

static void hold(PoolLink *link, PoolLink *previous, uint64_t fence) {
        PoolName *name = link->name;

        link_in(&name->first, &name->last, previous, link);
        link->state = POOL_LINK_HELD;
        link->fence = fence;
        name->used += link->amount;
        name->limit = MIN(name->limit, link->slots);
        link->claim->n_held++;
}

static void hold_next(PoolLink *link) {
        PoolName *name = link->name;
        PoolLink *previous = name->last;

        if (name->kind == POOL_NOTHING)
                return;
        if (name->kind != POOL_RESOURCE) {
                previous = before_free_slot(name);
                link->slot = previous ? previous->slot + 1 : 0;
        }
        hold(link, previous, ++name->pool->fence);
}

static void give_back(PoolLink *link) {
        PoolName *name = link->name;

        link_out(&name->first, &name->last, link);
        name->used -= link->amount;
        name->limit = UINT32_MAX;
        for (const PoolLink *at = name->first; at && name->kind != POOL_RESOURCE; at = at->next)
                name->limit = MIN(name->limit, at->slots);
        link->claim->n_held--;
        pool_touch(name);
}

static RunClaimPart part_of(const PoolLink *link) {
        return link->name->kind == POOL_RESOURCE ? RUN_CLAIM_NEEDS : RUN_CLAIM_LOCKS;
}

void run_claim_release(RunClaim *claim, RunClaimPart part) {
        for (uint32_t i = 0; i < claim->n_links; i++)
                if (claim->links[i].state == POOL_LINK_HELD && part_of(&claim->links[i]) & part)
                        give_back(&claim->links[i]);
}

bool run_claim_holds(const RunClaim *claim, RunClaimPart part) {
        for (uint32_t i = 0; i < claim->n_links && claim->n_held > 0; i++)
                if (claim->links[i].state == POOL_LINK_HELD && part_of(&claim->links[i]) & part)
                        return true;
        return false;
}

/* A claim above holds the lock of the same kind. */
static bool is_inherited(const PoolLink *link) {
        for (const RunClaim *above = link->claim->above; above && link->name->kind != POOL_RESOURCE;
             above = above->above)
                for (uint32_t i = 0; i < above->n_links; i++)
                        if (above->links[i].name == link->name && above->links[i].state == POOL_LINK_HELD)
                                return true;
        return false;
}

void run_claim_force(RunClaim *claim, RunClaimPart part) {
        run_claim_leave(claim);
        for (uint32_t i = 0; i + 1 < claim->n_links; i++)
                if (claim->links[i].state == POOL_LINK_IDLE && part_of(&claim->links[i]) & part &&
                    !is_inherited(&claim->links[i]))
                        hold_next(&claim->links[i]);
        pool_touch_all(claim->pool);
}

bool run_claim_lock(const RunClaim *claim, size_t at, RunLockRow *ret_row) {
        for (uint32_t i = 0; i < claim->n_links; i++) {
                const PoolLink *link = &claim->links[i];

                if (link->state != POOL_LINK_HELD || part_of(link) != RUN_CLAIM_LOCKS || at-- > 0)
                        continue;
                *ret_row = (RunLockRow) { .name = link->name->name, .slot = link->slot, .fence = link->fence };
                return true;
        }
        return false;
}

static PoolLink *find_link(RunClaim *claim, RunClaimPart part, const char *name) {
        for (uint32_t i = 0; i + 1 < claim->n_links; i++)
                if (part_of(&claim->links[i]) == part && strcmp(claim->links[i].name->name, name) == 0)
                        return &claim->links[i];
        return NULL;
}

int run_claim_restore_lock(RunClaim *claim, const RunLockRow *row) {
        PoolLink *link = find_link(claim, RUN_CLAIM_LOCKS, row->name), *previous = NULL;

        if (!link)
                return -ENOENT;
        if (link->state != POOL_LINK_IDLE)
                return -EBUSY;
        for (PoolLink *at = link->name->first; at && at->slot <= row->slot; at = at->next)
                previous = at;
        if (previous && previous->slot == row->slot)
                return -EBUSY;
        link->slot = row->slot;
        hold(link, previous, row->fence);
        run_pool_set_fence(claim->pool, row->fence);
        pool_touch_all(claim->pool);
        return 0;
}

/* — claims — */

static PoolKind lock_kind(const RunClaimKey *key) {
        return key->node == RUN_CLAIM_OF_RUN ? POOL_RUN_LOCK : POOL_NODE_LOCK;
}

static int add_link(RunClaim *claim, PoolKind kind, const char *text, uint64_t amount, uint32_t slots) {
        PoolLink *link = &claim->links[claim->n_links];
        PoolName *name;
        int r = pool_name_take(claim->pool, kind, text, &name);

        if (r < 0)
                return r;
        *link = (PoolLink) { .name = name, .claim = claim, .amount = amount, .slots = slots };
        claim->n_links++;
        return add_band(link);
}

static int compare_links(const void *a, const void *b) {
        const PoolLink *left = a, *right = b;
        const int order = compare(left->name->kind, right->name->kind);

        return order != 0 ? order : strcmp(left->name->name, right->name->name);
}

static int add_links(RunClaim *claim, const RunDemand *demand) {
        int r = 0;

        for (size_t i = 0; i < demand->n_locks && r == 0; i++)
                r = add_link(claim, lock_kind(&claim->key), demand->locks[i].name, 1, demand->locks[i].slots);
        for (size_t i = 0; i < demand->n_needs && r == 0; i++)
                r = add_link(claim, POOL_RESOURCE, demand->needs[i].name, demand->needs[i].amount, UINT32_MAX);
        if (r < 0)
                return r;
        qsort(claim->links, claim->n_links, sizeof(*claim->links), compare_links);
        claim->links[claim->n_links++] = (PoolLink) { .name = &claim->pool->nothing, .claim = claim };
        return add_band(&claim->links[claim->n_links - 1]);
}

int run_claim_new(RunPool *pool, const RunClaimSpec *spec, RunClaim **ret_claim) {
        cleanup_(run_claim_freep) RunClaim *claim = NULL;
        int r = spec->is_unchecked ? 0 : run_pool_check(pool, &spec->demand, NULL);

        if (r < 0)
                return r;
        claim = calloc(1, sizeof(*claim) +
                                  (spec->demand.n_locks + spec->demand.n_needs + 1) * sizeof(*claim->links));
        if (!claim)
                return -ENOMEM;
        claim->pool = pool;
        claim->key = spec->key;
        claim->above = spec->above;
        claim->gate = spec->gate;
        claim->userdata = spec->userdata;
        claim->priority = spec->priority;
        if (claim->above)
                claim->above->n_below++;
        pool->n_claims++;
        r = add_links(claim, &spec->demand);
        if (r < 0)
                return r;
        *ret_claim = take_ptr(claim);
        return 0;
}

RunClaim *run_claim_free(RunClaim *claim) {
        if (!claim)
                return NULL;
        assert(claim->n_below == 0);
        run_claim_leave(claim);
        run_claim_release(claim, RUN_CLAIM_ALL);
        for (uint32_t i = 0; i < claim->n_links; i++) {
                unref_band(&claim->links[i]);
                pool_name_unref(claim->links[i].name);
        }
        if (claim->above)
                claim->above->n_below--;
        claim->pool->n_claims--;
        free(claim);
        return NULL;
}

void run_claim_move(RunClaim *claim, RunClaim *above) {
        assert(!claim->waits);
        for (RunClaim *at = claim->above; at; at = at->above)
                at->n_waiting -= claim->n_waiting;
        for (RunClaim *at = above; at; at = at->above)
                at->n_waiting += claim->n_waiting;
        if (claim->above)
                claim->above->n_below--;
        claim->above = above;
        if (above)
                above->n_below++;
        if (claim->n_waiting > 0)
                pool_touch_all(claim->pool);
}

const RunClaim *run_claim_above(const RunClaim *claim) {
        return claim->above;
}

RunClaimKey run_claim_key(const RunClaim *claim) {
        return claim->key;
}

void *run_claim_userdata(const RunClaim *claim) {
        return claim->userdata;
}

bool run_claim_waits(const RunClaim *claim) {
        return claim->waits;
}

/* Claims that wait for a holder keep nothing back from others once the holder waits itself. */
static void count_waiting(RunClaim *claim, uint32_t by) {
        bool has_turned = false;

        for (RunClaim *at = claim; at; at = at->above) {
                at->n_waiting += by;
                has_turned = has_turned || (at->n_held > 0 && by == 1 && at->n_waiting == 1);
        }
        if (claim->gate)
                claim->gate->n_waiting += by;
        if (has_turned)
                pool_touch_all(claim->pool);
}

static void queue_all(RunClaim *claim) {
        bool has_any = false;

        for (uint32_t i = 0; i < claim->n_links; i++) {
                PoolLink *link = &claim->links[i];

                if (link->name->kind == POOL_NOTHING ? has_any : link->state != POOL_LINK_IDLE || is_inherited(link))
                        continue;
                queue_in(link);
                pool_touch(link->name);
                has_any = true;
        }
}

void run_claim_wait(RunClaim *claim, usec_t since, uint64_t place) {
        if (claim->waits)
                return;
        claim->waits = true;
        claim->since = since;
        claim->place = place;
        claim->previous = NULL;
        claim->next = claim->pool->waiting;
        if (claim->next)
                claim->next->previous = claim;
        claim->pool->waiting = claim;
        queue_all(claim);
        count_waiting(claim, 1);
}

/* Takes it out of all queues. @holds: what it waited for it has from now on. */
static void stop_waiting(RunClaim *claim, bool holds) {
        count_waiting(claim, UINT32_MAX);
        for (uint32_t i = 0; i < claim->n_links; i++) {
                PoolLink *link = &claim->links[i];

                if (link->state != POOL_LINK_WAITS)
                        continue;
                queue_out(link);
                if (holds)
                        hold_next(link);
                else
                        pool_touch(link->name);
        }
        if (claim->previous)
                claim->previous->next = claim->next;
        else
                claim->pool->waiting = claim->next;
        if (claim->next)
                claim->next->previous = claim->previous;
        claim->waits = false;
        if (holds && claim->n_waiting > 0)
                pool_touch_all(claim->pool);
}

void run_claim_leave(RunClaim *claim) {
        if (claim->waits)
                stop_waiting(claim, false);
}

void run_claim_take(RunClaim *claim) {
        assert(claim->waits);
        stop_waiting(claim, true);
}

void run_gate_set(RunPool *pool, RunGate *gate, bool is_shut) {
        if (gate->is_shut == is_shut)
                return;
        gate->is_shut = is_shut;
        /* Claims behind it can be served, or keep nothing back from others any more. */
        if (gate->n_waiting > 0)
                pool_touch_all(pool);
}

/* — service — */

bool pool_claim_is_impossible(const RunClaim *claim) {
        for (uint32_t i = 0; i < claim->n_links; i++) {
                const PoolLink *link = &claim->links[i];

                if (link->state == POOL_LINK_WAITS && link->name->kind == POOL_RESOURCE &&
                    link->amount > link->name->total)
                        return true;
        }
        return false;
}

bool pool_claim_is_passed_over(const RunClaim *claim) {
        return (claim->gate && claim->gate->is_shut) || pool_claim_is_impossible(claim);
}

bool pool_claim_is_near(const RunClaim *claim) {
        for (uint32_t i = 0; i < claim->n_links; i++) {
                const PoolLink *link = &claim->links[i];
                PoolLoad load = { .limit = UINT32_MAX };

                if (link->state != POOL_LINK_WAITS)
                        continue;
                for (const PoolLink *at = link->name->first; at; at = at->next)
                        if (at->claim->n_waiting > 0)
                                pool_load_add(&load, at);
                if (!pool_load_fits(&load, link))
                        return false;
        }
        return true;
}

/* Claims behind it may take what the claim wants. */
static bool keeps_nothing_back(const RunClaim *claim) {
        return pool_claim_is_passed_over(claim) || !pool_claim_is_near(claim);
}

bool pool_link_fits(const PoolLink *link, usec_t now) {
        PoolLoad load = pool_load(link->name);
        const PoolLink *at;
        PoolWalk walk;

        if (!pool_load_fits(&load, link))
                return false;
        pool_walk_begin(&walk, link->name, link->claim->gate, now);
        while ((at = pool_walk_next(&walk)) != link) {
                if (keeps_nothing_back(at->claim))
                        continue;
                pool_load_add(&load, at);
                if (!pool_load_fits(&load, link))
                        return false;
        }
        return true;
}

static bool fits_elsewhere(const RunClaim *claim, const PoolLink *but, usec_t now) {
        for (uint32_t i = 0; i < claim->n_links; i++)
                if (claim->links[i].state == POOL_LINK_WAITS && &claim->links[i] != but &&
                    !pool_link_fits(&claim->links[i], now))
                        return false;
        return true;
}

/* The first claim in the queue of a name that can be served. */
static RunClaim *first_that_fits(const PoolName *name, usec_t now) {
        PoolLoad load = pool_load(name);
        const PoolLink *link;
        PoolWalk walk;

        pool_walk_begin(&walk, name, NULL, now);
        while (!pool_load_is_full(&load, name) && (link = pool_walk_next(&walk))) {
                if (keeps_nothing_back(link->claim))
                        continue;
                if (pool_load_fits(&load, link) && fits_elsewhere(link->claim, link, now))
                        return link->claim;
                pool_load_add(&load, link);
        }
        return NULL;
}

RunClaim *run_pool_next(RunPool *pool, usec_t now) {
        RunClaim *best = NULL;

        /* The order can have changed. */
        if (pool->has_ageing && pool_now(now) != pool->second)
                pool_touch_all(pool);
        pool->second = pool_now(now);
        for (PoolName **slot = &pool->touched; *slot;) {
                PoolName *name = *slot;
                RunClaim *claim = first_that_fits(name, now);

                if (!claim) {
                        *slot = name->next_touched;
                        name->is_touched = false;
                        continue;
                }
                if (!best || is_before(claim, best, now))
                        best = claim;
                slot = &name->next_touched;
        }
        return best;
}

usec_t run_pool_deadline(const RunPool *pool, usec_t now) {
        for (size_t i = 0; i < pool->names.n && pool->has_ageing && pool->waiting; i++) {
                const PoolName *name = pool->names.items[i];
                const PoolLoad load = pool_load(name);

                if (name->n_waiting > 1 && !pool_load_is_full(&load, name))
                        return usec_add(now - now % USEC_PER_MINUTE, USEC_PER_MINUTE);
        }
        return USEC_INFINITY;
}
