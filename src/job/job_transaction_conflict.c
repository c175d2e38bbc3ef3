/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Settling conflicts: which of two conflicting candidates is dropped
 *
 * A conflict is a stop of a unit beside another candidate of the unit; other
 * candidates merge. A candidate that an anchor needs wins over one that is only
 * wanted. If both are only wanted, a stop pulled in by Conflicts= wins (the unit
 * that declares the conflict is started), and a propagated stop loses.
 *
 * No candidate may be dropped in favour of one that is dropped later. Conflicts
 * are therefore settled in rounds:
 *
 *   1. A conflict is settled if its winner is not at risk: no outcome of the
 *      open conflicts drops the winner.
 *   2. If all winners are at risk, impossible candidates are dropped: those that
 *      would be dropped together with their own opponents.
 *   3. Otherwise the open conflicts depend on each other in rings. Of the
 *      conflicts that depend on the fewest others, the first with a declared stop
 *      is settled, else the first by name. The winner is secured, with all that
 *      it needs: secured candidates win over others that are only wanted.
 *
 * A secured winner may be dropped nevertheless, if it is reached only through
 * its opponents. Then job_transaction.c builds the transaction again without it.
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_transaction_loss.h"

#define ROUNDS_MAX 32           /* a round costs O(stage); conflicts still open after these are settled by name */
#define TIES_MAX 32             /* with more open conflicts, their dependencies are not counted */

typedef struct JobConflict {
        JobCandidate *stop, *other;
        bool is_sure;           /* the winner is not at risk */
} JobConflict;

typedef VECTOR(JobConflict) JobConflicts;
typedef VECTOR(JobCandidate *) JobCandidates;

static bool conflict_is_open(const JobConflict *conflict) {
        return !conflict->stop->is_gone && !conflict->other->is_gone;
}

static int candidate_rank(const JobCandidate *candidate) {
        return candidate->matters ? 2 : candidate->is_secured ? 1 : 0;
}

/* The first candidate whose unit declares the conflict, or NULL. */
static JobCandidate *conflict_first_declarer(const JobConflict *conflict) {
        for (const JobEdge *edge = conflict->stop->pullers_first; edge; edge = edge->next_of_object)
                if (!edge->is_cut && edge->conflicts)
                        return edge->subject;
        return NULL;
}

static bool conflict_is_declared(const JobConflict *conflict) {
        return conflict_first_declarer(conflict);
}

static bool conflict_is_even(const JobConflict *conflict) {
        return candidate_rank(conflict->stop) == candidate_rank(conflict->other);
}

static JobCandidate *conflict_winner(const JobConflict *conflict) {
        bool stop_wins = conflict_is_even(conflict) ?
                conflict_is_declared(conflict) :
                candidate_rank(conflict->stop) > candidate_rank(conflict->other);

        return stop_wins ? conflict->stop : conflict->other;
}

static JobCandidate *conflict_loser(const JobConflict *conflict) {
        return conflict_winner(conflict) == conflict->stop ? conflict->other : conflict->stop;
}

static void conflict_drop(JobTransaction *transaction, const JobConflict *conflict, JobCandidate *victim) {
        const JobCandidate *other = victim == conflict->stop ? conflict->other : conflict->stop;

        job_stage_drop(transaction, victim, JOB_DROP_CONFLICT,
                       job_stage_format(transaction, "it conflicts with %s", job_candidate_name(transaction, other)));
}

static int compare_units(const void *a, const void *b) {
        const JobStageUnit *x = *(JobStageUnit *const *) a, *y = *(JobStageUnit *const *) b;

        return strcmp(x->first->unit->id, y->first->unit->id);
}

/* Conflicts in the order of unit names; those of one unit in the order in which the candidates were pulled in. */
static int conflicts_find(const JobStageUnits *several, JobConflicts *ret_conflicts) {
        qsort(several->items, several->n, sizeof(*several->items), compare_units);
        for (size_t i = 0; i < several->n; i++) {
                JobCandidate *stop = NULL;

                for (JobCandidate *c = several->items[i]->first; c; c = c->next_of_unit)
                        if (!c->is_gone && c->type == JOB_STOP)
                                stop = c;
                for (JobCandidate *c = several->items[i]->first; stop && c; c = c->next_of_unit) {
                        if (c->is_gone || c == stop || c->type == JOB_NOP)
                                continue;
                        if (vector_push(ret_conflicts, ((JobConflict) { .stop = stop, .other = c })) < 0)
                                return -ENOMEM;
                }
        }
        return 0;
}

