/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of a service's processes: started, ended, or killed for lack of memory
 *
 * The two switches below, one for the main process and one for the control process, say what follows from its end in
 * each state; they are systemd's. Each of them waits for the other process before it moves on.
 *
 * A command that could not be executed counts as one that exited with the status that systemd documents for the failed
 * step, so "-" in front of it forgives that, too. If there was no process at all, the result is "resources".
 */

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "basic/macro.h"
#include "types/service_clean.h"
#include "types/service_event.h"
#include "types/service_limit.h"
#include "types/service_message.h"
#include "types/service_pid.h"
#include "types/service_result.h"
#include "types/service_spawn.h"
#include "types/service_step.h"
#include "unitfile/resource_settings.h"

static void tell_exit(Unit *unit, const UnitProcess *process, const UnitExit *exit, ServiceResult result) {
        bool is_main = process == &service_of(unit)->main;
        const char *what = is_main ? "main process" : service_exec_to_string(process->kind);
        char how[128];

        unit_process_describe_exit(exit, how, sizeof(how));
        if (result == SERVICE_RESULT_SUCCESS || result == SERVICE_RESULT_EXEC_CONDITION)
                unit_say(unit, LOG_LEVEL_DEBUG, "%s %s", what, how);
        else if (is_main)
                service_note_failure(unit, "%s %s", what, how);
        else
                service_note_command_failure(unit, process->kind, "%s %s", what, how);
}

static bool is_forgiven(const Unit *unit, const UnitProcess *main) {
        const ExecCommand *starter = service_command(unit, SERVICE_EXEC_START, 0);

        if (main->has_command)
                return main->ignores_failure;
        return starter && starter->flags & EXEC_IGNORE_FAILURE;
}

/* Returns true if the service becomes active only after a message, a newline, or a probe. */
static bool awaits_word(const Unit *unit) {
        return service_is_notify(unit) || service_is_probing(unit, SERVICE_PROBE_READINESS);
}

static const char *what_was_awaited(const Unit *unit) {
        if (service_is_probing(unit, SERVICE_PROBE_READINESS))
                return "before its readiness probe succeeded";
        return service_rare(unit)->notify_fd > 0 ? "without a newline on its descriptor for that, and without READY=1"
                                                 : "without READY=1";
}

static void main_ended_in_start(Unit *unit, ServiceResult result) {
        ServiceType type = service_settings(unit)->type;

        if (type == SERVICE_ONESHOT && result == SERVICE_RESULT_SUCCESS)
                service_enter_start_post(unit);
        else if (type == SERVICE_ONESHOT)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, result);
        else if (awaits_word(unit) && result != SERVICE_RESULT_SUCCESS)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, result);
        else if (awaits_word(unit)) {
                if (service_settings(unit)->remain_after_exit && service_notify_access(unit) != SERVICE_NOTIFY_MAIN)
                        return;
                service_note_failure(unit, "main process ended %s", what_was_awaited(unit));
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_PROTOCOL);
        } else
                service_enter_running(unit, result);
}

static void main_ended_in_state(Unit *unit, ServiceResult result) {
        bool has_control = unit_process_exists(&service_of(unit)->control);

        switch (service_of(unit)->state) {
        case SERVICE_STATE_START:
                main_ended_in_start(unit, result);
                break;
        case SERVICE_STATE_RUNNING:
                service_enter_running(unit, result);
                break;
        case SERVICE_STATE_START_POST:
        case SERVICE_STATE_RELOAD:
                if (!has_control)
                        service_enter_stop(unit, result);
                break;
        case SERVICE_STATE_STOP:
                if (!has_control)
                        service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, result);
                break;
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
        case SERVICE_STATE_STOP_SIGKILL:
                if (!has_control)
                        service_enter_stop_post(unit, result);
                break;
        case SERVICE_STATE_STOP_POST:
                if (!has_control)
                        service_enter_signal(unit, SERVICE_STATE_FINAL_SIGTERM, result);
                break;
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
        case SERVICE_STATE_FINAL_SIGKILL:
                if (!has_control)
                        service_enter_dead(unit, result, true);
                break;
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_FAILED:
        case SERVICE_STATE_AUTO_RESTART:
        case SERVICE_STATE_CLEANING:
        case _SERVICE_STATE_MAX:
                break;
        }
}

