/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A socket from state to state
 *
 * Each step either starts something that will end (a command, a signal) and
 * stays, or goes on to the next in the same call. Every path down ends in
 * socket_enter_dead(), which allocates nothing that it could not do without.
 */

#include <errno.h>
#include <string.h>

#include "exec/exec_directory.h"
#include "types/exec_owner.h"
#include "types/exec_sandbox.h"
#include "types/socket_command.h"
#include "types/socket_port.h"
#include "types/socket_step.h"
#include "types/unit_rule.h"

static bool is_open(SocketState state) {
        return state == SOCKET_STATE_START_POST || state == SOCKET_STATE_LISTENING || state == SOCKET_STATE_RUNNING ||
               state == SOCKET_STATE_STOP_PRE || state == SOCKET_STATE_STOP_PRE_SIGTERM ||
               state == SOCKET_STATE_STOP_PRE_SIGKILL;
}

static bool has_processes(SocketState state) {
        return !unit_state_is_inactive_or_failed(socket_active_state(state)) && state != SOCKET_STATE_LISTENING &&
               state != SOCKET_STATE_RUNNING;
}

void socket_set_state(Unit *unit, SocketState state) {
        Socket *socket = socket_of(unit);
        SocketState old = socket->state;

        (void) unit_set_timer(unit, UNIT_PURPOSE_PIDFILE, USEC_INFINITY);
        if (!has_processes(state)) {
                unit_process_forget(unit, UNIT_PURPOSE_CONTROL, &socket->control);
                socket->state_deadline = USEC_INFINITY;
                (void) unit_set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, USEC_INFINITY);
        }
        if (state != SOCKET_STATE_LISTENING) {
                socket->is_paused = false;
                (void) unit_set_timer(unit, UNIT_PURPOSE_RESTART, USEC_INFINITY);
                socket_unwatch_ports(unit);
        }
        if (!is_open(state) && socket->ports.n > 0)
                socket_close_ports(unit);
        socket->state = state;
        if (state != old)
                socket->state_since = unit_now(unit);
        unit_publish(unit, socket_active_state(state), 0);
}

#define POLL_MIN (10 * USEC_PER_MSEC)
#define POLL_MAX (500 * USEC_PER_MSEC)

static void note_result(Unit *unit, SocketResult result) {
        Socket *socket = socket_of(unit);

        if (socket->result == SOCKET_RESULT_SUCCESS)
                socket->result = result;
}

/* Runs the first command of @kind in @state: 1, 0 if there is none, or -errno. */
static int run_first(Unit *unit, SocketExec kind, SocketState state) {
        int r;

        if (!socket_command(unit, kind, 0))
                return 0;
        r = socket_run(unit, kind, 0);
        if (r < 0)
                return r;
        socket_set_state(unit, state);
        return 1;
}

void socket_enter_listening(Unit *unit) {
        int r;

        if (!socket_settings(unit)->accept && socket_settings(unit)->flush_pending)
                socket_flush_ports(unit);
        r = socket_watch_ports(unit);
        if (r < 0) {
                socket_note_failure(unit, "cannot be watched: %s", strerror(-r));
                socket_enter_stop_pre(unit, SOCKET_RESULT_RESOURCES);
                return;
        }
        socket_set_state(unit, SOCKET_STATE_LISTENING);
}

static void enter_open(Unit *unit) {
        int r = socket_open_ports(unit);

        if (r >= 0)
                r = run_first(unit, SOCKET_EXEC_START_POST, SOCKET_STATE_START_POST);
        if (r < 0)
                socket_enter_stop_pre(unit, SOCKET_RESULT_RESOURCES);
        else if (r == 0)
                socket_enter_listening(unit);
}

void socket_enter_start_pre(Unit *unit) {
        int r = run_first(unit, SOCKET_EXEC_START_PRE, SOCKET_STATE_START_PRE);

        if (r < 0)
                socket_enter_dead(unit, SOCKET_RESULT_RESOURCES);
        else if (r == 0)
                enter_open(unit);
}

static void enter_stop_post(Unit *unit, SocketResult result) {
        int r;

        note_result(unit, result);
        r = run_first(unit, SOCKET_EXEC_STOP_POST, SOCKET_STATE_STOP_POST);
        if (r <= 0)
                socket_enter_signal(unit, SOCKET_STATE_FINAL_SIGTERM,
                                    r < 0 ? SOCKET_RESULT_RESOURCES : SOCKET_RESULT_SUCCESS);
}

void socket_enter_stop_pre(Unit *unit, SocketResult result) {
        int r;

        note_result(unit, result);
        r = run_first(unit, SOCKET_EXEC_STOP_PRE, SOCKET_STATE_STOP_PRE);
        if (r <= 0)
                enter_stop_post(unit, r < 0 ? SOCKET_RESULT_RESOURCES : SOCKET_RESULT_SUCCESS);
}

/* The step after @state, in which there is nothing to wait for, or which takes too long. */
static void enter_after_signal(Unit *unit, SocketState state, SocketResult result) {
        bool kills = socket_settings(unit)->kill.send_sigkill;

        if (state == SOCKET_STATE_STOP_PRE_SIGTERM && kills)
                socket_enter_signal(unit, SOCKET_STATE_STOP_PRE_SIGKILL, result);
        else if (state == SOCKET_STATE_STOP_PRE_SIGTERM || state == SOCKET_STATE_STOP_PRE_SIGKILL)
                enter_stop_post(unit, result);
        else if (state == SOCKET_STATE_FINAL_SIGTERM && kills)
                socket_enter_signal(unit, SOCKET_STATE_FINAL_SIGKILL, result);
        else
                socket_enter_dead(unit, result);
}

