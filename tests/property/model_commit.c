/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's last two steps: the stage meets what is installed, by the rules
 * for the queue of one unit
 */

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "model_private.h"

/* — installed jobs — */

static bool resists(const ModelStage *s, const ModelJob *job, JobType type) {
        bool is_careful = s->mode == JOB_FAIL || s->mode == JOB_LENIENT;

        return job->id && model_conflicts(job->type, type) && (is_careful || job->is_irreversible);
}

/* A verify cancels nothing: it gives way to a stop that is pending, and waits behind one that runs. */
static bool must_give_way(const ModelUnit *unit, JobType type) {
        return type == JOB_VERIFY_ACTIVE && unit->pending.id && unit->pending.type == JOB_STOP;
}

void model_stage_give_way(ModelStage *s, const Model *m) {
        for (int i = 0; i < s->n; i++) {
                const ModelCandidate *c = &s->candidates[i];
                const ModelUnit *unit = &m->units[c->unit];

                if (!c->is_gone && !c->matters && must_give_way(unit, c->type) && !resists(s, &unit->pending, c->type))
                        model_stage_drop_late(s, i);
        }
        model_stage_sweep(s);
}

void model_stage_meet_installed(ModelStage *s, const Model *m) {
        for (int i = 0; i < s->n && !s->error; i++) {
                const ModelCandidate *c = &s->candidates[i];
                const ModelUnit *unit = &m->units[c->unit];

                if (c->is_gone || c->type == JOB_NOP)
                        continue;
                if (resists(s, &unit->triggered, c->type) || resists(s, &unit->pending, c->type) ||
                    (must_give_way(unit, c->type) && c->matters))
                        s->error = "TransactionIsDestructive";
        }
}

/* — the commit — */

typedef struct ModelCommit {
        Model *m;
        const ModelStage *stage;
        const ModelCandidate *candidate;
        bool is_trial;
} ModelCommit;

static void cancel_installed(const ModelCommit *commit, int u, ModelJob *job) {
        if (commit->is_trial)
                *job = (ModelJob) {};
        else
                model_end(commit->m, u, job, JOB_CANCELED, true);
}

static void take_over(const ModelCommit *commit, ModelJob *job) {
        job->is_irreversible |= commit->stage->mode == JOB_REPLACE_IRREVERSIBLY;
        job->ignores_order |= commit->stage->mode == JOB_IGNORE_DEPENDENCIES;
}

static ModelJob *install(const ModelCommit *commit, ModelJob *slot) {
        *slot = (ModelJob) {
                .id = ++commit->m->last_id,
                .type = commit->candidate->type,
                .run = model_first_run(commit->candidate->type),
                .absorbed_start = commit->candidate->absorbed_start,
                .installed_at = commit->m->now,
        };
        take_over(commit, slot);
        return slot;
}

static ModelJob *merge_into(const ModelCommit *commit, ModelJob *job) {
        const ModelCandidate *c = commit->candidate;
        JobType old = job->type, old_run = job->run;

        job->absorbed_start |= c->absorbed_start;
        job->type = model_merge_on(commit->m, c->unit, old, c->type, &job->absorbed_start);
        if (job->type != old) {
                job->run = model_first_run(job->type);
                job->is_between_halves = false;
        }
        if (job->run != old_run)
                job->is_paused = false;         /* the unit was not asked for this */
        take_over(commit, job);
        return job;
}

static void absorb(ModelJob *into, ModelJob *gone) {
        assert(into->n_aliases + gone->n_aliases + 1 <= MODEL_ALIASES_MAX);
        into->aliases[into->n_aliases++] = gone->id;
        for (unsigned i = 0; i < gone->n_aliases; i++)
                into->aliases[into->n_aliases++] = gone->aliases[i];
        into->is_irreversible |= gone->is_irreversible;
        into->ignores_order |= gone->ignores_order;
        *gone = (ModelJob) {};
}

/* The triggered job becomes the restart and is pending again; what was pending goes into it. */
static ModelJob *turn(const ModelCommit *commit, ModelUnit *unit) {
        ModelJob job = unit->triggered;

        if (!commit->is_trial)
                model_count(commit->m, n_turns);
        if (unit->pending.id)
                absorb(&job, &unit->pending);
        unit->triggered = (ModelJob) {};
        unit->pending = job;
        unit->pending.type = JOB_RESTART;
        unit->pending.run = JOB_STOP;
        unit->pending.is_between_halves = unit->pending.absorbed_start = unit->pending.is_paused = false;
        unit->pending.triggered_at = 0;
        take_over(commit, &unit->pending);
        return &unit->pending;
}