static void run_next_main(Unit *unit, const UnitProcess *ended) {
        if (service_run(unit, UNIT_PURPOSE_MAIN, ended->kind, ended->index + 1) < 0)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_RESOURCES);
        else
                service_republish(unit);
}

static void main_ended(Unit *unit, const UnitExit *exit) {
        Service *service = service_of(unit);
        const UnitProcess ended = service->main;
        bool is_oneshot = service_settings(unit)->type == SERVICE_ONESHOT;
        ServiceResult result = service_result_of_exit(unit, exit);

        /* A daemon may hand over to another process, and name it in the PID file before its own end. */
        if (service_load_pid_file(unit, false) > 0) {
                service_republish(unit);
                return;
        }

        service->main_known = true;
        service->exec_main.pid = exit->pid;
        service->exec_main.code = exit->code;
        service->exec_main.status = exit->status;
        service->exec_main.exit = (UnitTimestamp) {
                .realtime = unit_timestamp(unit).realtime,
                .monotonic = exit->time,
        };
        unit_process_ended(unit, service_process_command(unit, &ended), exit);
        if (is_forgiven(unit, &ended))
                result = SERVICE_RESULT_SUCCESS;
        tell_exit(unit, &service->main, exit, result);
        service->main = (UnitProcess) {};
        service_note_result(unit, result);

        if (is_oneshot && result == SERVICE_RESULT_SUCCESS && service->state == SERVICE_STATE_START &&
            ended.has_command && service_command(unit, ended.kind, ended.index + 1))
                run_next_main(unit, &ended);
        else
                main_ended_in_state(unit, result);
}

/* The first process of a forking daemon has ended: looks for the daemon. */
static void starter_ended(Unit *unit, ServiceResult result) {
        bool has_post = service_has_command(unit, SERVICE_EXEC_START_POST);

        if (service_settings(unit)->type != SERVICE_FORKING)
                return;
        if (result != SERVICE_RESULT_SUCCESS) {
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, result);
                return;
        }
        if (!service_settings(unit)->pid_file)
                service_guess_main_pid(unit);
        else if (service_load_pid_file(unit, !has_post) < 0 && !has_post) {
                service_poll(unit, 10 * USEC_PER_MSEC);
                service_republish(unit);
                return;
        }
        service_enter_start_post(unit);
}

static void start_post_ended(Unit *unit, ServiceResult result) {
        if (result != SERVICE_RESULT_SUCCESS)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, result);
        else if (service_settings(unit)->pid_file && service_load_pid_file(unit, true) < 0) {
                service_poll(unit, 10 * USEC_PER_MSEC);
                service_republish(unit);
        } else {
                if (!service_settings(unit)->pid_file && service_settings(unit)->type == SERVICE_FORKING)
                        service_guess_main_pid(unit);
                service_enter_running(unit, SERVICE_RESULT_SUCCESS);
        }
}

static void reload_ended(Unit *unit, ServiceResult result) {
        bool is_fine = result == SERVICE_RESULT_SUCCESS;

        if (is_fine)
                service_load_pid_file(unit, true);
        service_of(unit)->reload_result = result;
        if (is_fine && service_awaits_reload(unit))
                service_republish(unit);
        else
                service_enter_running(unit, SERVICE_RESULT_SUCCESS);
}

