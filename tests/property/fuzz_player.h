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
        bool is_known;                  /* what is played now was compared before: it is only done */
        bool is_endless;                /* the units keep each other going: no use to go on */
        FuzzText expected;              /* lines of a script that would have held */
        ModelTraces engine_trace, model_trace;
} FuzzPlayer;

/* Makes the units of @fuzz, in the states in which they begin; what comes of its steps is told to @outcome. */
void fuzz_player_begin(FuzzPlayer *player, const FuzzCase *fuzz, FuzzOutcome *outcome);
/* Plays one plain step on both, and compares nothing. */
void fuzz_player_step(FuzzPlayer *player, const FuzzStep *step);
void fuzz_player_end(FuzzPlayer *player);

/* Says where they differ; only the first time counts, then it is true. */
bool fuzz_differ(FuzzPlayer *player, const char *format, ...) printf_(2, 3);

/* Of an exec: what came of it (0 or refused) and who stands for the requests. */
void fuzz_compare_exec(FuzzPlayer *player, int result, const JobPlan *plan, const char *error, const uint32_t *anchors);
/*
 * Properties 11 to 14, of a plan of @step that nothing has come of yet. @before: the model as it was before the request;
 * the player's own has done it. @requests: those of the step for the engine, @of_model for the model.
 */
void fuzz_check_properties(FuzzPlayer *player, const Model *before, const FuzzStep *step, const JobRequest *requests,
                           const ModelRequest *of_model, const JobPlan *plan);
/* Jobs, states, and all that was told since the last time. */
void fuzz_compare(FuzzPlayer *player);
/* What holds without a model. */
void fuzz_check_invariants(FuzzPlayer *player);
/* What the engine says of each job: why it waits, and who goes before and after it. */
void fuzz_check_answers(FuzzPlayer *player);
/* When nothing is ready any more: whoever waits has a true blocker, and somebody can go on. */
void fuzz_compare_rest(FuzzPlayer *player);
