/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of jobs, and jobs as objects
 *
 * A change of a job's type is announced, although systemd declares the type
 * constant: merging changes it, and a cached value would be wrong.
 */

#include <errno.h>

#include "basic/text.h"
#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_call.h"
#include "dbus/object/bus_view.h"

static int method_cancel(BusCall *call) {
        return bus_call_cancel(call, call->object->job.id, bus_call_is_compatible(call));
}

static int method_get_after(BusCall *call) {
        return bus_call_put_neighbours(call, call->object->job.id, false);
}

static int method_get_before(BusCall *call) {
        return bus_call_put_neighbours(call, call->object->job.id, true);
}

static const BusMethod methods[] = {
        { "Cancel", "", NULL, "", NULL, BUS_VERB_CANCEL, method_cancel, "As Manager.CancelJob.",
          .word = "cancel" },
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
        { "Id", "u", BUS_PROPERTY_CONST, 0, get_id, "Its number, which is unique." },
        { "Unit", "(so)", BUS_PROPERTY_CONST, 0, get_unit, "Name and path of its unit." },
        { "JobType", "s", BUS_PROPERTY_EMITS_CHANGE, 0, get_type,
          "\"start\", \"verify-active\", \"stop\", \"reload\", \"restart\" or \"nop\"." },
        { "State", "s", BUS_PROPERTY_EMITS_CHANGE, 0, get_state, "\"waiting\" or \"running\"." },
        { "ActivationDetails", "a(ss)", BUS_PROPERTY_CONST, 0, get_activation_details, "Empty." },
        { "Transaction", "t", BUS_PROPERTY_CONST | BUS_PROPERTY_OWN, 0, get_transaction,
          "The transaction that has installed it." },
        {},
};

const BusInterface bus_job_interface = {
        .name = "Job",
        .description = "A change of a unit that is under way. The object is gone when the job has ended.",
        .methods = methods,
        .properties = properties,
};

static void set_job(BusObject *object, const JobInfo *job) {
        object->kind = &bus_job_kind;
        object->job = *job;
        object->id = job->id;
        object->unit = job->unit;
}

static int find(const BusTree *tree, const char *label, pid_t caller, BusObject *object, Failure *ret_failure) {
        JobInfo job;
        uint32_t id;

        if (label[0] == '0' || text_parse_u32(label, &id) < 0 || id == JOB_ID_NONE ||
            !job_manager_find(manager_jobs(tree->manager), id, &job))
                return failure_set(ret_failure, -ENOENT, "UnknownObject", "There is no job %s.", label);
        set_job(object, &job);
        return 0;
}

static int visit(const BusTree *tree, BusVisitor visitor, void *userdata) {
        JobInfos jobs = {};
        int r;

        r = job_manager_list(manager_jobs(tree->manager), &jobs);
        for (size_t i = 0; r >= 0 && i < jobs.n; i++) {
                BusObject object = {};

                set_job(&object, &jobs.items[i]);
                r = visitor(userdata, &object);
        }
        vector_deinit(&jobs);
        return r;
}

static const char *path(const BusObject *object, const BusDialect *dialect, char buffer[static BUS_PATH_SIZE]) {
        return bus_path_of_job(dialect, object->job.id, buffer);
}

static size_t interfaces(const BusObject *object, BusInterface *ret_interfaces) {
        ret_interfaces[0] = bus_job_interface;
        return 1;
}

static void write_notice(const BusView *view, const BusNotice *notice, Sink *sink) {
        sink_u32(sink, (uint32_t) notice->id);
        bus_view_put_job_path(view, (uint32_t) notice->id, sink);
        sink_string(sink, notice->unit);
        if (notice->kind == BUS_NOTICE_WENT)
                sink_string(sink, job_result_to_string(notice->result));
}

static bool recall(const BusTree *tree, const BusNotice *notice, BusObject *ret_object) {
        JobInfo job;

        *ret_object = (BusObject) {};
        if (!job_manager_find(manager_jobs(tree->manager), (uint32_t) notice->id, &job))
                return false;
        set_job(ret_object, &job);
        return true;
}

static void write_gone(const BusView *view, const BusNotice *notice, Sink *sink) {
        bus_view_put_job_path(view, (uint32_t) notice->id, sink);
        sink_open(sink, 'a', "s");
        bus_view_put_interface(view, &bus_job_interface, sink);
        sink_close(sink);
}

/* A client may cancel the jobs that it has requested. */
static bool grants(const BusTree *tree, const BusObject *object, BusVerb verb, const BusClient *client) {
        return verb == BUS_VERB_CANCEL && bus_client_has_job(client, object->job.id);
}

const BusKind bus_job_kind = {
        .label = "job",
        .find = find,
        .visit = visit,
        .path = path,
        .interfaces = interfaces,
        .grants = grants,
        .came = "JobNew",
        .went = "JobRemoved",
        .write_notice = write_notice,
        .recall = recall,
        .write_gone = write_gone,
};
