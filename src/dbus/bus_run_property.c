/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The properties of runs
 *
 * Properties of a live run are read from the manager; those of one that has
 * ended are in the store, which is asked first.
 */

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_run_private.h"
#include "unit/unit_name.h"

void bus_run_view_values(const ManagerRunValues *values, char *const *environment, ManagerRunView *ret_view) {
        const RunStoreValue *hash = &values->values[RUN_ROW_DEFINITION];

        *ret_view = (ManagerRunView) {
                .id = (uint32_t) manager_run_values_number(values, RUN_ROW_ID),
                .uid = (uint32_t) manager_run_values_number(values, RUN_ROW_UID),
                .round = (uint32_t) manager_run_values_number(values, RUN_ROW_ROUND),
                .unit = manager_run_values_text(values, RUN_ROW_UNIT),
                .name = manager_run_values_text(values, RUN_ROW_NAME),
                .key = manager_run_values_text(values, RUN_ROW_KEY),
                .operator= manager_run_values_text(values, RUN_ROW_OPERATOR),
                .trigger = manager_run_values_text(values, RUN_ROW_TRIGGER),
                .parent = (uint32_t) manager_run_values_number(values, RUN_ROW_PARENT),
                .parent_node = manager_run_values_text(values, RUN_ROW_PARENT_NODE),
                .client = manager_run_values_text(values, RUN_ROW_CLIENT),
                .namespace = manager_run_values_text(values, RUN_ROW_NAMESPACE),
                .reqid = manager_run_values_text(values, RUN_ROW_REQID),
                .priority = (uint8_t) manager_run_values_number(values, RUN_ROW_PRIORITY),
                .state = manager_run_values_text(values, RUN_ROW_STATE),
                .reason = manager_run_values_text(values, RUN_ROW_REASON),
                .why = "",
                .environment = environment,
                .created = manager_run_values_number(values, RUN_ROW_CREATED),
                .queued = manager_run_values_number(values, RUN_ROW_QUEUED),
                .started = manager_run_values_number(values, RUN_ROW_STARTED),
                .ended = manager_run_values_number(values, RUN_ROW_ENDED),
                .deleted = manager_run_values_number(values, RUN_ROW_DELETED),
                .deadline = manager_run_values_number(values, RUN_ROW_DEADLINE),
                .n_done = manager_run_values_number(values, RUN_ROW_DONE),
                .n_failed = manager_run_values_number(values, RUN_ROW_FAILED),
                .n_running = manager_run_values_number(values, RUN_ROW_RUNNING),
                .n_total = manager_run_values_number(values, RUN_ROW_TOTAL),
        };
        if (hash->type == RUNSTORE_BYTES && hash->n == MANAGER_RUN_HASH_BYTES)
                ret_view->definition = hash->bytes;
}

/* Nothing of a run that is neither: its values were asked for, and it is not there. */
static ManagerRunView view_of(const BusView *view) {
        ManagerRunView run = {
                .unit = "",
                .name = "",
                .key = "",
                .operator= "",
                .trigger = "",
                .parent_node = "",
                .state = "",
                .reason = "",
                .why = "",
                .client = "",
                .namespace = "",
                .reqid = "",
        };

        if (view->object->run)
                run = *view->object->run;
        else
                (void) manager_runs_view(manager_runs(view->tree->manager), (uint32_t) view->object->id, &run);
        return run;
}

static void get_id(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u64(sink, view->object->id);
}

#define GETTER(name, put, expression) \
        static void get_##name(const BusView *view, uint32_t parameter, Sink *sink) { \
                const ManagerRunView run = view_of(view); \
\
                put(sink, expression); \
        }

GETTER(unit, sink_string, run.unit)
GETTER(name, sink_string, run.name)
GETTER(key, sink_string, run.key)
GETTER(operator, sink_string, run.operator)
GETTER(trigger, sink_string, run.trigger)
GETTER(parent, sink_u64, run.parent)
GETTER(parent_node, sink_string, run.parent_node)
GETTER(client, sink_string, run.client)
GETTER(namespace, sink_string, run.namespace)
GETTER(reqid, sink_string, run.reqid)
GETTER(priority, sink_byte, run.priority)
GETTER(state, sink_string, run.state)
GETTER(reason, sink_string, run.reason)
GETTER(why, sink_string, run.why)
GETTER(round, sink_u32, run.round)
GETTER(owner, sink_u32, run.uid)
GETTER(created, sink_u64, run.created)
GETTER(queued, sink_u64, run.queued)
GETTER(started, sink_u64, run.started)
GETTER(ended, sink_u64, run.ended)
GETTER(deleted, sink_u64, run.deleted)
GETTER(deadline, sink_u64, run.deadline)

static void get_kind(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, unit_type_to_string(unit_name_type(view_of(view).unit)));
}

