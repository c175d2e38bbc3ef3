/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: settings of units at run time
 *
 * A property becomes a drop-in, and the unit's files are read again, which
 * applies settings of the control group. So such a setting is shown like any
 * other, lasts as long as its file, and goes through the same checks. A value
 * has the type of systemd's property, or is a string as in a unit file. A value
 * of a list adds to those of earlier calls, until an empty value clears the
 * list.
 */

#include <errno.h>

#include "basic/text.h"
#include "dbus/bus_interfaces.h"
#include "dbus/bus_manager.h"
#include "dbus/setting/bus_setting.h"
#include "dbus/setting/bus_setting_list.h"
#include "unitfile/dropin_write.h"
#include "unitfile/transient_file.h"

#define SETTINGS_MAX 64

typedef struct BusDropin {
        const char *directive, *section;        /* static */
        bool is_list;
        char *file;                     /* owned */
        char *lines, *text;             /* owned: the new settings, and the whole drop-in */
        char *for_boot;                 /* owned: the drop-in until the next boot that stays beside it; NULL: none */
} BusDropin;

typedef struct BusSettings {
        BusDropin items[SETTINGS_MAX];
        size_t n;
} BusSettings;

static void settings_deinit(BusSettings *settings) {
        for (size_t i = 0; i < settings->n; i++) {
                free(settings->items[i].file);
                free(settings->items[i].lines);
                free(settings->items[i].text);
                free(settings->items[i].for_boot);
        }
}

static BusDropin *find_dropin(BusSettings *settings, const char *directive) {
        for (size_t i = 0; i < settings->n; i++)
                if (text_equal(settings->items[i].directive, directive))
                        return &settings->items[i];
        return NULL;
}

/* A directive that is named again goes into the same file, as in a unit file: lists add up. */
static int append_lines(BusDropin *dropin, const char *lines) {
        cleanup_free_ char *before = take_ptr(dropin->lines);

        return text_format(&dropin->lines, "%s%s", before, lines);
}

static int read_setting(BusCall *call, const Unit *unit, const DBusMessageIter *all, DBusMessageIter *fields,
                        BusSettings *settings) {
        cleanup_(bus_setting_deinit) BusSetting setting = {};
        cleanup_free_ char *lines = NULL;
        BusDropin *dropin;
        int r = bus_setting_read(call, &(BusSettingScope) { unit, bus_unit_properties, all }, fields, &setting);

        /* Tools that run containers switch on all kinds of counting. Traffic is not counted: nothing is written. */
        if (r >= 0 && text_equal(setting.directive, "IPAccounting"))
                return 0;
        if (r >= 0 && !setting.is_for_run_time)
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "%s of %s cannot be set at run time: 'jobctl edit' changes unit files.",
                                     setting.property, unit->id);
        if (r >= 0)
                r = text_finish(&setting.lines, &lines);
        if (r < 0)
                return r;
        dropin = find_dropin(settings, setting.directive);
        if (dropin)
                return append_lines(dropin, lines);
        if (settings->n == SETTINGS_MAX)
                return bus_call_fail(call, -E2BIG, "LimitsExceeded", "At most %d settings in one call.", SETTINGS_MAX);
        dropin = &settings->items[settings->n++];
        *dropin = (BusDropin) {
                .directive = setting.directive,
                .section = setting.section,
                .is_list = setting.is_list,
                .lines = take_ptr(lines),
        };
        return text_format(&dropin->file, "50-%s.conf", setting.directive);
}

static int read_settings(BusCall *call, const Unit *unit, BusSettings *settings) {
        DBusMessageIter items, all;

        dbus_message_iter_recurse(&call->arguments, &all);
        items = all;
        for (; dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; dbus_message_iter_next(&items)) {
                DBusMessageIter fields;
                int r;

                dbus_message_iter_recurse(&items, &fields);
                r = read_setting(call, unit, &all, &fields, settings);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int format_text(const BusDropin *dropin, const char *lines, char **ret_text) {
        return text_format(ret_text, "# Written by set-property\n[%s]\n%s", dropin->section, lines);
}

/*
 * A list that is set until the next boot stays when the same list is set for good, and repeats the new items: else its
 * own item for the same device, or an empty assignment, would override them.
 */
static int finish_text_for_boot(const DropinWrite *place, BusDropin *dropin) {
        cleanup_free_ char *before = NULL, *all = NULL;
        int r;

        if (place->is_runtime || place->is_transient || bus_setting_takes_back(dropin->directive, dropin->lines))
                return 0;
        r = dropin_read_for_boot(place, &before);
        if (r >= 0 && before)
                r = bus_setting_add_to_list(dropin->directive, before, dropin->lines, &all);
        return r < 0 || !all ? r : format_text(dropin, all, &dropin->for_boot);
}

/* With the present contents, if they are to stay. */
static int finish_text(BusCall *call, const DropinWrite *place, BusDropin *dropin) {
        cleanup_free_ char *before = NULL, *all = NULL;
        int r;

        if (!dropin->is_list)
                return format_text(dropin, dropin->lines, &dropin->text);
        r = dropin_read(place, &before, &call->failure);
        if (r >= 0)
                r = bus_setting_add_to_list(dropin->directive, before, dropin->lines, &all);
        if (r >= 0)
                r = format_text(dropin, all, &dropin->text);
        return r < 0 ? r : finish_text_for_boot(place, dropin);
}

static const struct MountEntry *find_mount(void *userdata, const char *where) {
        UnitHost *host = userdata;

        return host->ops->find_mount ? host->ops->find_mount(host, where, false) : NULL;
}

/* All are verified before the first is written. */
static int place_settings(BusCall *call, const Unit *unit, BusSettings *settings, bool is_runtime) {
        const ManagerOptions *options = manager_options(call->tree->manager);
        DropinWrite dropin = {
                .unit = unit->id,
                .search_path = unit_file_loader_search_path(manager_loader(call->tree->manager)),
                .scratch = options->runtime_directory,
                .find_mount = find_mount,
                .userdata = unit_table_host(unit->table),
                .is_user = options->is_user,
                .into_systemd = unit_file_loader_boots(manager_loader(call->tree->manager)),
                .is_runtime = is_runtime,
                .is_transient = transient_file_is_of(unit),
        };

        for (size_t pass = 0; pass < 2; pass++)
                for (size_t i = 0; i < settings->n; i++) {
                        int r = 0;

                        dropin.file = settings->items[i].file;
                        if (pass == 0)
                                r = finish_text(call, &dropin, &settings->items[i]);
                        dropin.text = settings->items[i].text;
                        dropin.for_boot = settings->items[i].for_boot;
                        if (r >= 0)
                                r = pass == 0 ? dropin_verify(&dropin, &call->failure) :
                                                dropin_place(&dropin, &call->failure);
                        if (r < 0)
                                return r;
                }
        return 0;
}

static int set_properties(BusCall *call, Unit *unit, bool is_runtime) {
        cleanup_(settings_deinit) BusSettings settings = {};
        int r = read_settings(call, unit, &settings);

        if (r >= 0 && settings.n > 0)
                r = place_settings(call, unit, &settings, is_runtime);
        if (r < 0 || settings.n == 0)
                return r;
        return manager_reload_unit(call->tree->manager, unit, &call->failure);
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
