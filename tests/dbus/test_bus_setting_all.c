/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Each directive can be read and set on D-Bus
 *
 * A value of each directive (tests/data/directive-values.txt) is read into a
 * unit. Some property of the unit must be another one by that, and, given back
 * to StartTransientUnit or SetUnitProperties as it was read, make a unit whose
 * property is the same. Directives that lack that are listed, with a reason, in
 * tests/data/directives-without-property.txt, and those of a control group that
 * set-property refuses in the table below.
 */

#include <errno.h>
#include <stdio.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "bus_sink.h"
#include "dbus/bus_interfaces.h"
#include "dbus/setting/bus_setting.h"
#include "directive_case.h"
#include "double/double_assert.h"
#include "double/double_sink.h"
#include "double/double_unit.h"
#include "types/unit_types.h"

#define PROPERTIES_MAX 512

static DoubleWorld *host;
static FileWorld *world;
static DirectiveCases *cases;

static void set_up(void) {
        host = double_world_new();
        world = file_world_new();
        cases = directive_cases_read();
}

static void tear_down(void) {
        directive_cases_free(cases);
        file_world_free(world);
        double_world_free(host);
}

TestSuite(bus_setting_all, .init = set_up, .fini = tear_down, .timeout = 300);

/* — properties of a unit — */

/* Property number @at of the properties whose values depend on the files of the unit only. */
static bool property_at(const Unit *unit, size_t at, BusPropertyRow *ret_row) {
        const BusInterface interfaces[] = { { .properties = bus_unit_properties },
                                            { .unit_properties = unit->vtable->properties } };
        size_t n = 0;

        while (bus_interface_property(&interfaces[0], n, ret_row))
                n++;
        if (!(at < n ? bus_interface_property(&interfaces[0], at, ret_row)
                     : bus_interface_property(&interfaces[1], at - n, ret_row)))
                return false;
        return true;
}

/* Other properties ask the manager, which does not exist in this test. */
static bool is_of_files(const BusPropertyRow *row) {
        return ((row->flags & UNIT_PROPERTY_CONST) || row->unit_property || strcmp(row->name, "Conditions") == 0 ||
                strcmp(row->name, "Asserts") == 0) &&
               strcmp(row->name, "CanFreeze") != 0;
}

static char *read_property(const Unit *unit, const BusPropertyRow *row) {
        BusObject object = { .unit = (Unit *) unit };
        BusView view = { .object = &object, .dialect = &bus_dialects[BUS_DIALECT_OWN] };
        DoubleSink sink;
        char *text;

        double_sink_init(&sink);
        bus_property_write(&view, row, &sink.sink);
        text = strdup(double_sink_string(&sink));
        double_sink_deinit(&sink);
        return text;
}

/* — setting it as it was read — */

/* Some properties have more fields when they are read than when they are set. */
static const char *signature_to_set(const BusPropertyRow *row) {
        static const struct {
                const char *read, *set;
        } longer[] = {
                { "a(sasbttttuii)", "a(sasb)" },
                { "a(sasasttttuii)", "a(sasas)" },
                { "a(stt)", "a(st)" },
                { "a(sbbsi)", "a(sbbs)" },
        };

        if (strcmp(row->name, "TimersCalendar") == 0)
                return "a(ss)";
        for (size_t i = 0; i < ELEMENTSOF(longer); i++)
                if (strcmp(longer[i].read, row->signature) == 0)
                        return longer[i].set;
        return row->signature;
}

/* Copies a value. Of a structure only as many fields are copied as @type has. */
static void copy_value(DBusMessageIter *from, DBusMessageIter *to, DBusSignatureIter *type) {
        int kind = dbus_signature_iter_get_current_type(type);
        DBusMessageIter items, inner;
        DBusSignatureIter within;
        char *signature = NULL;
        DBusBasicValue basic;

        if (dbus_type_is_basic(kind)) {
                dbus_message_iter_get_basic(from, &basic);
                dbus_message_iter_append_basic(to, kind, &basic);
                return;
        }
        dbus_signature_iter_recurse(type, &within);
        if (kind == DBUS_TYPE_ARRAY)
                signature = dbus_signature_iter_get_signature(&within);
        dbus_message_iter_open_container(to, kind, signature, &inner);
        dbus_free(signature);
        for (dbus_message_iter_recurse(from, &items); dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID;
             dbus_message_iter_next(&items)) {
                copy_value(&items, &inner, &within);
                if (kind == DBUS_TYPE_STRUCT && !dbus_signature_iter_next(&within))
                        break;
        }
        dbus_message_iter_close_container(to, &inner);
}