static void get_definition(const BusView *view, uint32_t parameter, Sink *sink) {
        const ManagerRunView run = view_of(view);
        char hex[2 * MANAGER_RUN_HASH_BYTES + 1] = "";

        if (run.definition)
                text_write_hex(hex, run.definition, MANAGER_RUN_HASH_BYTES);
        sink_string(sink, hex);
}

static void get_environment(const BusView *view, uint32_t parameter, Sink *sink) {
        const ManagerRunView run = view_of(view);

        sink_open(sink, 'a', "s");
        strv_foreach(variable, run.environment)
                sink_string(sink, *variable);
        sink_close(sink);
}

static void get_progress(const BusView *view, uint32_t parameter, Sink *sink) {
        const ManagerRunView run = view_of(view);

        sink_open(sink, 'r', "tttt");
        sink_u64(sink, run.n_done);
        sink_u64(sink, run.n_failed);
        sink_u64(sink, run.n_running);
        sink_u64(sink, run.n_total);
        sink_close(sink);
}

#define C (BUS_PROPERTY_CONST | BUS_PROPERTY_OWN)
#define O BUS_PROPERTY_OWN

const BusProperty bus_run_properties[] = {
        { "Id", "t", C, 0, get_id, "Its number, which is unique." },
        { "Unit", "s", C, 0, get_unit, "The flow." },
        { "Name", "s", C, 0, get_name, "Its name: 'nightly-7'." },
        { "Key", "s", C, 0, get_key, "What a request with the same key has this run by; empty: none." },
        { "Kind", "s", C, 0, get_kind, "'flow' or 'batch'." },
        { "State", "s", O, 0, get_state, "Its state: 'RUNNING', 'SUCCEEDED', and so on." },
        { "Reason", "s", O, 0, get_reason, "Why it is in that state; empty: for no particular reason." },
        { "Why", "s", O, 0, get_why, "What it waits for now; empty: nothing." },
        { "Round", "u", O, 0, get_round, "From 1; Retry and Rerun begin another one." },
        { "Created", "t", C, 0, get_created, "When it was submitted, as all times µs since 1970; 0: not yet." },
        { "Queued", "t", O, 0, get_queued, "When it began to wait for its turn." },
        { "Started", "t", O, 0, get_started, "When it began to run." },
        { "Ended", "t", O, 0, get_ended, "When it has ended." },
        { "Deleted", "t", O, 0, get_deleted, "When it was deleted, so that it is listed no more." },
        { "Deadline", "t", O, 0, get_deadline, "When it times out." },
        { "Progress", "(tttt)", O, 0, get_progress,
          "How many of its nodes have ended, have failed, and run, and how many there are; of a batch, how many "
          "items are over, are errors, and are out, and how many there are." },
        { "Operator", "s", C, 0, get_operator, "Who has asked for it, as the request says." },
        { "Client", "s", C, 0, get_client, "The process that has asked, as 'jobctl[4711]'; empty: not known." },
        { "Namespace", "s", C, 0, get_namespace, "Where it belongs, as the request says; empty: it does not." },
        { "RequestId", "s", C, 0, get_reqid, "The request that it was made for, as that says; empty: it does not." },
        { "Priority", "y", C, 0, get_priority, "Its priority, from 0 to 255." },
        { "Owner", "u", C, 0, get_owner, "The user who has." },
        { "Trigger", "s", C, 0, get_trigger, "The unit that has triggered it; empty: none." },
        { "Parent", "t", C, 0, get_parent, "The run that it is a part of, by a node with Flow=; 0: none." },
        { "ParentNode", "s", C, 0, get_parent_node, "The node of that run; empty: none." },
        { "Environment", "as", C, 0, get_environment, "What its attempts learn of that, as variables." },
        { "Definition", "s", C, 0, get_definition, "The hash of its definition, in hexadecimal." },
        {},
};

void bus_run_put_view(const ManagerRunView *run, Sink *sink) {
        const struct {
                const char *key, *text;
        } texts[] = {
                { "unit", run->unit },     { "name", run->name }, { "state", run->state },
                { "reason", run->reason }, { "why", run->why },
        };
        const struct {
                const char *key;
                usec_t time;
        } times[] = {
                { "created", run->created }, { "queued", run->queued },     { "started", run->started },
                { "ended", run->ended },     { "deadline", run->deadline },
        };

        sink_open(sink, 'a', "{sv}");
        sink_entry_u64(sink, "id", run->id);
        for (size_t i = 0; i < ELEMENTSOF(texts); i++)
                if (*texts[i].text)
                        sink_entry_string(sink, texts[i].key, texts[i].text);
        for (size_t i = 0; i < ELEMENTSOF(times); i++)
                if (times[i].time > 0)
                        sink_entry_u64(sink, times[i].key, times[i].time);
        sink_entry_u64(sink, "round", run->round);
        sink_entry_u64(sink, "done", run->n_done);
        sink_entry_u64(sink, "failed", run->n_failed);
        sink_entry_u64(sink, "running", run->n_running);
        sink_entry_u64(sink, "total", run->n_total);
        sink_close(sink);
}
