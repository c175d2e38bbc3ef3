/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A service: its states and its processes
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
 * it. There are at most two processes: main and control (an auxiliary
 * command).
 *
 * The files of a service, from the bottom up: this one (data); its parts,
 * which know of no step and return outcomes (probe, fds, channel, streams,
 * wait, pid, limit, kill, result, message, spawn); service_step.c, the steps
 * from state to state; what drives these (service_exit.c, service_timeout.c,
 * service_notify.c, service_clean.c, service_found.c); service.c, the
 * UnitVTable. Private to types.
 */

#include "types/service_channel.h"
#include "types/service_fds.h"
#include "types/service_probe.h"
#include "types/service_streams.h"
#include "types/service_wait.h"
#include "types/unit_ask.h"
#include "types/unit_process.h"
#include "types/unit_say.h"
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
        SERVICE_STATE_CLEANING,         /* dead but for the process that removes its directories */
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
        SERVICE_RESULT_LIVENESS,        /* a liveness probe has failed */
        _SERVICE_RESULT_MAX,
} ServiceResult;

typedef enum ServiceNotice {            /* the state last reported by sd_notify */
        SERVICE_NOTICE_NONE,
        SERVICE_NOTICE_READY,
        SERVICE_NOTICE_RELOADING,
        SERVICE_NOTICE_STOPPING,
} ServiceNotice;

DECLARE_STRING_TABLE_TO(service_state, ServiceState);
DECLARE_STRING_TABLE_TO(service_result, ServiceResult);

typedef struct ServiceExitRecord {      /* of the main process, running or ended */
        pid_t pid;
        UnitTimestamp start, exit;
        int code, status;
} ServiceExitRecord;

/* The extra state that few services have: see service_extra.h. */
typedef struct ServiceExtra {
        ServiceProbing probing;
        ServiceFds fds;
        ServiceChannel channel;
        ServiceStreams streams;
        ServiceWait wait;
        char *bus_error;                /* owned: BUSERROR= */
        usec_t reload_begin;            /* when the signal to reload was sent, until RELOADING=1 answers it; 0: none */
        usec_t restart_at;              /* of the automatic restart; 0: not known */
        usec_t reload_limit_begin;      /* as limit_begin below, of reloads */
        uint32_t reload_limit_count;
        char **clean_argv;              /* owned: the command that removes its directories; NULL: it is not cleaned */
        ServiceResult clean_result;
} ServiceExtra;

typedef struct Service {
        ServiceState state;
        ServiceResult result, reload_result;
        UnitProcess main, control;
        bool main_known;                /* with pid 0: it has ended; else: it could not be found */
        ServiceExitRecord exec_main;
        usec_t state_since;             /* monotonic */

        bool forbid_restart;            /* a stop was requested */
        bool will_restart;
        bool is_found;                  /* found running after the records were lost */
        bool start_limit_hit;           /* the last start was refused by the start limit, whatever the result is */
        uint32_t n_restarts;
        usec_t limit_begin;             /* of the interval in which starts are counted */
        uint32_t limit_count;

        usec_t state_deadline;          /* of the timers; USEC_INFINITY: off */
        usec_t runtime_deadline;
        usec_t watchdog_deadline;
        usec_t watchdog_override;       /* WATCHDOG_USEC=, USEC_INFINITY: the setting counts */
        usec_t poll_delay;

        ServiceNotice notice;
        char *status_text;              /* owned */
        int32_t status_errno;
        char *failure;                  /* owned: reason of the result if it isn't success, or NULL */
        char *reload_failure;           /* owned: the same for the last reload */
        uid_t uid;                      /* of the last process; UINT32_MAX: the manager's */
        gid_t gid;
        ServiceExtra *extra;            /* owned; NULL: none. Read with service_extra() */
} Service;

Service *service_of(const Unit *unit);
const ServiceSettings *service_settings(const Unit *unit);      /* never NULL: defaults if its file is gone */
const ServiceRareSettings *service_rare(const Unit *unit);      /* never NULL */
const ServiceExtra *service_extra(const Unit *unit);            /* never NULL: an empty one */
ServiceExtra *service_own_extra(Unit *unit);                    /* to be changed; NULL: out of memory, which is noted */
extern const ServiceExtra service_no_extra;                   /* all of it unset */

UnitActiveState service_active_state(ServiceState state);
void service_republish(Unit *unit);             /* same state, but a property has changed */

ExecCommand *service_command(const Unit *unit, ServiceExec kind, unsigned index);       /* NULL past the end */
bool service_has_command(const Unit *unit, ServiceExec kind);
bool service_is_notify(const Unit *unit);       /* active after READY=1 */
bool service_awaits_reload(const Unit *unit);   /* will the service report the end of its reload? */
bool service_has_hit_start_limit(const Unit *unit);     /* it has failed by its start limit */

void service_note_result(Unit *unit, ServiceResult result);     /* the first failure counts */
#define service_note_failure(unit, ...) unit_say_failure(unit, &service_of(unit)->failure, __VA_ARGS__)
/* A failed reload leaves the service as it was, so it has a reason of its own. */
void service_note_reload_failure(Unit *unit, const char *format, ...) printf_(2, 3);
#define service_note_command_failure(unit, kind, ...)                            \
        ((kind) == SERVICE_EXEC_RELOAD ? service_note_reload_failure(unit, __VA_ARGS__)  \
                                       : service_note_failure(unit, __VA_ARGS__))
