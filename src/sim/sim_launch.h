/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Launches of batches in a simulation
 *
 * A launch is an attempt of the node of a batch, as the manager has it: it
 * issues items from a range (run_range.h), each of which is an attempt that ends
 * as the script says. Core knows to the item what is over, what is out and what
 * is not when it comes back after a death; after a loss of power items go on from
 * the last checkpoint that the store has.
 *
 * Workers (ItemMode=pool), and items that are read, are not simulated.
 */

#include "run/run_range.h"
#include "sim/sim_run.h"

typedef enum SimLaunchStage {
        SIM_LAUNCH_NEW,
        SIM_LAUNCH_AWAIT, /* its owner is to go on with it */
        SIM_LAUNCH_ISSUE,
} SimLaunchStage;

/* The items of a run, and its last launch. */
typedef struct SimLaunch {
        struct SimLaunch *next;
        uint32_t run;
        RunRange *range; /* owned; NULL: not made yet, or core is down */
        RecordWriter saved; /* what core had when it died */
        uint32_t number; /* of the last launch, from 1 on */
        uint32_t n_issued; /* attempts */
        SimLaunchStage stage;
        usec_t paused_at; /* 0: items are issued */
        usec_t checkpoint_at;
        uint64_t n_over; /* as of the last checkpoint */
        bool is_told_to_end; /* its items are */
        bool is_failed; /* MaxErrorsTotal= is exceeded */
        bool is_over; /* no launch is under way */
} SimLaunch;

/* Why the simulation has no runs of the batch; NULL: it has. */
const char *sim_launch_problem(const FlowSettings *settings);
/* Begins @attempt, if it is a launch; false: it is none. */
bool sim_launch_begin(Sim *sim, SimAttempt *attempt);
/* All launches do what is due in a turn. */
void sim_launches_step(Sim *sim);
/* The attempt of an item has ended. */
void sim_launch_note_end(Sim *sim, const SimAttempt *item);
/* When a launch is to be looked at next; USEC_INFINITY: not by time. */
usec_t sim_launches_next(const Sim *sim);
/* The owner goes on with the launch. -EINVAL: it does not wait for that. */
int sim_launch_proceed(Sim *sim, uint32_t run);
/* -ENOENT: it is no run of a batch, or has not begun. */
int sim_launch_count(const Sim *sim, uint32_t run, RunRangeCounts *ret_counts);

/* Core is back, and runs have their rows: items that are out are known again. */
void sim_launches_restore(Sim *sim);
void sim_launches_die(Sim *sim); /* with core */
void sim_launches_drop(Sim *sim); /* all */
