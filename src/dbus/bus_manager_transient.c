/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: units that clients make
 *
 * Properties become the text of a unit file, and that becomes a unit by the
 * way that all take. Units beside the one that is started are made first, so
 * that a timer finds what it triggers. If something is wrong with any of them
 * what was made goes again, since nothing needs it.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "basic/text.h"
#include "basic/vector.h"
#include "dbus/bus_manager.h"
#include "dbus/bus_setting.h"
#include "manager/manager_transient.h"

#define AUX_MAX 64U

typedef struct Transient {
        const char *name;
        Text unit, own;                 /* owned: lines of [Unit], and of the section of its type */
        bool wants_reference;
        VECTOR(pid_t) pids;             /* of a scope */
        const char *controller;         /* borrowed from the message */
        int streams[UNIT_STREAMS];      /* owned, -1: not given; of a service */
} Transient;

static void transient_deinit(Transient *transient) {
        text_deinit(&transient->unit);
        text_deinit(&transient->own);
        vector_deinit(&transient->pids);
        for (size_t i = 0; i < UNIT_STREAMS; i++)
                if (transient->streams[i] >= 0)
                        close(transient->streams[i]);
}

static int check_name(BusCall *call, const char *name) {
        UnitType type = unit_name_is_valid(name) ? unit_name_type(name) : _UNIT_TYPE_INVALID;

        if (type < 0 || unit_name_is_template(name))
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "Invalid unit name or type: '%.300s'.", name);
        if (!directive_section_of_type(type) || !directive_section_find(directive_section_of_type(type)))
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "Unit type %s does not support transient units.",
                                     unit_type_to_string(type));
        return 0;
}

static int read_bool(BusCall *call, const char *property, DBusMessageIter *value, bool *ret_value) {
        dbus_bool_t truth;

        if (dbus_message_iter_get_arg_type(value) != DBUS_TYPE_BOOLEAN)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "The value of %s must be of type 'b'.", property);
        dbus_message_iter_get_basic(value, &truth);
        *ret_value = truth;
        return 1;
}

static bool has_pid(const Transient *transient, pid_t pid) {
        for (size_t i = 0; i < transient->pids.n; i++)
                if (transient->pids.items[i] == pid)
                        return true;
        return false;
}

/* 0 stands for the caller. One that is named twice is one. */
static int read_pids(BusCall *call, DBusMessageIter *array, Transient *transient) {
        DBusMessageIter items;

        if (dbus_message_iter_get_arg_type(array) != DBUS_TYPE_ARRAY ||
            dbus_message_iter_get_element_type(array) != DBUS_TYPE_UINT32)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "The value of PIDs must be of type 'au'.");
        dbus_message_iter_recurse(array, &items);
        for (; dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; dbus_message_iter_next(&items)) {
                dbus_uint32_t pid;

                dbus_message_iter_get_basic(&items, &pid);
                if (pid > INT32_MAX)
                        return bus_call_fail(call, -EINVAL, "InvalidArgs", "%u is no process.", pid);
                if (pid == 0)
                        pid = (dbus_uint32_t) call->client->pid;
                if (!has_pid(transient, (pid_t) pid) && vector_push(&transient->pids, (pid_t) pid) < 0)
                        return -ENOMEM;
        }
        return 1;
}

static int read_stream(BusCall *call, const char *property, DBusMessageIter *value, Transient *transient) {
        static const char *const properties[UNIT_STREAMS] = {
                "StandardInputFileDescriptor", "StandardOutputFileDescriptor", "StandardErrorFileDescriptor",
        };

        for (size_t i = 0; i < UNIT_STREAMS; i++) {
                if (!text_equal(properties[i], property))
                        continue;
                if (dbus_message_iter_get_arg_type(value) != DBUS_TYPE_UNIX_FD)
                        return bus_call_fail(call, -EINVAL, "InvalidArgs", "The value of %s must be of type 'h'.", property);
                if (transient->streams[i] >= 0)
                        close(transient->streams[i]);
                dbus_message_iter_get_basic(value, &transient->streams[i]);
                return transient->streams[i] >= 0 ? 1 :
                       bus_call_fail(call, -EMFILE, "LimitsExceeded", "There are no descriptors left for %s.", property);
        }
        return 0;
}

