/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A service: its states and what is known of its processes
 *
 *   dead ─ condition ─ start-pre ─ start ─ start-post ─ running ⇄ reload
 *     │        │            │         │         │          │  └─ exited
 *     │        └────────────┴─ fails ─┴─────────┤         stop
 *     │                                         ▼          │
 *     │      stop-post ◀──── stop-sigkill ◀─ stop-sigterm ◀┘
 *     │          ▼
 *     │     final-sigterm ─▶ final-sigkill ─▶ dead or failed ─▶ auto-restart
 *     └──────────────────────────────────────────────────────────────┘ (start)
 *
 * A state without anything to do is passed through within the call that enters
 * it. There are at most two processes: main and control (a command that helps
 * it along). Private to types.
 */

#include "basic/vector.h"
#include "exec/exec.h"
#include "unit/unit.h"
#include "unitfile/service_settings.h"

typedef enum ServiceState {
        SERVICE_STATE_DEAD,
        SERVICE_STATE_CONDITION,
        SERVICE_STATE_START_PRE,
        SERVICE_STATE_START,
        SERVICE_STATE_START_POST,
        SERVICE_STATE_RUNNING,
        SERVICE_STATE_EXITED,
        SERVICE_STATE_RELOAD,
        SERVICE_STATE_STOP,
        SERVICE_STATE_STOP_WATCHDOG,
        SERVICE_STATE_STOP_SIGTERM,
        SERVICE_STATE_STOP_SIGKILL,
        SERVICE_STATE_STOP_POST,
        SERVICE_STATE_FINAL_SIGTERM,
        SERVICE_STATE_FINAL_WATCHDOG,
        SERVICE_STATE_FINAL_SIGKILL,
        SERVICE_STATE_FAILED,
        SERVICE_STATE_AUTO_RESTART,
        SERVICE_STATE_CLEANING,         /* it was dead, and is again when that has ended */
        _SERVICE_STATE_MAX,
} ServiceState;

typedef enum ServiceResult {
        SERVICE_RESULT_SUCCESS,
        SERVICE_RESULT_RESOURCES,
        SERVICE_RESULT_PROTOCOL,
        SERVICE_RESULT_TIMEOUT,
        SERVICE_RESULT_EXIT_CODE,
        SERVICE_RESULT_SIGNAL,
        SERVICE_RESULT_CORE_DUMP,
        SERVICE_RESULT_WATCHDOG,
        SERVICE_RESULT_START_LIMIT_HIT,
        SERVICE_RESULT_EXEC_CONDITION,
        SERVICE_RESULT_OOM_KILL,
        SERVICE_RESULT_LIVENESS,        /* its LivenessExec= or the like has failed */
        _SERVICE_RESULT_MAX,
} ServiceResult;

typedef enum ServiceNotice {            /* the last of what it said by sd_notify */
        SERVICE_NOTICE_NONE,
        SERVICE_NOTICE_READY,
        SERVICE_NOTICE_RELOADING,
        SERVICE_NOTICE_STOPPING,
} ServiceNotice;

DECLARE_STRING_TABLE(service_state, ServiceState);
DECLARE_STRING_TABLE(service_result, ServiceResult);

/* The command is named by its place, not by a pointer: settings may be read again while it runs. */
typedef struct ServiceProcess {
        pid_t pid;                      /* 0: none */
        bool is_wanted;                 /* the host was asked for it and has not started it yet */
        bool has_command;
        bool ignores_failure;
        ServiceExec kind;
        unsigned index;
        usec_t since;                   /* monotonic */
} ServiceProcess;

typedef struct ServiceExitRecord {      /* of the main process, running or ended */
        pid_t pid;
        UnitTimestamp start, exit;
        int code, status;
} ServiceExitRecord;

/* One that was stored: see service_fds.c. */
typedef struct ServiceFd {
        char *name;                     /* owned */
        int fd;                         /* owned, with a reference to the unit; -1: not taken over yet */
        uint32_t index;                 /* its number with the keeper */
        bool is_polled;
} ServiceFd;

typedef VECTOR(ServiceFd) ServiceFds;

