/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Extras of the mode, marks, merge, and reduction
 *
 * After merging a unit has at most one candidate besides a nop.
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_transaction_stage.h"
#include "job/job_transaction_walk.h"

static bool isolate_keeps_trigger(JobTransaction *transaction, const Unit *trigger) {
        JobCandidate *candidate = job_stage_main(transaction, trigger->index);

        if (!unit_state_is_active_or_activating(trigger->active_state))
                return false;
        if (candidate)
                return candidate->type != JOB_STOP;
        return trigger->settings.ignore_on_isolate;
}

/* Returns true if @unit has a live candidate. */
static bool isolate_has_candidate(const JobTransaction *transaction, const Unit *unit) {
        if (unit->index >= transaction->n_stage)
                return false;
        for (const JobCandidate *c = transaction->stage[unit->index].first; c; c = c->next_of_unit)
                if (!c->is_gone)
                        return true;
        return false;
}

static bool isolate_spares(JobTransaction *transaction, const Unit *unit) {
        UnitRelations triggers = unit_relations(unit, UNIT_TRIGGERED_BY);

        if (unit->settings.is_perpetual || unit->settings.ignore_on_isolate)
                return true;
        if (unit->active_state == UNIT_INACTIVE &&
            job_unit_entry_is_empty(job_table_peek(transaction->installed, unit->index)))
                return true;
        if (isolate_has_candidate(transaction, unit))
                return true;

        for (size_t i = 0; i < triggers.n; i++)
                if (isolate_keeps_trigger(transaction, unit_table_at(transaction->units, triggers.items[i].other)))
                        return true;
        return false;
}

