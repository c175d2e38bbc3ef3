/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unloading units that nothing needs
 */

#include "basic/vector.h"
#include "manager/manager_job.h"
#include "manager/manager_transient.h"
#include "manager/manager_turn.h"
#include "manager/manager_unit_row.h"

typedef struct ManagerUnloading {
        ManagerTurn *turn;              /* borrowed, as are the next five */
        UnitTable *units;
        ManagerUnits *rows;
        JobManager *engine;
        ManagerJobs *jobs;
        ManagerTransients *transients;
        VECTOR(uint32_t) candidates;    /* indexes of units that may be unloaded */
        uint32_t walk;                  /* number of the last search */
} ManagerUnloading;

static inline void manager_unloading_deinit(ManagerUnloading *unloading) {
        vector_deinit(&unloading->candidates);
}

/* Returns true if a turn has to run. */
static inline bool manager_unloading_has_candidates(const ManagerUnloading *unloading) {
        return unloading->candidates.n > 0;
}

/* Checks at the end of the turn whether the unit can be unloaded. */
void manager_unloading_consider(ManagerUnloading *unloading, Unit *unit);
/* A job of @handler has ended: units that were kept for it may be unloaded. */
void manager_unloading_consider_handled(ManagerUnloading *unloading, const Unit *handler);
void manager_unloading_run(ManagerUnloading *unloading);        /* at the end of a turn */
