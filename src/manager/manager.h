/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The manager: units, jobs and the event loop put together
 *
 * One turn of the loop takes in what happened, in the order children, notify
 * messages, timers, jobs, bus; lets units and engine react; and flushes the
 * outbox, through which everything leaves. The bus layer calls the functions
 * below and listens; it is told once a turn what has changed.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "basic/failure.h"
#include "job/job_manager.h"
#include "job/job_plan.h"
#include "manager/manager_keeper.h"
#include "manager/manager_log.h"
#include "unit/unit_table.h"
#include "unitfile/resource_settings.h"
#include "unitfile/unit_file.h"

typedef struct sd_event sd_event;
typedef struct Manager Manager;
typedef struct Outbox Outbox;

/* The order in which sources are served when several are ready: sd-event priorities. */
enum {
        MANAGER_PRIORITY_CHILDREN = -50,
        MANAGER_PRIORITY_NOTIFY = -40,
        MANAGER_PRIORITY_SIGNALS = -30,
        MANAGER_PRIORITY_TIMERS = -20,
        MANAGER_PRIORITY_JOBS = -10,
        MANAGER_PRIORITY_BUS = 0,
        MANAGER_PRIORITY_IDLE = 50,
};

typedef struct ManagerOptions {
        bool is_user;
        bool is_machine;                /* its init, and so the one that ends it */
        bool with_systemd_units;
        bool no_default_dependencies;
        bool no_state;                          /* nothing is written down, and nobody can take over from us */
        bool lenient_directives;
        const char *unit_path;          /* as --unit-path; NULL for the default */
        const char *runtime_directory;  /* jobd's own: /run/jobd or $XDG_RUNTIME_DIR/jobd */
        const char *default_unit;       /* started at the beginning; NULL: default.target, "": none */
        ResourceLimit default_tasks_max;        /* for units that say nothing of TasksMax=; not set: 15% of what the machine can have */
        usec_t shutdown_timeout;        /* for all units to stop; 0: the default of 3 min */
        ManagerKeeper keeper;
        ManagerLogOptions log;
        bool is_container;              /* we end when something has failed that the default unit requires */
        bool hands_on_environment;      /* processes get all of ours, as from the manager of a user */
        bool has_signal_status;         /* told to end by a signal, the status is 128 + its number, not 0 */
        char *const *exit_on;           /* started with the default unit; when one has ended, so does the manager */
} ManagerOptions;

int manager_new(Manager **ret_manager, const ManagerOptions *options, Failure *ret_failure);
Manager *manager_free(Manager *manager);
DEFINE_CLEANUP(Manager, manager_free)

/* Runs until manager_exit(); returns the exit status or a negative errno. */
int manager_run(Manager *manager);
/* One turn by hand: waits at most @timeout µs. 1, 0 if nothing happened, or a negative errno. */
int manager_turn(Manager *manager, usec_t timeout);
/*
 * Stops everything by shutdown.target/exit.target first if @orderly, else kills what runs. The first request wins, but
 * one that is not orderly cuts an orderly one short.
 */
void manager_exit(Manager *manager, int status, bool orderly);
/*
 * Has everything end by this action; the same as by a unit's. What is not orderly cuts short what is. The loop ends; to
 * unmount and call the kernel is core's business. manager_action(): what it ended for, UNIT_ACTION_NONE for an exit.
 */
void manager_leave(Manager *manager, UnitAction action);
UnitAction manager_action(const Manager *manager);
/*
 * The status of an exit that is asked for later and names none: by exit.target, a unit's action, or Exit. 0, or -EBUSY if
 * an end is under way: who asked for that has said its status.
 */
int manager_set_exit_status(Manager *manager, int status);
int manager_exit_status(const Manager *manager);
/* Is anything left of what we, or our keeper, started? Also what only waits to be reaped. */

sd_event *manager_event(Manager *manager);
UnitTable *manager_units(Manager *manager);
JobManager *manager_jobs(Manager *manager);
UnitFileLoader *manager_loader(Manager *manager);
Outbox *manager_outbox(Manager *manager);
const ManagerOptions *manager_options(const Manager *manager);
char *const *manager_limitations(const Manager *manager);        /* of our surroundings, a sentence each; borrowed */
const ResourceDefaults *manager_resource_defaults(Manager *manager);      /* what holds for units that say nothing; borrowed */
char *const *manager_environment(const Manager *manager);        /* what every process gets; borrowed */
/*
 * Takes variables (names, or assignments that must be equal) out of what clients have set, then sets others ("NAME=value").
 * Processes that are started from now on get them. -EINVAL or -E2BIG with @ret_failure, -ENOMEM.
 */
int manager_change_environment(Manager *manager, char *const *unset, char *const *set, Failure *ret_failure);
/* LogLevel of the log, until the manager ends or is told otherwise. */
void manager_set_log_level(Manager *manager, int level);
usec_t manager_now(const Manager *manager);     /* of this turn */

/* — what clients ask — */

