/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service shown to users
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_process.h"
#include "types/service_kill.h"
#include "types/service_show.h"
#include "types/service_state.h"

static int describe_process(const Unit *unit, const UnitProcess *process, char **ret_activity, usec_t *ret_since) {
        ServiceExec kind = (ServiceExec) process->kind;
        const ExecCommand *command = process->has_command ? service_command(unit, kind, process->index) : NULL;

        *ret_since = process->since;
        return unit_process_describe(command ? service_exec_to_string(kind) : "main process", command, process->pid,
                                     ret_activity);
}

/* Returns true if the start waits for something other than processes. */
static bool is_waiting_to_start(const Unit *unit) {
        return service_of(unit)->state == SERVICE_STATE_START &&
               (service_is_idle(unit) || service_is_probing(unit, SERVICE_PROBE_READINESS) || service_lacks_name(unit));
}

static int describe_wait(const Unit *unit, char **ret_activity) {
        const char *message = service_probe_message(unit);
        Text text = {};

        if (service_is_idle(unit))
                text_add(&text, "waiting until no other job runs");
        else if (service_is_probing(unit, SERVICE_PROBE_READINESS)) {
                text_add(&text, "waiting for its readiness probe (");
                service_describe_probe(unit, SERVICE_PROBE_READINESS, &text);
                text_addf(&text, ")%s%s", message ? ": " : "", message ? message : "");
        } else
                text_addf(&text, "waiting for the name %s on the message bus", service_rare(unit)->bus_name);
        return text_finish(&text, ret_activity);
}

static int describe_waiting(const Unit *unit, char **ret_activity) {
        const Service *service = service_of(unit);
        const ServiceSettings *settings = service_settings(unit);
        char span[USEC_FORMAT_MAX];
        const char *signal;

        switch (service->state) {
        case SERVICE_STATE_START:
        case SERVICE_STATE_START_POST:
                if (is_waiting_to_start(unit))
                        return describe_wait(unit, ret_activity);
                if (settings->pid_file)
                        return text_format(ret_activity, "waiting for the PID file %s", settings->pid_file);
                return -ENOENT;
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
        case SERVICE_STATE_STOP_SIGKILL:
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
        case SERVICE_STATE_FINAL_SIGKILL:
                signal = sigabbrev_np(service_stop_signal(unit, service->state));
                return text_format(ret_activity, "waiting for its processes to end after %s%s",
                                   signal ? "SIG" : "a signal", signal ? signal : "");
        case SERVICE_STATE_CLEANING:
                return text_format(ret_activity, "removing its directories");
        case SERVICE_STATE_AUTO_RESTART:
                return text_format(ret_activity, "next restart in %s",
                                   usec_format(usec_sub(service_extra(unit)->restart_at, unit_now(unit)), span));
        case SERVICE_STATE_RELOAD:
                if (service_extra(unit)->reload_begin > 0)
                        return text_format(ret_activity, "waiting for RELOADING=1 after the signal to reload");
                return text_format(ret_activity, "waiting for READY=1 after RELOADING=1");
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_RUNNING:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_STOP:
        case SERVICE_STATE_STOP_POST:
        case SERVICE_STATE_FAILED:
        case _SERVICE_STATE_MAX:
                return -ENOENT;
        }
        return -ENOENT;
}

static bool is_signalling(ServiceState state) {
        return state == SERVICE_STATE_STOP_WATCHDOG || state == SERVICE_STATE_STOP_SIGTERM ||
               state == SERVICE_STATE_STOP_SIGKILL || state == SERVICE_STATE_FINAL_SIGTERM ||
               state == SERVICE_STATE_FINAL_WATCHDOG ||
               state == SERVICE_STATE_FINAL_SIGKILL || state == SERVICE_STATE_CLEANING;
}

int service_activity(const Unit *unit, char **ret_activity, usec_t *ret_since) {
        const Service *service = service_of(unit);

        *ret_since = service->state_since;
        if (is_signalling(service->state) || is_waiting_to_start(unit))
                return describe_waiting(unit, ret_activity);
        if (unit_process_exists(&service->control))
                return describe_process(unit, &service->control, ret_activity, ret_since);
        if (service->state != SERVICE_STATE_RELOAD && unit_process_exists(&service->main))
                return describe_process(unit, &service->main, ret_activity, ret_since);
        return describe_waiting(unit, ret_activity);
}

static void save_process(const UnitProcess *process, Sink *sink, const char *name) {
        ExecProcess seen;

        sink_entry_open(sink, name, "(uttbbbsu)");
        sink_open(sink, 'r', "uttbbbsu");
        sink_u32(sink, (uint32_t) process->pid);
        /* The same pid may be another process later. */
        sink_u64(sink, process->pid > 0 && exec_process_read(process->pid, &seen) == 0 ? seen.start_time : 0);
        sink_u64(sink, process->since);
        sink_bool(sink, process->is_wanted);
        sink_bool(sink, process->has_command);
        sink_bool(sink, process->ignores_failure);
        sink_string(sink, service_exec_to_string((ServiceExec) process->kind));
        sink_u32(sink, process->index);
        sink_close(sink);
        sink_entry_close(sink);
}

static void save_exit_record(const ServiceExitRecord *record, Sink *sink) {
        sink_entry_open(sink, "exec-main", "(uttttii)");
        sink_open(sink, 'r', "uttttii");
        sink_u32(sink, (uint32_t) record->pid);
        sink_u64(sink, record->start.realtime);
        sink_u64(sink, record->start.monotonic);
        sink_u64(sink, record->exit.realtime);
        sink_u64(sink, record->exit.monotonic);
        sink_i32(sink, record->code);
        sink_i32(sink, record->status);
        sink_close(sink);
        sink_entry_close(sink);
}

int service_save(const Unit *unit, Sink *sink) {
        const Service *service = service_of(unit);

        sink_entry_string(sink, "state", service_state_to_string(service->state));
        sink_entry_string(sink, "result", service_result_to_string(service->result));
        sink_entry_string(sink, "reload-result", service_result_to_string(service->reload_result));
        save_process(&service->main, sink, "main");
        save_process(&service->control, sink, "control");
        save_exit_record(&service->exec_main, sink);
        sink_entry_bool(sink, "main-known", service->main_known);
        sink_entry_u64(sink, "state-since", service->state_since);
        sink_entry_bool(sink, "forbid-restart", service->forbid_restart);
        sink_entry_u32(sink, "restarts", service->n_restarts);
        sink_entry_bool(sink, "start-limit-hit", service->start_limit_hit);
        sink_entry_u64(sink, "limit-begin", service->limit_begin);
        sink_entry_u32(sink, "limit-count", service->limit_count);
        sink_entry_u64(sink, "state-deadline", service->state_deadline);
        sink_entry_u64(sink, "runtime-deadline", service->runtime_deadline);
        sink_entry_u64(sink, "watchdog-deadline", service->watchdog_deadline);
        sink_entry_u64(sink, "watchdog-override", service->watchdog_override);
        sink_entry_u32(sink, "notice", (uint32_t) service->notice);
        sink_entry_string(sink, "status-text", service->status_text);
        sink_entry_i32(sink, "status-errno", service->status_errno);
        sink_entry_string(sink, "failure", service->failure);
        sink_entry_string(sink, "reload-failure", service->reload_failure);
        sink_entry_u32(sink, "uid", (uint32_t) service->uid);
        sink_entry_u32(sink, "gid", (uint32_t) service->gid);
        return sink->error;
}
