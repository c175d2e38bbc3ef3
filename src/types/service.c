/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service: the operations of its UnitVTable
 *
 * An operation only chooses the first step; service_step.c goes on from there,
 * driven by exits, timers and notifications. All state is in Service, nothing
 * on a stack, so that the next core process can continue from the record.
 * Whether the settings make a valid service (ExecStart= for each type, …) was
 * checked when the unit file was read.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "types/exec_sandbox.h"
#include "types/service_clean.h"
#include "types/service_event.h"
#include "types/service_extra.h"
#include "types/service_kill.h"
#include "types/service_limit.h"
#include "types/service_message.h"
#include "types/service_result.h"
#include "types/service_show.h"
#include "types/service_spawn.h"
#include "types/service_step.h"
#include "types/socket_pass.h"
#include "types/unit_types.h"

static int service_init(Unit *unit) {
        Service *service = calloc(1, sizeof(*service));

        if (!service)
                return -ENOMEM;
        service_reset(service);
        unit->state_of_type = service;
        return 0;
}

static void service_deinit(Unit *unit) {
        Service *service = service_of(unit);

        exec_sandbox_forget(unit);
        if (!service)
                return;
        free(service->status_text);
        free(service->failure);
        free(service->reload_failure);
        service_free_extra(unit, service->extra);
        free(service);
        unit->state_of_type = NULL;
}

static void service_resume(Unit *unit) {
        ServiceState state = service_of(unit)->state;

        exec_sandbox_resume(unit);
        service_resume_fds(unit);
        service_resume_channel(unit);
        service_resume_streams(unit);
        /* The connection to the bus is a new one, which watches nothing yet. */
        if (state == SERVICE_STATE_START || state == SERVICE_STATE_START_POST || state == SERVICE_STATE_RUNNING ||
            state == SERVICE_STATE_RELOAD)
                service_watch_name(unit);
}

/* Returns true if the command that is about to run is the first of this start. */
static bool is_first(const Unit *unit, const UnitProcess *process) {
        if (!process->is_wanted || process->index > 0 || process->kind > SERVICE_EXEC_START)
                return false;
        for (int kind = 0; kind < (int) process->kind; kind++)
                if (service_has_command(unit, (ServiceExec) kind))
                        return false;
        return true;
}

static void service_group(const Unit *unit, UnitGroup *ret_group) {
        const Service *service = service_of(unit);
        const ServiceSettings *settings = service_settings(unit);

        *ret_group = (UnitGroup) {
                .resources = settings->resources,
                .is_begun = !is_first(unit, &service->main) && !is_first(unit, &service->control),
                .keeps_leftovers = settings->kill.mode == KILL_MODE_PROCESS || settings->kill.mode == KILL_MODE_NONE,
        };
}

static UnitAnswer service_start(Unit *unit) {
        switch (service_of(unit)->state) {
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_FAILED:
        case SERVICE_STATE_AUTO_RESTART:
                return service_begin(unit);
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_START:
        case SERVICE_STATE_START_POST:
                return UNIT_UNDER_WAY;
        case SERVICE_STATE_RUNNING:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_RELOAD:
                return UNIT_ALREADY;
        case SERVICE_STATE_STOP:
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
        case SERVICE_STATE_STOP_SIGKILL:
        case SERVICE_STATE_STOP_POST:
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
        case SERVICE_STATE_FINAL_SIGKILL:
        case SERVICE_STATE_CLEANING:
                return UNIT_NOT_NOW;
        case _SERVICE_STATE_MAX:
                break;
        }
        return UNIT_OPERATION_FAILED;
}

static UnitAnswer service_stop(Unit *unit) {
        Service *service = service_of(unit);

        service->forbid_restart = true;
        switch (service->state) {
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_FAILED:
                return UNIT_ALREADY;
        case SERVICE_STATE_AUTO_RESTART:
                service_give_up_restart(unit);
                return UNIT_UNDER_WAY;
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_START:
        case SERVICE_STATE_START_POST:
        case SERVICE_STATE_RELOAD:
                /* ExecStop= is for an active service, so it is skipped. */
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_SUCCESS);
                return UNIT_UNDER_WAY;
        case SERVICE_STATE_RUNNING:
        case SERVICE_STATE_EXITED:
                service_enter_stop(unit, SERVICE_RESULT_SUCCESS);
                return UNIT_UNDER_WAY;
        case SERVICE_STATE_STOP:
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
        case SERVICE_STATE_STOP_SIGKILL:
        case SERVICE_STATE_STOP_POST:
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
        case SERVICE_STATE_FINAL_SIGKILL:
                return UNIT_UNDER_WAY;
        case SERVICE_STATE_CLEANING:
                service_stop_cleaning(unit, SERVICE_RESULT_SIGNAL);
                return UNIT_UNDER_WAY;
        case _SERVICE_STATE_MAX:
                break;
        }
        return UNIT_OPERATION_FAILED;
}

