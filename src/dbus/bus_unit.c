/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of units: methods
 */

#include "dbus/bus_manager.h"
#include "dbus/bus_unit.h"

static int method_enqueue(BusCall *call) {
        const char *mode = bus_call_string(call);

        return bus_call_enqueue(call, call->object->unit->id, bus_manager_type_of_method(call->method->name), mode);
}

static int method_enqueue_job(BusCall *call) {
        const char *type = bus_call_string(call);
        const char *mode = bus_call_string(call);

        return bus_call_enqueue_verbose(call, call->object->unit->id, type, mode);
}

static int method_kill(BusCall *call) {
        const char *who = bus_call_string(call);

        return bus_call_kill(call, call->object->unit, who, bus_call_i32(call));
}

static int method_reset_failed(BusCall *call) {
        manager_reset_failed(call->bus->manager, call->object->unit);
        return 0;
}

static int method_ref(BusCall *call) {
        return bus_call_reference(call, call->object->unit);
}

static int method_unref(BusCall *call) {
        return bus_call_unreference(call, call->object->unit);
}

static const BusMethod methods[] = {
        { "Start", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.StartUnit." },
        { "Stop", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.StopUnit." },
        { "Reload", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.ReloadUnit." },
        { "Restart", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.RestartUnit." },
        { "TryRestart", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue, "As Manager.TryRestartUnit." },
        { "ReloadOrRestart", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue,
          "As Manager.ReloadOrRestartUnit." },
        { "ReloadOrTryRestart", "s", "mode", "o", "job", BUS_VERB_ENQUEUE, method_enqueue,
          "As Manager.ReloadOrTryRestartUnit." },
        { "EnqueueJob", "ss", "type mode", "uososa(uosos)", "id job unit unit_path type affected_jobs",
          BUS_VERB_ENQUEUE, method_enqueue_job, "As Manager.EnqueueUnitJob." },
        { "Kill", "si", "whom signal", "", NULL, BUS_VERB_KILL, method_kill, "As Manager.KillUnit." },
        { "Clean", "as", "what", "", NULL, BUS_VERB_RESET, bus_unit_clean, "As Manager.CleanUnit." },
        { "Freeze", "", NULL, "", NULL, BUS_VERB_KILL, bus_unit_freeze, "As Manager.FreezeUnit." },
        { "Thaw", "", NULL, "", NULL, BUS_VERB_KILL, bus_unit_thaw, "As Manager.ThawUnit." },
        { "SetProperties", "ba(sv)", "runtime properties", "", NULL, BUS_VERB_INSTALL, bus_unit_set_properties,
          "As Manager.SetUnitProperties." },
        { "ResetFailed", "", NULL, "", NULL, BUS_VERB_RESET, method_reset_failed, "As Manager.ResetFailedUnit." },
        { "Ref", "", NULL, "", NULL, BUS_VERB_PIN, method_ref, "As Manager.RefUnit." },
        { "Unref", "", NULL, "", NULL, BUS_VERB_PIN, method_unref, "As Manager.UnrefUnit." },
        {},
};

const BusInterface bus_unit_interface = {
        .name = "Unit",
        .description = "What every unit has. Its type has another interface of its own on the same object.",
        .methods = methods,
        .properties = bus_unit_properties,
};
