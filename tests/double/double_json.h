/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Random values of JSON, each written in two ways
 */

#include "basic/text.h"

/* A number of a sequence that the seed decides; a test names the seed when it fails. */
unsigned double_json_number(uint64_t *seed, unsigned limit);

/*
 * Adds the same value to both: with blanks and needless escapes to @loose, compact and with as few escapes as may be to
 * @compact. Objects and arrays are at most @depth deep.
 */
void double_json_value(uint64_t *seed, unsigned depth, Text *loose, Text *compact);
