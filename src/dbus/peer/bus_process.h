/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Information about processes, from /proc
 *
 * A process that has ended is unknown. No function waits for a process.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The first @size - 1 bytes of /proc/@pid/@file, and a NUL; how many, 0 if it cannot be read. */
size_t bus_process_read(pid_t pid, const char *file, char *buffer, size_t size);

/* When the process was started, in clock ticks since the boot: it names it together with its number. 0: not known. */
uint64_t bus_process_start(pid_t pid);

/* The name of the process ("jobctl"), with control characters escaped: 0, -ENOENT if it is not known, or -ENOMEM. */
int bus_process_name(pid_t pid, char **ret_name);
