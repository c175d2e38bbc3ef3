/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * From a property that a client sets to lines of a unit file
 *
 * The settings of a unit are listed once, in the table of directives: a
 * property can be set if it is one of them, by its own name, by its name with
 * another unit of time ("TimeoutStopUSec" is TimeoutStopSec=), or by a row of
 * the table of values.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/macro.h"
#include "dbus/setting/bus_setting.h"
#include "dbus/setting/bus_setting_list.h"
#include "dbus/setting/bus_setting_value.h"
#include "unit/unit_property.h"

void bus_setting_deinit(BusSetting *setting) {
        text_deinit(&setting->lines);
}

/* Looks for the directive in the section of the unit's type and in [Unit]. */
static const Directive *find_directive(const Unit *unit, const char *name, const DirectiveSection **ret_section) {
        const char *own = directive_section_of_type(unit->type);
        const DirectiveSection *sections[] = {
                own ? directive_section_find(own) : NULL,
                directive_section_find("Unit"),
        };

        for (size_t i = 0; i < ELEMENTSOF(sections); i++) {
                const Directive *directive = sections[i] ? directive_find(sections[i], name) : NULL;

                *ret_section = sections[i];
                if (directive)
                        return directive;
        }
        return NULL;
}

/* Looks for the name with "Sec" in place of "USec". */
static const Directive *find_span(const Unit *unit, const char *property, const DirectiveSection **ret_section) {
        cleanup_free_ char *name = NULL;

        if (!text_ends_with(property, "USec") ||
            text_format(&name, "%.*sSec", (int) (strlen(property) - strlen("USec")), property) < 0)
                return NULL;
        return find_directive(unit, name, ret_section);
}

static bool is_property(const BusSettingScope *scope, const char *name) {
        BusInterface interfaces[] = {
                { .properties = scope->properties },
                { .unit_properties = scope->unit->vtable->properties },
        };
        BusPropertyRow row;

        return bus_interface_find_property(&interfaces[0], name, NULL, &row) ||
               bus_interface_find_property(&interfaces[1], name, NULL, &row);
}

static int complain_unknown(BusCall *call, const BusSettingScope *scope, const char *property) {
        const Unit *unit = scope->unit;
        const char *own = directive_section_of_type(unit->type), *nearest = NULL;

        if (is_property(scope, property))
                return bus_call_fail(call, -EPERM, "PropertyReadOnly", "%s of %s cannot be set.", property, unit->id);
        if (own && directive_section_find(own))
                nearest = directive_find_nearest(directive_section_find(own), property);
        if (!nearest)
                nearest = directive_find_nearest(directive_section_find("Unit"), property);
        return bus_call_fail(call, -EPERM, "PropertyReadOnly", "A %s has no property %s.%s%s%s",
                             unit_type_to_string(unit->type), property, nearest ? " Did you mean " : "",
                             nearest ? nearest : "", nearest ? "?" : "");
}

/* The hard limit, a property of its own, that goes with a soft one. */
static uint64_t find_hard_limit(const DBusMessageIter *all, const char *soft) {
        DBusMessageIter items = *all;
        uint64_t hard = UINT64_MAX;

        for (; dbus_message_iter_get_arg_type(&items) == DBUS_TYPE_STRUCT; dbus_message_iter_next(&items)) {
                DBusMessageIter fields, value;
                const char *name;

                dbus_message_iter_recurse(&items, &fields);
                dbus_message_iter_get_basic(&fields, &name);
                dbus_message_iter_next(&fields);
                dbus_message_iter_recurse(&fields, &value);
                if (strlen(name) + strlen("Soft") == strlen(soft) && text_starts_with(soft, name) &&
                    dbus_message_iter_get_arg_type(&value) == DBUS_TYPE_UINT64)
                        dbus_message_iter_get_basic(&value, &hard);
        }
        return hard;
}

static void add_limit(Text *lines, uint64_t limit) {
        if (limit == UINT64_MAX)
                text_add(lines, "infinity");
        else
                text_addf(lines, "%" PRIu64, limit);
}

