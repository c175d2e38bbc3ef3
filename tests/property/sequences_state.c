/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The state that a sequence leads to, as a number
 *
 * What is left out can't change what comes: whom a job has to thank for its
 * being there, the rings of what has ended, and the stage, which each
 * transaction clears. (The short sequences that are played whatever they lead
 * to would show it if that were not so.)
 */

#include "job/job_manager_private.h"
#include "sequences.h"

static void put(SequenceState *state, uint64_t value) {
        static const uint64_t factors[2] = { UINT64_C(0x9E3779B97F4A7C15), UINT64_C(0xC2B2AE3D27D4EB4F) };

        for (int i = 0; i < 2; i++) {
                state->hashes[i] = (state->hashes[i] ^ value) * factors[i];
                state->hashes[i] ^= state->hashes[i] >> (29 + i);
        }
}

/* A moment, as seen from now. */
static void put_time(SequenceState *state, uint64_t time, uint64_t now) {
        put(state, time == 0 || time == UINT64_MAX ? time : time - now);
}

/* Without a time limit the time of a beginning does not matter. */
static void put_times(SequenceState *state, uint64_t installed, uint64_t triggered, bool has_limit, uint64_t now) {
        put(state, triggered > 0);
        if (!has_limit)
                return;
        put_time(state, installed, now);
        put_time(state, triggered, now);
}

static void put_job(SequenceState *state, const Job *job, uint64_t now) {
        put(state, job != NULL);
        if (!job)
                return;
        put(state, job->type);
        put(state, job->run_type);
        put(state, job->state);
        put(state, job->pause);
        put(state, (uint64_t) (job->is_irreversible | job->ignores_order << 1 | job->between_halves << 2 |
                               job->is_ending << 3 | job->absorbed_start << 4 | job->is_in_line << 5));
        put(state, (uint64_t) job->priority);
        put(state, job->ready_place == HEAP_NOWHERE);
        put(state, job->deadline_place == HEAP_NOWHERE);
        put_times(state, job->installed_at, job->triggered_at, job->deadline != USEC_INFINITY, now);
        put_time(state, job->deadline, now);
        put(state, job->scan);
        put(state, job->blocker != NULL);
        put(state, job_rare(job)->late.n);
        put(state, job_rare(job)->aliases.n);
}

static void put_model_job(SequenceState *state, const ModelJob *job, bool has_limit, uint64_t now) {
        put(state, job->id != 0);
        if (job->id == 0)
                return;
        put(state, job->type);
        put(state, job->run);
        put(state, (uint64_t) (job->is_irreversible | job->ignores_order << 1 | job->is_between_halves << 2 |
                               job->absorbed_start << 3 | job->is_paused << 4));
        put_times(state, job->installed_at, job->triggered_at, has_limit, now);
        put(state, job->n_aliases);
}

static void put_engine(SequenceState *state, const FuzzWorld *world) {
        const JobManager *jobs = world->jobs;
        const JobUnitEntry *entry = job_table_peek(&jobs->table, 0);
        const Job *const of_unit[] = { entry->triggered, entry->pending, entry->nop };
        const Unit *unit = unit_table_at(world->units, 0);

        put(state, unit->active_state);
        put(state, unit_will_restart(unit));
        for (int i = 0; i < 3; i++) {
                put_job(state, of_unit[i], world->now);
                for (int k = 0; k < i; k++)
                        put(state, of_unit[i] && of_unit[k] && of_unit[i]->id < of_unit[k]->id);
        }
        put(state, entry->recovers_with);
        put(state, jobs->table.n_jobs);
        put(state, jobs->table.by_id.n);
        put(state, jobs->table.ready.line.n - jobs->table.ready.head);
        put(state, jobs->table.ready.others.n);
        put(state, jobs->table.deadlines.n);
        put(state, jobs->has_cycle_to_come);
        put(state, jobs->changes.n + jobs->ends.n);
        put(state, jobs->notify.queue.n);
        put(state, jobs->notify.follow_ups.n - jobs->notify.next);
        put(state, jobs->notify.n_rules > 0 ? jobs->notify.rules[0] : 0);
        put_time(state, jobs->notify.next_retry, world->now);
}

static void put_model(SequenceState *state, const Model *model) {
        const ModelUnit *unit = &model->units[0];
        bool has_limit = unit->timeout != MODEL_NEVER;

        put(state, unit->state);
        put(state, unit->will_restart);
        put_model_job(state, &unit->triggered, has_limit, model->now);
        put_model_job(state, &unit->pending, has_limit, model->now);
        put_model_job(state, &unit->nop, has_limit, model->now);
        put(state, (uint64_t) unit->waits_for);
        put(state, unit->rules | (uint64_t) unit->delayed_rules << 8);
        put(state, unit->n_rule_requests);
        put_time(state, unit->rule_window, model->now);
        put(state, model->has_cycle_to_come);
        put(state, model->n_wishes + model->n_reports);
}

SequenceState sequence_state(const FuzzPlayer *player) {
        SequenceState state = { { 1, 2 } };

        put_engine(&state, player->world);
        put_model(&state, &player->model);
        put(&state, player->is_endless);
        return state;
}
