/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A case: units, their relations, and what is done to them, as plain data
 *
 * A case can be copied, and made smaller by taking something out. What a step
 * means while it is played may depend on what is there then (FINISH, CANCEL);
 * fuzz_play() can put the plain step in its place.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"
#include "model.h"

#define FUZZ_UNITS_MAX 10
#define FUZZ_RELATIONS_MAX 64
#define FUZZ_REDECLARED_MAX 8
#define FUZZ_STEPS_MAX 64

typedef struct FuzzUnit {
        bool is_there;                  /* false: taken out by the shrinker */
        UnitLoadState load;             /* loaded, masked or not-found */
        UnitActiveState state;          /* in the beginning */
        bool can_reload, is_perpetual, allows_isolate, ignores_isolate, stops_when_unneeded, restarts_on_dependency;
        bool refuses_start, refuses_stop;
        int priority;
        unsigned timeout, running_timeout;      /* seconds; 0: none */
        JobMode on_failure_mode, on_success_mode;
} FuzzUnit;

typedef struct FuzzRelation {
        int unit;
        UnitRelationKind kind;
        int other;
} FuzzRelation;

typedef enum FuzzStepKind {
        FUZZ_EXEC,
        FUZZ_RUN,
        FUZZ_FINISH,                    /* one of the units with a running job changes its state */
        FUZZ_STATE,
        FUZZ_RESULT,
        FUZZ_CANCEL,
        FUZZ_CLEAR,
        FUZZ_READY,
        FUZZ_ADVANCE,
        FUZZ_RELOADED,                  /* the unit says that it has reloaded by itself */
        FUZZ_RELATE,                    /* the unit's file is read again, with other relations */
        FUZZ_RESTART,                   /* the engine is saved and restored */
} FuzzStepKind;

/* How the state of a unit with a running job changes. */
typedef enum FuzzCourse {
        FUZZ_SUCCEEDS,
        FUZZ_FAILS,
        FUZZ_GETS_UNDER_WAY,
} FuzzCourse;

typedef struct FuzzStep {
        FuzzStepKind kind;
        ModelRequest requests[MODEL_REQUESTS_MAX];      /* .unit: of the case */
        unsigned n_requests;
        JobMode mode;
        unsigned budget;                /* 0: until nothing is ready */
        int unit;
        unsigned pick;                  /* which of them */
        bool detaches;                  /* it cancels a running job, too */
        FuzzCourse course;
        UnitActiveState state;
        UnitChangeFlags flags;
        ModelOperation operation;
        ModelOutcome outcome;
        unsigned seconds;
        FuzzRelation relations[FUZZ_REDECLARED_MAX];
        unsigned n_relations;
} FuzzStep;

typedef struct FuzzCase {
        uint64_t seed;
        FuzzUnit units[FUZZ_UNITS_MAX];
        FuzzRelation relations[FUZZ_RELATIONS_MAX];
        unsigned n_relations;
        FuzzStep steps[FUZZ_STEPS_MAX];
        unsigned n_steps;
} FuzzCase;

const char *fuzz_unit_name(int unit);
/* -1 if no unit of a case has that name. */
int fuzz_unit_find(const char *name);

void fuzz_case_random(uint64_t seed, FuzzCase *ret_case);

/* Text in a place of fixed size; what does not fit is cut off. */
typedef struct FuzzText {
        char string[16384];
        size_t n;
} FuzzText;

void fuzz_add(FuzzText *text, const char *format, ...) printf_(2, 3);

/* The outcome of playing a case: plain data, which can be sent from one process to another. */
typedef struct FuzzOutcome {
        bool differs;
        FuzzCase concrete;              /* the same case in plain steps, up to where they differ */
        FuzzText text;                  /* how they differ, for people */
        FuzzText script;                /* for jobd-sim; at its end what the model expects */
} FuzzOutcome;

/* Plays @fuzz on the engine and on the model, until they differ. */
typedef void (*FuzzPlay)(const FuzzCase *fuzz, FuzzOutcome *ret_outcome);
void fuzz_play(const FuzzCase *fuzz, FuzzOutcome *ret_outcome);
/* The same in a process of its own; if it crashes or hangs, that is a difference, too. */
void fuzz_play_apart(const FuzzCase *fuzz, FuzzOutcome *ret_outcome);

/* The smallest case that still differs. */
void fuzz_shrink(const FuzzCase *fuzz, FuzzPlay play, FuzzCase *ret_small);

/* The file of a unit. */
void fuzz_write_unit(const FuzzCase *fuzz, int unit, FuzzText *file);
/* Lines of a script that do something. */
unsigned fuzz_count_lines(const char *script);