/* What no unit file could say: 1 if it was that. */
static int read_particular(BusCall *call, const Unit *unit, DBusMessageIter fields, Transient *transient) {
        DBusMessageIter value;
        const char *property;

        dbus_message_iter_get_basic(&fields, &property);
        dbus_message_iter_next(&fields);
        dbus_message_iter_recurse(&fields, &value);
        if (text_equal(property, "AddRef"))
                return read_bool(call, property, &value, &transient->wants_reference);
        if (unit->vtable->give_streams && text_ends_with(property, "FileDescriptor"))
                return read_stream(call, property, &value, transient);
        if (unit->type == UNIT_SCOPE && text_equal(property, "PIDs"))
                return read_pids(call, &value, transient);
        if (unit->type == UNIT_SCOPE && text_equal(property, "Controller") &&
            dbus_message_iter_get_arg_type(&value) == DBUS_TYPE_STRING) {
                dbus_message_iter_get_basic(&value, &transient->controller);
                if (*transient->controller && !dbus_validate_bus_name(transient->controller, NULL))
                        return bus_call_fail(call, -EINVAL, "InvalidArgs", "Controller '%s' is no name on a bus.",
                                             transient->controller);
                return 1;
        }
        return 0;
}

static int read_property(BusCall *call, const Unit *unit, const DBusMessageIter *all, DBusMessageIter *fields,
                         Transient *transient) {
        cleanup_(bus_setting_deinit) BusSetting setting = {};
        cleanup_free_ char *lines = NULL;
        int r = read_particular(call, unit, *fields, transient);

        if (r != 0)
                return r < 0 ? r : 0;
        r = bus_setting_read(call, unit, all, fields, &setting);
        if (r >= 0)
                r = text_finish(&setting.lines, &lines);
        if (r < 0)
                return r;
        text_add(text_equal(setting.section, "Unit") ? &transient->unit : &transient->own, lines);
        return 0;
}

static int read_properties(BusCall *call, const Unit *unit, DBusMessageIter *array, Transient *transient) {
        DBusMessageIter items, all;
        int r = 0;

        dbus_message_iter_recurse(array, &all);
        for (items = all; r >= 0 && dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID;
             dbus_message_iter_next(&items)) {
                DBusMessageIter fields;

                dbus_message_iter_recurse(&items, &fields);
                r = read_property(call, unit, &all, &fields, transient);
        }
        return r;
}

static int finish_text(const Unit *unit, Transient *transient, char **ret_text) {
        cleanup_free_ char *of_unit = NULL, *own = NULL;
        int r = text_finish(&transient->unit, &of_unit);

        if (r >= 0)
                r = text_finish(&transient->own, &own);
        return r < 0 ? r : text_format(ret_text, "# This is a transient unit file, made by StartTransientUnit.\n"
                                                 "[Unit]\n%s\n[%s]\n%s", of_unit, directive_section_of_type(unit->type), own);
}

/* @array: its a(sv). */
static int make_unit(BusCall *call, const char *name, DBusMessageIter *array) {
        cleanup_(transient_deinit) Transient transient = { .name = name, .streams = { -1, -1, -1 } };
        cleanup_free_ char *text = NULL;
        Unit *unit;
        int r = check_name(call, name);

        if (r >= 0)
                r = manager_load_unit(call->bus->manager, name, &unit, &call->failure);
        if (r >= 0)
                r = read_properties(call, unit, array, &transient);
        if (r >= 0 && unit->type == UNIT_SCOPE && transient.pids.n == 0)
                r = bus_call_fail(call, -EINVAL, "InvalidArgs", "Scope %s has no PIDs. Refusing.", name);
        if (r >= 0)
                r = finish_text(unit, &transient, &text);
        if (r >= 0)
                r = manager_make_transient(call->bus->manager, name, text, &unit, &call->failure);
        if (r >= 0 && unit->type == UNIT_SCOPE)
                r = manager_give_processes(call->bus->manager, unit, transient.pids.items, transient.pids.n,
                                           call->client->uid, transient.controller, &call->failure);
        if (r >= 0 && unit->vtable->give_streams &&
            (transient.streams[0] >= 0 || transient.streams[1] >= 0 || transient.streams[2] >= 0))
                r = unit->vtable->give_streams(unit, transient.streams, &call->failure);
        if (r >= 0 && transient.wants_reference)
                r = bus_call_reference(call, unit);
        return r;
}

