/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Taking down what is mounted, and swap
 */

#include <stddef.h>

/*
 * Unmounts everything below @root ("" for all) but the kernel's own file systems, the last first, again and again while
 * something gives way. What does not is made read-only; so is "/", always. Never waits longer than a few seconds for any
 * one file system. Returns how many could be neither unmounted nor made read-only, or a negative errno. Logs.
 */
int machine_unmount_all(const char *root);

/* Swap is given back, so that what it lies on can be unmounted. 0, or the last errno. */
int machine_swap_off(void);
