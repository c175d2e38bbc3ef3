/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The tables: complete, well-formed and without doubles
 */

#include <dbus/dbus.h>
#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/bus_interfaces.h"
#include "dbus/object/bus_access.h"
#include "dbus/object/bus_document.h"
#include "dbus/object/bus_error.h"
#include "dbus/object/bus_introspect.h"
#include "double/double_assert.h"
#include "types/unit_types.h"

#define INTERFACES_MAX 32

static size_t all_interfaces(BusInterface interfaces[static INTERFACES_MAX]) {
        size_t n = 0;

        interfaces[n++] = bus_manager_interface;
        interfaces[n++] = bus_unit_interface;
        interfaces[n++] = bus_job_interface;
        interfaces[n++] = bus_run_interface;
        interfaces[n++] = bus_properties_interface;
        interfaces[n++] = bus_introspectable_interface;
        interfaces[n++] = bus_peer_interface;
        interfaces[n++] = bus_object_manager_interface;
        interfaces[n++] = bus_driver_interface;
        interfaces[n++] = bus_monitoring_interface;
        for (size_t i = 0; unit_types[i]; i++) {
                cr_assert(n < INTERFACES_MAX);
                interfaces[n++] = bus_type_interface(unit_types[i]);
        }
        return n;
}

static size_t count_types(const char *signature) {
        size_t n, count = 0;

        while ((n = bus_signature_first(signature)) > 0) {
                signature += n;
                count++;
        }
        return count;
}

static size_t count_names(const char *names) {
        size_t n = 0, length;

        while (bus_argument_name(names, n, &length), length > 0)
                n++;
        return n;
}

static void assert_arguments(const char *member, const char *signature, const char *names) {
        cr_assert(dbus_signature_validate(signature, NULL), "%s: %s", member, signature);
        cr_assert(eq(sz, count_types(signature), count_names(names)), "%s: %s", member, signature);
}

Test(bus_table, each_argument_has_a_type_and_a_name) {
        BusInterface interfaces[INTERFACES_MAX];
        size_t n = all_interfaces(interfaces);

        for (size_t i = 0; i < n; i++) {
                for (const BusMethod *method = interfaces[i].methods; method && method->name; method++) {
                        assert_arguments(method->name, method->in, method->in_names);
                        assert_arguments(method->name, method->out, method->out_names);
                }
                for (const BusSignal *signal = interfaces[i].signals; signal && signal->name; signal++)
                        assert_arguments(signal->name, signal->signature, signal->names);
        }
}

Test(bus_table, each_method_is_there_once_and_has_a_handler_and_somebody_who_may_call_it) {
        BusInterface interfaces[INTERFACES_MAX];
        size_t n = all_interfaces(interfaces);

        for (size_t i = 0; i < n; i++)
                for (const BusMethod *method = interfaces[i].methods; method && method->name; method++) {
                        cr_assert(eq(ptr, (void *) bus_interface_find_method(&interfaces[i], method->name, NULL),
                                     (void *) method), "%s", method->name);
                        cr_assert(method->handler != NULL, "%s", method->name);
                        cr_assert(method->description && *method->description, "%s", method->name);
                        cr_assert(ne(int, bus_access_who(method->verb), BUS_WHO_NOBODY), "%s", method->name);
                }
}

/* Otherwise a right that is granted on the object would not count. */
Test(bus_table, a_method_that_names_its_object_finds_it) {
        for (const BusMethod *method = bus_manager_interface.methods; method->name; method++)
                if (method->verb != BUS_VERB_READ && method->in_names &&
                    (text_starts_with(method->in_names, "unit") || text_starts_with(method->in_names, "id")))
                        cr_assert(method->find_subject != NULL, "%s", method->name);
}

static bool is_described(const BusMethod *method) {
        return !bus_access_action(method->verb) || method->word || method->describe;
}

/* Or polkit could not be told which unit it decides about. systemd tells it none for a scope that is abandoned. */
Test(bus_table, a_method_that_is_about_a_unit_is_described) {
        for (const BusMethod *method = bus_manager_interface.methods; method->name; method++)
                cr_assert(is_described(method) || !method->find_subject || text_equal(method->name, "AbandonScope") ||
                                  text_equal(method->name, "ResolveElement"), "%s",
                          method->name);
        for (const BusMethod *method = bus_unit_interface.methods; method->name; method++)
                cr_assert(is_described(method), "%s", method->name);
        for (const BusMethod *method = bus_job_interface.methods; method->name; method++)
                cr_assert(is_described(method), "%s", method->name);
}