static void poll_rest(Unit *unit, usec_t delay) {
        socket_of(unit)->poll_delay = delay;
        (void) unit_set_timer(unit, UNIT_PURPOSE_PIDFILE, usec_add(unit_now(unit), delay));
}

void socket_enter_signal(Unit *unit, SocketState state, SocketResult result) {
        Socket *socket = socket_of(unit);
        ExecResult come;

        note_result(unit, result);
        if (unit_process_take_back(unit, UNIT_PURPOSE_CONTROL, &socket->control, &come))
                socket_note_command(unit, &come);
        if (socket_signal_all(unit, state) <= 0) {
                enter_after_signal(unit, state, SOCKET_RESULT_SUCCESS);
                return;
        }
        socket_set_state(unit, state);
        if (socket_set_limit(unit, socket_settings(unit)->timeout) < 0)
                enter_after_signal(unit, state, SOCKET_RESULT_RESOURCES);
        else if (socket->control.pid == 0)
                poll_rest(unit, POLL_MIN);
}

void socket_enter_dead(Unit *unit, SocketResult result) {
        const ExecTerms *terms = exec_settings_rare(&socket_settings(unit)->exec)->terms;
        Socket *socket = socket_of(unit);

        note_result(unit, result);
        exec_sandbox_release(unit);
        exec_owner_left(unit, terms, socket->uid, socket->gid);
        socket->uid = (uid_t) -1;
        socket->gid = (gid_t) -1;
        if (terms)
                exec_directory_leave(terms, unit->id, false);
        socket_set_state(unit, socket->result == SOCKET_RESULT_SUCCESS ? SOCKET_STATE_DEAD : SOCKET_STATE_FAILED);
        unit_request_end_action(unit, socket->state == SOCKET_STATE_FAILED,
                                socket->result == SOCKET_RESULT_START_LIMIT_HIT);
}

void socket_go_on(Unit *unit, SocketResult result) {
        bool is_fine = result == SOCKET_RESULT_SUCCESS;

        switch (socket_of(unit)->state) {
        case SOCKET_STATE_START_PRE:
                if (is_fine)
                        enter_open(unit);
                else
                        socket_enter_signal(unit, SOCKET_STATE_FINAL_SIGTERM, result);
                break;
        case SOCKET_STATE_START_POST:
                if (is_fine)
                        socket_enter_listening(unit);
                else
                        socket_enter_stop_pre(unit, result);
                break;
        case SOCKET_STATE_STOP_PRE:
        case SOCKET_STATE_STOP_PRE_SIGTERM:
        case SOCKET_STATE_STOP_PRE_SIGKILL:
                enter_stop_post(unit, result);
                break;
        case SOCKET_STATE_STOP_POST:
                socket_enter_signal(unit, SOCKET_STATE_FINAL_SIGTERM, result);
                break;
        case SOCKET_STATE_FINAL_SIGTERM:
        case SOCKET_STATE_FINAL_SIGKILL:
                socket_enter_dead(unit, result);
                break;
        case SOCKET_STATE_DEAD:
        case SOCKET_STATE_LISTENING:
        case SOCKET_STATE_RUNNING:
        case SOCKET_STATE_FAILED:
        case SOCKET_STATE_CLEANING:
        case _SOCKET_STATE_MAX:
                break;
        }
}

static bool is_signalling(SocketState state) {
        return state == SOCKET_STATE_STOP_PRE_SIGTERM || state == SOCKET_STATE_STOP_PRE_SIGKILL ||
               state == SOCKET_STATE_FINAL_SIGTERM || state == SOCKET_STATE_FINAL_SIGKILL;
}

void socket_time_out(Unit *unit) {
        SocketState state = socket_of(unit)->state;
        char span[USEC_FORMAT_MAX];

        socket_note_failure(unit, "%s timed out after %s", socket_state_to_string(state),
                            usec_format(usec_sub(unit_now(unit), socket_of(unit)->state_since), span));
        if (is_signalling(state))
                enter_after_signal(unit, state, SOCKET_RESULT_TIMEOUT);
        else if (state == SOCKET_STATE_START_PRE || state == SOCKET_STATE_STOP_POST)
                socket_enter_signal(unit, SOCKET_STATE_FINAL_SIGTERM, SOCKET_RESULT_TIMEOUT);
        else if (state == SOCKET_STATE_START_POST || state == SOCKET_STATE_STOP_PRE)
                socket_enter_signal(unit, SOCKET_STATE_STOP_PRE_SIGTERM, SOCKET_RESULT_TIMEOUT);
}

void socket_look_for_rest(Unit *unit) {
        Socket *socket = socket_of(unit);
        UnitHost *host = unit_host(unit);

        if (!is_signalling(socket->state) || socket->control.pid > 0)
                return;
        if (host->ops->kill_rest(host, unit, 0, 0, 0) > 0)
                poll_rest(unit, MIN(socket->poll_delay * 2, POLL_MAX));
        else
                socket_go_on(unit, SOCKET_RESULT_SUCCESS);
}
