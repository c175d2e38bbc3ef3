/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Identity of a machine: its name and its id; and its loopback interface
 */

#include <stddef.h>

/* The name in a text like /etc/hostname: the first line that is no comment. 0, or -ENOENT without a valid name. */
int machine_hostname_parse(const char *text, char *ret_name, size_t size);

/* Sets the name, unless the kernel has one. Without a file: "localhost". 0 or a negative errno. */
int machine_set_hostname(void);

/* The id that a text begins with: 1; 0 if there is none yet (also "uninitialized"). */
int machine_id_parse(const char *text);

/*
 * Makes the id in @root/etc/machine-id if there is none: for good, or for this boot in @root/run, mounted over the
 * file. 0 or a negative errno.
 */
int machine_set_id(const char *root);

/* Brings the interface "lo" up. */
int machine_start_loopback(void);