static bool can_turn(const ModelJob *triggered) {
        return triggered->run != JOB_STOP;
}

/* Pending reloads and verifies do not prevent covering. */
static bool is_covered(const ModelUnit *unit, JobType type) {
        bool is_in_the_way = unit->pending.id && unit->pending.type != JOB_RELOAD &&
                             unit->pending.type != JOB_VERIFY_ACTIVE;

        return model_covers(&unit->triggered, type) && !is_in_the_way;
}

static ModelJob *put_regular(const ModelCommit *commit) {
        const ModelCandidate *c = commit->candidate;
        ModelUnit *unit = &commit->m->units[c->unit];
        ModelJob *triggered = &unit->triggered, *pending = &unit->pending;

        if (!commit->is_trial) {
                model_count(commit->m, met_pending[model_slot(pending)][c->type]);
                model_count(commit->m, met_triggered[model_slot(triggered)][c->type]);
        }
        if (pending->id && model_conflicts(pending->type, c->type))
                cancel_installed(commit, c->unit, pending);
        if (triggered->id && !model_conflicts(triggered->type, c->type)) {
                if (c->type == JOB_RESTART && can_turn(triggered))
                        return turn(commit, unit);
                if (is_covered(unit, c->type)) {
                        triggered->is_irreversible |= commit->stage->mode == JOB_REPLACE_IRREVERSIBLY;
                        return triggered;
                }
        }
        return pending->id ? merge_into(commit, pending) : install(commit, pending);
}

static ModelJob *put_nop(const ModelCommit *commit) {
        ModelJob *nop = &commit->m->units[commit->candidate->unit].nop;

        return nop->id ? merge_into(commit, nop) : install(commit, nop);
}

static uint32_t put(ModelCommit *commit, int candidate) {
        commit->candidate = &commit->stage->candidates[candidate];
        if (!commit->is_trial)
                model_forget_recovery(commit->m, commit->candidate->unit);
        return (commit->candidate->type == JOB_NOP ? put_nop(commit) : put_regular(commit))->id;
}

static void clear_others(const ModelCommit *commit) {
        for (int u = 0; u < commit->m->n_units; u++) {
                ModelUnit *unit = &commit->m->units[u];

                if (commit->stage->was_staged[u] || unit->ignores_isolate)
                        continue;
                if (unit->pending.id)
                        cancel_installed(commit, u, &unit->pending);
                if (unit->nop.id)
                        cancel_installed(commit, u, &unit->nop);
        }
}

/* Compares what each would do first, regardless of installed jobs. */
static bool goes_before(const Model *m, const ModelCandidate *a, const ModelCandidate *b) {
        if (a->type == JOB_NOP || b->type == JOB_NOP || a->unit == b->unit)
                return false;
        return model_goes_first(m, a->unit, model_first_run(a->type), b->unit, model_first_run(b->type));
}

static bool must_wait(const Model *m, const ModelStage *s, int candidate, const bool is_left[static MODEL_CANDIDATES_MAX]) {
        for (int i = 0; i < s->n && s->mode != JOB_IGNORE_DEPENDENCIES; i++)
                if (is_left[i] && goes_before(m, &s->candidates[i], &s->candidates[candidate]))
                        return true;
        return false;
}

/* In rounds: first the jobs that wait for none of the rest, in the order in which they were found; at last cycles. */
static int list_in_rounds(const Model *m, const ModelStage *s, int ret_list[static MODEL_CANDIDATES_MAX]) {
        bool is_left[MODEL_CANDIDATES_MAX], was_left[MODEL_CANDIDATES_MAX];
        int n = 0, n_before;

        for (int i = 0; i < s->n; i++)
                is_left[i] = !s->candidates[i].is_gone;
        do {
                n_before = n;
                memcpy(was_left, is_left, sizeof(was_left));
                for (int i = 0; i < s->n; i++)
                        if (was_left[i] && !must_wait(m, s, i, was_left)) {
                                is_left[i] = false;
                                ret_list[n++] = i;
                        }
        } while (n > n_before);
        for (int i = 0; i < s->n; i++)
                if (is_left[i])
                        ret_list[n++] = i;
        return n;
}

