/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A case while it is played: the engine, the model, and what they said
 */

#include "fuzz_world.h"

typedef struct FuzzPlayer {
        FuzzWorld *world;               /* owned */
        Model model;
        FuzzOutcome *outcome;           /* borrowed */
        bool is_known;                  /* the present steps have been compared before: they are only played */
        bool is_endless;                /* the units trigger each other for ever: the case ends */
        FuzzText expected;              /* lines of a script that would have held */
        ModelTraces engine_trace, model_trace;
} FuzzPlayer;

/* Makes the units of @fuzz in their first states; the outcome of the steps is written to @outcome. */
void fuzz_player_begin(FuzzPlayer *player, const FuzzCase *fuzz, FuzzOutcome *outcome);
/* Plays one plain step on both, and compares nothing. */
void fuzz_player_step(FuzzPlayer *player, const FuzzStep *step);
void fuzz_player_end(FuzzPlayer *player);

/* Reports a difference. Only the first one counts; returns true for that. */
bool fuzz_differ(FuzzPlayer *player, const char *format, ...) printf_(2, 3);

/* Compares the result of an exec (0 or refused) and the anchors of its requests. */
void fuzz_compare_exec(FuzzPlayer *player, int result, const JobPlan *plan, const char *error, const uint32_t *anchors);
/*
 * Properties 11 to 14, of a plan of @step that nothing has come of yet. @before: the model as it was before the request;
 * the player's own has done it. @requests: those of the step for the engine, @of_model for the model.
 */
void fuzz_check_properties(FuzzPlayer *player, const Model *before, const FuzzStep *step, const JobRequest *requests,
                           const ModelRequest *of_model, const JobPlan *plan);
/* Compares jobs, states, and all events since the last call. */
void fuzz_compare(FuzzPlayer *player);
/* Checks the invariants that need no model. */
void fuzz_check_invariants(FuzzPlayer *player);
/* Checks what the engine says of each job: why it waits, and which jobs precede and follow it. */
void fuzz_check_answers(FuzzPlayer *player);
/* To be called when nothing is ready: each waiting job has a blocker, and at least one job can go on. */
void fuzz_compare_rest(FuzzPlayer *player);
