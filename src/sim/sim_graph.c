/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verbs of a script that change the surroundings of the engine
 *
 * A script cannot write unit files while it runs, but it can state that a
 * unit has other relations after a reload. So effects of a reload, or of a
 * restart of the manager, are tested by scripts, too.
 */

#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "sim/sim_graph.h"

static int sim_load(Sim *sim, const char *name, Unit **ret_unit, Failure *ret_failure) {
        int r = unit_table_load(sim->units, name, ret_unit);

        return r == -EINVAL ? failure_set(ret_failure, r, "InvalidArgs", "\"%s\" is not the name of a unit", name) : r;
}

static int sim_add_relation(Sim *sim, Unit *unit, const char *word, Failure *ret_failure) {
        cleanup_free_ char *kind_word = NULL;
        const char *equal = strchr(word, '=');
        UnitOriginId origin;
        Unit *other;
        int kind, r;

        kind_word = strndup(word, equal ? (size_t) (equal - word) : 0);
        if (!kind_word)
                return -ENOMEM;
        kind = unit_relation_from_string(kind_word);
        if (kind < 0)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "\"%s\" is not of the form RELATION=UNIT",
                                   word);
        r = unit_table_name(sim->units, equal + 1, &other);
        if (r == -EINVAL)
                return failure_set(ret_failure, r, "InvalidArgs", "\"%s\" is not the name of a unit", equal + 1);
        if (r == 0)
                r = unit_table_origin(sim->units, "script", 0, NULL, &origin);
        return r < 0 ? r : unit_add_relation(unit, kind, other, origin);
}

int sim_verb_relate(Sim *sim, const SimLine *line, Failure *ret_failure) {
        Unit *unit;
        int r;

        r = sim_load(sim, line->words[1], &unit, ret_failure);
        if (r < 0)
                return r;
        unit_withdraw_relations(unit);
        for (size_t i = 2; i < line->n_words && r == 0; i++)
                r = sim_add_relation(sim, unit, line->words[i], ret_failure);
        if (r == 0)
                r = unit_table_load_queued(sim->units);
        if (r < 0)
                return r;
        job_manager_graph_changed(sim->jobs, sim->now);
        return 0;
}

int sim_verb_reloaded(Sim *sim, const SimLine *line, Failure *ret_failure) {
        Unit *unit;
        int r;

        r = sim_load(sim, line->words[1], &unit, ret_failure);
        if (r == 0)
                unit_publish_reloaded_itself(unit);
        return r;
}

int sim_verb_restart(Sim *sim, const SimLine *line, Failure *ret_failure) {
        cleanup_(job_manager_freep) JobManager *jobs = NULL;
        JobSnapshot snapshot;
        int r;

        r = sim_new_jobs(sim, &jobs);
        if (r < 0)
                return r;
        r = job_manager_save(sim->jobs, &snapshot);
        if (r < 0)
                return r;
        r = job_manager_restore(jobs, &snapshot, sim->now);
        job_snapshot_deinit(&snapshot);
        if (r < 0)
                return r;
        job_manager_free(sim->jobs);
        sim->jobs = take_ptr(jobs);
        return 0;
}
