/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The engine without processes
 *
 * A Sim holds units, the engine and a clock that only the script advances.
 * The input is lines of a script, the output events, each a JSON object. The
 * script decides how an operation of a unit ends (sim_unit.h).
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "basic/failure.h"
#include "basic/id_map.h"
#include "job/job_manager.h"
#include "sim/sim_event.h"
#include "sim/sim_run.h"
#include "sim/sim_unit.h"
#include "unit/unit_table.h"
#include "unitfile/unit_file.h"

/* The start of virtual time; 0 means "never" in timestamps. */
#define SIM_EPOCH USEC_PER_SEC

/* The outcome of a line; < 0: -EINVAL with a failure (an error in the script), or another errno. */
enum {
        SIM_E_SUCCESS,
        SIM_E_UNEXPECTED,       /* an expectation failed: the failure has the expected and the actual event */
        SIM_E_QUIT,
};

typedef struct SimOptions {
        const char *unit_path;          /* "a:b"; NULL for the default */
        const char *folder;             /* that relative paths in the script begin at; NULL: the present one */
        bool with_systemd_units;
        bool no_default_dependencies;
        bool is_auto;                   /* operations succeed by themselves, and ready jobs run */
        bool is_quiet;                  /* print no events */
        bool remembers_events;          /* false: the script has no expectations, so quiet events need not be made */
        FILE *output;                   /* borrowed */
} SimOptions;

/* Time spent, µs, for benchmarks. */
typedef struct SimTimes {
        usec_t load, exec, run, other;          /* elapsed time */
        usec_t cpu_load, cpu_exec, cpu_run, cpu_other;  /* processor time: less disturbed by other load */
} SimTimes;

typedef struct Sim {
        UnitHost host;
        UnitVTable vtables[_UNIT_TYPE_MAX];
        UnitFileLoader *loader;         /* owned */
        UnitTable *units;               /* owned */
        JobManager *jobs;               /* owned */
        usec_t now;                     /* virtual; monotonic and realtime alike */
        bool is_auto;
        bool is_quiet;
        bool is_running;                /* within sim_run() */
        uint64_t n_operations;          /* operations of units, in all */
        size_t n_hanging;               /* units with an operation that a time limit will end */
        IdMap job_states;               /* by job id: the last reported stage; tells a trigger from a change */
        char failure[64];               /* of the unit whose failure was asked for last */
        SimEvents events;
        SimRuns runs;
        /* a unit has another state; set by sim.c */
        void (*unit_changed)(Sim *sim, Unit *unit, UnitActiveState old, UnitActiveState new);
        const char *folder;             /* borrowed: where files of the script are; NULL: here */
        SimTimes times;
} Sim;

/* 0, -ENOMEM, or another errno of the loader. */
int sim_new(Sim **ret_sim, const SimOptions *options);
Sim *sim_free(Sim *sim);
DEFINE_CLEANUP(Sim, sim_free)

/* Carries out one line. Outcomes: see above. */
int sim_execute_line(Sim *sim, const char *line, Failure *ret_failure);

/* Runs the ready jobs, at most @budget, and the runs of flows. */
int sim_run(Sim *sim, unsigned budget, Failure *ret_failure);

/* An engine without jobs, which tells the Sim of its events. 0 or -ENOMEM. */
int sim_new_jobs(Sim *sim, JobManager **ret_jobs);

/* After the last line: runs the jobs that --auto still has to run. */
int sim_finish(Sim *sim, Failure *ret_failure);

/* Writes the line of --time. */
int sim_print_times(const Sim *sim, FILE *output);
