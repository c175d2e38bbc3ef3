/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Readiness and liveness probes of a service
 *
 * A probe is a process, one at a time. A probe of a port is a process, too
 * (jobd-core under another name), because connecting and looking up a name may
 * take long. Readiness is probed in the state "start", after all other
 * conditions of readiness; liveness while the service runs. The interval
 * counts from begin to begin; one timer serves as the interval and as the time
 * limit of a probe.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/macro.h"
#include "types/service_probe.h"
#include "types/service_state.h"

static const ServiceProbe *probe_of(const Unit *unit, ServiceProbeKind kind) {
        return &service_rare(unit)->probes[kind];
}

static ServiceExec exec_of(ServiceProbeKind kind) {
        return kind == SERVICE_PROBE_READINESS ? SERVICE_EXEC_READINESS : SERVICE_EXEC_LIVENESS;
}

bool service_is_probing(const Unit *unit, ServiceProbeKind kind) {
        return service_extra(unit)->probing.kind == (int) kind;
}

void service_describe_probe(const Unit *unit, ServiceProbeKind kind, Text *text) {
        const ServiceProbe *probe = probe_of(unit, kind);

        if (probe->target)
                text_add(text, probe->target);
        else if (probe->command)
                text_addf(text, "%s: %s", service_exec_to_string(exec_of(kind)), probe->command->path);
}

const char *service_probe_message(const Unit *unit) {
        return service_extra(unit)->probing.message;
}

static ServiceProbing *probing_of(const Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;

        return extra ? &extra->probing : NULL;
}

static void set_timer(Unit *unit, usec_t deadline) {
        (void) unit_set_timer(unit, UNIT_PURPOSE_PROBE, deadline);
}

/* Kills the probe's process, whose exit is ignored. */
static void end_process(Unit *unit, ServiceProbing *probing) {
        UnitHost *host = unit_host(unit);

        if (probing->process.pid > 0)
                host->ops->kill(host, unit, probing->process.pid, SIGKILL, true);
        unit_process_forget(unit, UNIT_PURPOSE_PROBE, &probing->process);
}

static void stop(Unit *unit, ServiceProbing *probing) {
        end_process(unit, probing);
        probing->kind = -1;
        probing->count = 0;
        set_timer(unit, USEC_INFINITY);
}

void service_stop_probe(Unit *unit) {
        ServiceProbing *probing = probing_of(unit);

        if (probing && probing->kind >= 0)
                stop(unit, probing);
}

static void begin(Unit *unit, ServiceProbing *probing, ServiceProbeKind kind, usec_t delay) {
        probing->kind = (int) kind;
        probing->count = 0;
        free(take_ptr(probing->message));
        set_timer(unit, usec_add(unit_now(unit), delay));
}

bool service_awaits_probe(Unit *unit) {
        const ServiceProbe *probe = probe_of(unit, SERVICE_PROBE_READINESS);
        ServiceExtra *extra;

        if (!probe->command || service_extra(unit)->probing.is_ready || service_of(unit)->state > SERVICE_STATE_START)
                return false;
        if (service_is_probing(unit, SERVICE_PROBE_READINESS))
                return true;
        extra = service_own_extra(unit);
        if (!extra)
                return false;
        begin(unit, &extra->probing, SERVICE_PROBE_READINESS, probe->start_period);
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
                begin(unit, &extra->probing, SERVICE_PROBE_LIVENESS,
                      usec_add(probe->start_period, service_probe_interval(probe, SERVICE_PROBE_LIVENESS)));
}

static ServiceProbeOutcome give_up(Unit *unit, const ServiceProbing *probing) {
        Text text = {};

        service_describe_probe(unit, SERVICE_PROBE_LIVENESS, &text);
        service_note_failure(unit, "liveness probe has failed %u times in a row (%s): %s", probing->count,
                             text.string ? text.string : "", probing->message ? probing->message : "");
        text_deinit(&text);
        return SERVICE_PROBE_DEAD;
}

static ServiceProbeOutcome become_ready(Unit *unit, ServiceProbing *probing) {
        probing->is_ready = true;
        stop(unit, probing);
        return SERVICE_PROBE_READY;
}

/* After a reload of unit files: returns true if there is no such probe any more. */
static bool is_dropped(const Unit *unit, const ServiceProbing *probing) {
        return !probe_of(unit, (ServiceProbeKind) probing->kind)->command;
}

