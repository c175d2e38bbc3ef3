/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A mount from state to state
 *
 * The kernel's table decides, not the exit status of mount(8): a mount is
 * active if it is in the table. So each step ends in a look at the table.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/random.h"
#include "exec/exec_directory.h"
#include "types/exec_owner.h"
#include "types/mount_command.h"
#include "types/mount_step.h"
#include "types/unit_rule.h"

/* Limit on the mounts stacked at one path that a stop removes. */
#define RETRIES_MAX 32U

static void note_result(Unit *unit, MountResult result) {
        Mount *mount = mount_of(unit);

        if (mount->result == MOUNT_RESULT_SUCCESS)
                mount->result = result;
}

static void note_reload_result(Unit *unit, MountResult result) {
        Mount *mount = mount_of(unit);

        if (mount->reload_result == MOUNT_RESULT_SUCCESS)
                mount->reload_result = result;
}

static void enter_mounted(Unit *unit, MountResult result) {
        Mount *mount = mount_of(unit);

        note_result(unit, result);
        mount->n_retries = 0;
        if (mount->wants_stop) {
                mount->wants_stop = false;
                mount_enter_unmounting(unit);
                return;
        }
        mount_set_state(unit, MOUNT_STATE_MOUNTED);
}

void mount_enter_dead(Unit *unit, MountResult result) {
        const ExecTerms *terms = exec_settings_rare(&mount_settings(unit)->exec)->terms;
        Mount *mount = mount_of(unit);

        note_result(unit, result);
        mount->n_retries = 0;
        mount->wants_stop = false;
        if (terms)
                exec_directory_leave(terms, unit->id, false);
        exec_owner_left(unit, terms, (uid_t) -1, (gid_t) -1);
        mount_set_state(unit, mount->result == MOUNT_RESULT_SUCCESS ? MOUNT_STATE_DEAD : MOUNT_STATE_FAILED);
        unit_request_end_action(unit, mount->state == MOUNT_STATE_FAILED,
                                mount->result == MOUNT_RESULT_START_LIMIT_HIT);
}

static void enter_dead_or_mounted(Unit *unit, MountResult result) {
        if (mount_of(unit)->is_there)
                enter_mounted(unit, result);
        else
                mount_enter_dead(unit, result);
}

/* — starting — */

static void enter_mounting(Unit *unit) {
        if (mount_run(unit, MOUNT_EXEC_MOUNT) < 0)
                enter_dead_or_mounted(unit, MOUNT_RESULT_RESOURCES);
        else
                mount_set_state(unit, MOUNT_STATE_MOUNTING);
}

void mount_enter_remounting(Unit *unit) {
        mount_of(unit)->reload_result = MOUNT_RESULT_SUCCESS;
        if (mount_run(unit, MOUNT_EXEC_REMOUNT) < 0)
                note_reload_result(unit, MOUNT_RESULT_RESOURCES);
        else
                mount_set_state(unit, MOUNT_STATE_REMOUNTING);
}

/* — stopping — */

void mount_enter_unmounting(Unit *unit) {
        Mount *mount = mount_of(unit);

        if (mount->state != MOUNT_STATE_UNMOUNTING) {
                mount->n_retries = 0;
                mount->result = MOUNT_RESULT_SUCCESS;
                free(take_ptr(mount->failure));
        }
        if (mount_run(unit, MOUNT_EXEC_UNMOUNT) < 0)
                enter_dead_or_mounted(unit, MOUNT_RESULT_RESOURCES);
        else
                mount_set_state(unit, MOUNT_STATE_UNMOUNTING);
}

/* The step after @state, in which there is nothing to wait for, or which takes too long. */
static void enter_after_signal(Unit *unit, MountState state, MountResult result) {
        bool kills = mount_settings(unit)->kill.send_sigkill;

        if (state == MOUNT_STATE_REMOUNTING_SIGTERM && kills)
                mount_enter_signal(unit, MOUNT_STATE_REMOUNTING_SIGKILL, result);
        else if (state == MOUNT_STATE_UNMOUNTING_SIGTERM && kills)
                mount_enter_signal(unit, MOUNT_STATE_UNMOUNTING_SIGKILL, result);
        else
                enter_dead_or_mounted(unit, result);
}

static void record_start(Unit *unit, pid_t pid) {
        Mount *mount = mount_of(unit);

        mount->control.since = unit_now(unit);
        unit_process_started(unit, &mount->commands[mount->control.kind], pid, mount->control.since);
}

