/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Calls that are made again: over a new connection, or with a password
 *
 * jobd-core may die and come back while its socket stays. A client that loses
 * the connection connects again and repeats its call if two calls have the
 * same effect as one: calls that only read, calls whose effect is a state,
 * and Exec and StartTransientUnit, whose token tells a repetition from
 * another request. Other calls (sending a signal, for example) are not
 * repeated, as they may have been carried out.
 *
 * A call that makes jobd die must not kill it for ever: repetitions are
 * limited.
 *
 * A call that polkit may allow is made without a password first, and nothing
 * has happened when it is refused. So an agent is started only where there is
 * something to ask.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "jobctl/agent.h"
#include "jobctl/jobctl.h"

#define CONNECT_FOR (10 * USEC_PER_SEC)         /* without a listener */
#define ANSWER_FOR (90 * USEC_PER_SEC)          /* with a listener that does not answer */
#define ANSWER_TIMEOUT_MSEC 5000                /* the longest delay of Ctrl-C */
#define PAUSE_MIN (5 * USEC_PER_MSEC)
#define PAUSE_MAX (100 * USEC_PER_MSEC)
#define PASSWORD_TIMEOUT_MSEC 330000           /* jobd gives a person 5 minutes */
#define SILENT_FOR USEC_PER_SEC                 /* before a person at a terminal is informed */

static const struct Repeatable {
        const char *method;
        unsigned times;
} repeatables[] = {
        { "Exec", 10 },
        { "StartTransientUnit", 10 },
        { "CancelJob", 1 },
        { "ClearJobs", 1 },
        { "CompleteNode", 1 }, /* the same completion again changes nothing */
        { "Detach", 1 },
        { "Errors", 1 },
        { "Explain", 1 },
        { "ExplainRun", 1 },
        { "Get", 1 },
        { "GetAll", 1 },
        { "GetDefaultTarget", 1 },
        { "GetUnitByPID", 1 },
        { "GetUnitFileLinks", 1 },
        { "GetUnitFileState", 1 },
        { "GetUnitProcesses", 1 },
        { "ListUnitFilesByPatterns", 1 },
        { "ListUnitsByPatterns", 1 },
        { "ListAlarms", 1 },
        { "ListElements", 1 },
        { "ListGroups", 1 },
        { "ListLocks", 1 },
        { "ListRuns", 1 },
        { "Nodes", 1 },
        { "Plan", 1 },
        { "PlanRun", 1 },
        { "Query", 1 },
        { "RefUnit", 1 },
        { "Reload", 1 },
        { "ReloadUnits", 1 },
        { "ResetFailed", 1 },
        { "ResetFailedUnit", 1 },
        { "Set", 1 },
        { "SetEnvironment", 1 },
        { "SetUnitProperties", 1 },
        { "Stats", 1 },
        { "UnsetEnvironment", 1 },
};

static unsigned times_to_repeat(const char *method) {
        for (size_t i = 0; i < ELEMENTSOF(repeatables); i++)
                if (strcmp(repeatables[i].method, method) == 0)
                        return repeatables[i].times;
        return 0;
}

static void keep_units(Jobctl *ctl) {
        json_t *unit;
        size_t i;

        json_array_foreach(ctl->kept_units, i, unit) {
                cleanup_(bus_error_deinit) BusError error = {};

                (void) bus_call(ctl->bus, &(BusCall) { .method = "RefUnit", .signature = "s",
                                                       .args = json_pack("[O]", unit) }, NULL, &error);
        }
}

static int try_connect(Jobctl *ctl, BusError *ret_error) {
        int r;

        r = bus_open(&ctl->bus, &ctl->address, ret_error);
        if (r == 0)
                r = bus_ping(ctl->bus, ANSWER_TIMEOUT_MSEC, ret_error);
        if (r == 0 && ctl->is_subscribed)
                r = bus_subscribe(ctl->bus, ret_error);
        if (r < 0) {
                ctl->bus = bus_close(ctl->bus);
                return r;
        }
        keep_units(ctl);
        return 0;
}

