/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data of a socket
 *
 * The leaf of the folder's socket files: data, and settings. Nothing here changes to another state; socket_step.c does.
 */

#include <stdlib.h>

#include "basic/fd.h"
#include "basic/strv.h"
#include "types/socket_state.h"

static const char *const socket_state_table[] = {
        [SOCKET_STATE_DEAD] = "dead",
        [SOCKET_STATE_START_PRE] = "start-pre",
        [SOCKET_STATE_START_POST] = "start-post",
        [SOCKET_STATE_LISTENING] = "listening",
        [SOCKET_STATE_RUNNING] = "running",
        [SOCKET_STATE_STOP_PRE] = "stop-pre",
        [SOCKET_STATE_STOP_PRE_SIGTERM] = "stop-pre-sigterm",
        [SOCKET_STATE_STOP_PRE_SIGKILL] = "stop-pre-sigkill",
        [SOCKET_STATE_STOP_POST] = "stop-post",
        [SOCKET_STATE_FINAL_SIGTERM] = "final-sigterm",
        [SOCKET_STATE_FINAL_SIGKILL] = "final-sigkill",
        [SOCKET_STATE_FAILED] = "failed",
        [SOCKET_STATE_CLEANING] = "cleaning",
};

static const char *const socket_result_table[] = {
        [SOCKET_RESULT_SUCCESS] = "success",
        [SOCKET_RESULT_RESOURCES] = "resources",
        [SOCKET_RESULT_TIMEOUT] = "timeout",
        [SOCKET_RESULT_EXIT_CODE] = "exit-code",
        [SOCKET_RESULT_SIGNAL] = "signal",
        [SOCKET_RESULT_CORE_DUMP] = "core-dump",
        [SOCKET_RESULT_START_LIMIT_HIT] = "start-limit-hit",
        [SOCKET_RESULT_TRIGGER_LIMIT_HIT] = "trigger-limit-hit",
        [SOCKET_RESULT_SERVICE_START_LIMIT_HIT] = "service-start-limit-hit",
};

DEFINE_STRING_TABLE_TO(socket_state, SocketState, socket_state_table)
DEFINE_STRING_TABLE_TO(socket_result, SocketResult, socket_result_table)

static const UnitActiveState active_state_table[] = {
        [SOCKET_STATE_DEAD] = UNIT_INACTIVE,
        [SOCKET_STATE_START_PRE] = UNIT_ACTIVATING,
        [SOCKET_STATE_START_POST] = UNIT_ACTIVATING,
        [SOCKET_STATE_LISTENING] = UNIT_ACTIVE,
        [SOCKET_STATE_RUNNING] = UNIT_ACTIVE,
        [SOCKET_STATE_STOP_PRE] = UNIT_DEACTIVATING,
        [SOCKET_STATE_STOP_PRE_SIGTERM] = UNIT_DEACTIVATING,
        [SOCKET_STATE_STOP_PRE_SIGKILL] = UNIT_DEACTIVATING,
        [SOCKET_STATE_STOP_POST] = UNIT_DEACTIVATING,
        [SOCKET_STATE_FINAL_SIGTERM] = UNIT_DEACTIVATING,
        [SOCKET_STATE_FINAL_SIGKILL] = UNIT_DEACTIVATING,
        [SOCKET_STATE_FAILED] = UNIT_FAILED,
        [SOCKET_STATE_CLEANING] = UNIT_MAINTENANCE,
};

Socket *socket_of(const Unit *unit) {
        return unit->state_of_type;
}

const SocketSettings *socket_settings(const Unit *unit) {
        static SocketSettings fallback;

        if (unit->type_settings)
                return unit->type_settings;
        socket_settings_init(&fallback);
        return &fallback;
}

UnitActiveState socket_active_state(SocketState state) {
        return active_state_table[state];
}

void socket_republish(Unit *unit) {
        unit_publish(unit, socket_active_state(socket_of(unit)->state), 0);
}

/* The keeper's copies stay: core may be ending. */
void socket_free_state(Unit *unit) {
        Socket *socket = socket_of(unit);

        if (!socket)
                return;
        for (size_t i = 0; i < socket->ports.n; i++) {
                free(socket->ports.items[i].listen.address);
                fd_close(socket->ports.items[i].fd);
        }
        for (size_t i = 0; i < socket->connections.n; i++) {
                free(socket->connections.items[i].service);
                free(socket->connections.items[i].source);
                fd_close(socket->connections.items[i].fd);
        }
        vector_deinit(&socket->ports);
        vector_deinit(&socket->connections);
        strv_free(socket->clean_argv);
        free(socket->failure);
        free(socket);
        unit->state_of_type = NULL;
}

ExecCommand *socket_command(const Unit *unit, SocketExec kind, unsigned index) {
        ExecCommand *command = socket_settings(unit)->commands[kind];

        while (command && index-- > 0)
                command = command->next;
        return command;
}

Unit *socket_service(const Unit *unit) {
        UnitRelations triggers = unit_relations(unit, UNIT_TRIGGERS);

        if (socket_settings(unit)->accept)
                return NULL;
        /* The socket's own service comes first; other services may have named it in Sockets=. */
        for (size_t i = 0; i < triggers.n; i++)
                if (triggers.items[i].here != UNIT_ORIGIN_NONE)
                        return unit_table_at(unit->table, triggers.items[i].other);
        return NULL;
}