/* Outcomes and plan as job_manager_exec(); arms the dispatch of jobs. */
int manager_exec(Manager *manager, const JobRequest *requests, size_t n, JobMode mode, const JobRequester *requester,
                 JobPlan **ret_plan);
/* The same, for who needs no more of the plan than the anchors: it costs little, however large the transaction. */
int manager_exec_briefly(Manager *manager, const JobRequest *requests, size_t n, JobMode mode,
                         const JobRequester *requester, JobPlan **ret_plan);
int manager_plan(Manager *manager, const JobRequest *requests, size_t n, JobMode mode, const JobRequester *requester,
                 bool wants_edges, JobPlan **ret_plan);
int manager_cancel_job(Manager *manager, uint32_t id, const JobRequester *requester, Failure *ret_failure);
size_t manager_cancel_all_jobs(Manager *manager, const JobRequester *requester);

/* Loads (or finds) a unit by any valid name; load_state tells how it went. -EINVAL with @ret_failure for a bad name. */
int manager_load_unit(Manager *manager, const char *name, Unit **ret_unit, Failure *ret_failure);
Unit *manager_find_unit(Manager *manager, const char *name);
Unit *manager_unit_by_pid(Manager *manager, pid_t pid);
int manager_kill_unit(Manager *manager, Unit *unit, const char *who, int signal, Failure *ret_failure);
/*
 * Freezing the processes of an active unit without a job, and back. It begins at once, and is through when the state says
 * so: "running", "freezing", "frozen", "thawing". -EOPNOTSUPP, -EHOSTDOWN, -EBUSY or another, with @ret_failure.
 */
int manager_freeze_unit(Manager *manager, Unit *unit, bool freeze, Failure *ret_failure);
bool manager_can_freeze(Manager *manager, const Unit *unit);
const char *manager_freezer_state(Manager *manager, const Unit *unit);
/* Removes what an inactive unit without a job has kept: UnitVTable.clean. */
int manager_clean_unit(Manager *manager, Unit *unit, unsigned kinds, Failure *ret_failure);
unsigned manager_can_clean(const Unit *unit);   /* a mask of UnitClean */
void manager_reset_failed(Manager *manager, Unit *unit /* NULL: all */);
/* daemon-reload: @ret_differences one line for each unit that changed. */
int manager_reload(Manager *manager, bool force, char ***ret_differences, Failure *ret_failure);
int manager_unit_processes(Manager *manager, Unit *unit, pid_t **ret_pids, size_t *ret_n);

/* Tells the listeners that unit files were enabled, disabled, masked, …; what is loaded stays as it is. */
void manager_note_unit_files_changed(Manager *manager);

/* A unit that nothing refers to, inactive and without a job, may be unloaded: looked at at the end of the turn. */
void manager_consider_unloading(Manager *manager, Unit *unit);

/* A client refers to a unit, which stays loaded as long as it does, also over the death of core. 0 or -ENOMEM. */
int manager_pin(Manager *manager, Unit *unit);
void manager_unpin(Manager *manager, Unit *unit);

/* "initializing", "starting", "running", "degraded", "stopping". */
const char *manager_system_state(const Manager *manager);
uint32_t manager_count_failed_units(const Manager *manager);
usec_t manager_started_at(const Manager *manager, usec_t *ret_realtime);
usec_t manager_finished_at(const Manager *manager, usec_t *ret_realtime);     /* the startup; 0: not yet */

/* — names on the message bus — */

/* Follows a name from then on, and says at once who has it: manager_name_owned(). -EOPNOTSUPP if there is no bus ever. */
typedef struct ManagerNameOps {
        int (*watch)(void *userdata, const char *name);
        void (*unwatch)(void *userdata, const char *name);
} ManagerNameOps;

/* The bus layer says what it can do; NULL: nothing. */
void manager_set_name_ops(Manager *manager, const ManagerNameOps *ops, void *userdata /* borrowed */);
/* Somebody has it now, a process (0: not known), or nobody. In a turn. */
void manager_name_owned(Manager *manager, const char *name, bool is_owned, pid_t pid);

/* — who is told: at the moment it happens; must only note it and add to the outbox — */

typedef struct ManagerListenerOps {
        void (*unit_added)(void *userdata, Unit *unit);
        void (*unit_removed)(void *userdata, Unit *unit);
        void (*unit_changed)(void *userdata, Unit *unit);
        void (*job_event)(void *userdata, const JobEvent *event);
        void (*reloading)(void *userdata, bool active);
        void (*unit_files_changed)(void *userdata);
        void (*request_stop)(void *userdata, Unit *unit);       /* who controls it shall end it; may be NULL */
        void (*startup_finished)(void *userdata);
        void (*end_of_turn)(void *userdata);    /* before the outbox is flushed: add what was coalesced */
} ManagerListenerOps;

int manager_listen(Manager *manager, const ManagerListenerOps *ops, void *userdata /* borrowed */);
void manager_unlisten(Manager *manager, const void *userdata);          /* not from inside one of the above */
