/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: units made by clients
 *
 * Properties become the text of a unit file, which is loaded like any other.
 * Auxiliary units are made before the one that is started, so that a timer
 * finds the unit that it triggers. If one of them is wrong, those already made
 * are unloaded, since nothing needs them.
 *
 * A client that has lost the reply may repeat its call under a token: by then
 * the name is taken by the unit of the first call.
 */

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "basic/hash.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "dbus/bus_interfaces.h"
#include "dbus/bus_manager.h"
#include "dbus/bus_token.h"
#include "dbus/setting/bus_setting.h"

#define AUX_MAX 64U

/* A property that concerns the call, of the unit that is started. */
#define TOKEN "RequestToken"

typedef struct Transient {
        const char *name;
        Text unit, own;                 /* owned: lines of [Unit], and of the section of its type */
        bool wants_reference;
        bool is_started;                /* not an auxiliary one */
        VECTOR(pid_t) pids;             /* of a unit that is made of processes */
        const char *controller;         /* borrowed from the message */
        int streams[UNIT_STREAMS];      /* owned, -1: not given */
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

/* 0 stands for the caller; duplicates are dropped. */
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
                        return bus_call_fail(call, -EINVAL, "InvalidArgs", "The value of %s must be of type 'h'.",
                                             property);
                if (transient->streams[i] >= 0)
                        close(transient->streams[i]);
                dbus_message_iter_get_basic(value, &transient->streams[i]);
                return transient->streams[i] >= 0 ? 1 :
                       bus_call_fail(call, -EMFILE, "LimitsExceeded", "There are no descriptors left for %s.",
                                     property);
        }
        return 0;
}

/* Reads a property that is not a setting of unit files: 1 if it was one. */
static int read_particular(BusCall *call, const Unit *unit, DBusMessageIter fields, Transient *transient) {
        DBusMessageIter value;
        const char *property;

        dbus_message_iter_get_basic(&fields, &property);
        dbus_message_iter_next(&fields);
        dbus_message_iter_recurse(&fields, &value);
        if (text_equal(property, "AddRef"))
                return read_bool(call, property, &value, &transient->wants_reference);
        if (transient->is_started && text_equal(property, TOKEN))
                return 1;               /* read by read_token() */
        if (unit->vtable->give_streams && text_ends_with(property, "FileDescriptor"))
                return read_stream(call, property, &value, transient);
        if (unit->vtable->give_processes && text_equal(property, "PIDs"))
                return read_pids(call, &value, transient);
        if (unit->vtable->give_processes && text_equal(property, "Controller") &&
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
        r = bus_setting_read(call, &(BusSettingScope) { unit, bus_unit_properties, all }, fields, &setting);
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
                                                 "[Unit]\n%s\n[%s]\n%s", of_unit,
                                                 directive_section_of_type(unit->type), own);
}

/* @array: its a(sv). */
static int make_unit(BusCall *call, const char *name, DBusMessageIter *array, bool is_started) {
        cleanup_(transient_deinit) Transient transient = {
                .name = name, .streams = { -1, -1, -1 }, .is_started = is_started,
        };
        cleanup_free_ char *text = NULL;
        Unit *unit;
        int r = check_name(call, name);

        if (r >= 0)
                r = manager_load_unit(call->tree->manager, name, &unit, &call->failure);
        if (r >= 0)
                r = read_properties(call, unit, array, &transient);
        if (r >= 0 && unit->vtable->give_processes && transient.pids.n == 0)
                r = bus_call_fail(call, -EINVAL, "InvalidArgs", "%s %s has no PIDs. Refusing.", unit->vtable->interface,
                                  name);
        if (r >= 0)
                r = finish_text(unit, &transient, &text);
        if (r >= 0)
                r = manager_make_transient(call->tree->manager, name, text, &unit, &call->failure);
        if (r >= 0 && unit->vtable->give_processes)
                r = manager_give_processes(call->tree->manager, unit, transient.pids.items, transient.pids.n,
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
                r = make_unit(call, name, &fields, false);
        }
        return r;
}

/* A unit that is not started does not stay loaded because of processes given to it. */
static void let_go(BusCall *call, const char *name) {
        cleanup_(failure_deinit) Failure failure = {};
        Unit *unit = manager_find_unit(call->tree->manager, name);

        if (unit && unit->vtable->give_processes && unit->active_state == UNIT_INACTIVE)
                (void) unit->vtable->give_processes(unit, NULL, 0, NULL, &failure);
}

/* — a repeated call — */

static bool find_property(const DBusMessageIter *array, const char *name, DBusMessageIter *ret_value) {
        DBusMessageIter list = *array, items;

        dbus_message_iter_recurse(&list, &items);
        for (; dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; dbus_message_iter_next(&items)) {
                DBusMessageIter fields;
                const char *property;

                dbus_message_iter_recurse(&items, &fields);
                dbus_message_iter_get_basic(&fields, &property);
                dbus_message_iter_next(&fields);
                dbus_message_iter_recurse(&fields, ret_value);
                if (text_equal(property, name))
                        return true;
        }
        return false;
}

