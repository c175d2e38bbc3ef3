/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A case while it is played: two subjects, and the world around them
 */

#include "run_case.h"

#define TRIAL_EVENTS_MAX 60000
#define TRIAL_PROCESSES_MAX 12000

/* A process, from the moment when a subject asks for it. */
typedef struct TrialProcess {
        uint8_t run, node, generation, number;
        uint64_t started_at;
        bool has_ended;
        bool waits;                     /* a sub-run, for a person */
        TrialEvent end;                 /* as it was told; of a sub-run, which the store has */
        bool is_undone;                 /* a death has taken the attempt back that it was made for */
        bool is_ended_by_us;            /* lost or interrupted: nobody knows what it did */
        uint32_t verbs;                 /* on its run when it ended */
} TrialProcess;

typedef enum TrialUnitState {
        TRIAL_UNIT_IS_INACTIVE,
        TRIAL_UNIT_IS_ACTIVE,
        TRIAL_UNIT_IS_STOPPING,
} TrialUnitState;

typedef struct TrialPlayer {
        const TrialCase *trial;         /* borrowed */
        const TrialSubject *reference, *subject;
        void *model, *tested;           /* owned */
        TrialOutcome *outcome;          /* borrowed */
        TrialView expected, seen, before;       /* of the reference; of the subject now, and a turn before */
        bool has_before;
        bool has_untold_subs;           /* nobody has been told, since a restart, which sub-runs wait */
        bool is_coming_back;            /* not everything has been told after a restart */
        TrialEvent *events;             /* all; this and the next ones are borrowed, and there once */
        uint64_t *sums;                 /* of what was seen after each TRIAL_TURN, by event */
        bool *is_end;                   /* by event: a run has begun to stop in that turn */
        uint32_t n_events;
        uint32_t *turn_ends;            /* by turn of the present past: events up to its end */
        uint8_t keys;                   /* of requests */
        uint32_t turn, accepted, durable;       /* the present turn; what the store has */
        uint64_t now;
        TrialUnitState unit;
        TrialProcess *processes;        /* borrowed */
        uint32_t n_processes;
        uint32_t verbs[TRIAL_RUNS_MAX]; /* of people */
        bool is_asked_for[TRIAL_RUNS_MAX][TRIAL_NODES_MAX];     /* somebody has said what becomes of that node */
        uint8_t approved[TRIAL_RUNS_MAX][TRIAL_NODES_MAX];      /* the last generation whose gate was opened */
        bool has_unlocked[TRIAL_RUNS_MAX][TRIAL_NODES_MAX];     /* the node has given up its locks, once at least */
        uint64_t completed[TRIAL_RUNS_MAX][TRIAL_NODES_MAX];    /* generations that somebody has completed, a bit each */
        uint32_t made_in[TRIAL_RUNS_MAX][TRIAL_NODES_MAX];      /* the turn in which the live attempt was first seen */
} TrialPlayer;

/* There is one player at a time. */
void trial_begin(TrialPlayer *player, const TrialCase *trial, const TrialSubject *subject, TrialOutcome *outcome);
void trial_end(TrialPlayer *player);
/* Gives an event to both. Returns what the model says. */
int trial_give(TrialPlayer *player, const TrialEvent *event);
/* Ends the turn of both, and compares what they show. */
void trial_end_turn(TrialPlayer *player);

/* Says what is wrong. Only the first counts. */
void trial_differ(TrialPlayer *player, const char *format, ...) printf_(2, 3);
/* What holds at the end of each turn whatever the model says. */
void trial_check_properties(TrialPlayer *player);
/* What nobody needs is skipped, and nothing else. */
void trial_check_needs(TrialPlayer *player, unsigned run);
/* A process is about to be made for @attempt. */
void trial_check_spawn(TrialPlayer *player, const TrialAttempt *attempt);
/* All of it in a number that does not depend on the order of nodes; @places: node i of the view is places[i]. */
uint64_t trial_sum(const TrialView *view, unsigned n_nodes, const uint8_t *places);
/* Plays all events again: in another order within each turn, and with other numbers of nodes. */
void trial_check_replays(TrialPlayer *player);
