/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The tables as API text
 */

#include "basic/text.h"
#include "dbus/object/bus_access.h"
#include "dbus/object/bus_document.h"
#include "dbus/object/bus_introspect.h"

/* "`ss` unit, mode"; "—" for none. */
static void add_arguments(Text *text, const char *signature, const char *names) {
        const char *rest = signature;
        size_t n;

        if (!*signature) {
                text_add(text, "—");
                return;
        }

        text_addf(text, "`%s`", signature);
        for (size_t at = 0; (n = bus_signature_first(rest)) > 0; at++, rest += n) {
                size_t name_n;
                const char *name = bus_argument_name(names, at, &name_n);

                text_addf(text, "%s%.*s", at > 0 ? ", " : " ", (int) name_n, name);
        }
}

static const char *who_may(BusVerb verb) {
        switch (bus_access_who(verb)) {
        case BUS_WHO_ANYONE:
                return "anyone";
        case BUS_WHO_OWNER:
                return "root, owner";
        case BUS_WHO_NOBODY:
                break;
        }
        return "nobody";
}

static void add_methods(Text *text, const BusMethod *methods) {
        if (!methods || !methods->name)
                return;

        text_add(text, "\n## Methods\n\n| method | in | out | who | what |\n|---|---|---|---|---|\n");
        for (const BusMethod *method = methods; method->name; method++) {
                const char *action = bus_access_action(method->verb);

                if (method->flags & BUS_PROPERTY_FOREIGN)
                        continue;
                text_addf(text, "| %s | ", method->name);
                add_arguments(text, method->in, method->in_names);
                text_add(text, " | ");
                add_arguments(text, method->out, method->out_names);
                text_addf(text, " | %s%s%s | %s |\n", who_may(method->verb), action ? "; polkit " : "", action ?: "",
                          method->description);
        }
}

static void add_signals(Text *text, const BusSignal *signals) {
        if (!signals || !signals->name)
                return;

        text_add(text, "\n## Signals\n\n| signal | arguments | what |\n|---|---|---|\n");
        for (const BusSignal *signal = signals; signal->name; signal++) {
                text_addf(text, "| %s | ", signal->name);
                add_arguments(text, signal->signature, signal->names);
                text_addf(text, " | %s |\n", signal->description);
        }
}

static void add_properties(Text *text, const BusInterface *interface) {
        BusPropertyRow row;

        if (!bus_interface_property(interface, 0, &row))
                return;

        text_add(text, "\n## Properties\n\nRead by anyone; read-only unless the description says otherwise.\n\n"
                       "| property | type | changes | what |\n|---|---|---|---|\n");
        for (size_t i = 0; bus_interface_property(interface, i, &row); i++)
                if (!(row.flags & BUS_PROPERTY_FOREIGN))
                        text_addf(text, "| %s | `%s` | %s | %s |\n", row.name, row.signature,
                                  row.flags & BUS_PROPERTY_EMITS_CHANGE ? "announced" :
                                  row.flags & BUS_PROPERTY_INVALIDATES  ? "announced without its value" :
                                  row.flags & BUS_PROPERTY_CONST        ? "while loaded, never" : "not announced",
                                  row.description ?: "");
}

int bus_document_interface(const BusInterface *interface, char **ret_text) {
        cleanup_(text_deinit) Text text = {};
        char name[BUS_INTERFACE_NAME_SIZE];

        text_addf(&text, "# %s\n\n%s\n",
                  bus_interface_full_name(interface, &bus_dialects[BUS_DIALECT_OWN], name),
                  interface->description ?: "");
        add_methods(&text, interface->methods);
        add_signals(&text, interface->signals);
        add_properties(&text, interface);
        return text_finish(&text, ret_text);
}
