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
#include "manager/manager_listener.h"
#include "manager/manager_log.h"
#include "manager/manager_name.h"
#include "manager/manager_options.h"
#include "manager/manager_priority.h"
#include "unit/unit_table.h"
#include "unitfile/unit_file.h"

typedef struct sd_event sd_event;
typedef struct Manager Manager;
typedef struct ManagerTokens ManagerTokens;
typedef struct Outbox Outbox;
struct ResourceDefaults;                /* unitfile/resource_settings.h */

int manager_new(Manager **ret_manager, const ManagerOptions *options, Failure *ret_failure);
Manager *manager_free(Manager *manager);
DEFINE_CLEANUP(Manager, manager_free)

/* Runs until manager_exit(); returns the exit status or a negative errno. */
int manager_run(Manager *manager);
/* One turn by hand: waits at most @timeout µs. 1, 0 if nothing happened, or a negative errno. */
int manager_turn(Manager *manager, usec_t timeout);
/*
 * Stops everything by shutdown.target/exit.target first if @orderly, else kills what runs. The first request wins, but
 * a request that is not orderly cuts an orderly one short.
 */
void manager_exit(Manager *manager, int status, bool orderly);
/*
 * Has everything end by this action, as by a unit's. An action that is not orderly cuts short one that is. The loop
 * ends; to unmount and call the kernel is core's business. manager_action(): UNIT_ACTION_NONE for an exit.
 */
void manager_leave(Manager *manager, UnitAction action);
UnitAction manager_action(const Manager *manager);
/*
 * The status of an exit that is asked for later and names none: by exit.target, a unit's action, or Exit. 0, or
 * -EBUSY if an end is under way: its status is said already.
 */
int manager_set_exit_status(Manager *manager, int status);
int manager_exit_status(const Manager *manager);

sd_event *manager_event(Manager *manager);
UnitTable *manager_units(Manager *manager);
JobManager *manager_jobs(Manager *manager);
UnitFileLoader *manager_loader(Manager *manager);
Outbox *manager_outbox(Manager *manager);
const ManagerOptions *manager_options(const Manager *manager);
char *const *manager_limitations(const Manager *manager);        /* of our surroundings, a sentence each; borrowed */
/* For units that say nothing; borrowed. */
const struct ResourceDefaults *manager_resource_defaults(const Manager *manager);
ManagerTokens *manager_tokens(Manager *manager);
const ManagerLog *manager_log(const Manager *manager);           /* NULL: there is none */
char *const *manager_environment(const Manager *manager);        /* what every process gets; borrowed */
/*
 * Takes variables (names, or assignments that must be equal) out of what clients have set, then sets others
 * ("NAME=value"). Processes that are started from now on get them. -EINVAL or -E2BIG with @ret_failure, -ENOMEM.
 */
int manager_change_environment(Manager *manager, char *const *unset, char *const *set, Failure *ret_failure);
/* LogLevel of the log, until the manager ends or is told otherwise. */
void manager_set_log_level(Manager *manager, int level);
usec_t manager_now(const Manager *manager);     /* of this turn */

/* — what clients ask — */

/* Outcomes and plan as job_manager_exec(); arms the dispatch of jobs. */
int manager_exec(Manager *manager, const JobRequest *requests, size_t n, JobMode mode, const JobRequester *requester,
                 JobPlan **ret_plan);
/* The same, with no more in the plan than the anchors: it costs little, however large the transaction. */
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
 * Freezing the processes of an active unit without a job, and back. It begins at once, and is through when the state
 * says so: "running", "freezing", "frozen", "thawing". -EOPNOTSUPP, -EHOSTDOWN, -EBUSY or another, with @ret_failure.
 */
int manager_freeze_unit(Manager *manager, Unit *unit, bool freeze, Failure *ret_failure);
bool manager_can_freeze(Manager *manager, const Unit *unit);
const char *manager_freezer_state(Manager *manager, const Unit *unit);
/* Removes files that an inactive unit without a job has kept: UnitVTable.clean. */
int manager_clean_unit(Manager *manager, Unit *unit, unsigned kinds, Failure *ret_failure);
unsigned manager_can_clean(const Unit *unit);   /* a mask of UnitClean */
void manager_reset_failed(Manager *manager, Unit *unit /* NULL: all */);
/* daemon-reload: @ret_differences one line for each unit that changed. */
int manager_reload(Manager *manager, bool force, char ***ret_differences, Failure *ret_failure);
int manager_unit_processes(Manager *manager, Unit *unit, pid_t **ret_pids, size_t *ret_n);

/* Tells the listeners that unit files were enabled, disabled, masked, …; loaded units stay as they are. */
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

/* — units that clients make — */

/*
 * Has a unit @name made of @text, that of a unit file. 0 with the unit loaded, or with @ret_failure: UnitExists if
 * there is a unit, or a file, of that name, InvalidArgs with the first fault of the text, …
 */
int manager_make_transient(Manager *manager, const char *name, const char *text, Unit **ret_unit, Failure *ret_failure);

/*
 * Has a scope that was just made consist of these processes. @uid: of the client, which may do that with processes of
 * that user. 0, or a negative errno with @ret_failure.
 */
int manager_give_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid, const char *controller,
                           Failure *ret_failure);

/* The same for more of them that come into the group of a unit that is active. */
int manager_attach_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid,
                             Failure *ret_failure);
int manager_abandon_unit(Manager *manager, Unit *unit, Failure *ret_failure);

/* — names on the message bus — */

/* The bus layer says what it can do; NULL: nothing. */
void manager_set_name_ops(Manager *manager, const ManagerNameOps *ops, void *userdata /* borrowed */);
/* The name has an owner now, a process (0: not known), or none. In a turn. */
void manager_name_owned(Manager *manager, const char *name, bool is_owned, pid_t pid);

/* — descriptors that outlive core — */

int manager_store_fd(Manager *manager, const char *name, int fd);
int manager_take_fd(Manager *manager, const char *name);                /* -ENOENT without a keeper */
bool manager_is_kept(const Manager *manager);                           /* is there a keeper? */
/* Is a socket of ours to stay where it is when we go? The next one goes on with it. */
bool manager_leaves_sockets(const Manager *manager);
void manager_tell_parent(Manager *manager, const char *text);           /* by sd_notify(3) */

/*
 * Executing ourselves anew: asked for, the loop ends at the end of the turn, and manager_wants_reexec(). Whoever runs
 * it then does it (prepare: what the next one is not to inherit), or goes on with the loop. -EOPNOTSUPP without a
 * keeper, -EBUSY if we are about to end, or why the state cannot be written.
 */
int manager_ask_reexec(Manager *manager, Failure *ret_failure);
bool manager_wants_reexec(const Manager *manager);
int manager_prepare_reexec(Manager *manager);
void manager_give_up_reexec(Manager *manager);

/*
 * Exits of processes that are the keeper's children, not ours: called by the client of the keeper, in a turn. They meet
 * only processes that we have adopted: a number may have been given to a child of ours since.
 */
void manager_take_kept_exits(Manager *manager, const UnitExit *exits, size_t n);

/* — listeners — */

int manager_listen(Manager *manager, const ManagerListenerOps *ops, void *userdata /* borrowed */);
void manager_unlisten(Manager *manager, const void *userdata);          /* not from inside one of the above */
