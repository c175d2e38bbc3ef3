/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Memory nodes and their processors
 */

#include "unit/exec_terms.h"

/* Adds the processors of @nodes, as /sys has them: 0, or a negative errno. A node that is not there has none. */
int exec_numa_add_cpus(const ExecSet *nodes, ExecSet *cpus);
