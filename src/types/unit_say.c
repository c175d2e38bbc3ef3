/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages of a unit: its log, and the reason of a failure
 */

#include <stdio.h>
#include <string.h>

#include "types/unit_say.h"
#include "unit/unit_table.h"

#define MESSAGE_MAX 1280

static void say(const Unit *unit, LogLevel level, const char *message) {
        UnitHost *host = unit_table_host(unit->table);

        /* The host only reads the unit's id. */
        host->ops->log(host, (Unit *) unit, level, message);
}

void unit_say_list(const Unit *unit, LogLevel level, const char *format, va_list arguments) {
        char message[MESSAGE_MAX];

        vsnprintf(message, sizeof(message), format, arguments);
        say(unit, level, message);
}

void unit_say(const Unit *unit, LogLevel level, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        unit_say_list(unit, level, format, arguments);
        va_end(arguments);
}

void unit_say_failure(const Unit *unit, char **first, const char *format, ...) {
        char message[MESSAGE_MAX];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(message, sizeof(message), format, arguments);
        va_end(arguments);
        say(unit, LOG_LEVEL_WARNING, message);
        if (!*first)
                *first = strdup(message);
}
