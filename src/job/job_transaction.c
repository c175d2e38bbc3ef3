/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Transactions: the steps in their order, and the check against the installed
 * jobs
 *
 * A candidate that a late step drops may have won a conflict in an early one.
 * Then all steps are done again without it, so that the candidate that lost
 * takes part.
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

static void job_transaction_forget_left_out(JobTransaction *transaction) {
        for (size_t i = 0; i < transaction->left_out.n; i++) {
                free(transaction->left_out.items[i].why);
                free(transaction->left_out.items[i].cycle);
        }
        vector_clear(&transaction->left_out);
}

void job_transaction_deinit(JobTransaction *transaction) {
        job_stage_clear(transaction);
        job_transaction_forget_left_out(transaction);
        vector_deinit(&transaction->left_out);
        vector_deinit(&transaction->touched);
        vector_deinit(&transaction->candidates);
        vector_deinit(&transaction->anchors);
        vector_deinit(&transaction->work);
        vector_deinit(&transaction->winners);
        vector_deinit(&transaction->suspects);
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

/* — again without what went too late — */

#define BUILDS_MAX 16                   /* of one transaction */

static int leave_out_again(JobTransaction *transaction, const JobLeftOut *item) {
        JobCandidate *candidate;

        if (item->order >= transaction->candidates.n)
                return 0;
        candidate = transaction->candidates.items[item->order];
        if (candidate->index != item->unit || candidate->is_gone || candidate->matters)
                return 0;

        candidate->is_left_out = true;
        job_stage_drop(transaction, candidate, item->rule, job_stage_format(transaction, "%s", item->why));
        return item->cycle ? vector_push(&transaction->cycles, job_stage_format(transaction, "%s", item->cycle)) : 0;
}

static int job_transaction_leave_out(JobTransaction *transaction) {
        int r = 0;

        for (size_t i = 0; i < transaction->left_out.n && r == 0; i++)
                r = leave_out_again(transaction, &transaction->left_out.items[i]);
        if (r == 0 && transaction->left_out.n > 0)
                job_stage_sweep(transaction);
        transaction->n_cycles_again = transaction->cycles.n;
        return r;
}

static int remember_one(JobTransaction *transaction, const JobCandidate *candidate, JobDropRule rule, const char *why,
                        const char *cycle) {
        JobLeftOut item = { .order = candidate->order, .unit = candidate->index, .rule = rule };

        item.why = strdup(why);
        item.cycle = cycle ? strdup(cycle) : NULL;
        if (!item.why || (cycle && !item.cycle) || vector_push(&transaction->left_out, item) < 0) {
                free(item.why);
                free(item.cycle);
                return -ENOMEM;
        }
        return 0;
}

/* With what was merged into it. @cycle: what a victim was left out for. */
static int remember_left_out(JobTransaction *transaction, const JobCandidate *candidate, JobDropRule rule,
                             const char *why, const char *cycle) {
        int r = 0;

        for (JobCandidate *c = transaction->stage[candidate->index].first; c && r == 0; c = c->next_of_unit) {
                if (job_candidate_survivor(c) != candidate)
                        continue;
                r = remember_one(transaction, c, rule, why, cycle);
                cycle = NULL;
        }
        return r;
}

/* 1 if something was left out since the conflicts were settled, 0, or -ENOMEM. */
static int remember_all_left_out(JobTransaction *transaction) {
        size_t n_before = transaction->left_out.n, n_cycles = transaction->n_cycles_again;
        int r = 0;

        if (transaction->is_in_vain || !transaction->has_conflicts)
                return transaction->is_in_vain;
        for (size_t i = 0; i < transaction->drops.n && r == 0; i++) {
                const JobTransactionDrop *drop = &transaction->drops.items[i];

                if (drop->candidate->is_left_out)
                        continue;
                if (drop->rule == JOB_DROP_CYCLE)
                        r = remember_left_out(transaction, drop->candidate, drop->rule, drop->why,
                                              transaction->cycles.items[n_cycles++]);
                else if (drop->rule == JOB_DROP_VERIFY_AGAINST_STOP)
                        r = remember_left_out(transaction, drop->candidate, drop->rule, drop->why, NULL);
        }
        if (r < 0)
                return r;
        return transaction->left_out.n > n_before;
}

/* A tie was settled for one that was lost in the end: it can't be there. 1, 0 if there is none, or -ENOMEM. */
static int remember_winner_in_vain(JobTransaction *transaction) {
        int r;

        for (size_t i = 0; i < transaction->winners.n; i++) {
                if (!job_candidate_survivor(transaction->winners.items[i])->is_gone)
                        continue;
                r = remember_left_out(transaction, transaction->winners.items[i], JOB_DROP_CONFLICT,
                                      "nothing would pull it in without what it conflicts with", NULL);
                return r < 0 ? r : 1;
        }
        return 0;
}

static int merge_or_stop(JobTransaction *transaction) {
        int r;

        r = job_transaction_merge(transaction);
        if (r != 0 || transaction->is_last)
                return r;
        r = remember_winner_in_vain(transaction);
        transaction->is_in_vain = r > 0;
        return r < 0 ? r : 0;
}

static int build_once(JobTransaction *transaction, const JobRequest *requests, size_t n) {
        static int (*const steps[])(JobTransaction *) = {
                job_transaction_add_mode_extras,
                job_transaction_reduce_first,
                job_transaction_mark_and_minimize,
                job_transaction_leave_out,
                merge_or_stop,
                job_transaction_reduce,
                meet_installed,
                job_transaction_check_order,
        };
        int r;

        r = job_transaction_expand(transaction, requests, n);
        for (size_t i = 0; i < ELEMENTSOF(steps) && r == 0 && !transaction->is_in_vain; i++)
                r = steps[i](transaction);
        return r;
}

int job_transaction_build(JobTransaction *transaction, const JobRequest *requests, size_t n, JobMode mode) {
        int r, again = 0;

        job_transaction_forget_left_out(transaction);
        for (size_t i = 0; i == 0 || again > 0; i++) {
                job_stage_clear(transaction);
                transaction->mode = mode;
                transaction->is_last = i + 1 == BUILDS_MAX;
                r = build_once(transaction, requests, n);
                again = r == 0 && !transaction->is_last ? remember_all_left_out(transaction) : 0;
        }

        if (r == 0 && again < 0)
                r = again;
        if (r == 0)
                r = check_installed(transaction);
        if (r == 0)
                r = job_transaction_arrange(transaction);
        if (r == 0 && transaction->is_incomplete)
                r = -ENOMEM;
        if (r != 0)
                vector_clear(&transaction->work);
        return r;
}
