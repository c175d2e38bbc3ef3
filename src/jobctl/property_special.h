/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties with a notation of their own
 */

#include <jansson.h>
#include <stdbool.h>

#include "basic/text.h"

/* Adds the value of property @name in the notation of unit files; false, with nothing added, for other properties. */
bool property_add_special(Text *text, const char *name, const json_t *value);

/* A time span with all its units: "1h 20min 3s 5ms", "0", "infinity". */
void property_add_span(Text *text, uint64_t usec);