static DBusMessage *message_of(const Unit *unit, const BusPropertyRow *row) {
        BusObject object = { .unit = (Unit *) unit };
        BusView view = { .object = &object, .dialect = &bus_dialects[BUS_DIALECT_OWN] };
        DBusMessage *message = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_CALL);
        BusSink sink;

        bus_sink_init(&sink, message);
        bus_property_write(&view, row, &sink.sink);
        cr_assert(eq(int, bus_sink_finish(&sink), 0));
        return message;
}

/* Appends a(sv) with the value of @row for @unit; a soft limit is appended together with its hard limit. */
static void append_properties(const Unit *unit, const BusPropertyRow *row, DBusMessageIter *whole) {
        cleanup_free_ char *hard = strndup(row->name, strlen(row->name) - MIN(strlen(row->name), strlen("Soft")));
        DBusMessageIter array, entry, variant, value;
        BusPropertyRow other;

        dbus_message_iter_open_container(whole, DBUS_TYPE_ARRAY, "(sv)", &array);
        for (size_t i = 0; property_at(unit, i, &other); i++) {
                const char *signature = signature_to_set(&other);
                DBusSignatureIter type;
                DBusMessage *read;

                if (strcmp(other.name, row->name) != 0 && strcmp(other.name, hard) != 0)
                        continue;
                read = message_of(unit, &other);
                dbus_message_iter_init(read, &value);
                dbus_signature_iter_init(&type, signature);
                dbus_message_iter_open_container(&array, DBUS_TYPE_STRUCT, NULL, &entry);
                dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &other.name);
                dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant);
                copy_value(&value, &variant, &type);
                dbus_message_iter_close_container(&entry, &variant);
                dbus_message_iter_close_container(&array, &entry);
                dbus_message_unref(read);
        }
        dbus_message_iter_close_container(whole, &array);
}

/* The entry of @name in an a(sv). */
static DBusMessageIter find_fields(DBusMessageIter items, const char *name) {
        for (;; dbus_message_iter_next(&items)) {
                DBusMessageIter fields;
                const char *found;

                cr_assert(dbus_message_iter_get_arg_type(&items) == DBUS_TYPE_STRUCT);
                dbus_message_iter_recurse(&items, &fields);
                dbus_message_iter_get_basic(&fields, &found);
                if (strcmp(found, name) == 0)
                        return fields;
        }
}

/* Calls bus_setting_read() for the value of @row for @unit; also returns the message of a refusal. */
static int set_property(const Unit *unit, const BusPropertyRow *row, BusSetting *ret_setting, char **ret_sentence) {
        DBusMessage *message = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_CALL);
        BusCall call = { .message = message };
        DBusMessageIter whole, all, fields;
        int r;

        dbus_message_iter_init_append(message, &whole);
        append_properties(unit, row, &whole);
        dbus_message_iter_init(message, &whole);
        dbus_message_iter_recurse(&whole, &all);
        fields = find_fields(all, row->name);
        r = bus_setting_read(&call, &(BusSettingScope) { unit, bus_unit_properties, &all }, &fields, ret_setting);
        *ret_sentence = strdup(r < 0 ? failure_message(&call.failure) : "");
        ret_setting->property = row->name;
        failure_deinit(&call.failure);
        dbus_message_unref(message);
        return r;
}

/* — one directive — */

static Unit *load(const DirectiveSection *section, const char *lines) {
        Unit *unit = directive_case_load(world, section, lines, unit_types, &host->host);

        (void) file_said(world);
        return unit;
}

static Unit *load_with(const DirectiveCase *one) {
        cleanup_free_ char *line = NULL;

        cr_assert(text_format(&line, "%s=%s\n", one->directive->name, one->value) == 0);
        return load(one->section, line);
}

/* All properties of a unit, by their number; NULL: one that does not depend on its files. */
typedef struct Properties {
        char *values[PROPERTIES_MAX]; /* owned */
        size_t n;
} Properties;

static void read_properties(const Unit *unit, Properties *ret_properties) {
        BusPropertyRow row;

        ret_properties->n = 0;
        for (size_t i = 0; property_at(unit, i, &row); i++) {
                cr_assert(i < PROPERTIES_MAX);
                ret_properties->values[ret_properties->n++] = is_of_files(&row) ? read_property(unit, &row) : NULL;
        }
}

static void properties_deinit(Properties *properties) {
        for (size_t i = 0; i < properties->n; i++)
                free(properties->values[i]);
}

static bool assigns(const char *lines, const char *directive) {
        size_t n = strlen(directive);

        for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n')
                if (strncmp(line, directive, n) == 0 && line[n] == '=')
                        return true;
        return false;
}

/*
 * Is it a property of the directive, and the same in a unit with the lines that it is set by? False: it is read only,
 * or of another directive, to which this one gives another default.
 */