/* What only few services have: see service_extra.c. */
typedef struct ServiceExtra {
        ServiceProcess probe;           /* a probe's process */
        int probing;                    /* ServiceProbeKind, or -1: nothing is probed */
        uint32_t probe_count;           /* successes (readiness) or failures (liveness) in a row */
        usec_t probe_begun;             /* the last one */
        char *probe_message;            /* owned: why the last one failed; NULL if it did not */
        bool is_ready;                  /* the readiness probe has succeeded */

        char *bus_error;                /* owned: BUSERROR= */
        bool has_name;                  /* somebody of it has BusName= */
        bool has_channel;               /* NotifyFd= is listened to … */
        int channel;                    /* … here: owned, -1: not taken over yet */
        usec_t idle_until;              /* Type=idle waits so long at most; 0: it does not wait */
        usec_t reload_begin;            /* a reload was asked for by a signal and it has not said RELOADING=1; 0: no */
        usec_t restart_at;              /* when it will be started again; 0: not known */
        usec_t reload_limit_begin;      /* as limit_begin below, of reloads */
        uint32_t reload_limit_count;
        ServiceFds fds;                 /* stored */
        uint32_t next_fd;
        int streams[UNIT_STREAMS];      /* owned: standard streams that a client has given; -1: it has not, or it is lost */
        uint8_t stream_mask;            /* which it has given */
        char **clean_argv;              /* owned; what removes its directories, as long as it is cleaned */
        ServiceResult clean_result;
} ServiceExtra;

typedef struct Service {
        ServiceState state;
        ServiceResult result, reload_result;
        ServiceProcess main, control;
        bool main_known;                /* pid 0 means that it has ended, not that we can't tell */
        ServiceExitRecord exec_main;
        usec_t state_since;             /* monotonic */

        bool forbid_restart;            /* somebody asked for the stop */
        bool will_restart;
        bool is_found;                  /* running, when the records of it were lost */
        uint32_t n_restarts;
        usec_t limit_begin;             /* of the interval in which starts are counted */
        uint32_t limit_count;

        usec_t state_deadline;          /* of the timers, USEC_INFINITY: off */
        usec_t runtime_deadline;
        usec_t watchdog_deadline;
        usec_t watchdog_override;       /* WATCHDOG_USEC=, USEC_INFINITY: the setting counts */
        usec_t poll_delay;

        ServiceNotice notice;
        char *status_text;              /* owned */
        int32_t status_errno;
        char *failure;                  /* owned: why result isn't success, for people; NULL: nothing to say */
        char *reload_failure;           /* owned: the same of the last reload */
        uid_t uid;                      /* of the last process, UINT32_MAX: ours */
        gid_t gid;
        ServiceExtra *extra;            /* owned; NULL: nothing of that. Read by service_extra() */
} Service;

Service *service_of(const Unit *unit);
const ServiceSettings *service_settings(const Unit *unit);      /* never NULL: defaults if its file is gone */
const ServiceRareSettings *service_rare(const Unit *unit);      /* never NULL */
UnitHost *service_host(const Unit *unit);
usec_t service_now(const Unit *unit);
UnitTimestamp service_timestamp(const Unit *unit);

/* service.c */
UnitAnswer service_begin(Unit *unit);           /* a start, from where it is down */
void service_set_state(Unit *unit, ServiceState state);
void service_republish(Unit *unit);             /* the same state, but something to show has changed */

/* service_command.c */
ExecCommand *service_command(const Unit *unit, ServiceExec kind, unsigned index);       /* NULL past the end */
bool service_has_command(const Unit *unit, ServiceExec kind);
int service_run(Unit *unit, UnitPurpose purpose, ServiceExec kind, unsigned index);
int service_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request);
void service_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result);
const ServiceProcess *service_process(const Unit *unit, UnitPurpose purpose);

/* service_step.c: from state to state */
void service_enter_condition(Unit *unit);
void service_enter_start_pre(Unit *unit);
void service_enter_start(Unit *unit);
void service_run_main(Unit *unit);
void service_enter_start_post(Unit *unit);
void service_enter_running(Unit *unit, ServiceResult result);
void service_enter_reload(Unit *unit);
void service_enter_reload_by_notice(Unit *unit);
void service_enter_stop_by_notice(Unit *unit);
void service_enter_stop(Unit *unit, ServiceResult result);
void service_enter_stop_post(Unit *unit, ServiceResult result);
void service_enter_signal(Unit *unit, ServiceState state, ServiceResult result);
void service_enter_dead(Unit *unit, ServiceResult result, bool may_restart);
void service_give_up_restart(Unit *unit);               /* stopped while it waits for one */

#include "types/service_private.h"