static int conflicts_refuse(JobTransaction *transaction, const JobConflicts *conflicts) {
        for (size_t i = 0; i < conflicts->n; i++) {
                const JobConflict *conflict = &conflicts->items[i];

                if (conflict->stop->matters && conflict->other->matters)
                        return job_transaction_refuse(
                                transaction, -EDEADLK, "TransactionJobsConflicting",
                                job_stage_format(transaction, "Conflicting jobs for %s are both required: %s; and %s.",
                                                 conflict->stop->unit->id, job_stage_chain(transaction, conflict->stop),
                                                 job_stage_chain(transaction, conflict->other)));
        }
        return 0;
}

static void conflicts_forget_settled(JobConflicts *conflicts) {
        size_t n = 0;

        for (size_t i = 0; i < conflicts->n; i++)
                if (conflict_is_open(&conflicts->items[i]))
                        conflicts->items[n++] = conflicts->items[i];
        conflicts->n = n;
}

/* — candidates at risk — */

static void risk_add(JobTransaction *transaction, JobCandidate *candidate) {
        if (candidate->is_gone || candidate->mark == transaction->loss)
                return;
        candidate->mark = transaction->loss;
        if (vector_push(&transaction->work, candidate) < 0)
                transaction->is_incomplete = true;
}

static void search_add(JobTransaction *transaction, JobCandidate *candidate, uint32_t search) {
        if (candidate->step == search)
                return;
        candidate->step = search;
        if (vector_push(&transaction->work, candidate) < 0)
                transaction->is_incomplete = true;
}

static bool risk_spares_declarer(const JobTransaction *transaction, const JobConflict *conflict) {
        for (const JobEdge *edge = conflict->stop->pullers_first; edge; edge = edge->next_of_object)
                if (!edge->is_cut && edge->conflicts && !job_stage_would_lose(transaction, edge->subject))
                        return true;
        return false;
}

/* Whether the stop wins only because it was declared. */
static bool conflict_needs_declarer(const JobConflict *conflict) {
        return conflict_is_even(conflict) && conflict_winner(conflict) == conflict->stop;
}

/* Adds the losers of all conflicts, and the stops that would lose if all their declarers were dropped. */
static bool risk_add_losers(JobTransaction *transaction, const JobConflicts *conflicts) {
        for (size_t i = 0; i < conflicts->n; i++) {
                const JobConflict *conflict = &conflicts->items[i];

                risk_add(transaction, conflict_loser(conflict));
                if (conflict_needs_declarer(conflict) && !risk_spares_declarer(transaction, conflict))
                        risk_add(transaction, conflict->stop);
        }
        return transaction->work.n > 0;
}

static void risk_add_needing(JobTransaction *transaction) {
        while (transaction->work.n > 0)
                for (JobEdge *edge = vector_pop(&transaction->work)->pullers_first; edge; edge = edge->next_of_object)
                        if (!edge->is_cut && edge->is_needed)
                                risk_add(transaction, edge->subject);
}

/* Candidates that no anchor reaches without passing one at risk are at risk, too. */
static void risk_add_unreached(JobTransaction *transaction) {
        uint32_t firm = ++transaction->generation;

        for (size_t i = 0; i < transaction->anchors.n; i++)
                if (transaction->anchors.items[i]->mark != firm) {
                        transaction->anchors.items[i]->mark = firm;
                        if (vector_push(&transaction->work, transaction->anchors.items[i]) < 0)
                                transaction->is_incomplete = true;
                }
        while (transaction->work.n > 0)
                for (JobEdge *edge = vector_pop(&transaction->work)->needs_first; edge; edge = edge->next_of_subject) {
                        if (edge->is_cut || edge->object->mark == firm || edge->object->mark == transaction->loss)
                                continue;
                        edge->object->mark = firm;
                        if (vector_push(&transaction->work, edge->object) < 0)
                                transaction->is_incomplete = true;
                }
        for (size_t i = 0; i < transaction->candidates.n; i++)
                if (!transaction->candidates.items[i]->is_gone && transaction->candidates.items[i]->mark != firm)
                        transaction->candidates.items[i]->mark = transaction->loss;
}

/* Marks the candidates at risk with transaction->loss: some outcome of the open conflicts may drop them. */
static void risk_find(JobTransaction *transaction, const JobConflicts *conflicts) {
        job_stage_touch(transaction);
        transaction->loss = ++transaction->generation;
        while (risk_add_losers(transaction, conflicts)) {
                risk_add_needing(transaction);
                risk_add_unreached(transaction);
        }
}

static bool conflicts_settle_sure(JobTransaction *transaction, const JobConflicts *conflicts) {
        bool is_any = false;

        for (size_t i = 0; i < conflicts->n; i++)
                conflicts->items[i].is_sure = !job_stage_would_lose(transaction, conflict_winner(&conflicts->items[i]));

        for (size_t i = 0; i < conflicts->n; i++) {
                const JobConflict *conflict = &conflicts->items[i];

                if (!conflict->is_sure)
                        continue;
                is_any = true;
                if (conflict_is_open(conflict))
                        conflict_drop(transaction, conflict, conflict_loser(conflict));
        }
        return is_any;
}

