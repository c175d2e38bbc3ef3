/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Locks and resources
 *
 * What each run and each node has, or wants, is listed anew for each question. Of those that want something the first
 * one is served that can have all of it, beside those that have it, and beside those before it, for which it is kept.
 */

#include "run_model_private.h"

/* Locks of nodes, locks of runs, a resource of nodes, and one of runs. */
#define NAMES (TRIAL_LOCKS_MAX + 3)
#define LOCKS (TRIAL_LOCKS_MAX + 1)
#define LOCK_OF_RUNS TRIAL_LOCKS_MAX
#define NEED_OF_NODES (LOCK_OF_RUNS + 1)
#define NEED_OF_RUNS (NEED_OF_NODES + 1)
#define CLAIMS_MAX (TRIAL_RUNS_MAX * (TRIAL_NODES_MAX + 1))

typedef struct Claim {
        unsigned run, node;             /* MODEL_NO_NODE: of the run */
        bool waits;
        bool has_place;                 /* so that it can get what it wants */
        uint8_t priority;
        uint64_t since;
        uint32_t place;
        unsigned wants[NAMES];
        unsigned slots[LOCKS];
        bool has[NAMES];
        bool is_stuck;                  /* it waits for somebody who has to wait, too */
} Claim;

typedef struct Claims {
        const RunModel *model;
        Claim items[CLAIMS_MAX];
        unsigned n;
} Claims;

/* — who has and wants what — */

static void list_run(const RunModel *model, unsigned r, Claims *claims) {
        const TrialDefinition *definition = model->definition;
        const ModelRun *run = &model->runs[r];
        const bool has = run_model_is_busy(run->state);
        Claim *claim;

        if (!trial_run_takes(definition) || trial_run_is_terminal(run->state))
                return;
        claim = &claims->items[claims->n++];
        *claim = (Claim) { .run = r, .node = MODEL_NO_NODE, .priority = run->priority, .place = run->place };
        claim->since = run->state == TRIAL_RUN_QUEUED ? run->queued_at : model->now;
        claim->waits = !has && run->hold == MODEL_NOT_HELD;
        claim->has_place = model->unit_is_active && run_model_count_busy(model) < definition->max_runs;
        claim->wants[LOCK_OF_RUNS] = definition->run_slots > 0;
        claim->slots[LOCK_OF_RUNS] = definition->run_slots;
        claim->wants[NEED_OF_RUNS] = definition->run_need;
        claim->has[LOCK_OF_RUNS] = claim->has[NEED_OF_RUNS] = has;
}

uint8_t run_model_priority(const RunModel *model, unsigned r, unsigned node) {
        const TrialNode *spec = &model->definition->nodes[node];

        return spec->takes_priority ? model->runs[r].priority : spec->priority;
}

static void list_node(const RunModel *model, unsigned r, unsigned node, Claims *claims) {
        const TrialNode *spec = &model->definition->nodes[node];
        const ModelRun *run = &model->runs[r];
        const TrialNodeState state = run->nodes[node].state;
        const bool has_process = spec->need > 0 && run_model_has_process(model, r, node);
        Claim *claim;

        if (!trial_takes(spec) || (state != TRIAL_NODE_READY && !run->has_locks[node] && !has_process))
                return;
        claim = &claims->items[claims->n++];
        *claim = (Claim) { .run = r, .node = node, .waits = state == TRIAL_NODE_READY };
        claim->has_place = run->state == TRIAL_RUN_RUNNING && model->unit_is_active &&
                           (!trial_needs_place(spec) || run_model_has_place(model, r)) &&
                           !run_model_is_bounded(model, r, node);
        claim->priority = run_model_priority(model, r, node);
        claim->since = run->ready_at[node] > run->begun_at ? run->ready_at[node] : run->begun_at;
        for (unsigned i = 0; i < TRIAL_LOCKS_MAX; i++) {
                claim->wants[i] = spec->locks >> i & 1;
                claim->slots[i] = spec->slots[i];
                claim->has[i] = claim->wants[i] > 0 && run->has_locks[node];
        }
        claim->wants[NEED_OF_NODES] = spec->need;
        claim->has[NEED_OF_NODES] = has_process;
}

/* — who may have it — */

static bool wants(const Claim *claim, unsigned name) {
        return claim->waits && claim->wants[name] > 0 && !claim->has[name];
}

