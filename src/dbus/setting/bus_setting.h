/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From a property that a client sets to lines of a unit file
 *
 * A value has the type of systemd's property of that name, or is a string as in
 * a unit file. Specifiers ("%i") are not resolved in it.
 */

#include "basic/text.h"
#include "dbus/object/bus_call.h"
#include "unitfile/directive.h"

typedef struct BusSetting {
        const char *property;           /* borrowed from the message */
        const char *section;            /* static: "Unit", "Service", … */
        const char *directive;          /* static: of the lines, or of the first */
        bool is_for_run_time;           /* a unit that runs can take it, too */
        bool is_list;                   /* it adds to what there is: see bus_setting_list.h */
        Text lines;                     /* owned: "MemoryMax=1G\n"; may be empty */
} BusSetting;

void bus_setting_deinit(BusSetting *setting);

/* The unit and the list that settings are read from. */
typedef struct BusSettingScope {
        const Unit *unit;
        const BusProperty *properties;  /* of every unit: what cannot be set is known by them */
        const DBusMessageIter *all;     /* the a(sv) with all settings */
} BusSettingScope;

/*
 * Reads @fields, the (sv) that it stands at. A setting that no unit of the type can have is PropertyReadOnly, one of
 * another type InvalidArgs, with the name.
 */
int bus_setting_read(BusCall *call, const BusSettingScope *scope, DBusMessageIter *fields, BusSetting *ret_setting);
