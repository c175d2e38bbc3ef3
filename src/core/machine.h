/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What core does as, or for, the init of a machine
 */

#include "core/core_options.h"
#include "core/machine_end.h"
#include "core/surroundings.h"

/*
 * Makes the machine what programs expect, before options are read: mounts, console, the kernel's log as ours, name and id,
 * Ctrl-Alt-Del as a signal. Nothing of that stops the start. May be called again, by a core that comes after another.
 */
void machine_begin(void);

/*
 * Options of a machine's init: jobd.conf, and what the kernel's command line says. The words that the kernel passes as
 * arguments stand there, too. A wrong file is told of and left.
 */
int machine_options_read(CoreOptions *options, Failure *ret_failure);
