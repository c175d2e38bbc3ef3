/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removing the directories of a socket: as service_clean.c
 */

#include <signal.h>
#include <sys/wait.h>

#include "basic/strv.h"
#include "exec/exec_clean.h"
#include "types/socket_clean.h"
#include "types/socket_command.h"
#include "types/socket_step.h"
#include "types/unit_cleaning.h"

static const ExecTerms *terms_of(const Unit *unit) {
        return exec_settings_rare(&socket_settings(unit)->exec)->terms;
}

unsigned socket_can_clean(const Unit *unit) {
        return exec_clean_kinds(terms_of(unit));
}

int socket_clean(Unit *unit, unsigned kinds, Failure *ret_failure) {
        Socket *socket = socket_of(unit);
        int r = unit_cleaning_begin(unit, &(UnitCleaning) {
                .terms = terms_of(unit),
                .control = &socket->control,
                .kind = SOCKET_EXEC_STOP_POST,
                .argv = &socket->clean_argv,
                .set_limit = socket_set_limit,
        }, kinds, ret_failure);

        if (r < 0)
                return r;
        socket->clean_result = SOCKET_RESULT_SUCCESS;
        socket_set_state(unit, SOCKET_STATE_CLEANING);
        return 0;
}

static void note_result(Socket *socket, SocketResult result) {
        if (socket->clean_result == SOCKET_RESULT_SUCCESS)
                socket->clean_result = result;
}

static void end(Unit *unit, SocketResult result) {
        Socket *socket = socket_of(unit);

        socket->control = (UnitProcess) {};
        note_result(socket, result);
        socket->clean_argv = strv_free(socket->clean_argv);
        socket_set_state(unit, SOCKET_STATE_DEAD);
}

void socket_clean_spawned(Unit *unit, UnitSpawn spawn, const ExecResult *result) {
        if (spawn == UNIT_SPAWN_RUNNING) {
                socket_republish(unit);
                return;
        }
        unit_cleaning_tell_failed(unit, result);
        end(unit, SOCKET_RESULT_RESOURCES);
}

void socket_clean_ended(Unit *unit, const UnitExit *exit) {
        bool is_exited = exit->code == CLD_EXITED;

        unit_cleaning_tell_ended(unit, exit);
        end(unit, !is_exited ? SOCKET_RESULT_SIGNAL : exit->status == 0 ? SOCKET_RESULT_SUCCESS
            : SOCKET_RESULT_EXIT_CODE);
}

void socket_stop_cleaning(Unit *unit, SocketResult result) {
        Socket *socket = socket_of(unit);
        UnitHost *host = unit_host(unit);

        if (socket->control.pid <= 0) {
                end(unit, result);
                return;
        }
        note_result(socket, result);
        host->ops->kill(host, unit, socket->control.pid, SIGKILL, true);
        (void) socket_set_limit(unit, socket_settings(unit)->timeout);
}

void socket_clean_timed_out(Unit *unit) {
        unit_say(unit, LOG_LEVEL_WARNING, "Cleaning it takes too long.");
        if (socket_of(unit)->clean_result == SOCKET_RESULT_SUCCESS)
                socket_stop_cleaning(unit, SOCKET_RESULT_TIMEOUT);
        else
                end(unit, SOCKET_RESULT_TIMEOUT);
}
