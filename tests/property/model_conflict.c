/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's conflicts: which of two goes
 *
 * What is asked of the answer: what an anchor needs stays. Of two that are only
 * wanted, the one that declares the conflict is started, and a stop that was
 * only passed on gives way. No start is lost to one that is lost itself. So a
 * conflict is settled when its winner stays whatever becomes of the others. A
 * winner that would not be there without its loser can't be there, nor can what
 * needs both. What is left are rings, and only there chance (a name) decides.
 */

#include <assert.h>

#include "model_private.h"

typedef struct ModelConflict {
        int stop, other;
} ModelConflict;

typedef struct ModelConflicts {
        ModelConflict items[MODEL_CANDIDATES_MAX];
        int n;
} ModelConflicts;

static bool is_there(const ModelStage *s, int i) {
        return !s->candidates[i].is_gone;
}

static bool is_open(const ModelStage *s, const ModelConflict *c) {
        return is_there(s, c->stop) && is_there(s, c->other);
}

/* The conflicts in the order of the names of their units, then in the order of pulling in. */
static ModelConflicts find_conflicts(const ModelStage *s, const Model *m) {
        ModelConflicts conflicts = {};

        for (int k = 0; k < m->n_units; k++)
                for (int stop = 0; stop < s->n; stop++)
                        for (int other = 0; other < s->n; other++) {
                                const ModelCandidate *a = &s->candidates[stop], *b = &s->candidates[other];

                                if (a->unit != m->by_name[k] || b->unit != m->by_name[k] || a->type != JOB_STOP ||
                                    !is_there(s, stop) || !is_there(s, other) || !model_conflicts(a->type, b->type))
                                        continue;
                                conflicts.items[conflicts.n++] = (ModelConflict) { stop, other };
                        }
        return conflicts;
}

static int rank(const ModelStage *s, int i) {
        return s->candidates[i].matters ? 2 : s->candidates[i].is_secured ? 1 : 0;
}

/* Finds a candidate in @among whose unit has Conflicts= with the unit of @stop. */
static int find_declarer(const ModelStage *s, int stop, const ModelSet *among) {
        for (int i = 0; i < s->n_edges; i++)
                if (s->edges[i].to == stop && s->edges[i].relation == UNIT_CONFLICTS && !s->edges[i].is_void &&
                    is_there(s, s->edges[i].from) && (!among || among->has[s->edges[i].from]))
                        return s->edges[i].from;
        return MODEL_NOBODY;
}

static bool is_declared(const ModelStage *s, int stop, const ModelSet *among) {
        return find_declarer(s, stop, among) >= 0;
}

static int winner_of(const ModelStage *s, const ModelConflict *c) {
        if (rank(s, c->stop) != rank(s, c->other))
                return rank(s, c->stop) > rank(s, c->other) ? c->stop : c->other;
        return is_declared(s, c->stop, NULL) ? c->stop : c->other;
}

static bool hangs_on_declarer(const ModelStage *s, const ModelConflict *c) {
        return rank(s, c->stop) == rank(s, c->other) && winner_of(s, c) == c->stop;
}

static int loser_of(const ModelStage *s, const ModelConflict *c) {
        return winner_of(s, c) == c->stop ? c->other : c->stop;
}

/* What stays even if all conflicts are lost that can be. A stop that may lose its declarers may lose. */
static ModelSet find_firm(const ModelStage *s, const ModelConflicts *conflicts) {
        ModelSet lost = {}, firm;
        bool is_more = true;

        for (int i = 0; i < conflicts->n; i++)
                lost.has[loser_of(s, &conflicts->items[i])] = true;
        while (is_more) {
                is_more = false;
                model_stage_remains(s, &lost, &firm);
                for (int i = 0; i < conflicts->n; i++) {
                        const ModelConflict *c = &conflicts->items[i];

                        if (hangs_on_declarer(s, c) && !is_declared(s, c->stop, &firm) && !lost.has[c->stop])
                                is_more = lost.has[c->stop] = true;
                }
        }
        return firm;
}

static bool settle_sure(ModelStage *s, const ModelConflicts *conflicts) {
        ModelSet firm = find_firm(s, conflicts);
        bool is_sure[MODEL_CANDIDATES_MAX], is_any = false;

        for (int i = 0; i < conflicts->n; i++)
                is_any |= is_sure[i] = firm.has[winner_of(s, &conflicts->items[i])];
        for (int i = 0; i < conflicts->n; i++)
                if (is_sure[i] && is_open(s, &conflicts->items[i]))
                        model_stage_drop(s, loser_of(s, &conflicts->items[i]));
        return is_any;
}

/* The candidate and all that it needs. */
static ModelSet find_needs(const ModelStage *s, int candidate) {
        ModelSet needs = {};
        bool is_more = true;

        needs.has[candidate] = true;
        while (is_more) {
                is_more = false;
                for (int i = 0; i < s->n_edges; i++) {
                        const ModelEdge *edge = &s->edges[i];

                        if (edge->is_needed && !edge->is_void && is_there(s, edge->from) && is_there(s, edge->to) &&
                            needs.has[edge->from] && !needs.has[edge->to])
                                is_more = needs.has[edge->to] = true;
                }
        }
        return needs;
}

/* What would remain beside @candidate: all that can be there with it and with what it needs. */
static ModelSet find_rest_beside(const ModelStage *s, const ModelConflicts *conflicts, int candidate) {
        ModelSet needs = find_needs(s, candidate), lost = {}, remains;

        for (int i = 0; i < conflicts->n; i++) {
                lost.has[conflicts->items[i].other] |= needs.has[conflicts->items[i].stop];
                lost.has[conflicts->items[i].stop] |= needs.has[conflicts->items[i].other];
        }
        model_stage_remains(s, &lost, &remains);
        return remains;
}

