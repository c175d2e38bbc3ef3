/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The mounts of a sandbox in the order in which they are made
 *
 * Only computes, so it may run anywhere: it does in the child.
 */

#include "exec/sandbox.h"

/* Is @path @folder, or below it? Both absolute and simplified. */
bool sandbox_is_below(const char *path, const char *folder);

/* Outer ones first; at one path by kind. */
void sandbox_order_sort(SandboxMount *mounts, size_t n);

/*
 * Of those that are sorted, drops what is there twice, lies in something inaccessible or would change nothing, and
 * gives each its .outer and its attributes: .is_read_only and .is_no_exec are what it will be. The number that is left.
 */
size_t sandbox_order_settle(SandboxMount *mounts, size_t n);