/* NULL without a failure if there is no token. */
static int read_token(BusCall *call, const DBusMessageIter *array, const char **ret_token) {
        DBusMessageIter value;

        *ret_token = NULL;
        if (!find_property(array, TOKEN, &value))
                return 0;
        if (dbus_message_iter_get_arg_type(&value) != DBUS_TYPE_STRING)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "The value of " TOKEN " must be of type 's'.");
        dbus_message_iter_get_basic(&value, ret_token);
        return bus_token_check(call, TOKEN, *ret_token);
}

/* Hashes the whole body, whose length is the second word of the header. Descriptors are counted only. */
static int hash_body(DBusMessage *message, uint64_t *ret_hash) {
        uint64_t hash = HASH_BEGIN;
        uint32_t length;
        char *bytes;
        int n;

        if (!dbus_message_marshal(message, &bytes, &n))
                return -ENOMEM;
        memcpy(&length, bytes + sizeof(length), sizeof(length));
        if ((bytes[0] == 'l') != (__BYTE_ORDER == __LITTLE_ENDIAN))
                length = __builtin_bswap32(length);
        for (uint32_t i = 0; i < length && i < (uint32_t) n; i++)
                hash = hash_add_byte(hash, bytes[(uint32_t) n - length + i]);
        dbus_free(bytes);
        *ret_hash = hash;
        return 0;
}

/* The reference went with the old connection, and perhaps the unit, too. */
static int reference_again(BusCall *call, const char *name, const DBusMessageIter *array) {
        Unit *unit = manager_find_unit(call->tree->manager, name);
        DBusMessageIter value;
        dbus_bool_t is_wanted;

        if (!unit || unit->load_state == UNIT_STUB || !find_property(array, "AddRef", &value) ||
            dbus_message_iter_get_arg_type(&value) != DBUS_TYPE_BOOLEAN)
                return 0;
        dbus_message_iter_get_basic(&value, &is_wanted);
        return is_wanted ? bus_call_reference(call, unit) : 0;
}

static int answer_again(BusCall *call, const ManagerToken *done, const char *name, const DBusMessageIter *own) {
        const ManagerTokenJob *job = done->anchors.n > 0 ? &done->anchors.items[0] : NULL;
        int r = job ? bus_token_adopt_job(call, job) : 0;

        if (r >= 0)
                r = reference_again(call, name, own);
        if (r >= 0)
                bus_call_put_job_path(call, job ? job->id : JOB_ID_NONE);
        return r;
}

/* — the call — */

static int start_unit(BusCall *call, const char *name, JobMode mode, const char *token, uint64_t request) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        JobRequest start;
        int r;

        r = bus_call_parse_request(call, name, "start", &start);
        if (r >= 0)
                r = bus_call_exec(call, &start, 1, mode, true, &plan);
        if (r < 0)
                return r;
        if (token)
                bus_token_remember(call, token, request, plan);
        bus_call_put_job_path(call, plan->jobs.items[plan->anchors.items[0]].id);
        return 0;
}

static int make_and_start(BusCall *call, const char *token, uint64_t request) {
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
                r = make_unit(call, name, &own, true);
        if (r < 0)
                return r;
        r = start_unit(call, name, parsed, token, request);
        if (r < 0)
                let_go(call, name);
        return r;
}

int bus_manager_start_transient_unit(BusCall *call) {
        DBusMessageIter own = call->arguments;
        const ManagerToken *done;
        const char *token, *name;
        uint64_t request = 0;
        int r;

        dbus_message_iter_get_basic(&own, &name);
        dbus_message_iter_next(&own);
        dbus_message_iter_next(&own);
        r = read_token(call, &own, &token);
        if (r < 0 || !token)
                return r < 0 ? r : make_and_start(call, NULL, 0);
        r = hash_body(call->message, &request);
        if (r >= 0)
                r = bus_token_find(call, token, request, &done);
        if (r < 0)
                return r;
        return r > 0 ? answer_again(call, done, name, &own) : make_and_start(call, token, request);
}

/* — processes of existing units — */

static int attach(BusCall *call, Unit *unit) {
        cleanup_(transient_deinit) Transient found = { .name = unit->id, .streams = { -1, -1, -1 } };
        const char *group = bus_call_string(call);
        int r;

        if (*group)
                return bus_call_fail(call, -EOPNOTSUPP, "NotSupported",
                                     "Processes are attached to the group of %s itself, not to one below it.",
                                     found.name);
        r = read_pids(call, &call->arguments, &found);
        if (r < 0)
                return r;
        return manager_attach_processes(call->tree->manager, unit, found.pids.items, found.pids.n, call->client->uid,
                                        &call->failure);
}

int bus_manager_attach_processes(BusCall *call) {
        Unit *unit;
        int r = bus_call_find_unit(call, bus_call_string(call), &unit);

        return r < 0 ? r : attach(call, unit);
}

int bus_unit_attach_processes(BusCall *call) {
        return attach(call, call->object->unit);
}

int bus_manager_abandon_scope(BusCall *call) {
        Unit *unit;
        int r = bus_call_find_unit(call, bus_call_string(call), &unit);

        return r < 0 ? r : manager_abandon_unit(call->tree->manager, unit, &call->failure);
}
