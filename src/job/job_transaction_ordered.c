/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Peeling: is there an order cycle, and how early can each job go?
 *
 * Peeling counts for each unit how many others it waits for and removes, round
 * by round, the units that wait for none. It needs four bytes a unit, where
 * the search for components (job_transaction_cycle) needs a node of 64. In the
 * common case that each unit has one job with one half and no other unit has a
 * job, there is no cycle if no unit remains. In all other cases the search
 * decides, and peeling only orders the first halves.
 *
 * The round in which a unit is removed is its depth. Jobs are installed by
 * depth, so most are checked once, when they can go, and lie in memory in
 * dispatch order.
 */

#include <assert.h>

#include "job/job_transaction_stage.h"
#include "job/job_transaction_walk.h"

/* By unit index: 0 if not staged or a nop; else these flags and the number of units it waits for. */
enum {
        WAITS_IS_STAGED = 1 << 0,
        WAITS_IS_STOP = 1 << 1,         /* goes before its neighbours in either direction */
        WAITS_IS_OFF = 1 << 2,          /* removed: the rest is its depth */
        WAITS_ONE = 1 << 3,
};

typedef struct Ordered {
        const JobTransaction *transaction;
        uint32_t *waits;                /* borrowed from the transaction */
        VECTOR(uint32_t) free;          /* units that wait for no other */
        size_t n;                       /* staged units */
        uint32_t n_rounds;
        bool is_answer;                 /* no remaining unit means no cycle: the common case only */
} Ordered;

static bool ordered_takes_part(const JobCandidate *candidate) {
        return !candidate->is_gone && candidate->type != JOB_NOP;
}

static bool ordered_stage(Ordered *ordered) {
        const JobTransaction *transaction = ordered->transaction;

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                const JobCandidate *candidate = transaction->candidates.items[i];
                JobType first = job_type_first_run(candidate->type);

                if (!ordered_takes_part(candidate))
                        continue;
                if (ordered->is_answer && (candidate->meets_job || candidate->type == JOB_RESTART))
                        return false;

                ordered->waits[candidate->index] =
                        WAITS_IS_STAGED | (job_type_second_goes_first(first) ? WAITS_IS_STOP : 0);
                ordered->n++;
        }
        return true;
}

/* Returns true if an installed job beside the stage has a half that waits. */
static bool ordered_is_beside(const Ordered *ordered, uint32_t unit) {
        const JobUnitEntry *entry = job_table_peek(ordered->transaction->installed, unit);

        return entry->pending || (entry->triggered && entry->triggered->type == JOB_RESTART);
}

static bool ordered_count_unit(Ordered *ordered, const Unit *unit) {
        UnitRelations after = unit_relations(unit, UNIT_AFTER), before = unit_relations(unit, UNIT_BEFORE);
        bool is_alone = !ordered->is_answer || ordered->transaction->installed->n_jobs == 0;
        uint32_t *waits = ordered->waits, n = 0;

        for (size_t i = 0; i < after.n; i++) {
                uint32_t other = after.items[i].other;

                if (waits[other] == 0) {
                        if (!is_alone && ordered_is_beside(ordered, other))
                                return false;
                } else if (waits[unit->index] & WAITS_IS_STOP)
                        waits[other] += WAITS_ONE;
                else
                        n++;
        }
        for (size_t i = 0; i < before.n && !is_alone; i++)
                if (waits[before.items[i].other] == 0 && ordered_is_beside(ordered, before.items[i].other))
                        return false;

        waits[unit->index] += n * WAITS_ONE;
        return true;
}

static bool ordered_count(Ordered *ordered) {
        const JobTransaction *transaction = ordered->transaction;

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                const JobCandidate *candidate = transaction->candidates.items[i];

                job_walk_candidates(transaction, i);
                if (!ordered_takes_part(candidate))
                        continue;
                if (!ordered_count_unit(ordered, candidate->unit))
                        return false;
        }
        return true;
}

static void ordered_release(Ordered *ordered, uint32_t unit) {
        if (ordered->waits[unit] == 0)
                return;

        ordered->waits[unit] -= WAITS_ONE;
        if (ordered->waits[unit] < WAITS_ONE)
                ordered->free.items[ordered->free.n++] = unit;
}

/* Removes @unit: each unit that waits for it waits for one less. */
static void ordered_take_off(Ordered *ordered, const Unit *unit) {
        UnitRelations before = unit_relations(unit, UNIT_BEFORE), after = unit_relations(unit, UNIT_AFTER);

        for (size_t i = 0; i < before.n; i++)
                if (!(ordered->waits[before.items[i].other] & WAITS_IS_STOP))
                        ordered_release(ordered, before.items[i].other);
        if (!(ordered->waits[unit->index] & WAITS_IS_STOP))
                return;
        for (size_t i = 0; i < after.n; i++)
                ordered_release(ordered, after.items[i].other);
}

static int ordered_peel(Ordered *ordered) {
        const JobTransaction *transaction = ordered->transaction;
        int r;

        r = vector_reserve(&ordered->free, ordered->n);
        if (r < 0)
                return r;
        for (size_t i = 0; i < transaction->touched.n; i++) {
                uint32_t unit = transaction->touched.items[i];

                if (ordered->waits[unit] != 0 && ordered->waits[unit] < WAITS_ONE)
                        ordered->free.items[ordered->free.n++] = unit;
        }

        for (size_t i = 0; i < ordered->free.n; ordered->n_rounds++)
                for (size_t n = ordered->free.n; i < n; i++) {
                        uint32_t unit = ordered->free.items[i];

                        job_walk_units(transaction->units, ordered->free.items, i, ordered->free.n);
                        ordered_take_off(ordered, unit_table_at(transaction->units, unit));
                        ordered->waits[unit] |= WAITS_IS_OFF | ordered->n_rounds * WAITS_ONE;
                }
        return 0;
}

/* Stores the depths. Remaining units come last: the installed jobs can resolve a cycle of the types alone. */
static void ordered_keep_depths(const Ordered *ordered, JobTransaction *transaction) {
        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];
                uint32_t waits = ordered->waits[candidate->index];

                candidate->depth = 0;
                if (ordered_takes_part(candidate))
                        candidate->depth = waits & WAITS_IS_OFF ? waits / WAITS_ONE : ordered->n_rounds;
        }
        transaction->n_depths = ordered->n_rounds + 1;
        transaction->has_depths = true;
}

/* 1 if all units were removed, 0 if not or if that decides nothing, or -ENOMEM. */
static int job_transaction_peel(JobTransaction *transaction, bool is_answer) {
        Ordered ordered = { .transaction = transaction, .waits = transaction->waits, .is_answer = is_answer };
        int r = 0;

        if (ordered_stage(&ordered) && ordered_count(&ordered)) {
                r = ordered_peel(&ordered);
                if (r == 0)
                        r = ordered.free.n == ordered.n;
                if (r > 0 || (r == 0 && !is_answer))
                        ordered_keep_depths(&ordered, transaction);
        }

        for (size_t i = 0; i < transaction->touched.n; i++)
                ordered.waits[transaction->touched.items[i]] = 0;
        vector_deinit(&ordered.free);
        return r;
}

bool job_transaction_is_ordered(JobTransaction *transaction) {
        return job_transaction_peel(transaction, true) > 0;
}

int job_transaction_find_depths(JobTransaction *transaction) {
        int r;

        r = job_transaction_peel(transaction, false);
        return MIN(r, 0);
}
