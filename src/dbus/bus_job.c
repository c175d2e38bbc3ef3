/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of jobs
 *
 * A job's type is announced when it changes, although systemd calls it
 * constant: merging changes it, and whoever caches it would be wrong.
 */

#include "dbus/bus_call.h"
#include "dbus/bus_view.h"

static int method_cancel(BusCall *call) {
        return bus_call_cancel(call, call->object->job.id);
}

static int method_get_after(BusCall *call) {
        return bus_call_put_neighbours(call, call->object->job.id, false);
}

static int method_get_before(BusCall *call) {
        return bus_call_put_neighbours(call, call->object->job.id, true);
}

static const BusMethod methods[] = {
        { "Cancel", "", NULL, "", NULL, BUS_VERB_CANCEL, method_cancel, "As Manager.CancelJob." },
        { "GetAfter", "", NULL, "a(usssoo)", "jobs", BUS_VERB_READ, method_get_after,
          "The jobs that wait for this one." },
        { "GetBefore", "", NULL, "a(usssoo)", "jobs", BUS_VERB_READ, method_get_before,
          "The jobs that this one waits for." },
        {},
};

static void get_id(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u32(sink, view->object->job.id);
}

static void get_unit(const BusView *view, uint32_t parameter, Sink *sink) {
        const char *unit = view->object->job.unit->id;

        sink_open(sink, 'r', "so");
        sink_string(sink, unit);
        bus_view_put_unit_path(view, unit, sink);
        sink_close(sink);
}

static void get_type(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, job_type_to_string(view->object->job.type));
}

static void get_state(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, job_state_to_string(view->object->job.state));
}

static void get_activation_details(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_open(sink, 'a', "(ss)");
        sink_close(sink);
}

static void get_transaction(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u64(sink, view->object->job.transaction);
}

static const BusProperty properties[] = {
        { "Id", "u", BUS_PROPERTY_CONST, 0, get_id, "Its number, which no other job has." },
        { "Unit", "(so)", BUS_PROPERTY_CONST, 0, get_unit, "Name and path of its unit." },
        { "JobType", "s", BUS_PROPERTY_EMITS_CHANGE, 0, get_type,
          "\"start\", \"verify-active\", \"stop\", \"reload\", \"restart\" or \"nop\"." },
        { "State", "s", BUS_PROPERTY_EMITS_CHANGE, 0, get_state, "\"waiting\" or \"running\"." },
        { "ActivationDetails", "a(ss)", BUS_PROPERTY_CONST, 0, get_activation_details, "Empty." },
        { "Transaction", "t", BUS_PROPERTY_CONST, 0, get_transaction, "The transaction that brought it in." },
        {},
};

const BusInterface bus_job_interface = {
        .name = "Job",
        .description = "A change of a unit that is under way. The object is gone when the job has ended.",
        .methods = methods,
        .properties = properties,
};