/* What is only there as long as something is that can't be there beside it: it takes part in no answer. */
static bool settle_impossible(ModelStage *s, const ModelConflicts *conflicts) {
        for (int i = 0; i < s->n; i++) {
                ModelSet rest;

                if (!is_there(s, i))
                        continue;
                rest = find_rest_beside(s, conflicts, i);
                if (rest.has[i])
                        continue;
                model_stage_drop(s, i);
                return true;
        }
        return false;
}

/* Upon how many of @conflicts it depends if the winner stays: those whose outcome may cost what it needs or is pulled by. */
static int count_grounds(const ModelStage *s, const ModelConflicts *conflicts, const ModelConflict *conflict,
                         const ModelSet *firm) {
        ModelSet seen = {};
        bool is_more = true;
        int n = 0;

        seen.has[winner_of(s, conflict)] = true;
        while (is_more) {
                is_more = false;
                for (int i = 0; i < s->n_edges; i++) {
                        const ModelEdge *edge = &s->edges[i];

                        if (edge->is_void || !is_there(s, edge->from) || !is_there(s, edge->to))
                                continue;
                        if (edge->is_needed && seen.has[edge->from] && !seen.has[edge->to] && !firm->has[edge->to])
                                is_more = seen.has[edge->to] = true;
                        if (seen.has[edge->to] && !seen.has[edge->from] && !firm->has[edge->from])
                                is_more = seen.has[edge->from] = true;
                }
                for (int i = 0; i < conflicts->n; i++) {
                        int winner = winner_of(s, &conflicts->items[i]);

                        if (seen.has[loser_of(s, &conflicts->items[i])] && !seen.has[winner] && !firm->has[winner])
                                is_more = seen.has[winner] = true;
                }
        }
        for (int i = 0; i < conflicts->n; i++)
                n += seen.has[loser_of(s, &conflicts->items[i])];
        return n;
}

/* Marks the candidate and all that it needs as secured. */
static void secure_with_needs(ModelStage *s, int candidate) {
        if (s->candidates[candidate].is_secured)
                return;
        s->candidates[candidate].is_secured = true;
        for (int i = 0; i < s->n_edges; i++)
                if (s->edges[i].from == candidate && s->edges[i].is_needed && !s->edges[i].is_void && is_there(s, s->edges[i].to))
                        secure_with_needs(s, s->edges[i].to);
}

/* And one shortest way on which an anchor pulls it in, of what can be there beside it. */
static void secure(ModelStage *s, const ModelConflicts *conflicts, int winner) {
        int queue[MODEL_CANDIDATES_MAX], down[MODEL_CANDIDATES_MAX], n = 0, at = 0;
        ModelSet remains = find_rest_beside(s, conflicts, winner), seen = {};

        queue[n++] = winner;
        seen.has[winner] = true;
        for (; at < n && !s->candidates[queue[at]].is_anchor; at++)
                for (int i = 0; i < s->n_edges; i++) {
                        int from = s->edges[i].from;

                        if (s->edges[i].to != queue[at] || s->edges[i].is_void || seen.has[from] || !remains.has[from])
                                continue;
                        seen.has[from] = true;
                        down[from] = queue[at];
                        queue[n++] = from;
                }
        secure_with_needs(s, winner);
        for (int i = at < n ? queue[at] : winner; i != winner; i = down[i])
                secure_with_needs(s, i);
}

/* Those that hang on the fewest others come first, then those with a declared stop, then names. */
static void settle_tie(ModelStage *s, Model *m, const ModelConflicts *conflicts) {
        ModelSet firm = find_firm(s, conflicts);
        const ModelConflict *chosen = NULL;
        int fewest = 0, loser, winner;

        for (int i = 0; i < conflicts->n; i++) {
                const ModelConflict *c = &conflicts->items[i];
                int n = count_grounds(s, conflicts, c, &firm);
                bool is_better = !chosen || n < fewest;

                if (chosen && n == fewest && is_declared(s, c->stop, NULL) && !is_declared(s, chosen->stop, NULL))
                        is_better = true;
                if (!is_better)
                        continue;
                chosen = c;
                fewest = n;
        }
        assert(chosen);
        m->went_by_name = true;
        model_count(m, n_ties);
        loser = loser_of(s, chosen);
        winner = hangs_on_declarer(s, chosen) ? find_declarer(s, chosen->stop, NULL) : winner_of(s, chosen);
        s->winners[s->n_winners++] = winner;
        secure(s, conflicts, winner);
        model_stage_drop(s, loser);
}

void model_stage_settle(ModelStage *s, Model *m) {
        ModelConflicts conflicts = find_conflicts(s, m);

        s->has_conflicts = conflicts.n > 0;
        for (int i = 0; i < conflicts.n; i++)
                if (s->candidates[conflicts.items[i].stop].matters && s->candidates[conflicts.items[i].other].matters)
                        s->error = "TransactionJobsConflicting";
        if (m->counters)
                m->counters->n_conflicts += (uint64_t) conflicts.n;

        while (!s->error && conflicts.n > 0) {
                if (!settle_sure(s, &conflicts)) {
                        if (settle_impossible(s, &conflicts))
                                model_count(m, n_groundless);
                        else
                                settle_tie(s, m, &conflicts);
                }
                conflicts = find_conflicts(s, m);
        }
        for (int i = 0; i < s->n_winners && !s->is_in_vain; i++)
                if (!is_there(s, s->winners[i])) {
                        s->is_in_vain = true;
                        model_stage_drop_late(s, s->winners[i]);
                }
}
