/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Memory nodes and their processors
 */

#include "unit/exec_terms.h"

/* Adds the processors of @nodes, from /sys: 0, or a negative errno. A missing node has none. */
int exec_numa_add_cpus(const ExecSet *nodes, ExecSet *cpus);
