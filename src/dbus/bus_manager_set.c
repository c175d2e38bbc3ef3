/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: settings of units at run time
 *
 * A property becomes a drop-in, and the unit's files are read again, which
 * applies what concerns its control group. So what was set this way is seen
 * where all settings are, holds for as long as its file does, and goes through
 * the same checks. A value is what systemd's property has, or a string with
 * what a unit file would say.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/bus_manager.h"
#include "unit/file/directive.h"
#include "unit/file/dropin_write.h"

#define SETTINGS_MAX 64

typedef struct BusSetting {
        const char *directive;          /* static */
        char *file;                     /* owned */
        char *text;                     /* owned: of the drop-in */
} BusSetting;

typedef struct BusSettings {
        BusSetting items[SETTINGS_MAX];
        size_t n;
} BusSettings;

static void settings_deinit(BusSettings *settings) {
        for (size_t i = 0; i < settings->n; i++) {
                free(settings->items[i].file);
                free(settings->items[i].text);
        }
}

/* What a directive is called whose property has another name. */
typedef struct BusSettingName {
        const char *property;
        const char *directive;
        enum { SETTING_PLAIN, SETTING_PERCENT_OF_SECOND, SETTING_SPAN, SETTING_SCALE } kind;
} BusSettingName;

static const BusSettingName names[] = {
        { "CPUQuotaPerSecUSec", "CPUQuota", SETTING_PERCENT_OF_SECOND },
        { "CPUQuotaPeriodUSec", "CPUQuotaPeriodSec", SETTING_SPAN },
        { "MemoryMinScale", "MemoryMin", SETTING_SCALE },
        { "MemoryLowScale", "MemoryLow", SETTING_SCALE },
        { "MemoryHighScale", "MemoryHigh", SETTING_SCALE },
        { "MemoryMaxScale", "MemoryMax", SETTING_SCALE },
        { "MemorySwapMaxScale", "MemorySwapMax", SETTING_SCALE },
        { "TasksMaxScale", "TasksMax", SETTING_SCALE },
};

static BusSettingName name_of_property(const char *property) {
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (text_equal(names[i].property, property))
                        return names[i];
        return (BusSettingName) { property, property, SETTING_PLAIN };
}

static void add_number(Text *text, const BusSettingName *name, uint64_t value) {
        if (name->kind == SETTING_SCALE)
                text_addf(text, "%" PRIu64 "%%", (uint64_t) ((double) value * 100 / UINT32_MAX + 0.5));
        else if (value == UINT64_MAX)
                text_add(text, name->kind == SETTING_PERCENT_OF_SECOND || text_ends_with(name->directive, "Weight")
                                       ? "" : "infinity");
        else if (name->kind == SETTING_PERCENT_OF_SECOND)
                text_addf(text, "%" PRIu64 "%%", value / 10000);
        else
                text_addf(text, "%" PRIu64 "%s", value, name->kind == SETTING_SPAN ? "us" : "");
}

/* 0, or -EINVAL for a type that no setting has. */
static int add_value(Text *text, const BusSettingName *name, DBusMessageIter *value) {
        DBusBasicValue basic = {};

        switch (dbus_message_iter_get_arg_type(value)) {
        case DBUS_TYPE_STRING:
                dbus_message_iter_get_basic(value, &basic);
                text_add(text, basic.str);
                return strpbrk(basic.str, "\n\r") ? -EINVAL : 0;
        case DBUS_TYPE_BOOLEAN:
                dbus_message_iter_get_basic(value, &basic);
                text_add(text, basic.bool_val ? "yes" : "no");
                return 0;
        case DBUS_TYPE_UINT32:
                dbus_message_iter_get_basic(value, &basic);
                add_number(text, name, basic.u32);
                return 0;
        case DBUS_TYPE_UINT64:
                dbus_message_iter_get_basic(value, &basic);
                add_number(text, name, basic.u64);
                return 0;
        default:
                return -EINVAL;
        }
}

