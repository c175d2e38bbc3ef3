/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Unmounting everything, and swap
 */

#include <stddef.h>

/*
 * Unmounts everything below @root ("" for all) but the kernel's own file systems, the last first, in rounds, as long as
 * a round unmounts something. The rest, and "/" always, is made read-only. Waits a few seconds at most for each file
 * system. Returns how many could be neither unmounted nor made read-only, or a negative errno. Logs.
 */
int machine_unmount_all(const char *root);

/* Gives swap back, so that the file system of a swap file can be unmounted. 0, or the last errno. */
int machine_swap_off(void);