/* LimitNOFILESoft: 1 if it is such a property, else 0. */
static int read_soft_limit(const Unit *unit, const DBusMessageIter *all, DBusMessageIter *value, BusSetting *setting) {
        const DirectiveSection *section;
        cleanup_free_ char *name = NULL;
        const Directive *directive;
        uint64_t soft;

        if (!text_starts_with(setting->property, "Limit") || !text_ends_with(setting->property, "Soft") ||
            dbus_message_iter_get_arg_type(value) != DBUS_TYPE_UINT64)
                return 0;
        name = strndup(setting->property, strlen(setting->property) - strlen("Soft"));
        if (!name)
                return -ENOMEM;
        directive = find_directive(unit, name, &section);
        if (!directive)
                return 0;
        dbus_message_iter_get_basic(value, &soft);
        setting->section = section->name;
        setting->directive = directive->name;
        text_addf(&setting->lines, "%s=", directive->name);
        add_limit(&setting->lines, soft);
        text_add_char(&setting->lines, ':');
        add_limit(&setting->lines, find_hard_limit(all, setting->property));
        text_add_char(&setting->lines, '\n');
        return 1;
}

/* A row writes lines of any directives, or of the one with the row's name. */
static const DirectiveSection *section_of_row(const Unit *unit, const BusSettingRow *row, BusSetting *setting) {
        const DirectiveSection *section = NULL;
        const Directive *directive = find_directive(unit, row->directive, &section);
        const char *own = directive_section_of_type(unit->type);

        if (directive) {
                setting->directive = directive->name;
                return section;
        }
        setting->directive = row->directive;
        if (text_equal(row->directive, "Condition") || text_equal(row->directive, "Assert"))
                return directive_section_find("Unit");
        return (text_equal(own, "Timer") && text_starts_with(row->property, "Timers")) ||
               (text_equal(own, "Path") && text_equal(row->property, "Paths")) ||
               (text_equal(own, "Socket") && text_equal(row->property, "Listen")) ? directive_section_find(own) : NULL;
}

/*
 * Settings of the control group are applied when files are read again; but processes stay in their slice, and what a
 * group was delegated for relies on it.
 */
static bool is_for_run_time(const Directive *directive) {
        return text_equal(directive->name, "Description") ||
               ((directive->base == DIRECTIVE_IN_RESOURCES || bus_setting_is_list(directive->name)) &&
                directive->status == DIRECTIVE_SUPPORTED && !text_equal(directive->name, "Slice") &&
                !text_equal(directive->name, "Delegate"));
}

static int read_value(BusCall *call, const BusSettingScope *scope, DBusMessageIter *value, const char *signature,
                      BusSetting *setting) {
        const Unit *unit = scope->unit;
        const BusSettingRow *row = bus_setting_row(setting->property, signature);
        const DirectiveSection *section = NULL;
        const Directive *directive = NULL;
        BusSettingTarget target;
        int r;

        if (row)
                section = section_of_row(unit, row, setting);
        else if ((directive = find_directive(unit, setting->property, &section)) ||
                 (directive = find_span(unit, setting->property, &section)))
                setting->directive = directive->name;
        if (!section || (!row && !directive))
                return complain_unknown(call, scope, setting->property);
        directive = directive_find(section, setting->directive);
        setting->section = section->name;
        setting->is_list = bus_setting_is_list(setting->directive);
        setting->is_for_run_time = directive && is_for_run_time(directive);
        target = (BusSettingTarget) { &setting->lines, row, setting->directive, section };
        r = row ? row->write(&target, value) : bus_setting_write_plain(&target, value);
        if (r == -EINVAL)
                return bus_call_fail(call, r, "InvalidArgs",
                                     "The value of %s is of the wrong type ('%s'), or cannot stand "
                                     "in a unit file; a string as in a unit file is always accepted.",
                                     setting->property, signature);
        return r;
}

int bus_setting_read(BusCall *call, const BusSettingScope *scope, DBusMessageIter *fields, BusSetting *ret_setting) {
        DBusMessageIter value;
        char *signature;
        int r;

        dbus_message_iter_get_basic(fields, &ret_setting->property);
        dbus_message_iter_next(fields);
        dbus_message_iter_recurse(fields, &value);
        r = read_soft_limit(scope->unit, scope->all, &value, ret_setting);
        if (r != 0)
                return MIN(r, 0);
        signature = dbus_message_iter_get_signature(&value);
        if (!signature)
                return -ENOMEM;
        r = read_value(call, scope, &value, signature, ret_setting);
        dbus_free(signature);
        return r;
}
