/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The stage
 *
 * Dropping a candidate drops at once those that need it, and those that no
 * anchor reaches any more. Where a search back to an anchor costs too much, the
 * count of pullers decides. Two candidates that pull in each other keep their
 * counts above zero; job_stage_sweep() drops them at the end of each step.
 */

#include <assert.h>
#include <stdarg.h>

#include "basic/text.h"
#include "job/job_transaction_loss.h"
#include "job/job_transaction_walk.h"

static JobStageUnit *stage_of_unit(JobTransaction *transaction, const Unit *unit) {
        assert(unit->index < transaction->n_stage);

        return &transaction->stage[unit->index];
}

JobCandidate *job_candidate_survivor(JobCandidate *candidate) {
        while (candidate->merged_into)
                candidate = candidate->merged_into;
        return candidate;
}

const char *job_candidate_name(JobTransaction *transaction, const JobCandidate *candidate) {
        return job_stage_format(transaction, "%s %s", job_type_to_string(candidate->type), candidate->unit->id);
}

JobCandidate *job_stage_main(const JobTransaction *transaction, uint32_t unit) {
        if (unit >= transaction->n_stage)
                return NULL;

        for (JobCandidate *c = transaction->stage[unit].first; c; c = c->next_of_unit)
                if (!c->is_gone && c->type != JOB_NOP)
                        return c;
        return NULL;
}

JobCandidate *job_stage_find(const JobTransaction *transaction, const Unit *unit, JobType type) {
        if (unit->index >= transaction->n_stage)
                return NULL;

        for (JobCandidate *c = transaction->stage[unit->index].first; c; c = c->next_of_unit)
                if (c->type == type && (!c->is_gone || c->has_failed))
                        return c;
        return NULL;
}

int job_stage_reserve(JobTransaction *transaction) {
        size_t wanted = unit_table_size(transaction->units);
        size_t n = wanted + wanted / 2 + 16;
        JobStageUnit *stage;
        uint32_t *waits;

        if (wanted <= transaction->n_stage)
                return 0;

        waits = realloc(transaction->waits, n * sizeof(*waits));
        if (!waits)
                return -ENOMEM;
        transaction->waits = waits;
        stage = realloc(transaction->stage, n * sizeof(*stage));
        if (!stage)
                return -ENOMEM;

        memset(waits + transaction->n_stage, 0, (n - transaction->n_stage) * sizeof(*waits));
        for (size_t i = transaction->n_stage; i < n; i++)
                stage[i] = (JobStageUnit) { .order_unit = JOB_ORDER_UNIT_NONE };
        transaction->stage = stage;
        transaction->n_stage = n;
        return 0;
}

void job_stage_clear(JobTransaction *transaction) {
        for (size_t i = 0; i < transaction->touched.n; i++)
                transaction->stage[transaction->touched.items[i]] =
                        (JobStageUnit) { .order_unit = JOB_ORDER_UNIT_NONE };

        vector_clear(&transaction->touched);
        vector_clear(&transaction->candidates);
        vector_clear(&transaction->anchors);
        vector_clear(&transaction->work);
        vector_clear(&transaction->winners);
        vector_clear(&transaction->suspects);
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
        transaction->n_cycles_again = 0;
        transaction->has_several = transaction->has_conflicts = transaction->is_in_vain = false;
        transaction->is_incomplete = false;
}

static int job_stage_take_unit(JobTransaction *transaction, const Unit *unit) {
        JobStageUnit *stage;
        int r;

        r = job_stage_reserve(transaction);
        if (r < 0)
                return r;

        stage = stage_of_unit(transaction, unit);
        if (stage->is_touched)
                return 0;
        r = vector_push(&transaction->touched, unit->index);
        if (r < 0)
                return r;
        stage->is_touched = true;
        return 0;
}

/* Removes the drops of a job that another candidate has pulled in again. */
static void job_stage_forget_drop(JobTransaction *transaction, const Unit *unit, JobType type) {
        size_t n = 0;

        for (const JobCandidate *c = stage_of_unit(transaction, unit)->first; c; c = c->next_of_unit)
                n += c->type == type;
        if (n == 0)
                return;

        n = 0;
        for (size_t i = 0; i < transaction->drops.n; i++) {
                const JobTransactionDrop *drop = &transaction->drops.items[i];

                if (drop->candidate->unit != unit || drop->candidate->type != type)
                        transaction->drops.items[n++] = *drop;
        }
        transaction->drops.n = n;
}

