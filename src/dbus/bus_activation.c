/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units that the message bus asks for
 *
 * The bus learns of a success by the name that the service takes. A failure it
 * must be told, with the name of the unit that it asked for: its clients would
 * wait for 25 s otherwise.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "dbus/bus_activation.h"
#include "dbus/object/bus_error.h"

#define ACTIVATOR "org.freedesktop.systemd1.Activator"
#define JOB_FAILED "org.freedesktop.DBus.Error.Spawn.Failed"

static void tell_failure(const BusActivations *activations, const char *unit, const char *error, const char *text) {
        DBusMessage *message = dbus_message_new_signal("/org/freedesktop/systemd1", ACTIVATOR, "ActivationFailure");
        bool is_ready = message && dbus_message_set_destination(message, DBUS_SERVICE_DBUS) &&
                        dbus_message_append_args(message, DBUS_TYPE_STRING, &unit, DBUS_TYPE_STRING, &error,
                                                 DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);

        if (!is_ready || bus_link_tell(activations->link, message) < 0)
                log_error("Out of memory while telling the message bus that %s does not start.", unit);
        if (message)
                dbus_message_unref(message);
}

static void refuse(const BusActivations *activations, const char *unit, const Failure *failure) {
        cleanup_free_ char *error = NULL;

        log_notice("%s, which the message bus asked for: %s", unit, failure_message(failure));
        if (bus_error_name(&bus_dialects[BUS_DIALECT_SYSTEMD], failure, &error) >= 0)
                tell_failure(activations, unit, error, failure_message(failure));
}

static int wait_for(BusActivations *activations, const char *unit, uint32_t job) {
        BusActivation waiting = { .job = job, .unit = strdup(unit) };
        int r = waiting.unit ? vector_push(&activations->waiting, waiting) : -ENOMEM;

        if (r < 0)
                free(waiting.unit);
        return r;
}

/* The id of the job, JOB_ID_NONE if nothing is left to do, or a negative errno with @ret_failure. */
static int start(const BusActivations *activations, const char *unit, uint32_t *ret_job, Failure *ret_failure) {
        static const JobRequester requester = { .reason = "the message bus asks for it" };
        const JobRequest request = { .unit = unit, .type = JOB_START, .is_manual = true };
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        int r;

        if (!unit_name_is_valid(unit) || unit_name_is_template(unit))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "'%.300s' is not the name of a unit.", unit);
        if (text_equal(manager_system_state(activations->manager), "stopping"))
                return failure_set(ret_failure, -ESHUTDOWN, "ShuttingDown", "The manager is ending.");
        r = manager_exec_briefly(activations->manager, &request, 1, JOB_REPLACE, &requester, &plan);
        if (r == JOB_MANAGER_E_REFUSED) {
                r = failure_copy(ret_failure, &plan->failure);
                return r < 0 ? r : plan->failure.code;
        }
        if (r >= 0)
                *ret_job = plan->jobs.items[plan->anchors.items[0]].id;
        return MIN(r, 0);
}

static void on_request(void *userdata, const char *unit) {
        BusActivations *activations = userdata;
        cleanup_(failure_deinit) Failure failure = {};
        uint32_t job = JOB_ID_NONE;
        int r = start(activations, unit, &job, &failure);

        if (r >= 0 && job != JOB_ID_NONE)
                r = wait_for(activations, unit, job);
        if (r < 0 && !failure.code)
                failure_set(&failure, r, NULL, "%s", strerror(-r));
        if (r < 0)
                refuse(activations, unit, &failure);
}

/* A start whose condition is not met is done as well, and nobody takes the name. */
static bool has_failed(const JobInfo *job) {
        if (job->result == JOB_DONE)
                return job->unit && job->unit->condition_result < 0;
        return job->result != JOB_MERGED;
}

static void tell_end(const BusActivations *activations, const char *unit, const JobEvent *event) {
        cleanup_free_ char *text = NULL;
        char buffer[JOB_EVENT_CAUSE_MAX];
        const char *cause = job_event_cause(event, buffer), *result = job_result_to_string(event->job.result);

        if (event->job.result == JOB_DONE)
                result = "skipped because of an unmet condition";
        if (text_format(&text, "%s: %s", unit, cause ?: result) >= 0)
                tell_failure(activations, unit, JOB_FAILED, text);
}

static void on_job_event(void *userdata, const JobEvent *event) {
        BusActivations *activations = userdata;

        for (size_t i = 0; event->kind == JOB_EVENT_FINISHED && i < activations->waiting.n; i++) {
                cleanup_free_ char *unit = NULL;

                if (activations->waiting.items[i].job != event->job.id)
                        continue;
                unit = activations->waiting.items[i].unit;
                activations->waiting.items[i--] = vector_last(&activations->waiting);
                activations->waiting.n--;
                if (has_failed(&event->job))
                        tell_end(activations, unit, event);
        }
}

int bus_activations_init(BusActivations *activations, Manager *manager, BusLink *link) {
        static const ManagerListenerOps ops = { .job_event = on_job_event };

        *activations = (BusActivations) { .manager = manager, .link = link };
        if (!link)
                return 0;
        bus_link_serve(link, on_request, activations);
        return manager_listen(manager, &ops, activations);
}

void bus_activations_deinit(BusActivations *activations) {
        if (!activations->link)
                return;
        manager_unlisten(activations->manager, activations);
        bus_link_serve(activations->link, NULL, NULL);
        while (activations->waiting.n > 0)
                free(vector_pop(&activations->waiting).unit);
        vector_deinit(&activations->waiting);
}
