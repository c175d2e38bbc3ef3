/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The engine without processes
 *
 * A Sim holds units, the engine and a clock that only the script moves. Lines
 * of a script go in, events come out, each a JSON object. What a unit's
 * operation does is what the script says (sim_unit.h).
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "basic/failure.h"
#include "basic/id_map.h"
#include "job/job_manager.h"
#include "sim/sim_event.h"
#include "unit/unit_table.h"
#include "unitfile/unit_file.h"

/* How a line ended; < 0: -EINVAL with a failure (script error), or another errno. */
enum {
        SIM_E_SUCCESS,
        SIM_E_UNEXPECTED,       /* an expect failed: the failure tells what was expected and what came */
        SIM_E_QUIT,
};

typedef struct SimOptions {
        const char *unit_path;          /* "a:b"; NULL for the default */
        bool with_systemd_units;
        bool no_default_dependencies;
        bool is_auto;                   /* operations succeed by themselves, and what is ready runs */
        bool is_quiet;                  /* print no events */
        bool remembers_events;          /* false: nothing will ask for an event, so quiet ones need not be made */
        FILE *output;                   /* borrowed */
} SimOptions;

/* Time spent, µs, for benchmarks. */
typedef struct SimTimes {
        usec_t load, exec, run, other;          /* by the clock on the wall */
        usec_t cpu_load, cpu_exec, cpu_run, cpu_other;  /* on a processor: others on the machine disturb it less */
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
        uint64_t n_operations;          /* that units were asked for */
        IdMap job_states;               /* by job id: what was told last, to know a trigger from another change */
        SimEvents events;
        SimTimes times;
} Sim;

/* 0, -ENOMEM, or another errno of the loader. */
int sim_new(Sim **ret_sim, const SimOptions *options);
Sim *sim_free(Sim *sim);
DEFINE_CLEANUP(Sim, sim_free)

/* Does what one line says. Outcomes above. */
int sim_execute_line(Sim *sim, const char *line, Failure *ret_failure);

/* Lets everything run that is ready, at most @budget jobs. */
int sim_run(Sim *sim, unsigned budget, Failure *ret_failure);

/* After the last line: what --auto still has to run. */
int sim_finish(Sim *sim, Failure *ret_failure);

/* Writes the one line of --time. */
int sim_print_times(const Sim *sim, FILE *output);
