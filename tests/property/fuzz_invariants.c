/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Invariants of the engine, checked after every step without the model
 *
 * The model could have the same defects as the engine. These properties need
 * no model: each id has one beginning and at most one end and is in the table
 * in between; a queue has a valid form; and every chain of waiting jobs ends
 * at one that will continue.
 */

#include "fuzz_player.h"
#include "job/job_manager_private.h"

static bool is_known(const FuzzPlayer *player, uint32_t id) {
        return player->world->is_open[id % FUZZ_IDS_MAX];
}

/* Returns how many of the open ids @job has. */
static uint32_t check_ids(FuzzPlayer *player, const Job *job) {
        const JobTable *table = &player->world->jobs->table;

        if (!is_known(player, job->id) || job_table_find(table, job->id) != job)
                fuzz_differ(player, "job %u is there, but its id is not", job->id);
        for (size_t i = 0; i < job_rare(job)->aliases.n; i++)
                if (!is_known(player, job_rare(job)->aliases.items[i]) || job_table_find(table, job_rare(job)->aliases.items[i]) != job)
                        fuzz_differ(player, "job %u has absorbed job %u, which is not so", job->id, job_rare(job)->aliases.items[i]);
        return 1 + (uint32_t) job_rare(job)->aliases.n;
}

static void check_form(FuzzPlayer *player, const JobUnitEntry *entry) {
        const Job *triggered = entry->triggered, *pending = entry->pending, *nop = entry->nop;

        if (triggered && (triggered->state != JOB_RUNNING || triggered->run_type == JOB_NOP || triggered->pause ||
                          triggered->run_type == JOB_VERIFY_ACTIVE || triggered->run_type == JOB_RESTART))
                fuzz_differ(player, "job %u can't be one that runs", triggered->id);
        if (pending && (pending->state != JOB_WAITING || pending->type == JOB_NOP || pending->triggered_at))
                fuzz_differ(player, "job %u can't be one that waits", pending->id);
        if (nop && (nop->state != JOB_WAITING || nop->type != JOB_NOP || nop->pause))
                fuzz_differ(player, "job %u can't be a nop", nop->id);
}

/* The chain of blockers ends at a job that runs, is ready, or is paused. */
static void check_chain(FuzzPlayer *player, const Job *job) {
        const JobTable *table = &player->world->jobs->table;
        const Job *at = job;

        for (size_t n = 0; at && n <= table->n_jobs; n++) {
                const JobUnitEntry *entry = &table->entries[at->unit];

                if (at->state == JOB_RUNNING || at->pause || at->ready_place != HEAP_NOWHERE)
                        return;
                at = at->blocker ?: entry->triggered;
        }
        /* A cycle that running restarts are about to close is broken when the next run begins. */
        if (!player->world->jobs->has_cycle_to_come)
                fuzz_differ(player, "job %u waits, and nothing will ever move", job->id);
}

void fuzz_check_invariants(FuzzPlayer *player) {
        const JobTable *table = &player->world->jobs->table;
        uint32_t n_ids = 0;
        size_t n = 0;

        if (player->world->wrong_id)
                fuzz_differ(player, "job %u begins twice, or ends or changes without being there", player->world->wrong_id);
        for (size_t i = 0; i < table->n_entries; i++) {
                const JobUnitEntry *entry = &table->entries[i];
                const Job *const jobs[] = { entry->triggered, entry->pending, entry->nop };

                check_form(player, entry);
                for (size_t k = 0; k < ELEMENTSOF(jobs); k++) {
                        if (!jobs[k])
                                continue;
                        n++;
                        n_ids += check_ids(player, jobs[k]);
                        check_chain(player, jobs[k]);
                }
        }
        if (n != table->n_jobs || n_ids != player->world->n_open)
                fuzz_differ(player, "%zu jobs for %u ids; counted are %zu, and %u have begun and not ended", n, n_ids,
                            table->n_jobs, player->world->n_open);
}
