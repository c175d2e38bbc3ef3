/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes: is it ready, is it alive?
 *
 * A probe is a process, one at a time. What asks a port is one, too: our own
 * program by another name, since a connection, and even more so a name that
 * has to be looked up, may take its time. Readiness is asked for in the state
 * "start", once everything else says that the service is up; liveness while it
 * runs. Each of them is begun so long after the one before it was; one timer
 * serves as this and as the limit of the one that runs.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/macro.h"
#include "types/service.h"
#include "types/unit_process.h"

static const ServiceProbe *probe_of(const Unit *unit, ServiceProbeKind kind) {
        return &service_rare(unit)->probes[kind];
}

static ServiceExec exec_of(ServiceProbeKind kind) {
        return kind == SERVICE_PROBE_READINESS ? SERVICE_EXEC_READINESS : SERVICE_EXEC_LIVENESS;
}

bool service_is_probing(const Unit *unit, ServiceProbeKind kind) {
        return service_extra(unit)->probing == (int) kind;
}

void service_describe_probe(const Unit *unit, ServiceProbeKind kind, Text *text) {
        const ServiceProbe *probe = probe_of(unit, kind);

        if (probe->target)
                text_add(text, probe->target);
        else if (probe->command)
                text_addf(text, "%s: %s", service_exec_to_string(exec_of(kind)), probe->command->path);
}

static void set_timer(Unit *unit, usec_t deadline) {
        UnitHost *host = service_host(unit);

        host->ops->set_timer(host, unit, UNIT_PURPOSE_PROBE, deadline);
}

static bool has_meaning(ServiceProbeKind kind, ServiceState state) {
        if (kind == SERVICE_PROBE_READINESS)
                return state == SERVICE_STATE_START;
        return state == SERVICE_STATE_RUNNING || state == SERVICE_STATE_RELOAD;
}

/* Nobody waits for its end. */
static void end_process(Unit *unit, ServiceExtra *extra) {
        UnitHost *host = service_host(unit);

        if (extra->probe.pid > 0) {
                host->ops->kill(host, unit, extra->probe.pid, SIGKILL, true);
                host->ops->unwatch_process(host, unit, UNIT_PURPOSE_PROBE, extra->probe.pid);
        }
        extra->probe = (ServiceProcess) {};
}

static void stop(Unit *unit) {
        ServiceExtra *extra = service_own_extra(unit);

        end_process(unit, extra);
        extra->probing = -1;
        extra->probe_count = 0;
        set_timer(unit, USEC_INFINITY);
}

void service_stop_probe(Unit *unit, ServiceState state) {
        int kind = service_extra(unit)->probing;

        if (kind >= 0 && !has_meaning((ServiceProbeKind) kind, state))
                stop(unit);
}

static void begin(Unit *unit, ServiceExtra *extra, ServiceProbeKind kind, usec_t delay) {
        extra->probing = (int) kind;
        extra->probe_count = 0;
        free(take_ptr(extra->probe_message));
        set_timer(unit, usec_add(service_now(unit), delay));
}

bool service_awaits_probe(Unit *unit) {
        const ServiceProbe *probe = probe_of(unit, SERVICE_PROBE_READINESS);
        ServiceExtra *extra;

        if (!probe->command || service_extra(unit)->is_ready || service_of(unit)->state > SERVICE_STATE_START)
                return false;
        if (service_is_probing(unit, SERVICE_PROBE_READINESS))
                return true;
        extra = service_own_extra(unit);
        if (!extra)
                return false;
        begin(unit, extra, SERVICE_PROBE_READINESS, probe->start_period);
        service_republish(unit);
        return true;
}

void service_begin_liveness(Unit *unit) {
        const ServiceProbe *probe = probe_of(unit, SERVICE_PROBE_LIVENESS);
        ServiceExtra *extra;

        if (!probe->command || service_is_probing(unit, SERVICE_PROBE_LIVENESS))
                return;
        extra = service_own_extra(unit);
        if (extra)
                begin(unit, extra, SERVICE_PROBE_LIVENESS,
                      usec_add(probe->start_period, service_probe_interval(probe, SERVICE_PROBE_LIVENESS)));
}

static void set_message(ServiceExtra *extra, const char *message) {
        free(extra->probe_message);
        extra->probe_message = message ? strdup(message) : NULL;
}

static void give_up(Unit *unit) {
        ServiceExtra *extra = service_own_extra(unit);
        Text what = {};

        service_describe_probe(unit, SERVICE_PROBE_LIVENESS, &what);
        service_note_failure(unit, "liveness probe has failed %u times in a row (%s): %s", extra->probe_count,
                             what.string ? what.string : "", extra->probe_message ? extra->probe_message : "");
        text_deinit(&what);
        service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_LIVENESS);
}

