/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A case of runs: a definition, and steps whose meaning depends on what is there
 */

#include <stdio.h>

#include "run_trial.h"

typedef enum TrialStepKind {
        TRIAL_STEP_SUBMIT,              /* .flag: the last request again */
        TRIAL_STEP_FINISH,              /* .n processes end in one turn */
        TRIAL_STEP_INTERRUPT,           /* the same, by a stop of the unit */
        TRIAL_STEP_LOSE,                /* nobody ever hears of the end of one */
        TRIAL_STEP_VERB,                /* .verb on a run and a node that may take it, if there is one */
        TRIAL_STEP_NEXT,                /* time passes until the next timer */
        TRIAL_STEP_ADVANCE,             /* .amount seconds pass */
        TRIAL_STEP_STORE,               /* the store accepts what there is, and of that makes .amount turns durable */
        TRIAL_STEP_UNIT,                /* it starts if it is inactive, or stops */
        TRIAL_STEP_START_JOB,           /* the unit's start job fails, or is cancelled */
        TRIAL_STEP_KILL_CORE,           /* the last .amount turns were not accepted */
        TRIAL_STEP_KILL_STORE,          /* what is not durable is sent to its successor */
        TRIAL_STEP_KILL_BOTH,
        TRIAL_STEP_REBOOT,              /* .amount seconds later */
        TRIAL_STEP_ANSWER,              /* a command says .answer; .flag: about an older generation */
        TRIAL_STEP_SUB_WAITS,           /* a sub-run begins to wait for a person, or goes on */
        TRIAL_STEP_COMPLETE,            /* somebody completes a node: .resolution; .flag: of an older generation */
        _TRIAL_STEP_MAX,
} TrialStepKind;

typedef struct TrialStep {
        TrialStepKind kind;
        TrialEventKind verb;
        TrialResolution resolution;
        uint16_t pick, other;           /* which of those that there are */
        uint8_t n, amount;
        uint8_t status;
        TrialEnd end;
        TrialAnswer answer;
        uint8_t priority;               /* of a run that is submitted; 0: that of the flow */
        bool flag;                      /* by a person; orderly; cancelled */
} TrialStep;

typedef struct TrialCase {
        uint64_t seed;
        TrialDefinition definition;
        TrialStep steps[TRIAL_STEPS_MAX];
        uint8_t n_steps;
        bool has_slow_store;            /* else it accepts all at once */
        bool has_slow_disk;             /* else what is accepted is durable at once */
        bool has_slow_ends;             /* else what is told to end does so at once */
} TrialCase;

/* What playing a case has shown. */
typedef struct TrialOutcome {
        bool differs;
        char what[512];                 /* in a line */
        uint32_t n_events;
        FILE *script;                   /* borrowed; NULL: the events are not written */
} TrialOutcome;

typedef struct TrialStatistics {
        uint64_t cases, events[_TRIAL_EVENT_MAX], refused[_TRIAL_EVENT_MAX];
        uint64_t runs[_TRIAL_RUN_STATE_MAX][_TRIAL_REASON_MAX];         /* ends of turns that found one so */
        uint64_t nodes[_TRIAL_NODE_STATE_MAX][_TRIAL_REASON_MAX];
        uint64_t readiness[_TRIAL_READINESS_MAX], steps[_TRIAL_STEP_MAX], killed;
} TrialStatistics;

/* NULL: nothing is counted. */
extern TrialStatistics *trial_statistics;

/* The subject is compared with itself, so that only properties can find something. */
extern bool trial_without_model;

/* What cases may have beyond the first rules. */
typedef struct TrialFeatures {
        uint32_t known;                 /* TrialFeature: no others */
        unsigned percent;               /* of cases that may have some; the others are the same for all subjects */
} TrialFeatures;

void trial_case_random(uint64_t seed, const TrialFeatures *features, TrialCase *ret_case);
/* Plays @trial on the model and on @subject, until they differ, a property does not hold, or each run has ended. */
void trial_play(const TrialCase *trial, const TrialSubject *subject, TrialOutcome *ret_outcome);
/* The smallest case that still shows something. */
void trial_shrink(const TrialCase *trial, const TrialSubject *subject, TrialCase *ret_small);
void trial_write_definition(const TrialDefinition *definition, FILE *file);
void trial_write_event(const TrialEvent *event, FILE *file);
void trial_print_statistics(const TrialStatistics *statistics);