int job_stage_add(JobTransaction *transaction, Unit *unit, JobType type, JobCandidate **ret_candidate,
                  bool *ret_is_new) {
        JobCandidate *candidate, **end;
        int r;

        candidate = job_stage_find(transaction, unit, type);
        *ret_is_new = !candidate;
        if (candidate) {
                *ret_candidate = candidate;
                return 0;
        }

        r = job_stage_take_unit(transaction, unit);
        if (r < 0)
                return r;
        job_stage_touch(transaction);
        job_stage_forget_drop(transaction, unit, type);
        candidate = arena_alloc(&transaction->arena, sizeof(*candidate));
        if (!candidate)
                return -ENOMEM;
        *candidate = (JobCandidate) {
                .unit = unit,
                .index = unit->index,
                .type = type,
                .pulled_as = _JOB_TYPE_INVALID,
                .order = (uint32_t) transaction->candidates.n,
        };
        r = vector_push(&transaction->candidates, candidate);
        if (r < 0)
                return r;

        end = &stage_of_unit(transaction, unit)->first;
        transaction->has_several |= *end != NULL;
        while (*end)
                end = &(*end)->next_of_unit;
        *end = candidate;
        *ret_candidate = candidate;
        return 0;
}

int job_stage_connect(JobTransaction *transaction, JobCandidate *subject, JobCandidate *object,
                      const UnitRelation *relation, JobEdge template) {
        JobEdge *edge = arena_alloc(&transaction->arena, sizeof(*edge));

        if (!edge)
                return -ENOMEM;

        job_stage_touch(transaction);
        *edge = template;
        edge->subject = subject;
        edge->object = object;
        if (relation) {
                edge->declared_there = relation->here == UNIT_ORIGIN_NONE;
                edge->origin = edge->declared_there ? relation->there : relation->here;
        }

        if (subject->needs_last)
                subject->needs_last->next_of_subject = edge;
        else
                subject->needs_first = edge;
        subject->needs_last = edge;

        if (object->pullers_last)
                object->pullers_last->next_of_object = edge;
        else
                object->pullers_first = edge;
        object->pullers_last = edge;
        object->n_pullers++;
        return 0;
}

void job_stage_note(JobTransaction *transaction, const JobCandidate *candidate, JobDropRule rule, const char *why) {
        JobTransactionDrop drop = { .candidate = candidate, .rule = rule, .why = why ? why : "" };

        if (vector_push(&transaction->drops, drop) < 0)
                transaction->is_incomplete = true;
}

static void job_edge_cut(JobEdge *edge) {
        if (edge->is_cut)
                return;
        edge->is_cut = true;
        edge->object->n_pullers--;
}

static void job_stage_queue(JobTransaction *transaction, JobCandidate *candidate, JobDropRule rule, const char *why) {
        if (candidate->is_gone)
                return;

        job_stage_touch(transaction);
        candidate->is_gone = true;
        job_stage_note(transaction, candidate, rule, why);
        if (vector_push(&transaction->work, candidate) < 0)
                transaction->is_incomplete = true;
}

static void job_stage_cut_pullers(JobTransaction *transaction, JobCandidate *candidate, bool with_needing) {
        for (JobEdge *edge = candidate->pullers_first; edge; edge = edge->next_of_object) {
                if (edge->is_cut)
                        continue;
                job_edge_cut(edge);
                if (!edge->is_needed || !with_needing || edge->subject->is_gone)
                        continue;
                job_stage_queue(transaction, edge->subject, JOB_DROP_NEEDS_DROPPED,
                                job_stage_format(transaction, "it needs %s of %s, which was left out",
                                                 job_type_to_string(candidate->type), candidate->unit->id));
        }
}

/* @with_suspects: what still has pullers may have none that an anchor reaches. */
static void job_stage_cut_needs(JobTransaction *transaction, JobCandidate *candidate, bool with_suspects) {
        for (JobEdge *edge = candidate->needs_first; edge; edge = edge->next_of_subject) {
                JobCandidate *object = edge->object;

                if (edge->is_cut)
                        continue;
                job_edge_cut(edge);
                if (object->is_anchor)
                        continue;
                if (object->n_pullers == 0)
                        job_stage_queue(transaction, object, JOB_DROP_UNREACHED, "no remaining job pulls it in");
                else if (with_suspects && !object->is_gone && object->mark != transaction->generation) {
                        object->mark = transaction->generation;
                        if (vector_push(&transaction->suspects, object) < 0)
                                transaction->is_incomplete = true;
                }
        }
}

static void job_stage_drop_queued(JobTransaction *transaction, bool with_needing) {
        while (transaction->work.n > 0) {
                JobCandidate *candidate = vector_pop(&transaction->work);

                job_stage_cut_pullers(transaction, candidate, with_needing);
                job_stage_cut_needs(transaction, candidate, with_needing);
        }
}

/* Candidates that pull themselves in, by a ring. */
static void job_stage_drop_suspects(JobTransaction *transaction) {
        for (size_t i = 0; i < transaction->suspects.n; i++) {
                JobCandidate *suspect = transaction->suspects.items[i];

                if (suspect->is_gone || !job_stage_find_unreached(transaction, suspect, JOB_MARK_NONE))
                        continue;
                for (size_t k = 0; k < transaction->work.n; k++) {
                        transaction->work.items[k]->is_gone = true;
                        job_stage_note(transaction, transaction->work.items[k], JOB_DROP_UNREACHED,
                                       "no remaining job pulls it in");
                }
                job_stage_drop_queued(transaction, true);
        }
}