/* — impossible candidates — */

/* Adds the candidates of the same unit that conflict with @candidate. */
static void impossible_add_opponents(JobTransaction *transaction, const JobCandidate *candidate) {
        for (JobCandidate *c = transaction->stage[candidate->index].first; c; c = c->next_of_unit)
                if (c != candidate && c->type != JOB_NOP && candidate->type != JOB_NOP &&
                    (c->type == JOB_STOP) != (candidate->type == JOB_STOP))
                        job_stage_add_loss(transaction, c);
}

/*
 * Whether @candidate would be dropped with the opponents of itself and of all that it needs; then no outcome keeps it.
 * Marks what would be dropped with these opponents.
 */
static bool candidate_is_impossible(JobTransaction *transaction, JobCandidate *candidate) {
        uint32_t search = ++transaction->generation;
        JobCandidates needs = {};

        candidate->step = search;
        if (vector_push(&needs, candidate) < 0)
                transaction->is_incomplete = true;
        for (size_t at = 0; at < needs.n; at++)
                for (JobEdge *edge = needs.items[at]->needs_first; edge; edge = edge->next_of_subject) {
                        if (edge->is_cut || !edge->is_needed || edge->object->step == search)
                                continue;
                        edge->object->step = search;
                        if (vector_push(&needs, edge->object) < 0)
                                transaction->is_incomplete = true;
                }

        job_stage_begin_loss(transaction);
        for (size_t i = 0; i < needs.n; i++)
                impossible_add_opponents(transaction, needs.items[i]);
        vector_deinit(&needs);
        (void) job_stage_spread_loss(transaction, SIZE_MAX);
        return job_stage_would_lose(transaction, candidate);
}

static JobCandidate *conflict_find_impossible(JobTransaction *transaction, const JobConflict *conflict) {
        if (candidate_is_impossible(transaction, conflict->stop))
                return conflict->stop;
        if (candidate_is_impossible(transaction, conflict->other))
                return conflict->other;
        for (const JobEdge *edge = conflict->stop->pullers_first; edge; edge = edge->next_of_object)
                if (!edge->is_cut && edge->conflicts && candidate_is_impossible(transaction, edge->subject))
                        return edge->subject;
        return NULL;
}

static bool conflict_settle_impossible(JobTransaction *transaction, const JobConflict *conflict) {
        JobCandidate *impossible = conflict_find_impossible(transaction, conflict);

        if (!impossible)
                return false;
        if (impossible == conflict->stop || impossible == conflict->other)
                conflict_drop(transaction, conflict, impossible);
        else
                job_stage_drop(transaction, impossible, JOB_DROP_CONFLICT,
                               job_stage_format(transaction, "it conflicts with %s, and nothing else would pull it in",
                                                job_candidate_name(transaction, conflict->other)));
        return true;
}

static bool conflicts_settle_impossible(JobTransaction *transaction, const JobConflicts *conflicts) {
        bool is_any = false;

        for (size_t i = 0; i < conflicts->n; i++)
                if (conflict_is_open(&conflicts->items[i]))
                        is_any |= conflict_settle_impossible(transaction, &conflicts->items[i]);
        return is_any;
}

/* — ties — */

static void secure_add(JobTransaction *transaction, JobCandidate *candidate) {
        if (candidate->is_secured)
                return;
        candidate->is_secured = true;
        if (vector_push(&transaction->work, candidate) < 0)
                transaction->is_incomplete = true;
}

/* Secures a shortest path from an anchor to @winner that avoids candidates marked as lost. */
static void secure_add_way(JobTransaction *transaction, JobCandidate *winner) {
        uint32_t search = ++transaction->generation;
        size_t at = 0, n_edges = 0;

        winner->via = NULL;
        search_add(transaction, winner, search);
        for (; at < transaction->work.n && !transaction->work.items[at]->is_anchor; at++)
                for (JobEdge *edge = transaction->work.items[at]->pullers_first; edge; edge = edge->next_of_object) {
                        if (++n_edges > JOB_SEARCH_MAX || edge->is_cut || edge->subject->step == search ||
                            job_stage_would_lose(transaction, edge->subject))
                                continue;
                        edge->subject->via = edge;      /* leads from the puller down to @winner */
                        search_add(transaction, edge->subject, search);
                }

        winner = at < transaction->work.n ? transaction->work.items[at] : winner;
        vector_clear(&transaction->work);
        for (; winner; winner = winner->via ? winner->via->object : NULL)
                secure_add(transaction, winner);
}