static void become_ready(Unit *unit, ServiceExtra *extra) {
        extra->is_ready = true;
        stop(unit);
        service_enter_start_post(unit);
}

/* Its files have been read again, and say nothing of it any more? Then that is that. */
static bool is_over(Unit *unit, ServiceExtra *extra) {
        ServiceProbeKind kind = (ServiceProbeKind) extra->probing;

        if (probe_of(unit, kind)->command)
                return false;
        if (kind == SERVICE_PROBE_READINESS)
                become_ready(unit, extra);
        else
                stop(unit);
        return true;
}

/* @message: why it failed; NULL: it has succeeded. */
static void judge(Unit *unit, const char *message) {
        ServiceExtra *extra = service_own_extra(unit);
        ServiceProbeKind kind = (ServiceProbeKind) extra->probing;
        const ServiceProbe *probe = probe_of(unit, kind);
        bool counts = (kind == SERVICE_PROBE_READINESS) == !message;

        if (is_over(unit, extra))
                return;
        set_message(extra, message);
        if (message)
                service_log(unit, kind == SERVICE_PROBE_LIVENESS ? 4 : 7, "%s probe: %s",
                            kind == SERVICE_PROBE_LIVENESS ? "Liveness" : "Readiness", message);
        extra->probe_count = counts ? extra->probe_count + 1 : 0;
        if (extra->probe_count < service_probe_threshold(probe, kind))
                set_timer(unit, MAX(usec_add(extra->probe_begun, service_probe_interval(probe, kind)), service_now(unit)));
        else if (kind == SERVICE_PROBE_READINESS)
                become_ready(unit, extra);
        else
                give_up(unit);
}

static void run(Unit *unit, ServiceExtra *extra) {
        UnitHost *host = service_host(unit);
        ServiceProbeKind kind = (ServiceProbeKind) extra->probing;
        int r;

        extra->probe = (ServiceProcess) {
                .is_wanted = true,
                .has_command = true,
                .kind = exec_of(kind),
                .since = service_now(unit),
        };
        extra->probe_begun = service_now(unit);
        set_timer(unit, usec_add(extra->probe_begun, service_probe_timeout(probe_of(unit, kind))));
        r = host->ops->spawn(host, unit, UNIT_PURPOSE_PROBE);
        if (r < 0) {
                extra->probe = (ServiceProcess) {};
                judge(unit, strerror(-r));
        }
}

void service_probe_elapsed(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;
        char span[USEC_FORMAT_MAX], message[80];

        if (!extra || extra->probing < 0 || is_over(unit, extra))
                return;
        if (extra->probe.pid == 0 && !extra->probe.is_wanted) {
                run(unit, extra);
                return;
        }
        end_process(unit, extra);
        snprintf(message, sizeof(message), "no answer within %s",
                 usec_format(service_probe_timeout(probe_of(unit, (ServiceProbeKind) extra->probing)), span));
        judge(unit, message);
}

void service_probe_spawned(Unit *unit, pid_t pid, const ExecResult *result) {
        ServiceExtra *extra = service_of(unit)->extra;
        UnitHost *host = service_host(unit);

        if (!extra || !extra->probe.is_wanted) {
                if (pid > 0)
                        host->ops->kill(host, unit, pid, SIGKILL, true);
                return;
        }
        extra->probe.is_wanted = false;
        extra->probe.pid = MAX(pid, 0);
        if (pid <= 0) {
                extra->probe = (ServiceProcess) {};
                judge(unit, result->message);
        }
}

/* What jobd-probe says by its exit status. */
static void describe_answer(const UnitExit *exit, char *buffer, size_t size) {
        if (exit->status > SERVICE_PROBE_HTTP_STATUS && exit->status < SERVICE_PROBE_NO_ADDRESS)
                snprintf(buffer, size, "answered with an HTTP status of %ixx", exit->status - SERVICE_PROBE_HTTP_STATUS);
        else if (exit->status == SERVICE_PROBE_NO_ADDRESS)
                snprintf(buffer, size, "its host's name has no address");
        else if (exit->status == SERVICE_PROBE_NO_HTTP)
                snprintf(buffer, size, "the answer is no HTTP");
        else
                snprintf(buffer, size, "%s", strerror(exit->status));
}

void service_probe_ended(Unit *unit, const UnitExit *exit) {
        ServiceExtra *extra = service_of(unit)->extra;
        bool is_ours = probe_of(unit, (ServiceProbeKind) MAX(extra->probing, 0))->target;
        char how[128];

        extra->probe = (ServiceProcess) {};
        if (extra->probing < 0)
                return;
        if (exit->code == CLD_EXITED && is_ours)
                describe_answer(exit, how, sizeof(how));
        else
                unit_process_describe_exit(exit, how, sizeof(how));
        judge(unit, exit->code == CLD_EXITED && exit->status == 0 ? NULL : how);
}
