/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The commit of a transaction
 *
 * Everything that can fail comes first: room in the table, the job objects,
 * the record of the transaction. Then the table changes, anchors first, so
 * that they get the first ids. A refused or planned transaction takes no ids.
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_transaction_stage.h"
#include "job/job_transaction_walk.h"

/* Consecutive drops often have the same puller, whose name is then shared. */
static int job_drop_set_puller(JobDrop *drop, const JobEdge *edge, const JobDrop *last) {
        const char *puller = edge->subject->unit->id;

        drop->puller_type = (uint8_t) edge->subject->type;
        drop->relation = edge->relation;
        drop->declared_there = edge->declared_there;
        drop->origin = edge->origin;
        if (last && last->puller && strcmp(last->puller->string, puller) == 0)
                drop->puller = job_name_ref(last->puller);
        else
                drop->puller = job_name_new(puller);
        return drop->puller ? 0 : -ENOMEM;
}

int job_transaction_record_drops(const JobTransaction *transaction, JobTransactionRecord *record) {
        for (size_t i = 0; i < transaction->drops.n; i++) {
                const JobTransactionDrop *drop = &transaction->drops.items[i];
                const JobEdge *edge = drop->candidate->is_anchor ? NULL : drop->candidate->pullers_first;
                const JobDrop *last = record->drops.n > 0 ? &record->drops.items[record->drops.n - 1] : NULL;
                JobDrop item = { .type = (uint8_t) drop->candidate->type, .rule = (uint8_t) drop->rule };

                item.why = strdup(drop->why);
                item.unit = job_name_new(drop->candidate->unit->id);
                if (!item.why || !item.unit || (edge && job_drop_set_puller(&item, edge, last) < 0) ||
                    vector_push(&record->drops, item) < 0) {
                        free(item.why);
                        job_name_unref(item.unit);
                        job_name_unref(item.puller);
                        return -ENOMEM;
                }
        }
        return 0;
}

static int job_reserve_aliases(Job *job, size_t n) {
        JobRare *rare = job_own_rare(job);

        return rare ? vector_reserve(&rare->aliases, n) : -ENOMEM;
}

static int job_transaction_prepare_job(JobTransaction *transaction, JobTransactionRecord *record,
                                       JobCandidate *candidate) {
        JobCause cause = { .record = record, .step = candidate->step };
        const Job *absorbed = candidate->meeting.absorbed;

        if (candidate->meeting.action == JOB_PLAN_NEW)
                return job_new(&candidate->job, candidate->index, candidate->meeting.type, cause);

        candidate->job = candidate->meeting.survivor;
        return absorbed ? job_reserve_aliases(candidate->job, 1 + job_rare(absorbed)->aliases.n) : 0;
}

static int job_transaction_prepare_step(JobTransaction *transaction, JobTransactionRecord *record,
                                        JobCandidate *candidate) {
        JobName *name = job_table_name(transaction->installed, candidate->index);
        const JobEdge *via = candidate->via;
        JobStep step = {
                .type = (uint8_t) candidate->type,
                .puller = JOB_STEP_NONE,
                .is_anchor = candidate->is_anchor,
                .is_needed = candidate->matters,
        };

        if (!name || job_transaction_prepare_job(transaction, record, candidate) < 0)
                return -ENOMEM;

        if (via) {
                step.puller = via->subject->step;
                step.origin = via->origin;
                step.relation = via->relation;
                step.declared_there = via->declared_there;
        }
        step.unit = job_name_ref(name);
        assert(record->steps.n == candidate->step);
        record->steps.items[record->steps.n++] = step;
        return 0;
}

static void job_transaction_give_up(JobTransaction *transaction) {
        for (size_t i = 0; i < transaction->steps.n; i++) {
                JobCandidate *candidate = transaction->steps.items[i];

                if (candidate->job && candidate->meeting.action == JOB_PLAN_NEW)
                        job_free(candidate->job);
                candidate->job = NULL;
        }
}

static int job_transaction_prepare(JobTransaction *transaction, JobTransactionRecord *record) {
        int r;

        r = job_table_reserve(transaction->installed, transaction->steps.n);
        if (r == 0)
                r = vector_reserve(&record->steps, transaction->steps.n);
        for (size_t i = 0; i < transaction->steps.n && r == 0; i++) {
                job_walk_steps(transaction, i);
                r = job_transaction_prepare_step(transaction, record, transaction->steps.items[i]);
        }
        if (r == 0)
                r = job_transaction_record_drops(transaction, record);
        if (r < 0)
                job_transaction_give_up(transaction);
        return r;
}