static bool service_can_reload(const Unit *unit) {
        return service_settings_can_reload(service_settings(unit));
}

static bool service_is_task(const Unit *unit) {
        return service_settings(unit)->type == SERVICE_ONESHOT;
}

static void service_runs_as(const Unit *unit, uid_t *ret_uid, gid_t *ret_gid) {
        *ret_uid = service_of(unit)->uid;
        *ret_gid = service_of(unit)->gid;
}

static UnitAnswer service_reload(Unit *unit) {
        Service *service = service_of(unit);

        if (service->state == SERVICE_STATE_RELOAD)
                return UNIT_NOT_NOW;
        if (service->state != SERVICE_STATE_RUNNING && service->state != SERVICE_STATE_EXITED)
                return UNIT_WRONG_STATE;
        if (!service_can_reload(unit))
                return UNIT_CANNOT;
        if (!service_is_within_reload_limit(unit))
                return UNIT_OPERATION_FAILED;
        service_enter_reload(unit);
        return UNIT_UNDER_WAY;
}

static usec_t service_limit_at(const Unit *unit) {
        return service_of(unit)->state_deadline;
}

static const char *service_sub_state(const Unit *unit) {
        return service_state_to_string(service_of(unit)->state);
}

static bool service_will_restart(const Unit *unit) {
        const Service *service = service_of(unit);

        return service->will_restart || service->state == SERVICE_STATE_AUTO_RESTART;
}

static pid_t service_main_pid(const Unit *unit) {
        return service_of(unit)->main.pid;
}

static pid_t service_control_pid(const Unit *unit) {
        return service_of(unit)->control.pid;
}

static pid_t service_last_main(const Unit *unit, usec_t *ret_until) {
        const Service *service = service_of(unit);

        *ret_until = service->main.pid > 0 ? USEC_INFINITY : service->exec_main.exit.monotonic;
        return service->exec_main.pid;
}

static void service_reset_failed(Unit *unit) {
        Service *service = service_of(unit);

        service->limit_begin = 0;
        service->limit_count = 0;
        service->start_limit_hit = false;
        service->n_restarts = 0;
        if (service->state != SERVICE_STATE_FAILED)
                return;
        service->result = service->reload_result = SERVICE_RESULT_SUCCESS;
        free(take_ptr(service->failure));
        service_set_state(unit, SERVICE_STATE_DEAD);
}

static void service_job_refused(Unit *unit, const Failure *failure) {
        if (service_of(unit)->state != SERVICE_STATE_AUTO_RESTART)
                return;
        service_note_failure(unit, "cannot restart: %s", failure_message(failure));
        service_enter_dead(unit, SERVICE_RESULT_RESOURCES, false);
}

static const char *service_failure(const Unit *unit) {
        return service_of(unit)->failure;
}

const UnitVTable service_vtable = {
        .type = UNIT_SERVICE,
        .interface = "Service",
        .properties = service_properties,
        .can_freeze = true,
        .failure = service_failure,
        .init = service_init,
        .deinit = service_deinit,
        .loaded = socket_pass_loaded,
        .can_reload = service_can_reload,
        .is_task = service_is_task,
        .start = service_start,
        .stop = service_stop,
        .reload = service_reload,
        .sub_state = service_sub_state,
        .will_restart = service_will_restart,
        .activity = service_activity,
        .limit = service_limit_at,
        .prepare_spawn = service_prepare_spawn,
        .spawned = service_spawned,
        .result_environment = service_result_environment,
        .child_exited = service_child_exited,
        .timer_elapsed = service_timer_elapsed,
        .fd_ready = service_fd_ready,
        .notified = service_notified,
        .passed_fds = service_passed_fds,
        .name_owned = service_name_owned,
        .kill = service_kill,
        .runs_as = service_runs_as,
        .main_pid = service_main_pid,
        .control_pid = service_control_pid,
        .last_main = service_last_main,
        .exit_status = service_exit_status,
        .reset_failed = service_reset_failed,
        .can_clean = service_can_clean,
        .clean = service_clean,
        .give_streams = service_give_streams,
        .group = service_group,
        .group_emptied = service_group_emptied,
        .group_out_of_memory = service_group_out_of_memory,
        .job_refused = service_job_refused,
        .found = service_found,
        .save = service_save,
        .record = service_record,
        .restore = service_restore,
        .resume = service_resume,
};
