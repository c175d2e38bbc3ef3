/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Questions: what a claim waits for, and circles of claims that wait for each other
 *
 * A claim that holds something and has claims below it that wait gives back
 * nothing before these are served. Claims that wait for such holders alone may
 * wait for ever. They are found from the other side: first all that wait are
 * taken for stuck, then each one that could have what it wants of holders that
 * are not is taken out, until none is.
 */

#include "run/run_pool_private.h"

static const PoolLink *first_missing(const RunClaim *claim, usec_t now) {
        for (uint32_t i = 0; i < claim->n_links; i++)
                if (claim->links[i].state == POOL_LINK_WAITS && !pool_link_fits(&claim->links[i], now))
                        return &claim->links[i];
        return NULL;
}

bool run_claim_why(const RunClaim *claim, usec_t now, RunClaimWhy *ret_why) {
        const PoolLink *link = claim->waits ? first_missing(claim, now) : NULL, *at;
        const PoolName *name;
        PoolWalk walk;

        if (!link)
                return false;
        name = link->name;
        *ret_why = (RunClaimWhy) {
                .name = name->name,
                .is_lock = name->kind != POOL_RESOURCE,
                .wanted = link->amount,
                .total = name->kind == POOL_RESOURCE ? name->total : MIN(name->limit, link->slots),
                .has_holder = name->first,
                .holder = name->first ? name->first->claim->key : (RunClaimKey) {},
        };
        ret_why->unused = ret_why->total > name->used ? ret_why->total - name->used : 0;
        pool_walk_begin(&walk, name, claim->gate, now);
        while ((at = pool_walk_next(&walk)) != link) {
                if (pool_claim_is_passed_over(at->claim))
                        continue;
                if (ret_why->n_before++ == 0)
                        ret_why->other = at->claim->key;
                ret_why->has_other = true;
        }
        return true;
}

/* — all of them — */

static void visit_link(const PoolLink *link, usec_t now, RunLockVisitor visit, void *userdata) {
        const PoolName *name = link->name;
        const bool is_held = link->state == POOL_LINK_HELD, is_lock = name->kind != POOL_RESOURCE;

        visit(userdata, &(RunLockEntry) {
                .name = name->name,
                .key = link->claim->key,
                .is_lock = is_lock,
                .is_held = is_held,
                .slot = is_held ? link->slot : 0,
                .amount = link->amount,
                .total = is_lock ? MIN(name->limit, link->slots) : name->total,
                .priority = is_held ? 0 : run_claim_priority(link->claim, now),
                .since = is_held ? 0 : link->claim->since,
        });
}

void run_pool_visit(const RunPool *pool, usec_t now, RunLockVisitor visit, void *userdata) {
        for (size_t i = 0; i < pool->names.n; i++) {
                const PoolName *name = pool->names.items[i];
                const PoolLink *link;
                PoolWalk walk;

                for (link = name->first; link; link = link->next)
                        visit_link(link, now, visit, userdata);
                pool_walk_begin(&walk, name, NULL, now);
                while ((link = pool_walk_next(&walk)))
                        visit_link(link, now, visit, userdata);
                for (const PoolBand *band = name->bands; band; band = band->next)
                        for (link = band->gate && band->gate->is_shut ? band->first : NULL; link; link = link->next)
                                visit_link(link, now, visit, userdata);
        }
}

/* — cycles — */

static void set_stuck(RunClaim *claim, bool is_stuck) {
        if (claim->is_stuck == is_stuck)
                return;
        claim->is_stuck = is_stuck;
        for (RunClaim *at = claim; at; at = at->above)
                at->n_stuck += is_stuck ? 1 : UINT32_MAX;
}

/* The first lock or resource that no holder will give up, because each waits itself; NULL: there is none. */
static const PoolLink *find_stuck_link(const RunClaim *claim) {
        for (uint32_t i = 0; i < claim->n_links; i++) {
                const PoolLink *link = &claim->links[i];
                PoolLoad load = { .limit = UINT32_MAX };

                if (link->state != POOL_LINK_WAITS)
                        continue;
                for (const PoolLink *at = link->name->first; at; at = at->next)
                        if (at->claim->n_stuck > 0)
                                pool_load_add(&load, at);
                if (!pool_load_fits(&load, link))
                        return link;
        }
        return NULL;
}

static void find_stuck(const RunPool *pool) {
        bool has_changed = true;

        for (RunClaim *claim = pool->waiting; claim; claim = claim->next)
                set_stuck(claim, !pool_claim_is_impossible(claim));
        while (has_changed) {
                has_changed = false;
                for (RunClaim *claim = pool->waiting; claim; claim = claim->next)
                        if (claim->is_stuck && !find_stuck_link(claim)) {
                                set_stuck(claim, false);
                                has_changed = true;
                        }
        }
}

static bool is_below(const RunClaim *claim, const RunClaim *above) {
        while (claim && claim != above)
                claim = claim->above;
        return claim;
}

/* A claim that must be served before @claim is: one below a holder of what it wants. */
static const RunClaim *next_stuck(const RunClaim *claim) {
        const PoolLink *holder = find_stuck_link(claim)->name->first;
        const RunClaim *next = claim->pool->waiting;

        while (holder->claim->n_stuck == 0)
                holder = holder->next;
        while (!next->is_stuck || !is_below(next, holder->claim))
                next = next->next;
        return next;
}

size_t run_claim_find_cycle(const RunClaim *claim, RunClaimKey *ret_keys, size_t n_max) {
        const RunClaim *slow = claim, *fast = claim;
        size_t n = 0;

        if (!claim->waits || pool_claim_is_near(claim))
                return 0;
        find_stuck(claim->pool);
        if (claim->is_stuck) {
                /* One walks twice as fast as the other: both meet in the circle. */
                do {
                        slow = next_stuck(slow);
                        fast = next_stuck(next_stuck(fast));
                } while (slow != fast);
                /* From there and from the beginning it is equally far to the first claim of the circle. */
                for (slow = claim; slow != fast; slow = next_stuck(slow))
                        fast = next_stuck(fast);
                do {
                        if (n < n_max)
                                ret_keys[n] = slow->key;
                        n++;
                        slow = next_stuck(slow);
                } while (slow != fast);
        }
        for (RunClaim *at = claim->pool->waiting; at; at = at->next)
                set_stuck(at, false);
        return n;
}
