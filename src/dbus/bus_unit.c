/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of units: methods; and units as objects
 *
 * Every valid name of a unit is the path of an object: the unit is loaded for
 * a call and unloaded again, and the load state of a unit without a file shows
 * that.
 */

#include <errno.h>

#include "basic/text.h"
#include "dbus/bus_interfaces.h"
#include "dbus/bus_manager.h"
#include "dbus/object/bus_question.h"
#include "dbus/object/bus_view.h"
#include "manager/manager_run.h"

static int method_enqueue(BusCall *call) {
        const char *mode = bus_call_string(call);

        return bus_call_enqueue(call, call->object->unit->id, bus_manager_type_of_method(call->method->name), mode);
}

static int method_enqueue_job(BusCall *call) {
        const char *type = bus_call_string(call);
        const char *mode = bus_call_string(call);

        return bus_call_enqueue_verbose(call, call->object->unit->id, type, mode);
}

static int describe_job(const BusCall *call, size_t at, BusDetail *ret_detail) {
        DBusMessageIter arguments = call->arguments;
        const char *type;

        if (at > 0)
                return 0;
        dbus_message_iter_get_basic(&arguments, &type);
        return bus_question_describe(call, call->object->unit->id, type, ret_detail);
}

static int method_kill(BusCall *call) {
        const char *who = bus_call_string(call);

        return bus_call_kill(call, call->object->unit, who, bus_call_i32(call));
}

static int method_reset_failed(BusCall *call) {
        manager_reset_failed(call->tree->manager, call->object->unit);
        return 0;
}

static int method_ref(BusCall *call) {
        return bus_call_reference(call, call->object->unit);
}

static int method_unref(BusCall *call) {
        return bus_call_unreference(call, call->object->unit);
}

static const BusMethod methods[] = {
        { "Start", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.StartUnit.",
          .word = "start" },
        { "Stop", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.StopUnit.",
          .word = "stop" },
        { "Reload", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.ReloadUnit.",
          .word = "reload" },
        { "Restart", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.RestartUnit.",
          .word = "restart" },
        { "TryRestart", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.TryRestartUnit.",
          .word = "try-restart" },
        { "ReloadOrRestart", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue,
          "As Manager.ReloadOrRestartUnit.",
          .word = "reload-or-restart" },
        { "ReloadOrTryRestart", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue,
          "As Manager.ReloadOrTryRestartUnit.",
          .word = "reload-or-try-restart" },
        { "EnqueueJob", "ss", "type mode", "uososa(uosos)", "id job unit unit_path type affected_jobs",
          BUS_VERB_ENQUEUE, method_enqueue_job, "As Manager.EnqueueUnitJob.",
          .describe = describe_job },
        { "Kill", "si", "whom signal", "", NULL, BUS_VERB_KILL, method_kill, "As Manager.KillUnit.",
          .word = "kill" },
        { "Clean", "as", "what", "", NULL, BUS_VERB_RESET, bus_unit_clean, "As Manager.CleanUnit.",
          .word = "clean" },
        { "Freeze", "", NULL, "", NULL, BUS_VERB_KILL, bus_unit_freeze, "As Manager.FreezeUnit.",
          .word = "freeze" },
        { "Thaw", "", NULL, "", NULL, BUS_VERB_KILL, bus_unit_thaw, "As Manager.ThawUnit.",
          .word = "thaw" },
        { "SetProperties", "ba(sv)", "runtime properties", "", NULL, BUS_VERB_SET, bus_unit_set_properties,
          "As Manager.SetUnitProperties.",
          .word = "set-property" },
        { "ResetFailed", "", NULL, "", NULL, BUS_VERB_RESET, method_reset_failed, "As Manager.ResetFailedUnit.",
          .word = "reset-failed" },
        { "Ref", "", NULL, "", NULL, BUS_VERB_PIN, method_ref, "As Manager.RefUnit.",
          .word = "ref" },
        { "Unref", "", NULL, "", NULL, BUS_VERB_READ, method_unref, "As Manager.UnrefUnit." },
        {},
};

