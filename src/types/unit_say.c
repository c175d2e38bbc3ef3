/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a unit says of itself, in the log and to who asks why it has failed
 */

#include <stdio.h>
#include <string.h>

#include "basic/log.h"
#include "types/unit_say.h"
#include "unit/unit_table.h"

#define MESSAGE_MAX 1280

void unit_say(Unit *unit, int level, const char *format, va_list arguments) {
        UnitHost *host = unit_table_host(unit->table);
        char message[MESSAGE_MAX];

        vsnprintf(message, sizeof(message), format, arguments);
        host->ops->log(host, unit, level, message);
}

void unit_say_failure(Unit *unit, char **first, const char *format, va_list arguments) {
        UnitHost *host = unit_table_host(unit->table);
        char message[MESSAGE_MAX];

        vsnprintf(message, sizeof(message), format, arguments);
        host->ops->log(host, unit, LOG_LEVEL_WARNING, message);
        if (!*first)
                *first = strdup(message);
}
