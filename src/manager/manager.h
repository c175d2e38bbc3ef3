/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The manager: units, jobs and the event loop put together
 *
 * In each turn of the loop the manager handles events in the order children,
 * notify messages, timers, jobs, bus; units and engine react; and the outbox,
 * through which everything leaves, is flushed. The bus layer calls the
 * functions below and listens: it is called once a turn with the changes.
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
#include "manager/manager_run.h"
#include "unit/unit_table.h"
#include "unitfile/unit_file.h"

typedef struct sd_event sd_event;
typedef struct Manager Manager;
typedef struct ManagerTokens ManagerTokens;
typedef struct Outbox Outbox;
struct ResourceDefaults; /* unitfile/resource_settings.h */

int manager_new(Manager **ret_manager, const ManagerOptions *options, Failure *ret_failure);
/*
 * Returns true if a part of the state was taken over and the rest cannot be read. The file is renamed: the process is
 * to end, without more of it, and the keeper to start another one, which finds units by their processes.
 */
bool manager_is_half_read(const Manager *manager);
Manager *manager_free(Manager *manager);
DEFINE_CLEANUP(Manager, manager_free)

/* Runs until manager_exit(); returns the exit status or a negative errno. */
int manager_run(Manager *manager);
/* Runs one turn, waiting at most @timeout µs. 1, 0 if nothing happened, or a negative errno. */
int manager_turn(Manager *manager, usec_t timeout);
/*
 * Ends the manager: with @orderly it stops everything by shutdown.target or exit.target first, otherwise it kills all
 * processes. The first request counts, but a later one that is not orderly cuts an orderly one short.
 */
void manager_exit(Manager *manager, int status, bool orderly);
/*
 * Ends the manager with an action, as requested by a unit. An action that is not orderly cuts an orderly one short. The
 * loop ends; unmounting and the call to the kernel are up to core. manager_action(): UNIT_ACTION_NONE for an exit.
 */
void manager_leave(Manager *manager, UnitAction action);
UnitAction manager_action(const Manager *manager);
/*
 * Sets the status of a later exit that names none: by exit.target, a unit's action, or Exit. 0, or -EBUSY if the
 * manager is ending already.
 */
int manager_set_exit_status(Manager *manager, int status);
int manager_exit_status(const Manager *manager);
/* How long a turn of the event loop has taken at most since the start, or since that was forgotten. */
usec_t manager_longest_turn(const Manager *manager);
void manager_forget_longest_turn(Manager *manager);

sd_event *manager_event(Manager *manager);
UnitTable *manager_units(Manager *manager);
JobManager *manager_jobs(Manager *manager);
UnitFileLoader *manager_loader(Manager *manager);
Outbox *manager_outbox(Manager *manager);
const ManagerOptions *manager_options(const Manager *manager);
char *const *manager_limitations(const Manager *manager); /* one sentence each; borrowed */
/* for units without such settings; borrowed */
const struct ResourceDefaults *manager_resource_defaults(const Manager *manager);
ManagerRuns *manager_runs(Manager *manager);
ManagerTokens *manager_tokens(Manager *manager);
const ManagerLog *manager_log(const Manager *manager); /* NULL if there is none */
char *const *manager_environment(const Manager *manager); /* passed to every process; borrowed */
/*
 * Removes variables (given as names, or as assignments that must be equal) from those set by clients, then sets others
 * ("NAME=value"), for processes started from now on. 0, -EINVAL or -E2BIG with @ret_failure, or -ENOMEM.
 */
int manager_change_environment(Manager *manager, char *const *unset, char *const *set, Failure *ret_failure);
/* The log level, until the manager ends or it is set again. */
void manager_set_log_level(Manager *manager, int level);
void manager_heed_watchdogs(Manager *manager, bool heeds); /* or not: services that miss theirs are not ended */
bool manager_heeds_watchdogs(const Manager *manager);
/* The number of a dynamic user: 0 or -ESRCH; and the name and number of that of a unit, or NULL. */
int manager_find_dynamic_user(const char *name, uid_t *ret_uid);
const char *manager_dynamic_user_of(const Unit *unit, uid_t *ret_uid);
uint32_t manager_open_files(const Manager *manager); /* soft limit of processes; 0: the manager's own */
int manager_default_oom_score(const Manager *manager); /* of processes that do not set it */
usec_t manager_now(const Manager *manager); /* of this turn */

/* — requests of clients — */

/* Outcomes and plan as for job_manager_exec(); arms the dispatch of jobs. */
int manager_exec(Manager *manager, const JobRequest *requests, size_t n, JobMode mode, const JobRequester *requester,
                 JobPlan **ret_plan);
/* The same with a plan of the anchors only, which is cheap for any size of transaction. */
int manager_exec_briefly(Manager *manager, const JobRequest *requests, size_t n, JobMode mode,
                         const JobRequester *requester, JobPlan **ret_plan);
int manager_plan(Manager *manager, const JobRequest *requests, size_t n, JobMode mode, const JobRequester *requester,
                 bool wants_edges, JobPlan **ret_plan);
int manager_cancel_job(Manager *manager, uint32_t id, const JobRequester *requester, Failure *ret_failure);
size_t manager_cancel_all_jobs(Manager *manager, const JobRequester *requester);
/* The same for running jobs, too: what the unit does goes on without a job. */
int manager_detach_job(Manager *manager, uint32_t id, const JobRequester *requester, Failure *ret_failure);
size_t manager_detach_all_jobs(Manager *manager, const JobRequester *requester);

/*
 * Finds or loads a unit by any valid name; see its load_state for the result. -EINVAL with @ret_failure for a bad name.
 */