void job_stage_drop(JobTransaction *transaction, JobCandidate *candidate, JobDropRule rule, const char *why) {
        assert(transaction->work.n == 0);

        vector_clear(&transaction->suspects);
        transaction->generation++;
        job_stage_queue(transaction, candidate, rule, why);
        job_stage_drop_queued(transaction, true);
        job_stage_drop_suspects(transaction);
}

void job_stage_drop_alone(JobTransaction *transaction, JobCandidate *candidate, JobDropRule rule, const char *why) {
        assert(transaction->work.n == 0);

        job_stage_queue(transaction, candidate, rule, why);
        job_stage_drop_queued(transaction, false);
}

void job_stage_cut_edge(JobTransaction *transaction, JobEdge *edge) {
        assert(transaction->work.n == 0);

        job_stage_touch(transaction);
        job_edge_cut(edge);
        if (edge->object->n_pullers > 0 || edge->object->is_anchor)
                return;
        job_stage_queue(transaction, edge->object, JOB_DROP_UNREACHED, "no remaining job pulls it in");
        job_stage_drop_queued(transaction, false);
}

void job_stage_drop_failed(JobTransaction *transaction) {
        assert(transaction->work.n == 0);

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];

                if (candidate->has_failed)
                        job_stage_queue(transaction, candidate,
                                        candidate->is_unusable ? JOB_DROP_CANNOT_LOAD : JOB_DROP_REQUIREMENT_FAILED,
                                        candidate->failure_message);
        }
        job_stage_drop_queued(transaction, false);
}

static void job_stage_reach(JobTransaction *transaction, JobCandidate *candidate, const JobEdge *via) {
        if (candidate->is_gone || candidate->mark == transaction->generation)
                return;

        candidate->mark = transaction->generation;
        candidate->via = via;
        if (vector_push(&transaction->work, candidate) < 0)
                transaction->is_incomplete = true;
}

void job_stage_sweep(JobTransaction *transaction) {
        if (transaction->is_swept)
                return;

        transaction->generation++;
        for (size_t i = 0; i < transaction->anchors.n; i++)
                job_stage_reach(transaction, job_candidate_survivor(transaction->anchors.items[i]), NULL);

        /* Breadth first, so that the way to each candidate is a shortest one. */
        for (size_t at = 0; at < transaction->work.n; at++) {
                const JobCandidate *candidate = transaction->work.items[at];

                job_walk_needs(transaction, at);
                for (JobEdge *edge = candidate->needs_first; edge; edge = edge->next_of_subject)
                        if (!edge->is_cut)
                                job_stage_reach(transaction, edge->object, edge);
        }
        vector_clear(&transaction->work);

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];

                if (!candidate->is_gone && candidate->mark != transaction->generation)
                        job_stage_drop_alone(transaction, candidate, JOB_DROP_UNREACHED,
                                             "no remaining job pulls it in");
        }
        transaction->is_swept = true;
}

bool job_stage_cancels_unstaged(const JobTransaction *transaction, const Unit *unit) {
        if (transaction->mode != JOB_ISOLATE && transaction->mode != JOB_FLUSH)
                return false;
        if (unit->settings.ignore_on_isolate)
                return false;
        return unit->index >= transaction->n_stage || !transaction->stage[unit->index].is_touched;
}

const char *job_stage_format(JobTransaction *transaction, const char *format, ...) {
        cleanup_free_ char *text = NULL;
        const char *copy = NULL;
        va_list args;

        va_start(args, format);
        if (text_vformat(&text, format, args) == 0)
                copy = arena_strdup(&transaction->arena, text);
        va_end(args);
        if (!copy) {
                transaction->is_incomplete = true;
                return "out of memory";
        }
        return copy;
}

#define CHAIN_MAX 64

/* Follows the first edges up to an anchor. For display: a long chain is cut in the middle. */
const char *job_stage_chain(JobTransaction *transaction, const JobCandidate *candidate) {
        const JobEdge *edges[CHAIN_MAX];
        size_t n = 0;
        const char *chain;
        char origin[512], declaration[JOB_DECLARATION_TEXT_MAX];

        for (; !candidate->is_anchor && candidate->pullers_first && n < CHAIN_MAX; n++) {
                edges[n] = candidate->pullers_first;
                candidate = edges[n]->subject;
        }

        chain = job_candidate_name(transaction, candidate);
        while (n-- > 0) {
                const JobEdge *edge = edges[n];

                unit_origin_format(transaction->units, edge->origin, origin, sizeof(origin));
                job_declaration_format(edge->relation, edge->declared_there, edge->subject->unit->id,
                                       edge->object->unit->id, origin, declaration);
                chain = job_stage_format(transaction, "%s → %s %s: %s", chain, job_type_to_string(edge->object->type),
                                         edge->object->unit->id, declaration);
        }
        return chain;
}

int job_transaction_refuse(JobTransaction *transaction, int code, const char *name, const char *message) {
        if (transaction->is_incomplete)
                return -ENOMEM;

        failure_set(&transaction->failure, code, name, "%s", message);
        return JOB_TRANSACTION_E_REFUSED;
}
