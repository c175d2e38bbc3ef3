/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A call in a process of its own, for a limited time
 */

#include "basic/usec.h"

/*
 * Calls @call(@argument) in a child: its result (0 or a negative errno), or -ETIMEDOUT after @limit µs. Then the child
 * is killed and not waited for, since it may hang in the kernel. Other children that end meanwhile are not reaped.
 */
int machine_call_bounded(int (*call)(const void *argument), const void *argument, usec_t limit);
