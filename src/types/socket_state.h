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
 * A state without anything to do is passed through within the call that enters it. Its descriptors are watched while it is
 * listening, and only then: with Accept=no it is running as long as the service that it has started is, which has the
 * descriptors then.
 *
 * The files of a socket, from the bottom up: this one (data); ports, connections, names and commands, which know of no step
 * and return outcomes; socket_step.c, the steps from state to state; what drives these (socket_event.c, socket_traffic.c,
 * socket_clean.c); socket.c, the UnitVTable. socket_pass.c is what services see of sockets. Private to types.
 */

#include "basic/macro.h"
#include "basic/rate_limit.h"
#include "basic/vector.h"
#include "types/unit_ask.h"
#include "types/unit_process.h"
#include "types/unit_say.h"
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

DECLARE_STRING_TABLE_TO(socket_state, SocketState);
DECLARE_STRING_TABLE_TO(socket_result, SocketResult);

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

typedef struct Socket {
        SocketState state;
        SocketResult result;
        UnitProcess control;
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
void socket_free_state(Unit *unit);                             /* unit->state_of_type */

UnitActiveState socket_active_state(SocketState state);
void socket_republish(Unit *unit);                              /* the same state, but something to show has changed */
#define socket_note_failure(unit, ...) unit_say_failure(unit, &socket_of(unit)->failure, __VA_ARGS__)

ExecCommand *socket_command(const Unit *unit, SocketExec kind, unsigned index);         /* NULL past the end */
Unit *socket_service(const Unit *unit);                 /* that it starts; NULL: it accepts, or there is none */
