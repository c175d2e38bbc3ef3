/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The work of core as, or for, the init of a machine
 */

#include "core/core_options.h"
#include "core/machine_end.h"
#include "core/surroundings.h"

/*
 * Sets the machine up as programs expect it, before options are read: mounts, console, the kernel's log as core's own,
 * name and id, Ctrl-Alt-Del as a signal. No failure stops the start. May be called again, by a later core.
 */
void machine_begin(void);

/*
 * Options of a machine's init: jobd.conf and the kernel's command line, which also has the words that the kernel passes
 * as arguments. Errors in the file are logged, and the file is ignored.
 */
int machine_options_read(CoreOptions *options, Failure *ret_failure);
