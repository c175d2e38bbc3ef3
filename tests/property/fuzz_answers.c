/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The engine's answers about waiting jobs
 *
 * Every job has an answer at every moment. A waiting job names a job that goes
 * first in the model, or the pause, or it can be dispatched; and the lists of
 * neighbours by order are those of the model.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "double/double_sink.h"
#include "fuzz_player.h"

/* The first job in the chain of blockers, 0 if there is none. */
static uint32_t find_blocker(const char *answer) {
        const char *at = strstr(answer, "blockers=[{id=");

        return at ? (uint32_t) strtoul(at + strlen("blockers=[{id="), NULL, 10) : 0;
}

static bool is_head(const ModelUnit *unit) {
        return !unit->triggered.id || (unit->pending.type == JOB_STOP && unit->triggered.type != JOB_STOP);
}

static void check_waiting(FuzzPlayer *player, int u, const ModelJob *job, const char *answer) {
        const ModelUnit *unit = &player->model.units[u];
        uint32_t blocker = find_blocker(answer);

        if (blocker != 0) {
                bool is_true = is_head(unit) ? model_is_blocker(&player->model, u, job, blocker) :
                                               blocker == unit->triggered.id;

                if (!is_true)
                        fuzz_differ(player, "job %u is said to wait for job %u: %s", job->id, blocker, answer);
        } else if (job->is_paused != (strstr(answer, "pause=") != NULL)) {
                fuzz_differ(player, "job %u: the answer is wrong about its pause: %s", job->id, answer);
        } else if (!job->is_paused && !model_may_go(&player->model, u, job)) {
                fuzz_differ(player, "job %u waits, but the answer does not know for what: %s", job->id, answer);
        }
}

static void check_answer(FuzzPlayer *player, int u, const ModelJob *job) {
        DoubleSink sink;
        char id[16];

        snprintf(id, sizeof(id), "%u", job->id);
        double_sink_init(&sink);
        if (job_manager_explain(player->world->jobs, id, player->world->now, &sink.sink) < 0)
                fuzz_differ(player, "job %u has no answer", job->id);
        else if (!job->triggered_at)
                check_waiting(player, u, job, double_sink_string(&sink));
        double_sink_deinit(&sink);
}

/* A running job waits for nothing. */
static bool waits(const FuzzPlayer *player, int u, const ModelJob *job, uint32_t other) {
        return !job->triggered_at && model_is_blocker(&player->model, u, job, other);
}

static void check_neighbours(FuzzPlayer *player, int u, const ModelJob *job, bool before) {
        JobInfos infos = {};
        unsigned n = 0, n_known = 0;

        if (job_manager_neighbours(player->world->jobs, job->id, before, &infos) < 0)
                abort();
        for (int v = 0; v < player->model.n_units; v++) {
                const ModelUnit *unit = &player->model.units[v];
                const ModelJob *const jobs[] = { &unit->triggered, &unit->pending };

                for (int i = 0; i < 2; i++) {
                        if (!jobs[i]->id || !(before ? waits(player, u, job, jobs[i]->id) : waits(player, v, jobs[i], job->id)))
                                continue;
                        n++;
                        for (size_t k = 0; k < infos.n; k++)
                                n_known += infos.items[k].id == jobs[i]->id;
                }
        }
        if (n != n_known || n != infos.n)
                fuzz_differ(player, "job %u: engine: %zu neighbours %s it; model: %u, of which the engine knows %u", job->id,
                            infos.n, before ? "before" : "after", n, n_known);
        vector_deinit(&infos);
}

void fuzz_check_answers(FuzzPlayer *player) {
        for (int u = 0; u < player->model.n_units && !player->outcome->differs; u++) {
                const ModelUnit *unit = &player->model.units[u];
                const ModelJob *const jobs[] = { &unit->triggered, &unit->pending, &unit->nop };

                for (int i = 0; i < 3; i++) {
                        if (!jobs[i]->id)
                                continue;
                        check_answer(player, u, jobs[i]);
                        check_neighbours(player, u, jobs[i], true);
                        check_neighbours(player, u, jobs[i], false);
                }
        }
}
