/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signals for the processes of an attempt
 */

#include <signal.h>

#include "manager/manager_attempt_kill.h"
#include "unitfile/draft_type.h"

const KillSettings *manager_attempt_kill_settings(const ManagerAttemptBasis *basis) {
        return manager_attempt_command_is_defined(basis->command)
                       ? &manager_attempt_command_process(basis->command)->kill
                       : draft_type_kill(basis->unit);
}

static void signal_all(const ManagerAttemptBasis *basis, ProcessOwner *owner, int signal, bool is_final) {
        ProcessErrands *errands = basis->host->errands;
        const KillMode mode = manager_attempt_kill_settings(basis)->mode;
        const bool with_rest = mode == KILL_MODE_CONTROL_GROUP || (mode == KILL_MODE_MIXED && is_final);
        const pid_t pid = basis->state->pid;

        if (mode == KILL_MODE_NONE)
                return;
        if (pid > 0)
                (void) process_errands_kill(errands, owner, pid, signal, with_rest);
        if (with_rest)
                (void) process_errands_kill_rest(errands, owner, signal, pid, 0);
}

void manager_attempt_kill_terminate(const ManagerAttemptBasis *basis, ProcessOwner *owner) {
        const KillSettings *settings = manager_attempt_kill_settings(basis);

        signal_all(basis, owner, settings->signal, false);
        if (settings->send_sighup)
                signal_all(basis, owner, SIGHUP, false);
        /* A stopped process would not handle the signal. */
        if (settings->signal != SIGKILL)
                signal_all(basis, owner, SIGCONT, false);
}

void manager_attempt_kill_finally(const ManagerAttemptBasis *basis, ProcessOwner *owner, int signal) {
        signal_all(basis, owner, signal, true);
}

bool manager_attempt_kill_is_done(const ManagerAttemptBasis *basis, ProcessOwner *owner) {
        const KillMode mode = manager_attempt_kill_settings(basis)->mode;

        return mode == KILL_MODE_NONE || mode == KILL_MODE_PROCESS ||
               process_errands_kill_rest(basis->host->errands, owner, 0, basis->state->pid, 0) <= 0;
}
