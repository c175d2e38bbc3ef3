/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What a unit says of itself, in the log and to who asks why it has failed
 */

#include <stdarg.h>

#include "unit/unit.h"

/* Logs it as the unit's; @level as basic/log.h. */
void unit_say(Unit *unit, int level, const char *format, va_list arguments);

/* Logs it as a warning, and keeps it in *first if there is nothing yet: what comes after the first failure, comes of it. */
void unit_say_failure(Unit *unit, char **first, const char *format, va_list arguments);
