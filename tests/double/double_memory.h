/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Memory that runs out, in a test that is linked with double_memory_dep
 */

#include <stdbool.h>
#include <stddef.h>

/* From now on the @n-th allocation (from 1 on) fails, and all after it if @and_all_after. */
void double_memory_arm(size_t n, bool and_all_after);

/* All is well again. Was the n-th ever reached? */
bool double_memory_disarm(void);