const BusInterface bus_unit_interface = {
        .name = "Unit",
        .description = "What every unit has. Its type has another interface of its own on the same object.",
        .methods = methods,
        .properties = bus_unit_properties,
};

/* As systemd has it: the unit of the caller. */
static int find_own(const BusTree *tree, pid_t caller, BusObject *object, Failure *ret_failure) {
        object->unit = manager_unit_by_pid(tree->manager, caller);
        if (!object->unit)
                return failure_set(ret_failure, -ENOENT, "NoUnitForPID", "The client is not of any unit.");
        return 0;
}

static int find(const BusTree *tree, const char *label, pid_t caller, BusObject *object, Failure *ret_failure) {
        cleanup_free_ char *name = NULL;
        int r;

        if (text_equal(label, "self"))
                return find_own(tree, caller, object, ret_failure);

        r = bus_path_unescape(label, &name);
        if (r == -ENOMEM)
                return r;
        if (r < 0 || !unit_name_is_valid(name) || unit_name_is_template(name))
                return failure_set(ret_failure, -ENOENT, "UnknownObject", "%s is not the path of a unit.",
                                   object->path);

        r = manager_load_unit(tree->manager, name, &object->unit, ret_failure);
        if (r >= 0)
                manager_consider_unloading(tree->manager, object->unit);
        return r;
}

static int visit(const BusTree *tree, BusVisitor visitor, void *userdata) {
        UnitTable *table = manager_units(tree->manager);

        unit_table_foreach(table, unit) {
                int r = visitor(userdata, &(BusObject) { .kind = &bus_unit_kind, .unit = unit });

                if (r < 0)
                        return r;
        }
        return 0;
}

static const char *path(const BusObject *object, const BusDialect *dialect, char buffer[static BUS_PATH_SIZE]) {
        return bus_path_of_unit(dialect, object->unit->id, buffer);
}

static size_t interfaces(const BusObject *object, BusInterface *ret_interfaces) {
        size_t n = 0;

        /* A unit whose type jobd does not have has the properties of all units. */
        if (object->unit->vtable->type != _UNIT_TYPE_INVALID)
                ret_interfaces[n++] = bus_type_interface(object->unit->vtable);
        ret_interfaces[n++] = bus_unit_interface;
        return n;
}

static void write_notice(const BusView *view, const BusNotice *notice, Sink *sink) {
        sink_string(sink, notice->unit);
        bus_view_put_unit_path(view, notice->unit, sink);
}

static bool recall(const BusTree *tree, const BusNotice *notice, BusObject *ret_object) {
        *ret_object = (BusObject) { .kind = &bus_unit_kind, .unit = manager_find_unit(tree->manager, notice->unit) };
        return ret_object->unit;
}

static void write_gone(const BusView *view, const BusNotice *notice, Sink *sink) {
        const BusInterface type = { .name = notice->interface };

        bus_view_put_unit_path(view, notice->unit, sink);
        sink_open(sink, 'a', "s");
        bus_view_put_interface(view, &bus_unit_interface, sink);
        if (type.name)
                bus_view_put_interface(view, &type, sink);
        sink_close(sink);
}

/* AllowSubmit= of a flow. */
static bool grants(const BusTree *tree, const BusObject *object, BusVerb verb, const BusClient *client) {
        return verb == BUS_VERB_SUBMIT && manager_run_may_submit(object->unit, client->uid);
}

const BusKind bus_unit_kind = {
        .label = "unit",
        .find = find,
        .visit = visit,
        .path = path,
        .interfaces = interfaces,
        .grants = grants,
        .came = "UnitNew",
        .went = "UnitRemoved",
        .write_notice = write_notice,
        .recall = recall,
        .write_gone = write_gone,
};
