/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A socket: its states, descriptors and connections
 *
 *   dead ─ start-pre ─(opens)─ start-post ─ listening ⇄ running
 *               │                  │            │
 *               └──────────────────┴─ fails ─┬──┘
 *                                            ▼
 *   stop-pre ─ stop-pre-sigterm ─ stop-pre-sigkill ─(closes)─ stop-post ─ final-sigterm ─ final-sigkill ─ dead, failed
 *
 * A state without anything to do is passed through within the call that enters it. Its descriptors are watched while it
 * is listening, and only then: with Accept=no it is running as long as the service that it has started is, which has
 * the descriptors then.
 *
 * The files of a socket, from the bottom up: this one (data); ports, connections, names and commands, which know of no
 * step and return outcomes; socket_step.c, the steps from state to state; what drives these (socket_event.c,
 * socket_traffic.c, socket_clean.c); socket.c, the UnitVTable. socket_pass.c is what services see of sockets. Private
 * to types.
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
        SOCKET_STATE_CLEANING,          /* dead but for the process that removes its directories */
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

/* A descriptor to listen on, with the settings of the time when it was opened. */
typedef struct SocketPort {
        SocketListen listen;            /* owned */
        int fd;                         /* owned; -1: lost */
} SocketPort;

/* In place of a connection's descriptor that the keeper has, from restore() to resume(). */
#define SOCKET_FD_IS_KEPT (-2)

/* An accepted connection, until its service has ended. */
typedef struct SocketConnection {
        uint32_t number;                /* its name at the keeper: n_accepted when it came */
        char *service;                  /* owned: id of the instance that serves it */
        char *source;                   /* owned: address of the peer; NULL: no such limit applies */
        int fd;                         /* owned; -1: not needed here any more */
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
        uid_t uid;                      /* of the last command; UINT32_MAX: the manager's */
        gid_t gid;
        char **clean_argv;              /* owned: the command that removes its directories; NULL: it is not cleaned */
        SocketResult clean_result;
        char *failure;                  /* owned: reason of the result if it isn't success, or NULL */
} Socket;

Socket *socket_of(const Unit *unit);
const SocketSettings *socket_settings(const Unit *unit);        /* never NULL: defaults if its file is gone */
void socket_free_state(Unit *unit);                             /* unit->state_of_type */

UnitActiveState socket_active_state(SocketState state);
void socket_republish(Unit *unit);                              /* same state, but a property has changed */
#define socket_note_failure(unit, ...) unit_say_failure(unit, &socket_of(unit)->failure, __VA_ARGS__)

ExecCommand *socket_command(const Unit *unit, SocketExec kind, unsigned index);         /* NULL past the end */
Unit *socket_service(const Unit *unit);                 /* the one that it starts; NULL: it accepts, or there is none */