static bool comes_back(const DirectiveCase *one, const Unit *unit, const BusPropertyRow *row, const char *wanted) {
        cleanup_(bus_setting_deinit) BusSetting setting = {};
        cleanup_free_ char *sentence = NULL, *lines = NULL, *found = NULL;
        int r = set_property(unit, row, &setting, &sentence);

        if (r == -EPERM)
                return false;
        cr_expect(r >= 0, "line %u: %s=%s: %s", one->line, one->directive->name, one->value, sentence);
        if (r < 0)
                return true;
        cr_assert(text_finish(&setting.lines, &lines) == 0);
        if (!assigns(lines, one->directive->name))
                return false;
        found = read_property(load(directive_section_find(setting.section), lines), row);
        cr_expect(eq(str, found, (char *) wanted), "line %u: %s=%s is not the same when %s is set: %s", one->line,
                  one->directive->name, one->value, row->name, lines);
        return true;
}

/* Returns true if the directive changes the value of a property that can be set. */
static bool has_property(const DirectiveCase *one) {
        cleanup_(properties_deinit) Properties without = {}, with = {};
        bool is_found = false;
        BusPropertyRow row;

        read_properties(load(one->section, ""), &without);
        read_properties(load_with(one), &with);
        for (size_t i = 0; i < with.n; i++)
                if (with.values[i] && strcmp(without.values[i], with.values[i]) != 0) {
                        const Unit *unit = load_with(one);

                        cr_assert(property_at(unit, i, &row));
                        is_found |= comes_back(one, unit, &row, with.values[i]);
                }
        return is_found;
}

/* — all of them — */

/* Returns true if the directive is listed as one without a property. */
static bool is_listed(const DirectiveCase *one) {
        const size_t n = strlen(one->directive->name);
        FILE *file = fopen(WITHOUT_PROPERTY, "re");
        bool is_here = false, is_found = false;
        char line[512];

        cr_assert(file != NULL, "%s", WITHOUT_PROPERTY);
        while (fgets(line, sizeof(line), file)) {
                if (line[0] == '[')
                        is_here = strncmp(line + 1, one->section->name, strlen(one->section->name)) == 0;
                else if (is_here && strncmp(line, one->directive->name, n) == 0 && line[n] == ':')
                        is_found = true;
        }
        fclose(file);
        return is_found;
}

/* Properties and settings are of the unit itself: those of [Install] have none, nor those of a section's instances. */
static bool is_of_unit(const DirectiveCase *one) {
        return strcmp(one->section->name, "Install") != 0 && !one->section->instances;
}

/* An old name has the property of the present name. */
static bool is_expected(const DirectiveCase *one) {
        return one->kind == CASE_ACCEPTED && !one->directive->renamed_to && is_of_unit(one);
}

Test(bus_setting_all, each_directive_comes_back) {
        for (size_t i = 0; i < cases->items.n; i++) {
                const DirectiveCase *one = &cases->items.items[i];

                if (!is_expected(one))
                        continue;
                if (is_listed(one))
                        cr_expect(not(has_property(one)), "[%s] %s has a property: take it off the list",
                                  one->section->name, one->directive->name);
                else
                        cr_expect(has_property(one), "line %u: no property has [%s] %s=%s", one->line,
                                  one->section->name, one->directive->name, one->value);
        }
}

/* — what one directive does to the property of another — */

static char *read_named(const char *lines, const char *property) {
        const Unit *unit = load(directive_section_find("Service"), lines);
        BusPropertyRow row;

        for (size_t i = 0; property_at(unit, i, &row); i++)
                if (strcmp(row.name, property) == 0)
                        return read_property(unit, &row);
        return strdup("there is no such property");
}

