/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The mounts of a sandbox in the order in which they are made
 *
 * Computes only, so it may run in the child.
 */

#include "exec/sandbox.h"

/* Returns true if @path equals @folder or is below it. Both are absolute and simplified. */
bool sandbox_is_below(const char *path, const char *folder);

/* Sorts outer mounts first; at one path by kind. */
void sandbox_order_sort(SandboxMount *mounts, size_t n);

/*
 * Drops sorted mounts that are duplicates, are inside of an inaccessible one, or would change nothing, and computes
 * .outer and the final .is_read_only and .is_no_exec. Returns the remaining number.
 */
size_t sandbox_order_settle(SandboxMount *mounts, size_t n);