static ServiceProbeOutcome drop(Unit *unit, ServiceProbing *probing) {
        if (probing->kind == SERVICE_PROBE_READINESS)
                return become_ready(unit, probing);
        stop(unit, probing);
        return SERVICE_PROBE_NOTHING;
}

/* @message: the reason of the failure; NULL: success. */
static ServiceProbeOutcome judge(Unit *unit, ServiceProbing *probing, const char *message) {
        ServiceProbeKind kind = (ServiceProbeKind) probing->kind;
        const ServiceProbe *probe = probe_of(unit, kind);
        bool is_liveness = kind == SERVICE_PROBE_LIVENESS, counts = is_liveness == !!message;

        if (is_dropped(unit, probing))
                return drop(unit, probing);
        free(probing->message);
        probing->message = message ? strdup(message) : NULL;
        if (message)
                unit_say(unit, is_liveness ? LOG_LEVEL_WARNING : LOG_LEVEL_DEBUG, "%s probe: %s",
                         is_liveness ? "Liveness" : "Readiness", message);
        probing->count = counts ? probing->count + 1 : 0;
        if (probing->count >= service_probe_threshold(probe, kind))
                return is_liveness ? give_up(unit, probing) : become_ready(unit, probing);
        set_timer(unit, MAX(usec_add(probing->begun, service_probe_interval(probe, kind)), unit_now(unit)));
        return SERVICE_PROBE_NOTHING;
}

static ServiceProbeOutcome run(Unit *unit, ServiceProbing *probing) {
        ServiceProbeKind kind = (ServiceProbeKind) probing->kind;
        int r;

        probing->begun = unit_now(unit);
        set_timer(unit, usec_add(probing->begun, service_probe_timeout(probe_of(unit, kind))));
        r = unit_process_ask(unit, UNIT_PURPOSE_PROBE, &probing->process,
                             (UnitProcess) { .has_command = true, .kind = (int) exec_of(kind) });
        return r < 0 ? judge(unit, probing, strerror(-r)) : SERVICE_PROBE_NOTHING;
}

ServiceProbeOutcome service_probe_elapsed(Unit *unit) {
        ServiceProbing *probing = probing_of(unit);
        char span[USEC_FORMAT_MAX], message[80];

        if (!probing || probing->kind < 0)
                return SERVICE_PROBE_NOTHING;
        if (is_dropped(unit, probing))
                return drop(unit, probing);
        if (!unit_process_exists(&probing->process))
                return run(unit, probing);
        end_process(unit, probing);
        snprintf(message, sizeof(message), "no answer within %s",
                 usec_format(service_probe_timeout(probe_of(unit, (ServiceProbeKind) probing->kind)), span));
        return judge(unit, probing, message);
}

ServiceProbeOutcome service_probe_spawned(Unit *unit, UnitSpawn spawn, const ExecResult *result) {
        ServiceProbing *probing = probing_of(unit);

        if (spawn != UNIT_SPAWN_FAILED)
                return SERVICE_PROBE_NOTHING;
        probing->process = (UnitProcess) {};
        return judge(unit, probing, result->message);
}

/* The exit status of jobd-probe in words. */
static void describe_answer(const UnitExit *exit, char *buffer, size_t size) {
        if (exit->status > SERVICE_PROBE_HTTP_STATUS && exit->status < SERVICE_PROBE_NO_ADDRESS)
                snprintf(buffer, size, "answered with an HTTP status of %ixx",
                         exit->status - SERVICE_PROBE_HTTP_STATUS);
        else if (exit->status == SERVICE_PROBE_NO_ADDRESS)
                snprintf(buffer, size, "its host's name has no address");
        else if (exit->status == SERVICE_PROBE_NO_HTTP)
                snprintf(buffer, size, "the answer is no HTTP");
        else
                snprintf(buffer, size, "%s", strerror(exit->status));
}

ServiceProbeOutcome service_probe_ended(Unit *unit, const UnitExit *exit) {
        ServiceProbing *probing = probing_of(unit);
        char how[128];

        probing->process = (UnitProcess) {};
        if (probing->kind < 0)
                return SERVICE_PROBE_NOTHING;
        if (exit->code == CLD_EXITED && probe_of(unit, (ServiceProbeKind) probing->kind)->target)
                describe_answer(exit, how, sizeof(how));
        else
                unit_process_describe_exit(exit, how, sizeof(how));
        return judge(unit, probing, exit->code == CLD_EXITED && exit->status == 0 ? NULL : how);
}
