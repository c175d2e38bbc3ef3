/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Transactions: the steps in their order, and the check against the installed
 * jobs
 *
 * One transaction object is reused: its memory is kept, and clearing it costs
 * as much as the last transaction touched.
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_transaction_stage.h"
#include "job/job_transaction_walk.h"

void job_transaction_init(JobTransaction *transaction, UnitTable *units, JobTable *installed) {
        *transaction = (JobTransaction) { .units = units, .installed = installed };
}

void job_transaction_clear(JobTransaction *transaction) {
        for (size_t i = 0; i < transaction->touched.n; i++)
                transaction->stage[transaction->touched.items[i]] =
                        (JobStageUnit) { .order_unit = JOB_ORDER_UNIT_NONE };

        vector_clear(&transaction->touched);
        vector_clear(&transaction->candidates);
        vector_clear(&transaction->anchors);
        vector_clear(&transaction->work);
        vector_clear(&transaction->steps);
        vector_clear(&transaction->drops);
        vector_clear(&transaction->cycles);
        arena_reset(&transaction->arena);
        failure_deinit(&transaction->failure);
        transaction->failure = (Failure) {};
        transaction->n_expanded = transaction->n_propagated = transaction->n_failed = 0;
        transaction->generation = 0;
        transaction->n_depths = 1;
        job_stage_touch(transaction);
        transaction->is_incomplete = false;
}

void job_transaction_deinit(JobTransaction *transaction) {
        job_transaction_clear(transaction);
        vector_deinit(&transaction->touched);
        vector_deinit(&transaction->candidates);
        vector_deinit(&transaction->anchors);
        vector_deinit(&transaction->work);
        vector_deinit(&transaction->steps);
        vector_deinit(&transaction->drops);
        vector_deinit(&transaction->cycles);
        arena_deinit(&transaction->arena);
        free(transaction->stage);
        free(transaction->waits);
        transaction->stage = NULL;
        transaction->waits = NULL;
        transaction->n_stage = 0;
}

bool job_transaction_cancels_unstaged(const JobTransaction *transaction, const Unit *unit) {
        if (transaction->mode != JOB_ISOLATE && transaction->mode != JOB_FLUSH)
                return false;
        if (unit->settings.ignore_on_isolate)
                return false;
        return unit->index >= transaction->n_stage || !transaction->stage[unit->index].is_touched;
}

static void meet(JobTransaction *transaction, JobCandidate *candidate) {
        const JobUnitEntry *entry = job_table_peek(transaction->installed, candidate->index);
        JobArrival arrival = {
                .type = candidate->type,
                .mode = transaction->mode,
                .unit_state = candidate->unit->active_state,
        };

        candidate->meets_job = entry->triggered || entry->pending;
        candidate->meeting = job_unit_entry_meet(entry, &arrival);
}

static int job_transaction_refuse_destructive(JobTransaction *transaction, const JobCandidate *candidate) {
        const Job *installed = candidate->meeting.resists;
        const char *why = NULL;

        switch (candidate->meeting.resistance) {
        case JOB_RESISTS_IN_MODE:
                why = job_stage_format(transaction, "mode %s replaces nothing", job_mode_to_string(transaction->mode));
                break;
        case JOB_RESISTS_AS_IRREVERSIBLE:
                why = "that job is irreversible";
                break;
        case JOB_RESISTS_VERIFY:
        case JOB_NO_RESISTANCE:
                why = "a verify does not cancel a stop";
                break;
        }

        return job_transaction_refuse(
                transaction, -EDEADLK, "TransactionIsDestructive",
                job_stage_format(transaction, "%s conflicts with job %u (%s %s, %s): %s. Requested by: %s.",
                                 job_candidate_name(transaction, candidate), installed->id,
                                 job_type_to_string(installed->type), candidate->unit->id,
                                 job_state_to_string(installed->state), why, job_stage_chain(transaction, candidate)));
}

/* Decides how each candidate meets the installed jobs; one that gives way is dropped. */
static int meet_installed(JobTransaction *transaction) {
        bool any_dropped = false;

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                job_walk_candidates(transaction, i);
                if (!transaction->candidates.items[i]->is_gone)
                        meet(transaction, transaction->candidates.items[i]);
        }

        /* Before the order check, because a dropped candidate must not be part of a cycle. */
        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];

                if (candidate->is_gone || candidate->matters || candidate->meeting.resistance != JOB_RESISTS_VERIFY)
                        continue;
                any_dropped = true;
                job_stage_drop(transaction, candidate, JOB_DROP_VERIFY_AGAINST_STOP,
                               job_stage_format(transaction, "job %u stops the unit", candidate->meeting.resists->id));
        }
        if (any_dropped)
                job_stage_sweep(transaction);
        return transaction->is_incomplete ? -ENOMEM : 0;
}

static int check_installed(JobTransaction *transaction) {
        for (size_t i = 0; i < transaction->candidates.n; i++) {
                const JobCandidate *candidate = transaction->candidates.items[i];

                if (!candidate->is_gone && candidate->meeting.resistance != JOB_NO_RESISTANCE)
                        return job_transaction_refuse_destructive(transaction, candidate);
        }
        return transaction->is_incomplete ? -ENOMEM : 0;
}

int job_transaction_build(JobTransaction *transaction, const JobRequest *requests, size_t n, JobMode mode) {
        static int (*const steps[])(JobTransaction *) = {
                job_transaction_add_mode_extras,
                job_transaction_mark_and_minimize,
                job_transaction_merge,
                job_transaction_reduce,
                meet_installed,
                job_transaction_check_order,
                check_installed,
                job_transaction_arrange,
        };
        int r;

        job_transaction_clear(transaction);
        transaction->mode = mode;

        r = job_transaction_expand(transaction, requests, n);
        for (size_t i = 0; i < ELEMENTSOF(steps) && r == 0; i++)
                r = steps[i](transaction);
        if (r == 0 && transaction->is_incomplete)
                r = -ENOMEM;
        if (r != 0)
                vector_clear(&transaction->work);
        return r;
}