void mount_enter_signal(Unit *unit, MountState state, MountResult result) {
        Mount *mount = mount_of(unit);
        ExecResult come;

        note_result(unit, result);
        if (unit_process_take_back(unit, UNIT_PURPOSE_CONTROL, &mount->control, &come))
                record_start(unit, come.pid);
        if (mount_signal(unit, state) <= 0) {
                mount->is_there = mount_find(unit, true);
                enter_after_signal(unit, state, MOUNT_RESULT_SUCCESS);
                return;
        }
        mount_set_state(unit, state);
        if (mount_set_limit(unit) < 0)
                enter_after_signal(unit, state, MOUNT_RESULT_RESOURCES);
}

/* — events — */

static void mounting_ended(Unit *unit, MountResult result) {
        if (result == MOUNT_RESULT_SUCCESS) {
                mount_note_failure(unit, "mount has ended well, but nothing is mounted at %s (is it a link?)",
                                   mount_settings(unit)->where);
                result = MOUNT_RESULT_PROTOCOL;
        }
        mount_enter_dead(unit, result);
}

static void unmounting_ended(Unit *unit, MountResult result) {
        Mount *mount = mount_of(unit);

        if (result == MOUNT_RESULT_SUCCESS && mount->is_there) {
                if (mount->n_retries++ < RETRIES_MAX) {
                        mount_enter_unmounting(unit);
                        return;
                }
                mount_note_failure(unit, "something is still mounted there after %u times", RETRIES_MAX);
                enter_mounted(unit, MOUNT_RESULT_SUCCESS);
        } else if (result == MOUNT_RESULT_EXIT_CODE && !mount->is_there) {
                /* Something else has unmounted it first. */
                mount->result = MOUNT_RESULT_SUCCESS;
                free(take_ptr(mount->failure));
                mount_enter_dead(unit, MOUNT_RESULT_SUCCESS);
        } else {
                enter_dead_or_mounted(unit, result);
        }
}

static void go_on(Unit *unit, MountResult result) {
        switch (mount_of(unit)->state) {
        case MOUNT_STATE_MOUNTING:
                mounting_ended(unit, result);
                break;
        case MOUNT_STATE_MOUNTING_DONE:
                enter_mounted(unit, result);
                break;
        case MOUNT_STATE_REMOUNTING:
        case MOUNT_STATE_REMOUNTING_SIGTERM:
        case MOUNT_STATE_REMOUNTING_SIGKILL:
                note_reload_result(unit, result);
                enter_dead_or_mounted(unit, MOUNT_RESULT_SUCCESS);
                break;
        case MOUNT_STATE_UNMOUNTING:
                unmounting_ended(unit, result);
                break;
        case MOUNT_STATE_UNMOUNTING_SIGTERM:
        case MOUNT_STATE_UNMOUNTING_SIGKILL:
                enter_dead_or_mounted(unit, result);
                break;
        case MOUNT_STATE_DEAD:
        case MOUNT_STATE_MOUNTED:
        case MOUNT_STATE_FAILED:
        case _MOUNT_STATE_MAX:
                break;
        }
}

static void limit_elapsed(Unit *unit) {
        Mount *mount = mount_of(unit);
        MountState state = mount->state;
        bool is_remount = state == MOUNT_STATE_REMOUNTING || state == MOUNT_STATE_REMOUNTING_SIGTERM ||
                          state == MOUNT_STATE_REMOUNTING_SIGKILL;
        char span[USEC_FORMAT_MAX];

        mount->state_deadline = USEC_INFINITY;
        mount_note_failure(unit, "%s timed out after %s", mount_state_to_string(state),
                           usec_format(usec_sub(unit_now(unit), mount->state_since), span));
        if (is_remount)
                note_reload_result(unit, MOUNT_RESULT_TIMEOUT);
        if (state == MOUNT_STATE_REMOUNTING)
                mount_enter_signal(unit, MOUNT_STATE_REMOUNTING_SIGTERM, MOUNT_RESULT_SUCCESS);
        else if (state == MOUNT_STATE_MOUNTING || state == MOUNT_STATE_MOUNTING_DONE || state == MOUNT_STATE_UNMOUNTING)
                mount_enter_signal(unit, MOUNT_STATE_UNMOUNTING_SIGTERM, MOUNT_RESULT_TIMEOUT);
        else
                enter_after_signal(unit, state, is_remount ? MOUNT_RESULT_SUCCESS : MOUNT_RESULT_TIMEOUT);
}

static void renew_invocation(Unit *unit) {
        (void) random_bytes(unit->invocation_id, sizeof(unit->invocation_id));
}