static int fail(Jobctl *ctl, BusError *error) {
        cleanup_free_ char *reason = error->message;

        terminal_progress_clear(&ctl->terminal);
        error->message = NULL;
        bus_error_set(error, "org.freedesktop.DBus.Error.NoServer", "The connection to jobd was lost: %s",
                      reason ?: "Out of memory.");
        return -ENOTCONN;
}

static int found(Jobctl *ctl, BusError *error) {
        ctl->n_connections++;
        bus_error_deinit(error);
        terminal_progress_clear(&ctl->terminal);
        if (ctl->options.verbose)
                terminal_say(stderr, "The connection to jobd was lost and is restored.");
        return 0;
}

int jobctl_reconnect(Jobctl *ctl, BusError *ret_error) {
        usec_t since = clock_monotonic(), pause = PAUSE_MIN;

        ctl->bus = bus_close(ctl->bus);
        for (;;) {
                int r = try_connect(ctl, ret_error);
                usec_t passed = usec_sub(clock_monotonic(), since);

                if (r == 0)
                        return found(ctl, ret_error);
                if (bus_was_interrupted() || bus_pause(pause) == -EINTR)
                        return -EINTR;
                if (r == -ENOMEM || passed >= (r == -ETIMEDOUT ? ANSWER_FOR : CONNECT_FOR))
                        return fail(ctl, ret_error);
                if (passed >= SILENT_FOR && ctl->terminal.is_err_terminal && !ctl->options.quiet)
                        terminal_progress(&ctl->terminal, "The connection to jobd was lost; connecting again …");
                pause = MIN(2 * pause, PAUSE_MAX);
        }
}

static int not_repeated(const BusCall *call, BusError *error) {
        bus_error_set(error, "org.freedesktop.DBus.Error.Disconnected",
                      "jobd has closed the connection without an answer to %s: it may have been done or not.",
                      call->method);
        return -ENOTCONN;
}

static int not_there(BusError *error) {
        bus_error_set(error, "org.freedesktop.DBus.Error.NoServer", "The connection to jobd was lost.");
        return -ENOTCONN;
}

/* As bus_call(), with a password if that is needed. */
static int call_with_password(Jobctl *ctl, const BusCall *call, json_t **ret_reply, BusError *ret_error) {
        BusCall next = *call;
        Agent agent;
        int r;

        next.args = json_incref(call->args);
        r = bus_call(ctl->bus, &next, ret_reply, ret_error);
        if (r != -EREMOTEIO || ctl->options.no_ask_password ||
            !bus_error_is(ret_error, "InteractiveAuthorizationRequired"))
                return r;

        bus_error_deinit(ret_error);
        terminal_progress_clear(&ctl->terminal);
        agent_begin(&agent);
        next.args = json_incref(call->args);
        next.may_ask = true;
        next.timeout_msec = PASSWORD_TIMEOUT_MSEC;
        r = bus_call(ctl->bus, &next, ret_reply, ret_error);
        agent_end(&agent);
        return r;
}

int jobctl_send(Jobctl *ctl, const BusCall *call, json_t **ret_reply, BusError *ret_error) {
        unsigned times = times_to_repeat(call->method);
        int r;

        for (unsigned i = 0;; i++) {
                if (!ctl->bus) {
                        r = not_there(ret_error);
                        break;
                }
                r = call_with_password(ctl, call, ret_reply, ret_error);
                if (r != -ENOTCONN)
                        break;
                if (i >= times) {
                        r = times > 0 ? r : not_repeated(call, ret_error);
                        break;
                }
                r = jobctl_reconnect(ctl, ret_error);
                if (r < 0)
                        break;
        }
        json_decref(call->args);
        return r;
}

int jobctl_subscribe(Jobctl *ctl, BusError *ret_error) {
        int r;

        ctl->is_subscribed = true;
        if (!ctl->bus)
                return not_there(ret_error);
        r = bus_subscribe(ctl->bus, ret_error);
        return r == -ENOTCONN ? jobctl_reconnect(ctl, ret_error) : r;
}

int jobctl_make_token(char token[static JOBCTL_TOKEN_SIZE]) {
        uint8_t bytes[(JOBCTL_TOKEN_SIZE - 1) / 2];

        if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t) sizeof(bytes))
                return -errno;
        text_write_hex(token, bytes, sizeof(bytes));
        return 0;
}