int manager_load_unit(Manager *manager, const char *name, Unit **ret_unit, Failure *ret_failure);
Unit *manager_find_unit(Manager *manager, const char *name);
/* " (did you mean backup.flow?)", for the message that a unit is not there: see unit_file_hint(). */
int manager_hint_unit(const Manager *manager, const char *name, char **ret_hint);
Unit *manager_unit_by_pid(Manager *manager, pid_t pid);
int manager_kill_unit(Manager *manager, Unit *unit, const char *who, int signal, Failure *ret_failure);
/*
 * Freezes the processes of an active unit without a job, or thaws them. The function only begins that; the state shows
 * when it is complete: "running", "freezing", "frozen", "thawing". -EOPNOTSUPP, -EHOSTDOWN, -EBUSY or another error,
 * with @ret_failure.
 */
int manager_freeze_unit(Manager *manager, Unit *unit, bool freeze, Failure *ret_failure);
bool manager_can_freeze(Manager *manager, const Unit *unit);
bool manager_has_groups(const Manager *manager); /* units have control groups here */
const char *manager_freezer_state(Manager *manager, const Unit *unit);
/* Removes files that an inactive unit without a job has left: UnitVTable.clean. */
int manager_clean_unit(Manager *manager, Unit *unit, unsigned kinds, Failure *ret_failure);
unsigned manager_can_clean(const Unit *unit); /* a mask of UnitClean */
void manager_reset_failed(Manager *manager, Unit *unit /* NULL: all */);
/* daemon-reload: @ret_differences gets one line for each changed unit. */
int manager_reload(Manager *manager, bool force, char ***ret_differences, Failure *ret_failure);
/* Reads the files of one unit again: other files stay unread, and it is no reload for clients. */
int manager_reload_unit(Manager *manager, Unit *unit, Failure *ret_failure);
int manager_unit_processes(Manager *manager, Unit *unit, pid_t **ret_pids, size_t *ret_n);

/* Tells the listeners that unit files were enabled, disabled, masked, …; loaded units do not change. */
void manager_note_unit_files_changed(Manager *manager);

/* Checks at the end of the turn whether the unit can be unloaded. */
void manager_consider_unloading(Manager *manager, Unit *unit);

/*
 * Adds a client's reference to a unit, which stays loaded as long as the client has it, even if core dies. 0 or
 * -ENOMEM.
 */
int manager_pin(Manager *manager, Unit *unit);
void manager_unpin(Manager *manager, Unit *unit);

/* "initializing", "starting", "running", "degraded", "stopping". */
const char *manager_system_state(const Manager *manager);
uint32_t manager_count_failed_units(const Manager *manager);
usec_t manager_started_at(const Manager *manager, usec_t *ret_realtime);
usec_t manager_finished_at(const Manager *manager, usec_t *ret_realtime); /* end of the startup; 0: not yet */

/* — units made by clients — */

/*
 * Makes a unit @name from @text, in unit file format. 0 with the unit loaded, or with @ret_failure: UnitExists if there
 * is a unit or file of that name, InvalidArgs with the first error in the text, …
 */
int manager_make_transient(Manager *manager, const char *name, const char *text, Unit **ret_unit, Failure *ret_failure);

/*
 * Gives a new scope its processes. @uid: the client's user, who must own the processes. 0, or a negative errno with
 * @ret_failure.
 */
int manager_give_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid, const char *controller,
                           Failure *ret_failure);

/* Moves further processes into the group of an active unit, under the same conditions. */
int manager_attach_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid,
                             Failure *ret_failure);
int manager_abandon_unit(Manager *manager, Unit *unit, Failure *ret_failure);

/* — names on the message bus — */

/* Sets the operations of the bus layer; NULL: none. */
void manager_set_name_ops(Manager *manager, const ManagerNameOps *ops, void *userdata /* borrowed */);
/* The name has got an owner, a process (0: unknown), or lost it. Called in a turn. */
void manager_name_owned(Manager *manager, const char *name, bool is_owned, pid_t pid);

/* — descriptors that outlive core — */

int manager_store_fd(Manager *manager, const char *name, int fd);
int manager_take_fd(Manager *manager, const char *name); /* -ENOENT without a keeper */
int manager_drop_fd(Manager *manager, const char *name);
bool manager_is_kept(const Manager *manager); /* is there a keeper? */
/* Returns true if sockets stay in place for the next core. */
bool manager_leaves_sockets(const Manager *manager);
void manager_tell_parent(Manager *manager, const char *text); /* by sd_notify(3) */

/*
 * Re-execution: after a request the loop ends at the end of the turn, and manager_wants_reexec() is true. The caller of
 * the loop then executes the program (prepare closes what the next one must not inherit), or continues the loop.
 * -EOPNOTSUPP without a keeper, -EBUSY if the manager is ending, or the error of writing the state.
 */
int manager_ask_reexec(Manager *manager, Failure *ret_failure);
bool manager_wants_reexec(const Manager *manager);
int manager_prepare_reexec(Manager *manager);
void manager_give_up_reexec(Manager *manager);

/*
 * Handles exits of processes that are children of the keeper; called in a turn. They apply to adopted processes only,
 * because a pid may belong to a child of the manager by now.
 */
void manager_take_kept_exits(Manager *manager, const UnitExit *exits, size_t n);
/* Some exits will never be known: reports the processes that are gone without one, soon. 0 or -errno. */
int manager_tell_lost_exits(Manager *manager);

/* — listeners — */

int manager_listen(Manager *manager, const ManagerListenerOps *ops, void *userdata /* borrowed */);
void manager_unlisten(Manager *manager, const void *userdata); /* not from inside a listener */
