/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs of flows in a simulation
 *
 * The engine of runs, its units and a store, as the manager joins them; there
 * are no processes. What core has in memory is lost when it dies: the engine,
 * the flows and the runs. The store and the attempts outlive it.
 *
 * Nothing happens to runs but in a turn.
 */

#include "job/job_manager.h"
#include "sim/sim_attempt.h"
#include "sim/sim_store.h"
#include "unit/unit_host.h"

typedef struct Sim Sim;
typedef struct SimFlow SimFlow;
typedef struct SimLaunch SimLaunch;

/* A machine that all simulations have. */
#define SIM_PROCESSORS 4U

typedef struct SimRun {
        struct SimRun *next; /* of the flow */
        SimFlow *flow; /* borrowed */
        uint32_t id;
        FlowDefinition *definition; /* a reference */
        RunRow row; /* as it was put last */
        RunNodeRow *nodes; /* owned: the same */
        bool is_put; /* the store has a row */
        uint8_t *cursor; /* owned: the items of a batch, as of the last checkpoint; NULL: none */
        size_t n_cursor;
        bool is_other_boot; /* which was put in an earlier boot */
} SimRun;

struct SimFlow {
        SimFlow *next;
        Unit *unit; /* a reference */
        RunFlow *engine; /* owned by the engine */
        SimRun *first;
        FlowDefinition *definition; /* a reference: of the last submission; NULL */
        bool is_starting; /* its start is to submit a run */
        bool is_stopping; /* its stop waits for attempts */
        bool has_failed, has_succeeded; /* a run has, since it became active */
        bool is_news; /* the unit is to be told */
        const char *problem; /* why its start has failed; static */
};

/* The place of core's next death. */
typedef enum SimCrash {
        SIM_CRASH_NOWHERE,
        SIM_CRASH_SENT, /* the batch is not sent whole */
        SIM_CRASH_ACCEPTED, /* before core hears of it, as of what follows */
        SIM_CRASH_DURABLE,
        SIM_CRASH_ASKED, /* for an attempt, which has no process */
        SIM_CRASH_STARTED, /* the process is there */
        SIM_CRASH_ENDED, /* it is gone */
        _SIM_CRASH_MAX,
} SimCrash;

DECLARE_STRING_TABLE(sim_crash, SimCrash); /* "sent" */

/* Somebody is told that what was asked for is durable. */
typedef struct SimReply {
        const char *verb; /* static */
        uint32_t run;
        uint32_t batch; /* 0: the next one */
} SimReply;

typedef struct SimRuns {
        RunEngine *engine; /* owned; NULL while core is down */
        SimFlow *flows; /* owned */
        VECTOR(SimReply) replies;
        uint32_t last_id;
        uint32_t batch; /* the last one */
        uint32_t told_accepted; /* the engine was told that these are accepted */
        SimAttempts attempts;
        SimLaunch *launches; /* owned; see sim_launch.h */
        SimStore store;
        SimCrash crash_at;
        bool is_dying; /* at the end of the call of the engine */
        bool is_down;
        bool is_loaded; /* the store has given back what it has */
        bool must_revive; /* runs that the end of the earlier boot has held */
        uint32_t boot; /* counts losses of power */
        bool has_changed; /* something, in this turn */
        uint64_t n_changes; /* turns in which something has */
        uint32_t boot_job; /* 0: the boot is over */
} SimRuns;

int sim_runs_init(Sim *sim, bool is_auto);
void sim_runs_deinit(Sim *sim);

/* Turns until nothing more happens at this time. 0, -EINVAL with @ret_failure if that has no end, or an errno. */
int sim_runs_settle(Sim *sim, Failure *ret_failure);
/* When something happens to runs by itself; USEC_INFINITY: nothing does. */
usec_t sim_runs_next(const Sim *sim);

/* — sim_run_table.c — */

SimFlow *sim_runs_find_flow(const Sim *sim, const Unit *unit); /* NULL */
SimFlow *sim_runs_flow(Sim *sim, Unit *unit); /* made if needed; NULL: no memory */
SimRun *sim_runs_find(const Sim *sim, uint32_t id); /* NULL */
/* 0 or -ENOMEM. */
int sim_runs_add(SimFlow *flow, uint32_t id, FlowDefinition *definition, SimRun **ret_run);
void sim_runs_remove(SimRun *run);
/* A copy of a cursor, which may be NULL: 0 or -ENOMEM. */
int sim_runs_copy_cursor(const uint8_t *cursor, size_t n, uint8_t **ret_cursor);
bool sim_runs_is_live(const Sim *sim, const SimRun *run);
void sim_runs_drop(Sim *sim); /* all that core has in memory */

/* — sim_run_host.c — */

extern const RunHost sim_run_host; /* its userdata is the Sim */
/* An event about an attempt. */
void sim_runs_emit_attempt(Sim *sim, const SimAttempt *attempt, const char *state);
/* Core dies here, if the script has said so. */
bool sim_runs_crashes_at(SimRuns *runs, SimCrash point);

/* — sim_run_submit.c — */

/*
 * A run of @flow, *ret_id 0 with OnBusy=skip. @busy: a FlowBusy instead of OnBusy=, < 0: that; @key: 0 for none.
 * 0, -EINVAL, -EBUSY, -EAGAIN with @ret_failure, or another errno.
 */
int sim_runs_submit(Sim *sim, SimFlow *flow, int busy, uint64_t key, uint32_t *ret_id, Failure *ret_failure);
/* The runs that starts of units are to submit. */
int sim_runs_submit_starts(Sim *sim);

/* — sim_run_job.c — */

bool sim_runs_begin_job(Sim *sim, SimAttempt *attempt); /* false: it is a process */
void sim_runs_look_at_jobs(Sim *sim); /* ends attempts whose jobs have ended */

/* — sim_run_unit.c: see UnitHostOps — */

int sim_runs_start_unit(UnitHost *host, Unit *unit);
void sim_runs_stop_unit(UnitHost *host, Unit *unit, bool interrupts);
void sim_runs_get(UnitHost *host, const Unit *unit, UnitRuns *ret_runs);
void sim_runs_unit_changed(Sim *sim, Unit *unit, UnitActiveState old, UnitActiveState new);
void sim_runs_job_event(const JobEvent *event, void *userdata); /* a JobSubscriber of a Sim */
/* Asks for the units that runs wait for, and tells units of their runs. */
int sim_runs_tell_units(Sim *sim);

/* — sim_run_boot.c — */

int sim_runs_begin(Sim *sim); /* the engine: 0 or -ENOMEM */
void sim_runs_die(Sim *sim);
void sim_runs_lose_store(Sim *sim); /* it is started again */
/* The machine has no power: core and store die, attempts and units are gone. @jobs, which is taken, has no jobs. */
void sim_runs_lose_power(Sim *sim, JobManager *jobs);
int sim_runs_boot(Sim *sim); /* core: 0 or -ENOMEM */
/* Gives back what the store has, once it answers. 0 or another errno. */
int sim_runs_load(Sim *sim);