Test(bus_table, each_property_is_there_once_and_has_one_complete_type) {
        BusInterface interfaces[INTERFACES_MAX];
        size_t n = all_interfaces(interfaces);

        for (size_t i = 0; i < n; i++) {
                BusPropertyRow row, found;

                for (size_t at = 0; bus_interface_property(&interfaces[i], at, &row); at++) {
                        cr_assert(dbus_signature_validate_single(row.signature, NULL), "%s", row.name);
                        cr_assert(bus_interface_find_property(&interfaces[i], row.name, NULL, &found));
                        cr_assert(found.property == row.property && found.unit_property == row.unit_property, "%s",
                                  row.name);
                        if (!(row.flags & BUS_PROPERTY_FOREIGN))
                                cr_assert(row.description && *row.description, "%s", row.name);
                }
        }
}

Test(bus_table, names_carry_the_prefix_of_the_dialect) {
        const BusDialect *own = &bus_dialects[BUS_DIALECT_OWN], *systemd = &bus_dialects[BUS_DIALECT_SYSTEMD];

        cr_assert(bus_interface_is_named(&bus_unit_interface, own, "org.jobd1.Unit"));
        cr_assert(bus_interface_is_named(&bus_unit_interface, systemd, "org.freedesktop.systemd1.Unit"));
        cr_assert(not(bus_interface_is_named(&bus_unit_interface, own, "org.freedesktop.systemd1.Unit")));
        cr_assert(not(bus_interface_is_named(&bus_unit_interface, own, "org.jobd1Unit")));
        cr_assert(bus_interface_is_named(&bus_peer_interface, systemd, "org.freedesktop.DBus.Peer"));
}

Test(bus_table, signatures_are_split_into_complete_types) {
        cr_assert(eq(sz, bus_signature_first(""), 0));
        cr_assert(eq(sz, bus_signature_first("su"), 1));
        cr_assert(eq(sz, bus_signature_first("a{sv}s"), 5));
        cr_assert(eq(sz, bus_signature_first("aa(s(uo))u"), 9));
}

static bool is_allowed(BusVerb verb, uid_t uid, uid_t owner) {
        BusPeers peers = { .owner = owner };
        const BusTree tree = { .peers = &peers };

        return bus_access_is_allowed(&tree, &(BusObject) { .kind = &bus_manager_kind }, verb,
                                     &(BusClient) { .uid = uid });
}

Test(bus_access, changes_are_for_root_and_the_owner) {
        for (BusVerb verb = 0; verb < _BUS_VERB_MAX; verb++) {
                cr_assert(is_allowed(verb, 0, 1000));
                cr_assert(is_allowed(verb, 1000, 1000));
                cr_assert(eq(int, is_allowed(verb, 1001, 1000), verb == BUS_VERB_READ));
                cr_assert(eq(int, is_allowed(verb, (uid_t) -1, (uid_t) -1), verb == BUS_VERB_READ));
        }
}

Test(bus_error, standard_names_keep_their_prefix_and_others_have_that_of_the_dialect) {
        static const struct {
                int code;
                const char *name;
                BusDialectId dialect;
                const char *expected;
        } rows[] = {
                { -ENOENT, "NoSuchUnit", BUS_DIALECT_OWN, "org.jobd1.NoSuchUnit" },
                { -ENOENT, "NoSuchUnit", BUS_DIALECT_SYSTEMD, "org.freedesktop.systemd1.NoSuchUnit" },
                { -EINVAL, "InvalidArgs", BUS_DIALECT_OWN, "org.freedesktop.DBus.Error.InvalidArgs" },
                { -EACCES, "AccessDenied", BUS_DIALECT_SYSTEMD, "org.freedesktop.DBus.Error.AccessDenied" },
                { -ENOMEM, NULL, BUS_DIALECT_OWN, "org.freedesktop.DBus.Error.NoMemory" },
                { -EIO, NULL, BUS_DIALECT_OWN, "org.freedesktop.DBus.Error.Failed" },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                Failure failure = { .code = rows[i].code, .name = rows[i].name };
                cleanup_free_ char *name = NULL;

                cr_assert(eq(int, bus_error_name(&bus_dialects[rows[i].dialect], &failure, &name), 0));
                assert_string(name, rows[i].expected);
        }
}
