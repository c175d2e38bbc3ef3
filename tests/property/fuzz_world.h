/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The engine under test, over units that react as those of jobd-sim
 *
 * What jobd-sim does with a line of a script is done here by a call, in the
 * same order, so that a case can be played there, too.
 */

#include "fuzz_case.h"
#include "job/job_manager.h"

#define FUZZ_EPOCH UINT64_C(1000000)    /* virtual time begins here */

#define FUZZ_IDS_MAX 8192U              /* the most jobs at one time */

typedef struct FuzzWorld {
        const FuzzCase *fuzz;           /* borrowed */
        UnitHost host;
        UnitTable *units;               /* owned */
        JobManager *jobs;               /* owned */
        uint64_t now;
        ModelTraces *trace;             /* borrowed: the events of the engine */
        uint32_t running[FUZZ_IDS_MAX]; /* by id modulo the size: 1 + the last run type, to recognize a trigger */
        bool is_open[FUZZ_IDS_MAX];     /* the same: the id has begun and not ended */
        uint32_t n_open;
        int numbers[MODEL_UNITS_MAX];   /* by index of the unit: 1 + its number in the case; 0: not known yet */
        uint32_t wrong_id;              /* of the first impossible event; 0: none */
} FuzzWorld;

FuzzWorld *fuzz_world_new(const FuzzCase *fuzz, ModelTraces *trace);
FuzzWorld *fuzz_world_free(FuzzWorld *world);
DEFINE_CLEANUP(FuzzWorld, fuzz_world_free)

/* Loads a unit with all units that it names. */
Unit *fuzz_world_unit(FuzzWorld *world, int unit);
void fuzz_world_set_outcome(FuzzWorld *world, int unit, ModelOperation operation, ModelOutcome outcome);
void fuzz_world_relate(FuzzWorld *world, int unit, const FuzzRelation *relations, unsigned n);
void fuzz_world_restart(FuzzWorld *world);

/*
 * Until it is called again with the inverse: unit i has the name that unit places[i] had. Only what is asked of the
 * transaction itself may be called meanwhile; requests go by the true names.
 */
void fuzz_world_rename(FuzzWorld *world, const uint32_t *places);

/* Copies units, relations and settings to the model; of units that are new to the model also the states. */
void fuzz_world_show(const FuzzWorld *world, Model *model);