/* Secures @winner, a path that pulls it in, and all that these need. Uses the marks of candidate_is_impossible(). */
static void conflict_secure(JobTransaction *transaction, JobCandidate *winner) {
        secure_add_way(transaction, winner);
        while (transaction->work.n > 0)
                for (JobEdge *edge = vector_pop(&transaction->work)->needs_first; edge; edge = edge->next_of_subject)
                        if (!edge->is_cut && edge->is_needed)
                                secure_add(transaction, edge->object);
}

static void conflict_settle_tie(JobTransaction *transaction, const JobConflict *conflict) {
        JobCandidate *winner = conflict_winner(conflict), *loser = conflict_loser(conflict);

        /* Securing the declarer secures the stop, which it needs. */
        if (conflict_needs_declarer(conflict))
                winner = conflict_first_declarer(conflict);
        (void) candidate_is_impossible(transaction, winner);
        conflict_secure(transaction, winner);
        if (vector_push(&transaction->winners, winner) < 0)
                transaction->is_incomplete = true;
        conflict_drop(transaction, conflict, loser);
}

static void dependency_add(JobTransaction *transaction, JobCandidate *candidate, uint32_t search) {
        if (candidate->mark == transaction->loss)
                search_add(transaction, candidate, search);
}

/* How many open conflicts decide whether the winner stays. Uses the marks of risk_find(). */
static size_t conflict_count_dependencies(JobTransaction *transaction, const JobConflict *conflict,
                                          const JobConflicts *conflicts) {
        uint32_t search = ++transaction->generation;
        size_t n = 0;

        dependency_add(transaction, conflict_winner(conflict), search);
        while (transaction->work.n > 0) {
                JobCandidate *candidate = vector_pop(&transaction->work);

                for (JobEdge *edge = candidate->needs_first; edge; edge = edge->next_of_subject)
                        if (!edge->is_cut && edge->is_needed)
                                dependency_add(transaction, edge->object, search);
                for (JobEdge *edge = candidate->pullers_first; edge; edge = edge->next_of_object)
                        if (!edge->is_cut)
                                dependency_add(transaction, edge->subject, search);
                /* A unit with one candidate has no conflict. */
                if (!transaction->stage[candidate->index].first->next_of_unit)
                        continue;
                for (size_t i = 0; i < conflicts->n; i++)
                        if (conflict_loser(&conflicts->items[i]) == candidate) {
                                n++;
                                dependency_add(transaction, conflict_winner(&conflicts->items[i]), search);
                        }
        }
        return n;
}

static const JobConflict *conflicts_choose_tie(JobTransaction *transaction, const JobConflicts *conflicts) {
        const JobConflict *chosen = NULL;
        size_t fewest = 0;

        for (size_t i = 0; i < conflicts->n; i++) {
                const JobConflict *conflict = &conflicts->items[i];
                size_t n = conflicts->n <= TIES_MAX ? conflict_count_dependencies(transaction, conflict, conflicts) : 0;

                if (chosen && n > fewest)
                        continue;
                if (!chosen || n < fewest || (conflict_is_declared(conflict) && !conflict_is_declared(chosen))) {
                        chosen = conflict;
                        fewest = n;
                }
        }
        return chosen;
}

/* Settles all open conflicts in one pass by name, those with a declared stop first. */
static void conflicts_settle_rest(JobTransaction *transaction, const JobConflicts *conflicts) {
        for (int round = 0; round < 2; round++)
                for (size_t i = 0; i < conflicts->n; i++) {
                        const JobConflict *conflict = &conflicts->items[i];

                        if (!conflict_is_open(conflict) || (round == 0 && !conflict_is_declared(conflict)))
                                continue;
                        if (!conflict_settle_impossible(transaction, conflict))
                                conflict_settle_tie(transaction, conflict);
                }
}

int job_transaction_settle(JobTransaction *transaction, const JobStageUnits *several) {
        JobConflicts conflicts = {};
        int r;

        r = conflicts_find(several, &conflicts);
        if (r == 0)
                r = conflicts_refuse(transaction, &conflicts);
        transaction->has_conflicts = conflicts.n > 0;

        for (size_t round = 0; r == 0 && conflicts.n > 0; round++) {
                if (round == ROUNDS_MAX)
                        conflicts_settle_rest(transaction, &conflicts);
                else {
                        risk_find(transaction, &conflicts);
                        if (!conflicts_settle_sure(transaction, &conflicts) &&
                            !conflicts_settle_impossible(transaction, &conflicts)) {
                                risk_find(transaction, &conflicts);
                                conflict_settle_tie(transaction, conflicts_choose_tie(transaction, &conflicts));
                        }
                }
                conflicts_forget_settled(&conflicts);
                if (transaction->is_incomplete)
                        r = -ENOMEM;
        }
        vector_deinit(&conflicts);
        return r;
}
