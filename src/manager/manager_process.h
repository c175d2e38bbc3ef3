/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Processes of units: started, signalled, and heard of when they end
 *
 * The table knows the main and control processes. What else belongs to a unit
 * is found when it is asked for: descendants of these, and orphans that carry
 * the unit's INVOCATION_ID. An orphan that has dropped it from its environment
 * is nobody's; it is reaped, and killed only when the manager ends.
 */

#include "basic/vector.h"
#include "manager/manager.h"

typedef struct sd_event_source sd_event_source;

/* A process that a unit wants to hear of. */
typedef struct ManagerProcess {
        pid_t pid;
        int pidfd;                      /* owned; -1 where the kernel has none */
        bool is_adopted;                /* no child of ours: the keeper tells how it ended, if anybody does */
        bool is_reaped;                 /* its number may be another's by now; its unit is about to be told */
        bool is_lost;                   /* it was gone when we began, and we have not heard how it ended */
        Unit *unit;                     /* borrowed */
        UnitPurpose purpose;
        usec_t started;                 /* boot time, shortly before it began: with the pid it names it for good */
        sd_event_source *watch;         /* owned; NULL for what we spawned: SIGCHLD tells of those */
        struct ManagerProcess *next;    /* of the same unit */
} ManagerProcess;

/* A process or signal that waits in the outbox. */
typedef struct ManagerErrand ManagerErrand;

/* The one way in for exits, whoever learned of it. */
void manager_take_exit(Manager *manager, const UnitExit *exit);
void manager_tell_due_exits(Manager *manager);
/* Collects children that have ended, at most @budget: true if there may be more. */
bool manager_reap(Manager *manager, unsigned budget);

/*
 * Owns @pidfd, also if it fails. An exit of @pid not older than @since that came before this call is told in the next
 * turn; an older one was another process's. -EEXIST if another unit has the process.
 */
int manager_add_process(Manager *manager, Unit *unit, UnitPurpose purpose, pid_t pid, int pidfd, usec_t since);
int manager_watch_process(Manager *manager, Unit *unit, UnitPurpose purpose, pid_t pid);
int manager_wait_for_keeper(Manager *manager, ManagerProcess *process); /* to tell how it ended; not for ever */
UnitExit manager_lost_exit(const Manager *manager, const ManagerProcess *process);
int manager_watch_adopted(Manager *manager, ManagerProcess *process);   /* no child of ours, nor of the keeper */
void manager_forget_process(Manager *manager, Unit *unit, pid_t pid);
ManagerProcess *manager_find_process(const Manager *manager, pid_t pid);

/* Orphans are found by the invocation id that the unit has now. */
void manager_note_invocation(Manager *manager, Unit *unit);

int manager_add_spawn(Manager *manager, Unit *unit, UnitPurpose purpose);
int manager_add_kill(Manager *manager, Unit *unit, pid_t pid, int signal, bool is_group);
int manager_kill_rest(Manager *manager, Unit *unit, int signal, pid_t main_pid, pid_t control_pid);
void manager_forget_orphans(Manager *manager);  /* the list of them that kill_rest keeps: when time has passed */
void manager_forget_errands(Manager *manager, const Unit *unit);

/* Signals all that descends from us and from the keeper but these two (as PID 1, or its child: all there is). */
void manager_kill_descendants(int signal);
