/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Who a machine is: its name and its id; and the interface on which it talks to itself
 */

#include <stddef.h>

/* The name in a text like /etc/hostname: the first line that is no comment. 0, or -ENOENT if there is none that will do. */
int machine_hostname_parse(const char *text, char *ret_name, size_t size);

/* Sets it, unless the kernel has one. Without a file: "localhost". 0 or a negative errno. */
int machine_set_hostname(void);

/* The id that a text begins with: 1, 0 if there is none, or it says that there shall be one ("uninitialized"). */
int machine_id_parse(const char *text);

/* Makes @root/etc/machine-id if it has none: for good, or in @root/run and mounted over it for now. 0 or a negative errno. */
int machine_set_id(const char *root);

/* Brings "lo" up. */
int machine_start_loopback(void);
