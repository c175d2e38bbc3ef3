/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The tables as introspection XML
 */

#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/object/bus_introspect.h"
#include "dbus/object/bus_tree.h"

static const char doctype[] =
        "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"\n"
        " \"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">\n";

size_t bus_signature_first(const char *signature) {
        size_t n = strspn(signature, "a");
        unsigned depth = 0;

        if (!signature[n])
                return 0;
        do {
                depth += signature[n] == '(' || signature[n] == '{';
                depth -= signature[n] == ')' || signature[n] == '}';
                n++;
        } while (depth > 0);
        return n;
}

const char *bus_argument_name(const char *names, size_t at, size_t *ret_n) {
        const char *name = names ?: "";

        for (; at > 0; at--) {
                name += strcspn(name, " ");
                name += strspn(name, " ");
        }
        *ret_n = strcspn(name, " ");
        return name;
}

/* @direction: NULL for a signal. */
static void add_arguments(Text *xml, const char *signature, const char *names, const char *direction) {
        size_t n;

        for (size_t at = 0; (n = bus_signature_first(signature)) > 0; at++, signature += n) {
                size_t name_n;
                const char *name = bus_argument_name(names, at, &name_n);

                text_addf(xml, "   <arg type=\"%.*s\"", (int) n, signature);
                if (name_n > 0)
                        text_addf(xml, " name=\"%.*s\"", (int) name_n, name);
                if (direction)
                        text_addf(xml, " direction=\"%s\"", direction);
                text_add(xml, "/>\n");
        }
}

static const char *emits_change(uint8_t flags) {
        return flags & BUS_PROPERTY_EMITS_CHANGE ? "true" :
               flags & BUS_PROPERTY_INVALIDATES  ? "invalidates" :
               flags & BUS_PROPERTY_CONST        ? "const" : "false";
}

static void add_properties(Text *xml, const BusInterface *interface, const BusDialect *dialect) {
        BusPropertyRow row;

        for (size_t i = 0; bus_interface_property(interface, i, &row); i++)
                if (bus_row_is_of(row.flags, dialect))
                        text_addf(xml, "  <property name=\"%s\" type=\"%s\" access=\"%s\">\n"
                                  "   <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\""
                                  " value=\"%s\"/>\n  </property>\n", row.name, row.signature,
                                  row.property && row.property->set ? "readwrite" : "read", emits_change(row.flags));
}

static void add_interface(Text *xml, const BusInterface *interface, const BusDialect *dialect) {
        char name[BUS_INTERFACE_NAME_SIZE];

        text_addf(xml, " <interface name=\"%s\">\n", bus_interface_full_name(interface, dialect, name));
        for (const BusMethod *method = interface->methods; method && method->name; method++) {
                if (!bus_row_is_of(method->flags, dialect))
                        continue;
                text_addf(xml, "  <method name=\"%s\">\n", method->name);
                add_arguments(xml, method->in, method->in_names, "in");
                add_arguments(xml, method->out, method->out_names, "out");
                text_add(xml, "  </method>\n");
        }
        for (const BusSignal *signal = interface->signals; signal && signal->name; signal++) {
                if (!bus_row_is_of(signal->flags, dialect))
                        continue;
                text_addf(xml, "  <signal name=\"%s\">\n", signal->name);
                add_arguments(xml, signal->signature, signal->names, NULL);
                text_add(xml, "  </signal>\n");
        }
        add_properties(xml, interface, dialect);
        text_add(xml, " </interface>\n");
}

int bus_introspect(const BusTree *tree, const BusDialect *dialect, const BusObject *object, char **ret_xml) {
        cleanup_(text_deinit) Text xml = {};
        cleanup_(strv_freep) char **children = NULL;
        BusInterface interfaces[BUS_INTERFACES_MAX];
        size_t n;
        int r;

        r = bus_tree_children(tree, object, &children);
        if (r < 0)
                return r;

        text_add(&xml, doctype);
        text_add(&xml, "<node>\n");
        n = bus_object_interfaces(tree, object, interfaces);
        for (size_t i = 0; i < n; i++)
                add_interface(&xml, &interfaces[i], dialect);
        strv_foreach(child, children)
                text_addf(&xml, " <node name=\"%s\"/>\n", *child);
        text_add(&xml, "</node>\n");
        return text_finish(&xml, ret_xml);
}