void model_commit(Model *m, const ModelStage *s, bool is_trial, uint32_t *ret_anchors) {
        ModelCommit commit = { .m = m, .stage = s, .is_trial = is_trial };
        uint32_t ids[MODEL_CANDIDATES_MAX] = {};
        int list[MODEL_CANDIDATES_MAX], n;

        if (s->mode == JOB_ISOLATE || s->mode == JOB_FLUSH)
                clear_others(&commit);
        for (unsigned i = 0; i < s->n_anchors; i++)
                if (ids[s->anchors[i]] == 0)
                        ids[s->anchors[i]] = put(&commit, s->anchors[i]);
        n = list_in_rounds(m, s, list);
        for (int i = 0; i < n; i++)
                if (ids[list[i]] == 0)
                        ids[list[i]] = put(&commit, list[i]);
        for (unsigned i = 0; ret_anchors && i < s->n_anchors; i++)
                ret_anchors[i] = ids[s->anchors[i]];
}

/* A request pulls in the same candidates each time, so each has the same index. */
static void leave_out(ModelStage *s, const int *left, int n) {
        for (int k = 0; k < n; k++)
                if (!s->candidates[left[k]].is_gone)
                        model_stage_drop(s, left[k]);
}

/* Makes the stage without the candidates that an earlier attempt has dropped. */
static void make_stage(ModelStage *s, Model *m, const ModelRequest *requests, unsigned n, JobMode mode,
                       const int *left, int n_left) {
        memset(s, 0, offsetof(ModelStage, edges));
        s->mode = mode;
        model_stage_expand(s, m, requests, n);
        if (!s->error)
                model_stage_add_extras(s, m);
        if (!s->error)
                model_stage_reduce_first(s, m);
        if (!s->error)
                model_stage_mark(s, m);
        if (!s->error)
                leave_out(s, left, n_left);
        if (!s->error)
                model_stage_merge(s, m);
        if (!s->error && !s->is_in_vain)
                model_stage_reduce(s, m);
        if (!s->error && !s->is_in_vain)
                model_stage_give_way(s, m);
        if (!s->error && !s->is_in_vain && mode != JOB_IGNORE_DEPENDENCIES)
                model_stage_break_cycles(s, m);
}

/* All but the last look at what is installed. */
static void make_final_stage(ModelStage *s, Model *m, const ModelRequest *requests, unsigned n, JobMode mode) {
        int left[MODEL_CANDIDATES_MAX];
        int n_left = 0;

        m->went_by_name = false;
        for (;;) {
                make_stage(s, m, requests, n, mode, left, n_left);
                if (s->error || !s->has_conflicts || s->n_late == 0)
                        break;
                /* A conflict may have been settled for what is not there now. */
                model_count(m, n_again);
                for (int i = 0; i < s->n_late; i++)
                        left[n_left++] = s->late[i];
        }
        if (!s->error)
                model_stage_meet_installed(s, m);
}

void model_plan(const Model *m, const ModelRequest *requests, unsigned n, JobMode mode, ModelPlan *ret_plan) {
        static ModelStage stage;
        static Model copy;
        ModelCounters counters = {};

        copy = *m;
        copy.counters = &counters;
        make_final_stage(&stage, &copy, requests, n, mode);
        *ret_plan = (ModelPlan) {
                .error = stage.error,
                .went_by_name = copy.went_by_name,
                .has_victims = counters.n_victims > 0,
        };
        for (int i = 0; i < stage.n; i++) {
                const ModelCandidate *c = &stage.candidates[i];

                if (c->is_gone)
                        continue;
                ret_plan->starts[c->unit] |= c->has_start || c->type == JOB_START || c->type == JOB_RESTART;
                ret_plan->has[c->unit][c->type] = true;
                ret_plan->n_jobs++;
        }
}

const char *model_exec(Model *m, const ModelRequest *requests, unsigned n, JobMode mode,
                       uint32_t ret_anchors[MODEL_REQUESTS_MAX]) {
        static ModelStage stage;

        make_final_stage(&stage, m, requests, n, mode);
        if (!stage.error)
                model_commit(m, &stage, false, ret_anchors);
        return stage.error;
}
