/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Values of D-Bus as lines of a unit file
 *
 * Each row is of one property: its directive, the type of its value, and the
 * function that writes the lines. Values of simple types need no row.
 */

#include <dbus/dbus.h>

#include "basic/text.h"
#include "unitfile/directive.h"

typedef struct BusSettingRow BusSettingRow;

typedef struct BusSettingTarget {
        Text *lines;
        const BusSettingRow *row;
        const char *directive;
        const DirectiveSection *section;
} BusSettingTarget;

/* Adds lines: 0, or -EINVAL if the value has the right type and no meaning. */
typedef int (*BusSettingWrite)(const BusSettingTarget *target, DBusMessageIter *value);

struct BusSettingRow {
        const char *property;
        const char *directive;
        const char *signature;
        BusSettingWrite write;
};

/* bus_setting_row.c: the row of a property, or NULL. @signature: of the value. */
const BusSettingRow *bus_setting_row(const char *property, const char *signature);

/* Writes a value of a simple type: string, boolean, number, strings. -EINVAL for another. */
int bus_setting_write_plain(const BusSettingTarget *target, DBusMessageIter *value);

/* The parts of a line. */
void bus_setting_add_text(Text *line, const char *text);         /* as it stands, without specifiers */
void bus_setting_add_word(Text *line, const char *word);         /* quoted, with a space in front */
