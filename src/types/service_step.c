/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service from state to state
 *
 * Each step either starts something that will end (a command, a signal, a timer) and stays, or goes on to the next in
 * the same call. Every path down ends in service_enter_dead(), which cannot fail for want of memory, so that every
 * service reaches its end.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/random.h"
#include "exec/exec_directory.h"
#include "types/exec_owner.h"
#include "types/exec_sandbox.h"
#include "types/service_extra.h"
#include "types/service_kill.h"
#include "types/service_limit.h"
#include "types/service_result.h"
#include "types/service_spawn.h"
#include "types/service_step.h"

/* Returns true if there can be a main or control process in @state. */
static bool has_processes(ServiceState state) {
        UnitActiveState active = service_active_state(state);

        return !unit_state_is_inactive_or_failed(active) && state != SERVICE_STATE_AUTO_RESTART &&
               state != SERVICE_STATE_EXITED;
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

static bool is_up(ServiceState state) {
        return state == SERVICE_STATE_START_POST || state == SERVICE_STATE_RUNNING || state == SERVICE_STATE_RELOAD;
}

static bool needs_name(ServiceState state) {
        return is_up(state) || state == SERVICE_STATE_CONDITION || state == SERVICE_STATE_START_PRE ||
               state == SERVICE_STATE_START || state == SERVICE_STATE_STOP;
}

static bool has_probe(ServiceState state, ServiceProbeKind kind) {
        if (kind == SERVICE_PROBE_READINESS)
                return state == SERVICE_STATE_START;
        return state == SERVICE_STATE_RUNNING || state == SERVICE_STATE_RELOAD;
}

/* Ends waits that do not apply in @state. */
static void end_waits(Unit *unit, ServiceState state) {
        const Service *service = service_of(unit);
        int probe = service_extra(unit)->probing.kind;

        if (probe >= 0 && !has_probe(state, (ServiceProbeKind) probe))
                service_stop_probe(unit);
        if (!needs_name(state) && needs_name(service->state))
                service_unwatch_name(unit);
        if (state != SERVICE_STATE_START) {
                service_end_idle(unit);
                service_close_channel(unit);
        }
        if ((state == SERVICE_STATE_DEAD || state == SERVICE_STATE_FAILED) && !service->will_restart)
                service_close_streams(unit);
}

void service_set_state(Unit *unit, ServiceState state) {
        Service *service = service_of(unit);
        ServiceState old = service->state;

        service_clear_timers(unit, state);
        end_waits(unit, state);
        if (!has_processes(state))
                unit_process_forget(unit, UNIT_PURPOSE_MAIN, &service->main);
        if (!has_processes(state) || state == SERVICE_STATE_RUNNING)
                unit_process_forget(unit, UNIT_PURPOSE_CONTROL, &service->control);

        service->state = state;
        if (state != old)
                service->state_since = unit_now(unit);
        unit_publish(unit, service_active_state(state), change_flags(service, old));
}

/* Runs the first command of @kind in @state: 1, 0 if there is none, or -errno. */
static int run_first(Unit *unit, ServiceExec kind, ServiceState state) {
        int r;

        if (!service_has_command(unit, kind))
                return 0;
        r = service_run(unit, UNIT_PURPOSE_CONTROL, kind, 0);
        if (r < 0)
                return r;
        service_set_state(unit, state);
        return 1;
}

static void enter_condition(Unit *unit) {
        int r = run_first(unit, SERVICE_EXEC_CONDITION, SERVICE_STATE_CONDITION);

        if (r < 0)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_RESOURCES);
        else if (r == 0)
                service_enter_start_pre(unit);
}

void service_enter_start_pre(Unit *unit) {
        int r = run_first(unit, SERVICE_EXEC_START_PRE, SERVICE_STATE_START_PRE);

        if (r < 0)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_RESOURCES);
        else if (r == 0)
                service_enter_start(unit);
}