static void come(Unit *unit) {
        Mount *mount = mount_of(unit);

        mount->is_there = true;
        if (mount->state == MOUNT_STATE_DEAD || mount->state == MOUNT_STATE_FAILED) {
                mount->result = mount->reload_result = MOUNT_RESULT_SUCCESS;
                free(take_ptr(mount->failure));
                renew_invocation(unit);
                mount_set_state(unit, MOUNT_STATE_MOUNTED);
        } else {
                /* At least the properties have changed. */
                mount_set_state(unit, mount->state == MOUNT_STATE_MOUNTING ? MOUNT_STATE_MOUNTING_DONE : mount->state);
        }
}

void mount_follow(Unit *unit, const MountEntry *entry) {
        Mount *mount = mount_of(unit);

        if (entry) {
                come(unit);
                return;
        }
        mount->is_there = false;
        if (mount->state == MOUNT_STATE_MOUNTED)
                mount_enter_dead(unit, MOUNT_RESULT_SUCCESS);
        else if (mount->state == MOUNT_STATE_MOUNTING_DONE)
                mount_set_state(unit, MOUNT_STATE_MOUNTING);
}

/* — results — */

static MountResult result_of(const UnitExit *exit) {
        if (exit->code == CLD_EXITED)
                return exit->status == 0 ? MOUNT_RESULT_SUCCESS : MOUNT_RESULT_EXIT_CODE;
        return exit->code == CLD_DUMPED ? MOUNT_RESULT_CORE_DUMP : MOUNT_RESULT_SIGNAL;
}

static void tell_exit(Unit *unit, MountExec kind, const UnitExit *exit) {
        char how[128];

        unit_process_describe_exit(exit, how, sizeof(how));
        mount_note_failure(unit, "%s %s", mount_exec_to_string(kind), how);
}

static bool was_signalled(MountState state) {
        return state == MOUNT_STATE_UNMOUNTING_SIGTERM || state == MOUNT_STATE_UNMOUNTING_SIGKILL ||
               state == MOUNT_STATE_REMOUNTING_SIGTERM || state == MOUNT_STATE_REMOUNTING_SIGKILL;
}

/* The effect of the process is in the table already, even if the host has not reported it. */
static void look_again(Unit *unit) {
        Mount *mount = mount_of(unit);

        mount->is_there = mount_find(unit, true);
        if (mount->state == MOUNT_STATE_MOUNTING && mount->is_there)
                mount_set_state(unit, MOUNT_STATE_MOUNTING_DONE);
        else if (mount->state == MOUNT_STATE_MOUNTING_DONE && !mount->is_there)
                mount_set_state(unit, MOUNT_STATE_MOUNTING);
}

static void control_ended(Unit *unit, const UnitExit *exit) {
        Mount *mount = mount_of(unit);
        MountExec kind = (MountExec) mount->control.kind;
        MountResult result = result_of(exit);

        unit_process_ended(unit, &mount->commands[kind], exit);
        /* An end by the manager's own signal is not a failure; its reason was stored before. */
        if (was_signalled(mount->state) && result == MOUNT_RESULT_SIGNAL)
                result = MOUNT_RESULT_SUCCESS;
        if (result != MOUNT_RESULT_SUCCESS)
                tell_exit(unit, kind, exit);
        mount->control = (UnitProcess) {};
        look_again(unit);
        go_on(unit, result);
}

void mount_child_exited(Unit *unit, const UnitExit *exit) {
        if (mount_of(unit)->control.pid == exit->pid)
                control_ended(unit, exit);
}

static void spawn_failed(Unit *unit, const ExecResult *result) {
        UnitProcess *control = &mount_of(unit)->control;
        UnitExit exit;

        mount_note_failure(unit, "%s: %s", mount_exec_to_string((MountExec) control->kind), result->message);
        if (unit_process_failed_exit(unit, result, &exit)) {
                record_start(unit, result->pid);
                control_ended(unit, &exit);
                return;
        }
        *control = (UnitProcess) {};
        go_on(unit, MOUNT_RESULT_RESOURCES);
}

void mount_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        switch (unit_process_spawned(unit, &mount_of(unit)->control, pid)) {
        case UNIT_SPAWN_STALE:
                break;
        case UNIT_SPAWN_FAILED:
                spawn_failed(unit, result);
                break;
        case UNIT_SPAWN_RUNNING:
                record_start(unit, pid);
                mount_set_state(unit, mount_of(unit)->state);
                break;
        }
}

void mount_begin(Unit *unit) {
        Mount *mount = mount_of(unit);

        mount->result = mount->reload_result = MOUNT_RESULT_SUCCESS;
        free(take_ptr(mount->failure));
        renew_invocation(unit);
        enter_mounting(unit);
}

void mount_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        if (purpose == UNIT_PURPOSE_STATE_LIMIT)
                limit_elapsed(unit);
}