static int make_others(BusCall *call, DBusMessageIter *array) {
        DBusMessageIter items;
        unsigned n = 0;
        int r = 0;

        dbus_message_iter_recurse(array, &items);
        for (; r >= 0 && dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; dbus_message_iter_next(&items)) {
                DBusMessageIter fields;
                const char *name;

                if (++n > AUX_MAX)
                        return bus_call_fail(call, -E2BIG, "LimitsExceeded", "At most %u units beside one.", AUX_MAX);
                dbus_message_iter_recurse(&items, &fields);
                dbus_message_iter_get_basic(&fields, &name);
                dbus_message_iter_next(&fields);
                r = make_unit(call, name, &fields);
        }
        return r;
}

/* What nobody starts shall not stay because of the processes that it was to have. */
static void let_go(BusCall *call, const char *name) {
        cleanup_(failure_deinit) Failure failure = {};
        Unit *unit = manager_find_unit(call->bus->manager, name);

        if (unit && unit->vtable->give_processes && unit->active_state == UNIT_INACTIVE)
                (void) unit->vtable->give_processes(unit, NULL, 0, NULL, &failure);
}

int bus_manager_start_transient_unit(BusCall *call) {
        const char *name = bus_call_string(call);
        const char *mode = bus_call_string(call);
        DBusMessageIter own = call->arguments, others = call->arguments;
        JobMode parsed;
        int r;

        dbus_message_iter_next(&others);
        r = bus_call_parse_mode(call, mode, &parsed);
        if (r >= 0)
                r = make_others(call, &others);
        if (r >= 0)
                r = make_unit(call, name, &own);
        if (r < 0)
                return r;
        r = bus_call_enqueue(call, name, "start", mode);
        if (r < 0)
                let_go(call, name);
        return r;
}

/* — processes of units that are there — */

int bus_manager_attach_processes(BusCall *call) {
        cleanup_(transient_deinit) Transient found = { .name = bus_call_string(call), .streams = { -1, -1, -1 } };
        const char *group = bus_call_string(call);
        Unit *unit;
        int r = bus_call_find_unit(call, found.name, &unit);

        if (r >= 0 && *group)
                return bus_call_fail(call, -EOPNOTSUPP, "NotSupported",
                                     "Processes are attached to the group of %s itself, not to one below it.", found.name);
        if (r >= 0)
                r = read_pids(call, &call->arguments, &found);
        if (r < 0)
                return r;
        return manager_attach_processes(call->bus->manager, unit, found.pids.items, found.pids.n, call->client->uid,
                                        &call->failure);
}

int bus_manager_abandon_scope(BusCall *call) {
        Unit *unit;
        int r = bus_call_find_unit(call, bus_call_string(call), &unit);

        return r < 0 ? r : manager_abandon_unit(call->bus->manager, unit, &call->failure);
}

static int method_abandon(BusCall *call) {
        return manager_abandon_unit(call->bus->manager, call->object->unit, &call->failure);
}

const BusMethod bus_scope_methods[] = {
        { "Abandon", "", NULL, "", NULL, BUS_VERB_KILL, method_abandon,
          "Nobody controls it any more; it is there until its last process has ended." },
        {},
};

const BusSignal bus_scope_signals[] = {
        { "RequestStop", "", NULL, "Who controls the scope shall end it; what is not done in time the manager does." },
        {},
};
