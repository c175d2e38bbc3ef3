/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service: what others may ask of it
 *
 * The operations only choose the first step; service_step.c goes on from
 * there, driven by exits, timers and notifications. All that must be known to
 * go on is in Service, nothing on a stack, so that a manager that dies can
 * save it and its successor continue. Whether a service may be one at all
 * (ExecStart= for each type, …) was judged when its file was read.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/random.h"
#include "exec/exec_directory.h"
#include "types/exec_sandbox.h"
#include "types/service.h"
#include "types/socket_pass.h"
#include "types/unit_types.h"
#include "unit/unit_table.h"

static const UnitActiveState active_state_table[] = {
        [SERVICE_STATE_DEAD] = UNIT_INACTIVE,
        [SERVICE_STATE_CONDITION] = UNIT_ACTIVATING,
        [SERVICE_STATE_START_PRE] = UNIT_ACTIVATING,
        [SERVICE_STATE_START] = UNIT_ACTIVATING,
        [SERVICE_STATE_START_POST] = UNIT_ACTIVATING,
        [SERVICE_STATE_RUNNING] = UNIT_ACTIVE,
        [SERVICE_STATE_EXITED] = UNIT_ACTIVE,
        [SERVICE_STATE_RELOAD] = UNIT_RELOADING,
        [SERVICE_STATE_STOP] = UNIT_DEACTIVATING,
        [SERVICE_STATE_STOP_WATCHDOG] = UNIT_DEACTIVATING,
        [SERVICE_STATE_STOP_SIGTERM] = UNIT_DEACTIVATING,
        [SERVICE_STATE_STOP_SIGKILL] = UNIT_DEACTIVATING,
        [SERVICE_STATE_STOP_POST] = UNIT_DEACTIVATING,
        [SERVICE_STATE_FINAL_SIGTERM] = UNIT_DEACTIVATING,
        [SERVICE_STATE_FINAL_WATCHDOG] = UNIT_DEACTIVATING,
        [SERVICE_STATE_FINAL_SIGKILL] = UNIT_DEACTIVATING,
        [SERVICE_STATE_FAILED] = UNIT_FAILED,
        [SERVICE_STATE_AUTO_RESTART] = UNIT_ACTIVATING,
        [SERVICE_STATE_CLEANING] = UNIT_MAINTENANCE,
};

/* What a service without readable settings (its file is gone) goes by: enough to stop it in good order. */
static const ServiceSettings fallback_settings = {
        .timeout_start = 90 * USEC_PER_SEC,
        .timeout_stop = 90 * USEC_PER_SEC,
        .timeout_abort = 90 * USEC_PER_SEC,
        .restart_usec = 100 * USEC_PER_MSEC,
        .runtime_max = USEC_INFINITY,
        .exec = { .umask = 0022 },
        .kill = { .signal = 15, .final_signal = 9, .watchdog_signal = 6, .send_sigkill = true },
};

Service *service_of(const Unit *unit) {
        return unit->state_of_type;
}

const ServiceSettings *service_settings(const Unit *unit) {
        return unit->type_settings ? unit->type_settings : &fallback_settings;
}

const ServiceRareSettings *service_rare(const Unit *unit) {
        return service_settings_rare(service_settings(unit));
}

UnitHost *service_host(const Unit *unit) {
        return unit_table_host(unit->table);
}

usec_t service_now(const Unit *unit) {
        UnitHost *host = service_host(unit);

        return host->ops->now(host);
}

UnitTimestamp service_timestamp(const Unit *unit) {
        UnitHost *host = service_host(unit);

        return (UnitTimestamp) { .realtime = host->ops->now_realtime(host), .monotonic = host->ops->now(host) };
}

static void reset(Service *service) {
        service->result = service->reload_result = SERVICE_RESULT_SUCCESS;
        service->main = service->control = (ServiceProcess) {};
        service->main_known = false;
        service->exec_main = (ServiceExitRecord) {};
        service->forbid_restart = service->will_restart = service->is_found = false;
        service->state_deadline = service->runtime_deadline = service->watchdog_deadline = USEC_INFINITY;
        service->watchdog_override = USEC_INFINITY;
        service->notice = SERVICE_NOTICE_NONE;
        service->status_errno = 0;
        free(take_ptr(service->status_text));
        free(take_ptr(service->failure));
        free(take_ptr(service->reload_failure));
        service->uid = (uid_t) -1;
        service->gid = (gid_t) -1;
        service_reset_extra(service);
}

