/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The kernel's file systems that every machine has: /proc, /sys, /dev, /run, …
 */

#include "basic/failure.h"

/*
 * Mounts those that are not mounted yet. One that fails is left out; *ret_failure names the last one that the machine
 * needs and does not have. @root goes before the paths, "" but in tests. 0 or the errno of that one.
 */
int machine_mount_all(const char *root, Failure *ret_failure);