static void control_ended_in_state(Unit *unit, ServiceResult result) {
        const Service *service = service_of(unit);
        bool is_fine = result == SERVICE_RESULT_SUCCESS;
        bool has_main = service->main.pid > 0;

        switch (service->state) {
        case SERVICE_STATE_CONDITION:
                if (is_fine)
                        service_enter_start_pre(unit);
                else
                        service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, result);
                break;
        case SERVICE_STATE_START_PRE:
                if (is_fine)
                        service_enter_start(unit);
                else
                        service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, result);
                break;
        case SERVICE_STATE_START:
                starter_ended(unit, result);
                break;
        case SERVICE_STATE_START_POST:
                start_post_ended(unit, result);
                break;
        case SERVICE_STATE_RELOAD:
                reload_ended(unit, result);
                break;
        case SERVICE_STATE_STOP:
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, result);
                break;
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
        case SERVICE_STATE_STOP_SIGKILL:
                if (!has_main)
                        service_enter_stop_post(unit, result);
                break;
        case SERVICE_STATE_STOP_POST:
                if (!has_main)
                        service_enter_signal(unit, SERVICE_STATE_FINAL_SIGTERM, result);
                break;
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
        case SERVICE_STATE_FINAL_SIGKILL:
                if (!has_main)
                        service_enter_dead(unit, result, true);
                break;
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_RUNNING:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_FAILED:
        case SERVICE_STATE_AUTO_RESTART:
        case SERVICE_STATE_CLEANING:
        case _SERVICE_STATE_MAX:
                break;
        }
}

static void control_failed_to_run(Unit *unit) {
        Service *service = service_of(unit);

        switch (service->state) {
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_START:
        case SERVICE_STATE_START_POST:
        case SERVICE_STATE_STOP:
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_RESOURCES);
                break;
        case SERVICE_STATE_RELOAD:
                service->reload_result = SERVICE_RESULT_RESOURCES;
                service_enter_running(unit, SERVICE_RESULT_SUCCESS);
                break;
        case SERVICE_STATE_STOP_POST:
                service_enter_signal(unit, SERVICE_STATE_FINAL_SIGTERM, SERVICE_RESULT_RESOURCES);
                break;
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_RUNNING:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
        case SERVICE_STATE_STOP_SIGKILL:
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
        case SERVICE_STATE_FINAL_SIGKILL:
        case SERVICE_STATE_FAILED:
        case SERVICE_STATE_AUTO_RESTART:
        case SERVICE_STATE_CLEANING:
        case _SERVICE_STATE_MAX:
                break;
        }
}

static void process_lost(Unit *unit, UnitPurpose purpose) {
        if (purpose == UNIT_PURPOSE_MAIN)
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_RESOURCES);
        else
                control_failed_to_run(unit);
}

/* ExecCondition= skips the start by exit statuses 1 to 254; 255 and signals are failures. */
static ServiceResult judge_condition(Unit *unit, const UnitExit *exit, ServiceResult result) {
        if (result == SERVICE_RESULT_EXIT_CODE && exit->status < 255) {
                unit->condition_result = -1;
                return SERVICE_RESULT_EXEC_CONDITION;
        }
        if (result == SERVICE_RESULT_SUCCESS)
                unit->condition_result = 1;
        return result;
}

static bool runs_on(ServiceState state) {
        return state == SERVICE_STATE_CONDITION || state == SERVICE_STATE_START_PRE || state == SERVICE_STATE_START ||
               state == SERVICE_STATE_START_POST || state == SERVICE_STATE_RELOAD || state == SERVICE_STATE_STOP ||
               state == SERVICE_STATE_STOP_POST;
}

static void control_ended(Unit *unit, const UnitExit *exit) {
        Service *service = service_of(unit);
        const UnitProcess ended = service->control;
        ServiceResult result = service_result_of_exit(unit, exit);

        unit_process_ended(unit, service_process_command(unit, &ended), exit);
        if (ended.ignores_failure)
                result = SERVICE_RESULT_SUCCESS;
        if (ended.kind == SERVICE_EXEC_CONDITION)
                result = judge_condition(unit, exit, result);

        tell_exit(unit, &service->control, exit, result);
        service->control = (UnitProcess) {};
        if (service->state != SERVICE_STATE_RELOAD)
                service_note_result(unit, result);

        if (result == SERVICE_RESULT_SUCCESS && runs_on(service->state) &&
            service_command(unit, ended.kind, ended.index + 1)) {
                if (service_run(unit, UNIT_PURPOSE_CONTROL, ended.kind, ended.index + 1) < 0)
                        control_failed_to_run(unit);
                else
                        service_republish(unit);
                return;
        }
        control_ended_in_state(unit, result);
}