static void job_transaction_cancel_unstaged(JobTransaction *transaction, const JobCommitOps *ops, void *userdata) {
        JobTable *table = transaction->installed;

        if (transaction->mode != JOB_ISOLATE && transaction->mode != JOB_FLUSH)
                return;

        for (uint32_t i = 0; i < unit_table_size(transaction->units); i++) {
                const Unit *unit = unit_table_at(transaction->units, i);

                if (!unit || !job_stage_cancels_unstaged(transaction, unit))
                        continue;
                if (job_table_peek(table, i)->pending)
                        ops->cancel(userdata, job_table_peek(table, i)->pending, NULL);
                if (job_table_peek(table, i)->nop)
                        ops->cancel(userdata, job_table_peek(table, i)->nop, NULL);
        }
}

static void job_transaction_apply_attributes(const JobTransaction *transaction, Job *job,
                                             const JobCandidate *candidate) {
        job->is_irreversible |= transaction->mode == JOB_REPLACE_IRREVERSIBLY;
        if (job->type == JOB_RELOAD)
                job->absorbed_start |= candidate->absorbs_start || candidate->meeting.absorbs_start;
        else
                job->absorbed_start = false;
}

static void job_transaction_install(JobTransaction *transaction, JobCandidate *candidate, uint64_t now,
                                    const JobCommitOps *ops, void *userdata) {
        Job *job = candidate->job;

        job->installed_at = now;
        job->priority = candidate->unit->settings.job_priority;
        job->ignores_order = transaction->mode == JOB_IGNORE_DEPENDENCIES || job->type == JOB_NOP;
        job_transaction_apply_attributes(transaction, job, candidate);
        job_table_install(transaction->installed, job);
        job_table_update_deadline(transaction->installed, job);
        candidate->id = job->id;
        ops->installed(userdata, job);
}

/* Turns the triggered job into a restart: it is pending again, from its stop half, and absorbs the pending job. */
static void job_transaction_turn(JobTransaction *transaction, JobCandidate *candidate) {
        JobTable *table = transaction->installed;
        Job *job = candidate->job, *absorbed = candidate->meeting.absorbed;

        if (absorbed) {
                job_table_remove(table, absorbed);
                job_table_absorb(table, job, absorbed);
                job_free(absorbed);
        }
        job->type = JOB_RESTART;
        job->between_halves = false;
        job_table_put_back(table, job, JOB_STOP);
        job_table_update_deadline(table, job);
}

static void job_transaction_join(JobTransaction *transaction, JobTransactionRecord *record, JobCandidate *candidate,
                                 const JobCommitOps *ops, void *userdata) {
        JobCause cause = { .record = record, .step = candidate->step };
        Job *job = candidate->job;

        switch (candidate->meeting.action) {
        case JOB_PLAN_MERGE:
                job_table_set_type(transaction->installed, job, candidate->meeting.type);
                break;
        case JOB_PLAN_TURN:
                job_transaction_turn(transaction, candidate);
                break;
        case JOB_PLAN_COVER:
        case JOB_PLAN_NEW:
        case _JOB_PLAN_ACTION_MAX:
                break;
        }

        if (transaction->mode == JOB_IGNORE_DEPENDENCIES && job->state == JOB_WAITING && !job->ignores_order)
                job_table_ignore_order(transaction->installed, job);
        job_transaction_apply_attributes(transaction, job, candidate);
        job_add_cause(job, cause);
        candidate->id = job->id;
        ops->changed(userdata, job);
}

int job_transaction_commit(JobTransaction *transaction, JobTransactionRecord *record, uint64_t now,
                           const JobCommitOps *ops, void *userdata) {
        int r;

        r = job_transaction_prepare(transaction, record);
        if (r < 0)
                return r;

        job_transaction_cancel_unstaged(transaction, ops, userdata);
        for (size_t i = 0; i < transaction->steps.n; i++) {
                JobCandidate *candidate = transaction->steps.items[i];

                job_walk_steps(transaction, i);
                if (candidate->meeting.canceled)
                        ops->cancel(userdata, candidate->meeting.canceled, candidate);
                if (candidate->meeting.action == JOB_PLAN_NEW)
                        job_transaction_install(transaction, candidate, now, ops, userdata);
                else
                        job_transaction_join(transaction, record, candidate, ops, userdata);
                record->steps.items[candidate->step].id = candidate->id;
        }
        return 0;
}
