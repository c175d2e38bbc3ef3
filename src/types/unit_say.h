/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Messages of a unit: its log, and the reason of a failure
 */

#include <stdarg.h>

#include "basic/log.h"
#include "unit/unit.h"

void unit_say(const Unit *unit, LogLevel level, const char *format, ...) printf_(3, 4);
void unit_say_list(const Unit *unit, LogLevel level, const char *format, va_list arguments);

/*
 * Logs a warning, and stores a copy in *first (owned) if that is NULL: the first failure is the cause of those that
 * come after it.
 */
void unit_say_failure(const Unit *unit, char **first, const char *format, ...) printf_(3, 4);