void service_child_exited(Unit *unit, const UnitExit *exit) {
        const Service *service = service_of(unit);

        if (exit->pid <= 0)
                return;
        if (service->state == SERVICE_STATE_CLEANING && exit->pid == service->control.pid)
                service_clean_ended(unit, exit);
        else if (exit->pid == service->main.pid)
                main_ended(unit, exit);
        else if (exit->pid == service->control.pid)
                control_ended(unit, exit);
        else if (exit->pid == service_extra(unit)->probing.process.pid)
                service_take_probe(unit, service_probe_ended(unit, exit));
}

static void spawn_failed(Unit *unit, UnitPurpose purpose, UnitProcess *process, const ExecResult *result) {
        const char *name = service_exec_to_string((ServiceExec) process->kind);
        UnitExit exit;

        if (process->ignores_failure)
                unit_say(unit, LOG_LEVEL_NOTICE, "%s: %s (ignored)", name, result->message);
        else
                service_note_command_failure(unit, process->kind, "%s: %s", name, result->message);
        if (!unit_process_failed_exit(unit, result, &exit)) {
                *process = (UnitProcess) {};
                process_lost(unit, purpose);
                return;
        }
        service_record_start(unit, purpose, process, result->pid);
        if (purpose == UNIT_PURPOSE_MAIN)
                main_ended(unit, &exit);
        else
                control_ended(unit, &exit);
}

static void process_runs(Unit *unit, UnitPurpose purpose, UnitProcess *process, const ExecResult *result) {
        Service *service = service_of(unit);
        ServiceType type = service_settings(unit)->type;

        service_note_process(unit, purpose, process, result);
        /* The host reports the spawn after execve(), so Type=simple and Type=exec do not differ. */
        if (purpose == UNIT_PURPOSE_MAIN && service->state == SERVICE_STATE_START &&
            (type == SERVICE_SIMPLE || type == SERVICE_EXEC || type == SERVICE_IDLE))
                service_enter_start_post(unit);
        else
                service_republish(unit);
}

void service_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        UnitProcess *process = service_process(unit, purpose);
        UnitSpawn spawn = unit_process_spawned(unit, process, pid);

        if (spawn == UNIT_SPAWN_STALE)
                return;
        if (purpose == UNIT_PURPOSE_PROBE)
                service_take_probe(unit, service_probe_spawned(unit, spawn, result));
        else if (service_of(unit)->state == SERVICE_STATE_CLEANING)
                service_clean_spawned(unit, spawn, result);
        else if (spawn == UNIT_SPAWN_FAILED)
                spawn_failed(unit, purpose, process, result);
        else
                process_runs(unit, purpose, process, result);
}

void service_group_out_of_memory(Unit *unit) {
        const Service *service = service_of(unit);

        if (resource_settings_oom_policy(service_settings(unit)->resources) == RESOURCE_OOM_CONTINUE) {
                unit_say(unit, LOG_LEVEL_WARNING,
                         "The kernel has killed a process of it for lack of memory; it goes on.");
                return;
        }
        switch (service->state) {
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_START:
        case SERVICE_STATE_START_POST:
        case SERVICE_STATE_STOP:
                service_note_failure(unit, "a process was killed for lack of memory");
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_OOM_KILL);
                break;
        case SERVICE_STATE_RUNNING:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_RELOAD:
                service_note_failure(unit, "a process was killed for lack of memory");
                service_enter_stop(unit, SERVICE_RESULT_OOM_KILL);
                break;
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
        case SERVICE_STATE_STOP_SIGKILL:
        case SERVICE_STATE_STOP_POST:
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
        case SERVICE_STATE_FINAL_SIGKILL:
                service_note_result(unit, SERVICE_RESULT_OOM_KILL);
                break;
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_FAILED:
        case SERVICE_STATE_AUTO_RESTART:
        case SERVICE_STATE_CLEANING:
        case _SERVICE_STATE_MAX:
                break;
        }
}