/* The section that a unit of this type has the directive in; NULL if it cannot be set at run time. */
static const char *section_of(const Unit *unit, const char *name, const Directive **ret_directive) {
        const char *own = directive_section_of_type(unit->type);
        const DirectiveSection *section = own ? directive_section_find(own) : NULL;
        const Directive *directive = section ? directive_find(section, name) : NULL;

        if (directive && directive->base == DIRECTIVE_IN_RESOURCES && directive->status == DIRECTIVE_SUPPORTED) {
                *ret_directive = directive;
                return own;
        }
        if (!text_equal(name, "Description"))
                return NULL;
        *ret_directive = directive_find(directive_section_find("Unit"), name);
        return "Unit";
}

static int read_setting(BusCall *call, const Unit *unit, DBusMessageIter *fields, BusSettings *settings) {
        BusSetting *setting = &settings->items[settings->n];
        cleanup_(text_deinit) Text text = {};
        const Directive *directive = NULL;
        const char *property, *section;
        BusSettingName name;
        DBusMessageIter value;
        int r;

        dbus_message_iter_get_basic(fields, &property);
        dbus_message_iter_next(fields);
        dbus_message_iter_recurse(fields, &value);
        name = name_of_property(property);
        section = section_of(unit, name.directive, &directive);
        if (!section)
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "%s of %s cannot be set at run time: 'jobctl edit' changes unit files.", property,
                                     unit->id);
        if (settings->n == SETTINGS_MAX)
                return bus_call_fail(call, -E2BIG, "LimitsExceeded", "At most %d settings in one call.", SETTINGS_MAX);
        text_addf(&text, "# Written by set-property\n[%s]\n%s=", section, directive->name);
        if (add_value(&text, &name, &value) < 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "The value of %s is of the wrong type.", property);
        text_add_char(&text, '\n');
        settings->n++;
        setting->directive = directive->name;
        r = text_finish(&text, &setting->text);
        return r < 0 ? r : text_format(&setting->file, "50-%s.conf", directive->name);
}

static int read_settings(BusCall *call, const Unit *unit, BusSettings *settings) {
        DBusMessageIter items;

        dbus_message_iter_recurse(&call->arguments, &items);
        for (; dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; dbus_message_iter_next(&items)) {
                DBusMessageIter fields;
                int r;

                dbus_message_iter_recurse(&items, &fields);
                r = read_setting(call, unit, &fields, settings);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* All are verified before the first is written. */
static int place_settings(BusCall *call, const Unit *unit, const BusSettings *settings, bool is_runtime) {
        const ManagerOptions *options = manager_options(call->bus->manager);
        DropinWrite dropin = {
                .unit = unit->id,
                .search_path = unit_file_loader_search_path(manager_loader(call->bus->manager)),
                .scratch = options->runtime_directory,
                .is_user = options->is_user,
                .is_runtime = is_runtime,
        };

        for (size_t pass = 0; pass < 2; pass++)
                for (size_t i = 0; i < settings->n; i++) {
                        int r;

                        dropin.file = settings->items[i].file;
                        dropin.text = settings->items[i].text;
                        r = pass == 0 ? dropin_verify(&dropin, &call->failure) : dropin_place(&dropin, &call->failure);
                        if (r < 0)
                                return r;
                }
        return 0;
}

static int set_properties(BusCall *call, const Unit *unit, bool is_runtime) {
        cleanup_(settings_deinit) BusSettings settings = {};
        int r = read_settings(call, unit, &settings);

        if (r >= 0 && settings.n > 0)
                r = place_settings(call, unit, &settings, is_runtime);
        if (r < 0 || settings.n == 0)
                return r;
        r = manager_reload(call->bus->manager, false, NULL, &call->failure);
        return r < 0 ? r : 0;
}

int bus_manager_set_unit_properties(BusCall *call) {
        const char *name = bus_call_string(call);
        bool is_runtime = bus_call_bool(call);
        Unit *unit;
        int r = bus_call_load_unit(call, name, &unit);

        if (r >= 0 && unit->load_state != UNIT_LOADED)
                return bus_call_fail(call, -ENOENT, "NoSuchUnit", "Unit %s is not there: %s.", name,
                                     unit_load_state_to_string(unit->load_state));
        return r < 0 ? r : set_properties(call, unit, is_runtime);
}

/* The same as a method of the unit. */
int bus_unit_set_properties(BusCall *call) {
        bool is_runtime = bus_call_bool(call);

        return set_properties(call, call->object->unit, is_runtime);
}