static int service_init(Unit *unit) {
        Service *service = calloc(1, sizeof(*service));

        if (!service)
                return -ENOMEM;
        reset(service);
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
        for (size_t i = 0; service->extra && i < service->extra->fds.n; i++)
                if (service->extra->fds.items[i].fd >= 0)
                        unit_unref(unit);
        service_extra_free(service->extra);
        free(service);
        unit->state_of_type = NULL;
}

/* May it have a main or control process in that state? */
static bool has_processes(ServiceState state) {
        UnitActiveState active = active_state_table[state];

        return !unit_state_is_inactive_or_failed(active) && state != SERVICE_STATE_AUTO_RESTART &&
               state != SERVICE_STATE_EXITED;
}

static void forget_process(Unit *unit, UnitPurpose purpose, ServiceProcess *process) {
        UnitHost *host = service_host(unit);

        if (process->pid > 0)
                host->ops->unwatch_process(host, unit, purpose, process->pid);
        *process = (ServiceProcess) {};
}

static UnitChangeFlags change_flags(const Service *service, ServiceState old) {
        UnitChangeFlags flags = 0;

        if (old == SERVICE_STATE_RELOAD && service->reload_result != SERVICE_RESULT_SUCCESS)
                flags |= UNIT_CHANGE_RELOAD_FAILED;
        if (service->will_restart)
                flags |= UNIT_CHANGE_WILL_RESTART;
        if (service->state == SERVICE_STATE_DEAD && service->result == SERVICE_RESULT_EXEC_CONDITION)
                flags |= UNIT_CHANGE_SKIPPED;
        return flags;
}

void service_set_state(Unit *unit, ServiceState state) {
        Service *service = service_of(unit);
        ServiceState old = service->state;

        service_clear_timers(unit, state);
        service_stop_probe(unit, state);
        service_stop_waiting(unit, state);
        if (!has_processes(state))
                forget_process(unit, UNIT_PURPOSE_MAIN, &service->main);
        if (!has_processes(state) || state == SERVICE_STATE_RUNNING)
                forget_process(unit, UNIT_PURPOSE_CONTROL, &service->control);

        service->state = state;
        if (state != old)
                service->state_since = service_now(unit);
        unit_publish(unit, active_state_table[state], change_flags(service, old));
}

void service_republish(Unit *unit) {
        unit_publish(unit, active_state_table[service_of(unit)->state], 0);
}

UnitAnswer service_begin(Unit *unit) {
        Service *service = service_of(unit);
        bool is_restart = service->state == SERVICE_STATE_AUTO_RESTART;

        if (!service_is_within_start_limit(unit)) {
                /* What failed it before is not what keeps it from starting now. */
                service->result = SERVICE_RESULT_START_LIMIT_HIT;
                service_enter_dead(unit, SERVICE_RESULT_START_LIMIT_HIT, false);
                return UNIT_OPERATION_FAILED;
        }
        reset(service);
        /* What a manager has left that was killed with all its services is of another run. */
        exec_directory_drop_secrets(exec_settings_rare(&service_settings(unit)->exec)->terms, unit->id);
        service->n_restarts = is_restart ? service->n_restarts + 1 : 0;
        if (random_bytes(unit->invocation_id, sizeof(unit->invocation_id)) < 0)
                service_log(unit, 4, "No random numbers yet, so this start has no invocation id.");
        service_enter_condition(unit);
        return UNIT_UNDER_WAY;
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
                /* Something runs that ExecStop= knows nothing of: no detours. */
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
        return service_has_command(unit, SERVICE_EXEC_RELOAD) || service_settings(unit)->type == SERVICE_NOTIFY_RELOAD;
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

const UnitVTable service_vtable = {
        .type = UNIT_SERVICE,
        .interface = "Service",
        .properties = service_properties,
        .can_fail = true,
        .init = service_init,
        .deinit = service_deinit,
        .loaded = socket_pass_loaded,
        .can_reload = service_can_reload,
        .start = service_start,
        .stop = service_stop,
        .reload = service_reload,
        .sub_state = service_sub_state,
        .will_restart = service_will_restart,
        .activity = service_activity,
        .limit = service_limit_at,
        .prepare_spawn = service_prepare_spawn,
        .spawned = service_spawned,
        .child_exited = service_child_exited,
        .timer_elapsed = service_timer_elapsed,
        .fd_ready = service_fd_ready,
        .notified = service_notified,
        .passed_fds = service_passed_fds,
        .name_owned = service_name_owned,
        .kill = service_kill,
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