void service_run_main(Unit *unit) {
        bool is_forking = service_settings(unit)->type == SERVICE_FORKING;

        if (service_watch_name(unit) < 0 ||
            service_run(unit, is_forking ? UNIT_PURPOSE_CONTROL : UNIT_PURPOSE_MAIN, SERVICE_EXEC_START, 0) < 0)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_RESOURCES);
        else
                service_set_state(unit, SERVICE_STATE_START);
}

void service_enter_start(Unit *unit) {
        Service *service = service_of(unit);

        service->main_known = false;
        if (!service_has_command(unit, SERVICE_EXEC_START))
                service_enter_start_post(unit);
        else if (service_begin_idle(unit))
                service_set_state(unit, SERVICE_STATE_START);
        else
                service_run_main(unit);
}

void service_enter_start_post(Unit *unit) {
        int r;

        if (service_awaits_probe(unit))
                return;
        service_reset_watchdog(unit);
        r = run_first(unit, SERVICE_EXEC_START_POST, SERVICE_STATE_START_POST);
        if (r < 0)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_RESOURCES);
        else if (r == 0)
                service_enter_running(unit, SERVICE_RESULT_SUCCESS);
}

/* Returns true if there are processes of the service, or may be some that cannot be told to be its own. */
static bool may_have_rest(Unit *unit) {
        UnitHost *host = unit_host(unit);

        return service_count_rest(unit) > 0 || (host->ops->may_hide_rest && host->ops->may_hide_rest(host, unit));
}

/*
 * Returns true if the service is still active. A forking daemon without a known main process is active as long as there
 * are processes of its invocation or, if such a process may be there but none was found at the start, until it is
 * stopped.
 */
static bool is_alive(Unit *unit) {
        const Service *service = service_of(unit);

        if (service_lacks_name(unit))
                return false;
        if (service->main.pid > 0)
                return true;
        if (service_settings(unit)->exit_type_cgroup && service_count_rest(unit) > 0)
                return true;
        if (service->main_known)
                return false;
        return service->is_found || (service_settings(unit)->type == SERVICE_FORKING && may_have_rest(unit));
}

static void watch_unknown_main(Unit *unit) {
        const Service *service = service_of(unit);

        if (service->main.pid == 0 && service->state == SERVICE_STATE_RUNNING && service_count_rest(unit) > 0)
                service_poll(unit, 5 * USEC_PER_SEC);
}

void service_enter_running(Unit *unit, ServiceResult result) {
        Service *service = service_of(unit);

        service_note_result(unit, result);
        if (service->result != SERVICE_RESULT_SUCCESS)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, result);
        else if (!is_alive(unit) && !service_settings(unit)->remain_after_exit)
                service_enter_stop(unit, SERVICE_RESULT_SUCCESS);
        else if (!is_alive(unit))
                service_set_state(unit, SERVICE_STATE_EXITED);
        else if (service->notice == SERVICE_NOTICE_RELOADING) {
                service_set_state(unit, SERVICE_STATE_RUNNING);
                service_enter_reload_by_notice(unit);
        } else if (service->notice == SERVICE_NOTICE_STOPPING)
                service_enter_stop_by_notice(unit);
        else {
                service_set_state(unit, SERVICE_STATE_RUNNING);
                service_start_runtime_limit(unit);
                service_begin_liveness(unit);
                service_begin_health(unit);
                watch_unknown_main(unit);
        }
}

static void forget_last_reload(Service *service) {
        service->reload_result = SERVICE_RESULT_SUCCESS;
        free(take_ptr(service->reload_failure));
}

/* Type=notify-reload: sends the signal; notifications count from now on. 1, 0 for other types, or -errno. */
static int signal_reload(Unit *unit) {
        int number = service_rare(unit)->reload_signal, r;
        UnitHost *host = unit_host(unit);
        ServiceExtra *extra;

        if (service_settings(unit)->type != SERVICE_NOTIFY_RELOAD || service_of(unit)->main.pid <= 0)
                return 0;
        extra = service_own_extra(unit);
        r = extra ? host->ops->kill(host, unit, service_of(unit)->main.pid, number > 0 ? number : SIGHUP, false)
        : -ENOMEM;
        if (r < 0)
                return r;
        extra->reload_begin = unit_now(unit);
        service_of(unit)->notice = SERVICE_NOTICE_NONE;
        return 1;
}

