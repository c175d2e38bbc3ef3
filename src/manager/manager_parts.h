/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The objects of a manager
 *
 * Only the files that connect them include this: manager.c (life and turns),
 * manager_client.c (requests of clients), manager_host.c (requests of units),
 * manager_observer.c (events of units and jobs), manager_owner.c (requests of
 * processes), manager_record.c and manager_restore.c (the state). All others
 * are objects with headers of their own, which get pointers to the objects
 * that they need.
 */

#include "manager/manager.h"
#include "manager/manager_clock.h"
#include "manager/manager_contract.h"
#include "manager/manager_diagnostic.h"
#include "manager/manager_environment.h"
#include "manager/manager_generator.h"
#include "manager/manager_invocation.h"
#include "manager/manager_job.h"
#include "manager/manager_limitation.h"
#include "manager/manager_log.h"
#include "manager/manager_mount.h"
#include "manager/manager_name.h"
#include "manager/manager_notify.h"
#include "manager/manager_pin.h"
#include "manager/manager_record.h"
#include "manager/manager_run.h"
#include "manager/manager_signal.h"
#include "manager/manager_stage.h"
#include "manager/manager_token.h"
#include "manager/manager_transient.h"
#include "manager/manager_trigger.h"
#include "manager/manager_turn.h"
#include "manager/manager_unit_row.h"
#include "manager/manager_unload.h"
#include "manager/tell_policy.h"
#include "process/outbox.h"
#include "process/process_errand.h"
#include "process/process_group.h"
#include "process/process_host.h"
#include "process/process_kept.h"
#include "process/process_table.h"
#include "process/process_timer.h"
#include "unitfile/resource_settings.h"

struct Manager {
        UnitHost host;
        ManagerOptions options; /* its strings are owned, as are the next two */
        char **exit_on;
        ResourceLimit default_tasks_max;

        ManagerTurn turn;
        TellPolicy tell;
        sd_event_source *timer_source; /* owned */
        usec_t alarm; /* the time that .timer_source is set to */

        UnitFileLoader *loader; /* owned */
        UnitTable *units; /* owned */
        JobManager *engine; /* owned */
        Outbox *outbox; /* owned */
        ProcessHost process_host;
        ProcessTable *processes; /* owned */
        ProcessTimers *timers; /* owned */
        ProcessRest *rest; /* owned */
        ProcessErrands *errands; /* owned */
        ProcessGroups *groups; /* owned */
        ProcessKept kept;
        ManagerLog *log; /* owned; NULL: units inherit the manager's output */
        ManagerRuns *runs; /* owned */

        ManagerLimitations limitations;
        ManagerEnvironment environment;
        ManagerListeners listeners;
        ManagerDiagnostics diagnostics;
        ManagerGenerator generator;
        ManagerNotify notify;
        ManagerSignals signals;
        ManagerMounts mounts;
        ManagerClock clock;
        ManagerNames names;
        ManagerTokens tokens;
        ManagerRecords records;

        ManagerUnits rows;
        ManagerTriggers triggers;
        ManagerJobs jobs;
        ManagerTransients transients;
        ManagerUnloading unloading;
        ManagerPins pins;
        ManagerInvocations invocations;
        ManagerContract contract;
        ManagerStages stages;

        char *state_directory; /* owned: for data that survives a reboot; NULL: unknown or none */
        bool wants_reexec;
};

/* manager_host.c, manager_observer.c, manager_owner.c, manager_client.c */
extern const UnitHostOps manager_host_ops;
extern const UnitObserverOps manager_observer_ops;
extern const ProcessHostOps manager_process_host_ops;
extern const ManagerSignalOps manager_signal_ops;

/* manager_owner.c: what every process gets. 0, or < 0 with @result set: none is to be made. */
int manager_surround(void *userdata, ExecRequest *request, ExecResult *result);
ProcessOwner *manager_owner_of(void *userdata, Unit *unit);

/* Removes everything about the unit except its entry among the candidates for unloading: its index will be reused. */
void manager_forget_unit(Manager *manager, Unit *unit);
void manager_take_job_event(const JobEvent *event, void *userdata);
void manager_take_notification(void *userdata, pid_t sender, char *const *assignments, int *fds, size_t n_fds);
