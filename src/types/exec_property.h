/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What units that run commands show of how they do: names and signatures are systemd's
 */

#include "unit/unit.h"
#include "unitfile/exec_settings.h"

extern const UnitPropertyTable exec_properties;

/* Every command of a list with what became of it, a(sasbttttuii): path, argv, ignore failure, four times, pid, code, status. */
void exec_property_put_commands(const ExecCommand *command, Sink *sink);
