/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Capabilities by name
 */

/* "CAP_KILL" or "5": its number, below 64, or -EINVAL. */
int capability_find(const char *name);

/* "kill" of 5; NULL: there is none of that number. */
const char *capability_name(int number);