void service_enter_reload(Unit *unit) {
        Service *service = service_of(unit);
        bool is_signalled;
        int r;

        forget_last_reload(service);
        r = signal_reload(unit);
        is_signalled = r > 0;
        if (r >= 0)
                r = run_first(unit, SERVICE_EXEC_RELOAD, SERVICE_STATE_RELOAD);
        if (r > 0)
                return;
        if (r == 0 && is_signalled) {
                service_set_state(unit, SERVICE_STATE_RELOAD);
                service_set_limit(unit, service_limit(unit, SERVICE_EXEC_RELOAD));
                return;
        }
        service_set_state(unit, SERVICE_STATE_RELOAD);
        service->reload_result = r < 0 ? SERVICE_RESULT_RESOURCES : SERVICE_RESULT_SUCCESS;
        service_enter_running(unit, SERVICE_RESULT_SUCCESS);
}

/* The service reloads by itself, and will send READY=1. */
void service_enter_reload_by_notice(Unit *unit) {
        forget_last_reload(service_of(unit));
        service_set_state(unit, SERVICE_STATE_RELOAD);
        service_set_limit(unit, service_limit(unit, SERVICE_EXEC_RELOAD));
        unit_publish_reloaded_itself(unit);
}

/* The service stops by itself, as if the signal had been sent. */
void service_enter_stop_by_notice(Unit *unit) {
        const Service *service = service_of(unit);

        service_set_state(unit, SERVICE_STATE_STOP_SIGTERM);
        service_set_limit(unit, service_stop_limit(unit, SERVICE_STATE_STOP_SIGTERM));
        if (service->main.pid == 0 && service->control.pid == 0)
                service_poll(unit, 10 * USEC_PER_MSEC);
}

void service_enter_stop(Unit *unit, ServiceResult result) {
        int r;

        service_note_result(unit, result);
        r = run_first(unit, SERVICE_EXEC_STOP, SERVICE_STATE_STOP);
        if (r <= 0)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM,
                                     r < 0 ? SERVICE_RESULT_RESOURCES : SERVICE_RESULT_SUCCESS);
}

void service_enter_stop_post(Unit *unit, ServiceResult result) {
        int r;

        service_note_result(unit, result);
        r = run_first(unit, SERVICE_EXEC_STOP_POST, SERVICE_STATE_STOP_POST);
        if (r <= 0)
                service_enter_signal(unit, SERVICE_STATE_FINAL_SIGTERM,
                                     r < 0 ? SERVICE_RESULT_RESOURCES : SERVICE_RESULT_SUCCESS);
}

/* The step after @state, in which there is nothing to wait for. */
static void enter_after_signal(Unit *unit, ServiceState state, ServiceResult result) {
        bool kills = service_settings(unit)->kill.send_sigkill;

        switch (state) {
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
                if (kills)
                        service_enter_signal(unit, SERVICE_STATE_STOP_SIGKILL, result);
                else
                        service_enter_stop_post(unit, result);
                break;
        case SERVICE_STATE_STOP_SIGKILL:
                service_enter_stop_post(unit, result);
                break;
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
                if (kills)
                        service_enter_signal(unit, SERVICE_STATE_FINAL_SIGKILL, result);
                else
                        service_enter_dead(unit, result, true);
                break;
        case SERVICE_STATE_FINAL_SIGKILL:
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_START:
        case SERVICE_STATE_START_POST:
        case SERVICE_STATE_RUNNING:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_RELOAD:
        case SERVICE_STATE_STOP:
        case SERVICE_STATE_STOP_POST:
        case SERVICE_STATE_FAILED:
        case SERVICE_STATE_AUTO_RESTART:
        case SERVICE_STATE_CLEANING:
        case _SERVICE_STATE_MAX:
                service_enter_dead(unit, result, true);
                break;
        }
}

/* A program that runs already is signalled as if it had been heard of before. */
static void take_back(Unit *unit, UnitPurpose purpose, UnitProcess *process) {
        ExecResult come;

        if (unit_process_take_back(unit, purpose, process, &come))
                service_note_process(unit, purpose, process, &come);
}

