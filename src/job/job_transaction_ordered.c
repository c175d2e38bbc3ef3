/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Step 7, at a glance: is there a cycle of order at all?
 *
 * Mostly there is none, and mostly each unit has one job with one half, and what
 * is not staged has none. Then it is enough to count for each how many it waits
 * for, and to take off, again and again, those that wait for nobody: four bytes a
 * unit, where the search for components needs a node of 64. If some are left, or
 * the table is not that simple, that search finds out (job_transaction_cycle).
 */

#include <assert.h>

#include "job/job_transaction_stage.h"

/* By unit index: 0 if it is not staged, else these and how many it waits for. */
enum {
        WAITS_IS_STAGED = 1 << 0,
        WAITS_IS_STOP = 1 << 1,         /* goes before its neighbours, whatever these say */
        WAITS_ONE = 1 << 2,
};

#define AHEAD 4U

typedef struct Ordered {
        const JobTransaction *transaction;
        uint32_t *waits;                /* borrowed from the transaction */
        VECTOR(uint32_t) free;          /* units that wait for nobody */
        size_t n;                       /* staged units */
} Ordered;

static bool ordered_stage(Ordered *ordered) {
        const JobTransaction *transaction = ordered->transaction;

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                const JobCandidate *candidate = transaction->candidates.items[i];
                const JobUnitEntry *entry;

                if (candidate->is_gone || candidate->type == JOB_NOP)
                        continue;
                entry = job_table_peek(transaction->installed, candidate->unit->index);
                if (candidate->type == JOB_RESTART || entry->triggered || entry->pending)
                        return false;

                ordered->waits[candidate->unit->index] =
                        WAITS_IS_STAGED | (job_type_second_goes_first(candidate->type) ? WAITS_IS_STOP : 0);
                ordered->n++;
        }
        return true;
}

/* Does an installed job, beside the stage, have a half that waits? */
static bool ordered_is_beside(const Ordered *ordered, uint32_t unit) {
        const JobUnitEntry *entry = job_table_peek(ordered->transaction->installed, unit);

        return entry->pending || (entry->triggered && entry->triggered->type == JOB_RESTART);
}

static bool ordered_count_unit(Ordered *ordered, const Unit *unit) {
        UnitRelations after = unit_relations(unit, UNIT_AFTER), before = unit_relations(unit, UNIT_BEFORE);
        bool is_alone = ordered->transaction->installed->n_jobs == 0;
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

                job_stage_fetch_ahead(transaction, i);
                if (candidate->is_gone || candidate->type == JOB_NOP)
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

/* Takes @unit off: who waited for it waits for one less. */
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

static bool ordered_peel(Ordered *ordered) {
        const JobTransaction *transaction = ordered->transaction;

        if (vector_reserve(&ordered->free, ordered->n) < 0)
                return false;
        for (size_t i = 0; i < transaction->touched.n; i++) {
                uint32_t unit = transaction->touched.items[i];

                if (ordered->waits[unit] != 0 && ordered->waits[unit] < WAITS_ONE)
                        ordered->free.items[ordered->free.n++] = unit;
        }

        for (size_t i = 0; i < ordered->free.n; i++) {
                if (i + AHEAD < ordered->free.n)
                        __builtin_prefetch(unit_table_at(transaction->units, ordered->free.items[i + AHEAD]));
                if (i + AHEAD / 2 < ordered->free.n)
                        __builtin_prefetch(unit_table_at(transaction->units, ordered->free.items[i + AHEAD / 2])->buckets);
                ordered_take_off(ordered, unit_table_at(transaction->units, ordered->free.items[i]));
        }
        return ordered->free.n == ordered->n;
}

bool job_transaction_is_ordered(JobTransaction *transaction) {
        Ordered ordered = { .transaction = transaction, .waits = transaction->waits };
        bool is_ordered;

        is_ordered = ordered_stage(&ordered) && ordered_count(&ordered) && ordered_peel(&ordered);

        for (size_t i = 0; i < transaction->touched.n; i++)
                ordered.waits[transaction->touched.items[i]] = 0;
        vector_deinit(&ordered.free);
        return is_ordered;
}
