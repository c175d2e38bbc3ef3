/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Memory that runs out, in a test that is linked with double_memory_dep
 */

#include <stdbool.h>
#include <stddef.h>

/* Makes the @n-th allocation from now on fail (1: the next), and all after it if @and_all_after. */
void double_memory_arm(size_t n, bool and_all_after);

/* Ends the failures. Returns true if the n-th allocation was reached. */
bool double_memory_disarm(void);