void service_enter_signal(Unit *unit, ServiceState state, ServiceResult result) {
        Service *service = service_of(unit);

        service_note_result(unit, result);
        take_back(unit, UNIT_PURPOSE_MAIN, &service->main);
        take_back(unit, UNIT_PURPOSE_CONTROL, &service->control);

        if (service_signal_all(unit, state) <= 0) {
                enter_after_signal(unit, state, SERVICE_RESULT_SUCCESS);
                return;
        }
        service_set_state(unit, state);
        if (service_set_limit(unit, service_stop_limit(unit, state)) < 0)
                enter_after_signal(unit, state, SERVICE_RESULT_RESOURCES);
        else if (service->main.pid == 0 && service->control.pid == 0)
                service_poll(unit, 10 * USEC_PER_MSEC);
}

/* A stale PID file would mislead other programs. */
static void remove_pid_file(const Unit *unit) {
        const char *path = service_settings(unit)->pid_file;

        if (path && path[0] == '/')
                unlink(path);
}

static void leave_directories(Unit *unit) {
        const ExecTerms *terms = exec_settings_rare(&service_settings(unit)->exec)->terms;

        if (!terms)
                return;
        exec_directory_leave(terms, unit->id, service_of(unit)->will_restart);
        exec_owner_left(unit, terms, service_of(unit)->uid, service_of(unit)->gid);
}

void service_give_up_restart(Unit *unit) {
        service_release_fds(unit, false);
        leave_directories(unit);
        service_set_state(unit, SERVICE_STATE_DEAD);
}

void service_enter_dead(Unit *unit, ServiceResult result, bool may_restart) {
        Service *service = service_of(unit);
        ServiceState old = service->state;
        bool is_fine;

        service_note_result(unit, result);
        exec_sandbox_release(unit);
        is_fine = service->result == SERVICE_RESULT_SUCCESS || service->result == SERVICE_RESULT_EXEC_CONDITION;
        service->will_restart = may_restart && service_shall_restart(unit) && service_set_restart_timer(unit) == 0;
        service_release_fds(unit, service->will_restart);

        leave_directories(unit);
        if (!service->will_restart || service_rare(unit)->restart_mode != SERVICE_RESTART_DIRECT) {
                service_set_state(unit, is_fine ? SERVICE_STATE_DEAD : SERVICE_STATE_FAILED);
                service_request_final_action(unit, old);
        }
        if (service->will_restart) {
                service->will_restart = false;
                service_set_state(unit, SERVICE_STATE_AUTO_RESTART);
        }
        service->forbid_restart = false;
        remove_pid_file(unit);
}

void service_reset(Service *service) {
        service->result = service->reload_result = SERVICE_RESULT_SUCCESS;
        service->main = service->control = (UnitProcess) {};
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

UnitAnswer service_begin(Unit *unit) {
        Service *service = service_of(unit);
        bool is_restart = service->state == SERVICE_STATE_AUTO_RESTART;

        if (!service_is_within_start_limit(unit)) {
                /* A failure of the last run stays the result: it says what is wrong with the service. */
                service_enter_dead(unit, SERVICE_RESULT_START_LIMIT_HIT, false);
                return UNIT_OPERATION_FAILED;
        }
        service_reset(service);
        /* Remains of a manager that was killed with all its services belong to an earlier run. */
        exec_directory_drop_secrets(exec_settings_rare(&service_settings(unit)->exec)->terms, unit->id);
        service->n_restarts = is_restart ? service->n_restarts + 1 : 0;
        if (random_bytes(unit->invocation_id, sizeof(unit->invocation_id)) < 0)
                unit_say(unit, LOG_LEVEL_WARNING, "No random numbers yet, so this start has no invocation id.");
        enter_condition(unit);
        return UNIT_UNDER_WAY;
}

void service_take_probe(Unit *unit, ServiceProbeOutcome outcome) {
        if (outcome == SERVICE_PROBE_READY)
                service_enter_start_post(unit);
        else if (outcome == SERVICE_PROBE_DEAD)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_LIVENESS);
}
