/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties whose values say little as the numbers and structures that they are
 */

#include <jansson.h>
#include <stdbool.h>

#include "basic/text.h"

/*
 * Adds the value of property @name as a unit file would have it, as far as it is one of these; false: it is not, and
 * nothing was added.
 */
bool property_add_special(Text *text, const char *name, const json_t *value);

/* A time span with all that it has: "1h 20min 3s 5ms", "0", "infinity". */
void property_add_span(Text *text, uint64_t usec);