/* A property has the effective value, whichever directive has caused it. */
Test(bus_setting_all, properties_show_what_other_directives_imply) {
        const uint64_t all = UINT64_MAX, root = geteuid() == 0 ? all : 0;
        const struct {
                const char *lines, *property;
                uint64_t without;
        } sets[] = {
                { "", "CapabilityBoundingSet", 0 },
                { "PrivateDevices=yes\n", "CapabilityBoundingSet", 1U << CAP_MKNOD | 1U << CAP_SYS_RAWIO },
                { "ProtectClock=yes\n", "CapabilityBoundingSet", 1U << CAP_SYS_TIME | UINT64_C(1) << CAP_WAKE_ALARM },
                { "ProtectKernelModules=yes\n", "CapabilityBoundingSet", 1U << CAP_SYS_MODULE },
                { "ProtectKernelLogs=yes\n", "CapabilityBoundingSet", UINT64_C(1) << CAP_SYSLOG },
        };
        static const struct {
                const char *lines, *property, *value;
        } texts[] = {
                { "DynamicUser=yes\nUser=them\n", "Group", "them" },
                { "DynamicUser=yes\nUser=them\nGroup=us\n", "Group", "us" },
                { "User=them\n", "Group", "" },
                { "", "StandardOutput", "journal" },
                { "StandardInput=socket\n", "StandardOutput", "inherit" },
                { "StandardInput=socket\nStandardOutput=journal\n", "StandardOutput", "journal" },
                { "", "CanStart", "true" },
                { "[Unit]\nRefuseManualStart=yes\n", "CanStart", "false" },
                { "", "CanStop", "true" },
                { "[Unit]\nRefuseManualStop=yes\n", "CanStop", "false" },
        };

        for (size_t i = 0; i < ELEMENTSOF(sets); i++) {
                cleanup_free_ char *value = read_named(sets[i].lines, sets[i].property);
                char wanted[32];

                snprintf(wanted, sizeof(wanted), "%" PRIu64, all & ~(sets[i].without & root));
                cr_expect(strcmp(value, wanted) == 0, "%s: %s, not %s", sets[i].lines, value, wanted);
        }
        for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
                cleanup_free_ char *value = read_named(texts[i].lines, texts[i].property);

                cr_expect(strcmp(value, texts[i].value) == 0, "%s: %s is %s, not %s", texts[i].lines,
                          texts[i].property, value, texts[i].value);
        }
}

/* Sets the property of the directive's own name to the text of a unit file. */
static int set_text(const DirectiveCase *one, BusSetting *ret_setting) {
        DBusMessage *message = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_CALL);
        DBusMessageIter whole, array, entry, variant, all, fields;
        BusCall call = { .message = message };
        int r;

        dbus_message_iter_init_append(message, &whole);
        dbus_message_iter_open_container(&whole, DBUS_TYPE_ARRAY, "(sv)", &array);
        dbus_message_iter_open_container(&array, DBUS_TYPE_STRUCT, NULL, &entry);
        dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &one->directive->name);
        dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "s", &variant);
        dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &one->value);
        dbus_message_iter_close_container(&entry, &variant);
        dbus_message_iter_close_container(&array, &entry);
        dbus_message_iter_close_container(&whole, &array);
        dbus_message_iter_init(message, &whole);
        dbus_message_iter_recurse(&whole, &all);
        dbus_message_iter_recurse(&all, &fields);
        r = bus_setting_read(&call, &(BusSettingScope) { load(one->section, ""), bus_unit_properties, &all }, &fields,
                             ret_setting);
        ret_setting->property = one->directive->name;
        failure_deinit(&call.failure);
        dbus_message_unref(message);
        return r;
}

Test(bus_setting_all, each_directive_is_set_by_a_text) {
        for (size_t i = 0; i < cases->items.n; i++) {
                const DirectiveCase *one = &cases->items.items[i];
                cleanup_(bus_setting_deinit) BusSetting setting = {};
                cleanup_free_ char *lines = NULL;
                const char *said;

                if (one->kind != CASE_ACCEPTED || !is_of_unit(one))
                        continue;
                cr_assert(set_text(one, &setting) >= 0, "%s=%s", one->directive->name, one->value);
                cr_assert(text_finish(&setting.lines, &lines) == 0);
                (void) directive_case_load(world, directive_section_find(setting.section), lines, unit_types,
                                           &host->host);
                said = file_said(world);
                cr_expect(directive_case_is_accepted(one->directive, said), "line %u: %s: %s", one->line, lines, said);
        }
}

/* Why set-property does not change the directive of a running unit; NULL: it does. */
static const char *fixed_reason(const char *directive) {
        static const struct {
                const char *directive, *reason;
        } fixed[] = {
                { "Delegate", "systemd takes it for a new unit alone, too: what is in the group relies on it" },
                { "Slice", "processes are not moved to another group" },
        };

        for (size_t i = 0; i < ELEMENTSOF(fixed); i++)
                if (strcmp(fixed[i].directive, directive) == 0)
                        return fixed[i].reason;
        return NULL;
}

static bool is_of_group(const Directive *directive) {
        for (size_t i = 0; i < resource_directives_n; i++)
                if (directive == &resource_directives[i])
                        return true;
        for (size_t i = 0; i < resource_limit_directives_n; i++)
                if (directive == &resource_limit_directives[i])
                        return true;
        return false;
}

Test(bus_setting_all, each_resource_can_be_set_at_run_time) {
        for (size_t i = 0; i < cases->items.n; i++) {
                const DirectiveCase *one = &cases->items.items[i];
                cleanup_(bus_setting_deinit) BusSetting setting = {};

                if (one->kind != CASE_ACCEPTED || !is_of_group(one->directive))
                        continue;
                cr_assert(set_text(one, &setting) >= 0);
                cr_expect(eq(int, setting.is_for_run_time, fixed_reason(one->directive->name) == NULL), "%s",
                          one->directive->name);
        }
}
