/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Capabilities by name
 */

/* The number of a capability, given as "CAP_KILL" or "5": below 64, or -EINVAL. */
int capability_find(const char *name);

/* The name of a capability, "kill" for 5; NULL if the number has none. */
const char *capability_name(int number);
