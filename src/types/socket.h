/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A socket: its states, descriptors and connections
 *
 *   dead ─ start-pre ─(opens)─ start-post ─ listening ⇄ running
 *               │                  │            │
 *               └──────────────────┴─ fails ─┬──┘
 *                                            ▼
 *   stop-pre ─ stop-pre-sigterm ─ stop-pre-sigkill ─(closes)─ stop-post ─ final-sigterm ─ final-sigkill ─ dead or failed
 *
 * A state without anything to do is passed through within the call that enters
 * it. Its descriptors are watched while it is listening, and only then: with
 * Accept=no it is running as long as the service that it has started is, which
 * has the descriptors then. Private to types.
 */

#include "basic/macro.h"
#include "basic/rate_limit.h"
#include "basic/vector.h"
#include "exec/exec.h"
#include "unit/unit.h"
#include "unitfile/socket_settings.h"

typedef enum SocketState {
        SOCKET_STATE_DEAD,
        SOCKET_STATE_START_PRE,
        SOCKET_STATE_START_POST,
        SOCKET_STATE_LISTENING,
        SOCKET_STATE_RUNNING,
        SOCKET_STATE_STOP_PRE,
        SOCKET_STATE_STOP_PRE_SIGTERM,
        SOCKET_STATE_STOP_PRE_SIGKILL,
        SOCKET_STATE_STOP_POST,
        SOCKET_STATE_FINAL_SIGTERM,
        SOCKET_STATE_FINAL_SIGKILL,
        SOCKET_STATE_FAILED,
        SOCKET_STATE_CLEANING,          /* it was dead, and is again when that has ended */
        _SOCKET_STATE_MAX,
} SocketState;

typedef enum SocketResult {
        SOCKET_RESULT_SUCCESS,
        SOCKET_RESULT_RESOURCES,
        SOCKET_RESULT_TIMEOUT,
        SOCKET_RESULT_EXIT_CODE,
        SOCKET_RESULT_SIGNAL,
        SOCKET_RESULT_CORE_DUMP,
        SOCKET_RESULT_START_LIMIT_HIT,
        SOCKET_RESULT_TRIGGER_LIMIT_HIT,
        SOCKET_RESULT_SERVICE_START_LIMIT_HIT,
        _SOCKET_RESULT_MAX,
} SocketResult;

DECLARE_STRING_TABLE(socket_state, SocketState);
DECLARE_STRING_TABLE(socket_result, SocketResult);

/* What it listens on: as the settings were when it was opened, which may have been read again since. */
typedef struct SocketPort {
        SocketListen listen;            /* owned */
        int fd;                         /* owned; -1 only where it was lost */
} SocketPort;

/* As a connection's descriptor that the keeper has, from restore() to resume(). */
#define SOCKET_FD_IS_KEPT (-2)

/* One that was accepted, until its service has ended. */
typedef struct SocketConnection {
        uint32_t number;                /* n_accepted as it came: its name at the keeper */
        char *service;                  /* owned: the instance that it is for */
        char *source;                   /* owned: the address it comes from; NULL if that is no matter */
        int fd;                         /* owned; -1: nobody needs it here any more */
} SocketConnection;

typedef struct SocketProcess {
        pid_t pid;                      /* 0: none */
        bool is_wanted;                 /* the host was asked for it and has not started it yet */
        bool ignores_failure;
        SocketExec kind;
        unsigned index;
        usec_t since;                   /* monotonic */
} SocketProcess;

typedef struct Socket {
        SocketState state;
        SocketResult result;
        SocketProcess control;
        usec_t state_since;             /* monotonic */
        usec_t state_deadline;          /* USEC_INFINITY: none */
        usec_t poll_delay;              /* between two looks for the rest of its processes */
        bool is_paused;                 /* not watched for a while: PollLimitBurst= */
        RateLimit starts, triggers, polls;
        VECTOR(SocketPort) ports;
        VECTOR(SocketConnection) connections;
        uint32_t n_accepted, n_refused;
        uid_t uid;                      /* of its last command, UINT32_MAX: ours */
        gid_t gid;
        char **clean_argv;              /* owned; what removes its directories, as long as it is cleaned */
        SocketResult clean_result;
        char *failure;                  /* owned: why result isn't success, for people; NULL: nothing to say */
} Socket;

Socket *socket_of(const Unit *unit);
const SocketSettings *socket_settings(const Unit *unit);        /* never NULL: defaults if its file is gone */
UnitHost *socket_host(const Unit *unit);
usec_t socket_now(const Unit *unit);

/* socket.c */
void socket_set_state(Unit *unit, SocketState state);
void socket_republish(Unit *unit);
void socket_log(Unit *unit, int level, const char *format, ...) __attribute__((format(printf, 3, 4)));
void socket_note_failure(Unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* socket_step.c: from state to state */
void socket_enter_start_pre(Unit *unit);
void socket_enter_open(Unit *unit);
void socket_enter_listening(Unit *unit);
void socket_enter_stop_pre(Unit *unit, SocketResult result);
void socket_enter_signal(Unit *unit, SocketState state, SocketResult result);
void socket_enter_dead(Unit *unit, SocketResult result);
void socket_go_on(Unit *unit, SocketResult result);     /* the commands of this state have been run */
void socket_timer_elapsed(Unit *unit, UnitPurpose purpose);
void socket_group_emptied(Unit *unit);

/* socket_command.c: its commands */
ExecCommand *socket_command(const Unit *unit, SocketExec kind, unsigned index);          /* NULL past the end */
int socket_set_limit(Unit *unit);                       /* of the present step: TimeoutSec= */
int socket_run(Unit *unit, SocketExec kind, unsigned index);
int socket_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request);
void socket_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result);
void socket_child_exited(Unit *unit, const UnitExit *exit);
int socket_signal_all(Unit *unit, SocketState state);   /* how many there are to wait for */
int socket_kill(Unit *unit, const char *who, int signal, Failure *ret_failure);

/* socket_open.c, socket_option.c: descriptors */
int socket_open_port(Unit *unit, SocketPort *port);     /* 0, or -errno and the reason is noted */
void socket_apply_options(Unit *unit, const SocketPort *port);
void socket_apply_connection_options(Unit *unit, int fd);
void socket_make_links(Unit *unit);
void socket_remove_files(Unit *unit);                    /* RemoveOnStop= */

/* socket_port.c: all that it listens on */
int socket_open_ports(Unit *unit);
void socket_close_ports(Unit *unit);
int socket_watch_ports(Unit *unit);
void socket_unwatch_ports(Unit *unit);
void socket_flush_ports(Unit *unit);

#include "types/socket_private.h"