static int job_transaction_add_isolate(JobTransaction *transaction) {
        JobEdge edge = { .relation = UNIT_CONFLICTS, .is_needed = true };

        /* The only walk over all units: isolate needs it. */
        for (uint32_t i = 0; i < unit_table_size(transaction->units); i++) {
                Unit *unit = unit_table_at(transaction->units, i);
                int r;

                if (!unit || isolate_spares(transaction, unit))
                        continue;
                r = job_transaction_pull(transaction, transaction->anchors.items[0], unit, JOB_STOP, NULL, edge);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int job_transaction_add_triggering(JobTransaction *transaction) {
        for (size_t a = 0; a < transaction->anchors.n; a++) {
                JobCandidate *anchor = transaction->anchors.items[a];

                for (size_t i = 0; i < unit_relations(anchor->unit, UNIT_TRIGGERED_BY).n; i++) {
                        UnitRelation relation = unit_relations(anchor->unit, UNIT_TRIGGERED_BY).items[i];
                        Unit *trigger = unit_table_at(transaction->units, relation.other);
                        JobEdge edge = { .relation = UNIT_TRIGGERED_BY, .is_needed = true };
                        int r;

                        if (trigger->active_state == UNIT_INACTIVE &&
                            job_unit_entry_is_empty(job_table_peek(transaction->installed, trigger->index)))
                                continue;
                        if (job_stage_main(transaction, trigger->index))
                                continue;
                        r = job_transaction_pull(transaction, anchor, trigger, JOB_STOP, &relation, edge);
                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

int job_transaction_add_mode_extras(JobTransaction *transaction) {
        int r = 0;

        if (transaction->mode == JOB_ISOLATE)
                r = job_transaction_add_isolate(transaction);
        else if (transaction->mode == JOB_TRIGGERING)
                r = job_transaction_add_triggering(transaction);
        else
                return 0;

        return r < 0 ? r : job_transaction_expand_pending(transaction);
}

static int job_transaction_mark(JobTransaction *transaction) {
        for (size_t i = 0; i < transaction->candidates.n; i++)
                transaction->candidates.items[i]->matters = false;
        for (size_t i = 0; i < transaction->anchors.n; i++) {
                JobCandidate *anchor = job_candidate_survivor(transaction->anchors.items[i]);

                anchor->matters = true;
                if (vector_push(&transaction->work, anchor) < 0)
                        return -ENOMEM;
        }

        /* Breadth first: the order in which candidates were added, and in which they lie in memory. */
        for (size_t at = 0; at < transaction->work.n; at++) {
                const JobCandidate *candidate = transaction->work.items[at];

                job_walk_needs(transaction, at);
                for (JobEdge *edge = candidate->needs_first; edge; edge = edge->next_of_subject) {
                        if (edge->is_cut || !edge->is_needed || edge->object->matters)
                                continue;
                        edge->object->matters = true;
                        if (vector_push(&transaction->work, edge->object) < 0)
                                return -ENOMEM;
                }
        }
        vector_clear(&transaction->work);
        return 0;
}

/* The reason why modes fail and lenient do not accept a candidate; NULL if they do. */
static const char *job_candidate_impact(JobTransaction *transaction, const JobCandidate *candidate) {
        const JobUnitEntry *entry = job_table_peek(transaction->installed, candidate->index);

        if (candidate->type == JOB_STOP && unit_state_is_active_or_activating(candidate->unit->active_state))
                return "it would stop something that runs";
        if (job_unit_entry_conflicts(entry, candidate->type))
                return "it would change an installed job";
        return NULL;
}

int job_transaction_mark_and_minimize(JobTransaction *transaction) {
        int r;

        r = job_transaction_mark(transaction);
        if (r < 0)
                return r;
        if (transaction->mode != JOB_FAIL && transaction->mode != JOB_LENIENT)
                return 0;

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];
                const char *impact;

                if (candidate->is_gone)
                        continue;
                impact = job_candidate_impact(transaction, candidate);
                if (!impact)
                        continue;
                if (!candidate->matters)
                        job_stage_drop(transaction, candidate, JOB_DROP_MINIMIZE_IMPACT, impact);
                else if (transaction->mode == JOB_LENIENT)
                        return job_transaction_refuse(
                                transaction, -EDEADLK, "TransactionIsDestructive",
                                job_stage_format(transaction, "Mode lenient: %s: %s.",
                                                 job_stage_chain(transaction, candidate), impact));
        }
        job_stage_sweep(transaction);
        return transaction->is_incomplete ? -ENOMEM : 0;
}

static void job_candidate_move_edges(JobCandidate *from, JobCandidate *into) {
        for (JobEdge *edge = from->needs_first; edge; edge = edge->next_of_subject)
                edge->subject = into;
        for (JobEdge *edge = from->pullers_first; edge; edge = edge->next_of_object)
                edge->object = into;

        if (into->needs_last)
                into->needs_last->next_of_subject = from->needs_first;
        else
                into->needs_first = from->needs_first;
        if (from->needs_last)
                into->needs_last = from->needs_last;

        if (into->pullers_last)
                into->pullers_last->next_of_object = from->pullers_first;
        else
                into->pullers_first = from->pullers_first;
        if (from->pullers_last)
                into->pullers_last = from->pullers_last;

        into->n_pullers += from->n_pullers;
        from->needs_first = from->needs_last = from->pullers_first = from->pullers_last = NULL;
        from->n_pullers = 0;
}

static void job_candidate_merge(JobTransaction *transaction, JobCandidate *into, JobCandidate *from) {
        const JobUnitEntry *entry = job_table_peek(transaction->installed, into->unit->index);
        JobType merged = job_type_merge(into->type, from->type);
        bool absorbs_start;

        assert(merged >= 0);

        merged = job_type_resolve(merged, into->unit->active_state, job_unit_entry_is_starting(entry), false,
                                  &absorbs_start);
        into->absorbs_start = (absorbs_start || into->absorbs_start || from->absorbs_start) && merged == JOB_RELOAD;
        into->type = merged;
        into->matters |= from->matters;
        into->is_anchor |= from->is_anchor;

        job_stage_touch(transaction);
        job_candidate_move_edges(from, into);
        from->merged_into = into;
        from->is_gone = true;
}

static void job_transaction_merge_unit(JobTransaction *transaction, JobStageUnit *unit) {
        JobCandidate *into = NULL;

        for (JobCandidate *c = unit->first; c; c = c->next_of_unit) {
                if (c->is_gone || c->type == JOB_NOP)
                        continue;
                if (into)
                        job_candidate_merge(transaction, into, c);
                else
                        into = c;
        }
}

static bool job_stage_has_several(const JobStageUnit *unit) {
        size_t n = 0;

        for (const JobCandidate *c = unit->first; c; c = c->next_of_unit)
                n += !c->is_gone && c->type != JOB_NOP;
        return n > 1;
}

int job_transaction_merge(JobTransaction *transaction) {
        JobStageUnits several = {};
        int r = 0;

        for (size_t i = 0; transaction->has_several && i < transaction->touched.n && r == 0; i++) {
                JobStageUnit *unit = &transaction->stage[transaction->touched.items[i]];

                if (job_stage_has_several(unit))
                        r = vector_push(&several, unit);
        }

        if (r == 0 && several.n > 0)
                r = job_transaction_settle(transaction, &several);
        for (size_t i = 0; i < several.n && r == 0; i++)
                job_transaction_merge_unit(transaction, several.items[i]);
        /* The jobs needed by a candidate that merged into an anchor matter now. */
        if (r == 0 && several.n > 0)
                r = job_transaction_mark(transaction);
        vector_deinit(&several);
        if (r != 0)
                return r;

        job_stage_sweep(transaction);
        return transaction->is_incomplete ? -ENOMEM : 0;
}

/* — what is already as it would be — */

static bool job_candidate_is_redundant(const JobTransaction *transaction, const JobCandidate *candidate) {
        if (candidate->is_gone || candidate->is_anchor ||
            !job_type_is_redundant(candidate->type, candidate->unit->active_state))
                return false;
        return !job_unit_entry_conflicts(job_table_peek(transaction->installed, candidate->index), candidate->type);
}

static void job_stage_drop_redundant(JobTransaction *transaction, JobCandidate *candidate) {
        job_stage_drop_alone(transaction, candidate, JOB_DROP_REDUNDANT,
                             job_stage_format(transaction, "%s is %s already", candidate->unit->id,
                                              unit_active_state_to_string(candidate->unit->active_state)));
}

/* Was anything but a stop wanted of it? */
static bool job_stage_is_contested(const JobStageUnit *unit) {
        for (const JobCandidate *c = unit->first; c; c = c->next_of_unit)
                if (c->type != JOB_NOP && c->type != JOB_STOP)
                        return true;
        return false;
}

/*
 * Removes the rest of such a start: what it keeps from starting, and starts of what runs, which go the same way.
 * Returns true if it keeps anything from starting.
 */
static bool job_stage_cut_redundant(JobTransaction *transaction, JobCandidate *candidate) {
        bool guards = false;

        for (JobEdge *edge = candidate->needs_first; edge; edge = edge->next_of_subject) {
                bool stays = edge->conflicts ? job_stage_is_contested(&transaction->stage[edge->object->index]) :
                                               job_candidate_is_redundant(transaction, edge->object);

                guards |= !edge->is_cut && stays && edge->conflicts;
                if (!edge->is_cut && !stays)
                        job_stage_cut_edge(transaction, edge);
        }
        return guards;
}

/* A start of what runs goes in the end, whatever is settled, unless it is merged with what does not. */
static bool job_candidate_will_go(const JobTransaction *transaction, const JobCandidate *candidate) {
        if (candidate->type == JOB_STOP || !job_candidate_is_redundant(transaction, candidate))
                return false;
        for (const JobCandidate *c = transaction->stage[candidate->index].first; c; c = c->next_of_unit)
                if (!c->is_gone && c->type != JOB_STOP && c->type != JOB_NOP &&
                    !job_type_is_redundant(c->type, candidate->unit->active_state))
                        return false;
        return true;
}

static void job_stage_mark_done(JobTransaction *transaction, JobCandidate *candidate) {
        if (candidate->is_gone || candidate->mark == transaction->generation)
                return;
        candidate->mark = transaction->generation;
        if (vector_push(&transaction->work, candidate) < 0)
                transaction->is_incomplete = true;
}

/* Marks what an anchor reaches but by the conflicts of starts that will go. */
static void job_stage_mark_all_done(JobTransaction *transaction) {
        assert(transaction->work.n == 0);

        transaction->generation++;
        for (size_t i = 0; i < transaction->anchors.n; i++)
                job_stage_mark_done(transaction, job_candidate_survivor(transaction->anchors.items[i]));
        for (size_t at = 0; at < transaction->work.n; at++)
                for (JobEdge *edge = transaction->work.items[at]->needs_first; edge; edge = edge->next_of_subject)
                        if (!edge->is_cut && !(edge->conflicts && job_candidate_will_go(transaction, edge->subject)))
                                job_stage_mark_done(transaction, edge->object);
        vector_clear(&transaction->work);
}

/*
 * A stop that only such a start pulls in keeps its unit from starting, and goes with the start: it stops nobody, and
 * nothing may give way to what it alone pulls in, either.
 */
static void job_stage_cut_guards(JobTransaction *transaction) {
        job_stage_mark_all_done(transaction);
        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];

                if (candidate->is_gone || candidate->type != JOB_STOP || candidate->mark == transaction->generation)
                        continue;
                for (JobEdge *edge = candidate->needs_first; edge; edge = edge->next_of_subject)
                        if (!edge->is_cut)
                                job_stage_cut_edge(transaction, edge);
        }
}

/*
 * A start of what runs starts nobody, so nothing may give way to what it alone pulls in. Where units have several
 * candidates it stays itself until these are settled: it may have to keep what runs from being stopped. A restart that
 * it is merged with pulls in the same for itself.
 */
int job_transaction_reduce_first(JobTransaction *transaction) {
        bool has_guards = false;

        for (size_t i = 0; i < transaction->candidates.n; i++) {
                JobCandidate *candidate = transaction->candidates.items[i];

                if (!job_candidate_is_redundant(transaction, candidate))
                        continue;
                if (!transaction->has_several)
                        job_stage_drop_redundant(transaction, candidate);
                else if (candidate->type != JOB_STOP)
                        has_guards |= job_stage_cut_redundant(transaction, candidate);
        }
        job_stage_sweep(transaction);
        if (has_guards) {
                job_stage_cut_guards(transaction);
                job_stage_sweep(transaction);
        }
        return transaction->is_incomplete ? -ENOMEM : 0;
}

int job_transaction_reduce(JobTransaction *transaction) {
        if (!transaction->has_several)
                return 0;

        for (size_t i = 0; i < transaction->candidates.n; i++)
                if (job_candidate_is_redundant(transaction, transaction->candidates.items[i]))
                        job_stage_drop_redundant(transaction, transaction->candidates.items[i]);
        job_stage_sweep(transaction);
        return transaction->is_incomplete ? -ENOMEM : 0;
}