static bool is_before(const RunModel *model, const Claim *a, const Claim *b) {
        /* Runs and nodes want nothing that is the same. */
        if ((a->node == MODEL_NO_NODE) != (b->node == MODEL_NO_NODE))
                return false;
        if (a->priority != b->priority)
                return a->priority > b->priority;
        if (a->since != b->since)
                return a->since < b->since;
        if (a->node == MODEL_NO_NODE)
                return a->place < b->place;
        return run_model_comes_before(model, a->run, a->node, b->run, b->node);
}

/* Whether @claim can have the name beside all that @beside marks. */
static bool fits(const Claims *claims, const Claim *claim, unsigned name, const bool *beside) {
        unsigned limit = name < LOCKS ? claim->slots[name] : claims->model->definition->total;
        unsigned sum = claim->wants[name];

        for (unsigned i = 0; i < claims->n; i++) {
                const Claim *other = &claims->items[i];

                if (!beside[i] || other == claim)
                        continue;
                sum += other->wants[name];
                /* The lowest number of slots counts. */
                if (name < LOCKS && other->slots[name] < limit)
                        limit = other->slots[name];
        }
        return sum <= limit;
}

/* Whether it waits for somebody who has to wait, too. */
static bool waits_for_waiting(const Claims *claims, const Claim *claim) {
        for (unsigned name = 0; name < NAMES; name++) {
                bool beside[CLAIMS_MAX];

                for (unsigned i = 0; i < claims->n; i++)
                        beside[i] = claims->items[i].has[name] && claims->items[i].waits;
                if (wants(claim, name) && !fits(claims, claim, name, beside))
                        return true;
        }
        return false;
}

static void list_all(const RunModel *model, Claims *claims) {
        claims->model = model;
        claims->n = 0;
        for (unsigned r = 0; r < model->n_runs; r++) {
                list_run(model, r, claims);
                for (unsigned i = 0; i < model->definition->n_nodes; i++)
                        list_node(model, r, i, claims);
        }
        for (unsigned i = 0; i < claims->n; i++)
                claims->items[i].is_stuck = waits_for_waiting(claims, &claims->items[i]);
}

/* Whether @claim must leave @other what that wants. */
static bool keeps_back(const Claims *claims, const Claim *other, const Claim *claim) {
        return other != claim && other->has_place && is_before(claims->model, other, claim) &&
               !other->is_stuck;
}

static bool can_have(const Claims *claims, const Claim *claim, unsigned name) {
        bool beside[CLAIMS_MAX];

        for (unsigned i = 0; i < claims->n; i++)
                beside[i] = claims->items[i].has[name] ||
                            (wants(&claims->items[i], name) && keeps_back(claims, &claims->items[i], claim));
        return fits(claims, claim, name, beside);
}

static bool can_begin(const Claims *claims, const Claim *claim) {
        for (unsigned name = 0; name < NAMES; name++)
                if (wants(claim, name) && !can_have(claims, claim, name))
                        return false;
        return claim->waits && claim->has_place;
}

bool run_model_next_claim(const RunModel *model, bool of_runs, unsigned *ret_run, unsigned *ret_node) {
        const Claim *first = NULL;
        static Claims claims;

        list_all(model, &claims);
        for (unsigned i = 0; i < claims.n; i++) {
                const Claim *claim = &claims.items[i];

                if ((claim->node == MODEL_NO_NODE) == of_runs && can_begin(&claims, claim) &&
                    (!first || is_before(model, claim, first)))
                        first = claim;
        }
        if (!first)
                return false;
        *ret_run = first->run;
        *ret_node = first->node;
        return true;
}

TrialWhy run_model_why_claim(const RunModel *model, unsigned run, unsigned node) {
        static Claims claims;

        list_all(model, &claims);
        for (unsigned i = 0; i < claims.n; i++) {
                const Claim *claim = &claims.items[i];

                if (claim->run != run || claim->node != node)
                        continue;
                if (node != MODEL_NO_NODE && !claim->has_place)
                        return TRIAL_FOR_PLACE;
                for (unsigned name = 0; name < NAMES; name++)
                        if (wants(claim, name) && !can_have(&claims, claim, name))
                                return name < LOCKS ? TRIAL_FOR_LOCK : TRIAL_FOR_RESOURCE;
        }
        return TRIAL_FOR_PLACE;
}
