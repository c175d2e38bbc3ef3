/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An attempt as an owner of processes
 */

#include "exec/exec_kill.h"
#include "manager/manager_attempt_owner.h"
#include "manager/manager_attempt_step.h"
#include "process/process_rest.h"

static const ManagerAttemptBasis *basis_of(ProcessOwner *owner) {
        return manager_attempt_basis(manager_attempt_of(owner));
}

static int attempt_prepare(ProcessOwner *owner, UnitPurpose purpose, ExecRequest *request, ExecResult *result) {
        return manager_attempt_prepare(manager_attempt_of(owner), purpose, request, result);
}

static void attempt_spawned(ProcessOwner *owner, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        manager_attempt_note_process(manager_attempt_of(owner), pid, result);
}

static void attempt_exited(ProcessOwner *owner, const UnitExit *exit) {
        manager_attempt_note_exit(manager_attempt_of(owner), exit);
}

static void attempt_elapsed(ProcessOwner *owner, UnitPurpose purpose) {
        manager_attempt_note_time(manager_attempt_of(owner), purpose);
}

static void attempt_group_emptied(ProcessOwner *owner) {
        manager_attempt_note_empty(manager_attempt_of(owner));
}

static int attempt_count_group(ProcessOwner *owner, pid_t main_pid, pid_t control_pid) {
        return process_groups_count(basis_of(owner)->host->groups, owner, main_pid, control_pid);
}

static int attempt_signal_group(ProcessOwner *owner, int signal, pid_t main_pid, pid_t control_pid) {
        return process_groups_signal(basis_of(owner)->host->groups, owner, signal, main_pid, control_pid);
}

static void attempt_describe_rest(ProcessOwner *owner, ExecRest *rest) {
        rest->invocation_id = basis_of(owner)->state->invocation;
}

static ProcessOwner *owner_of_unit(const ManagerAttemptBasis *basis) {
        return basis->host->ops->owner_of(basis->host->userdata, basis->unit);
}

static bool attempt_describe_group(ProcessOwner *owner, ProcessGroupTerms *terms) {
        const ManagerAttemptBasis *basis = basis_of(owner);
        const FlowNode *node = manager_attempt_command_node(basis->command);

        *terms = (ProcessGroupTerms) {
                .parent = owner_of_unit(basis),
                .resources = node && !basis->state->is_question ? node->resources : NULL,
                .is_begun = basis->state->has_begun,
                .is_over = basis->state->step == MANAGER_ATTEMPT_OVER,
        };
        return terms->parent;
}

static size_t attempt_list_slices(ProcessOwner *owner, ProcessSlice slices[static PROCESS_SLICES_MAX]) {
        const ManagerAttemptBasis *basis = basis_of(owner);
        const FlowSettings *flow = manager_attempt_command_is_defined(basis->command)
                                           ? manager_attempt_command_flow(basis->command)
                                           : NULL;

        return process_slices_below(owner_of_unit(basis), basis->unit->id, flow ? flow->resources : NULL, slices);
}

static void attempt_changed(ProcessOwner *owner) {
        manager_attempt_mark(manager_attempt_of(owner));
}

const ProcessOwnerOps manager_attempt_owner_ops = {
        .is_silent = true,
        .prepare = attempt_prepare,
        .spawned = attempt_spawned,
        .exited = attempt_exited,
        .elapsed = attempt_elapsed,
        .count_group = attempt_count_group,
        .signal_group = attempt_signal_group,
        .describe_rest = attempt_describe_rest,
        .describe_group = attempt_describe_group,
        .list_slices = attempt_list_slices,
        .group_emptied = attempt_group_emptied,
        .changed = attempt_changed,
};
