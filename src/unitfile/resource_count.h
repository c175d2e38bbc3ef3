/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Limits of resources as numbers, on this machine
 */

#include "unitfile/resource_settings.h"

/* A share is one of the machine's memory, or of the tasks that it can have. */
uint64_t resource_count_memory(const ResourceLimit *limit);
uint64_t resource_count_tasks(const ResourceLimit *limit);
