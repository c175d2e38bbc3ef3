/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Nodes with Foreach=: their items, and the list of the results of their instances
 *
 * The engine of runs asks for both: see RunHost.
 */

#include "manager/manager_run_get.h"

RunReason manager_run_count(void *userdata, uint32_t id, uint32_t node, uint32_t *ret_n);
int manager_run_grow(void *userdata, uint32_t id, RunGraph *graph);
RunReason manager_run_gather(void *userdata, uint32_t id, uint32_t node);
