/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties of units that run commands; names and signatures are systemd's
 */

#include "unit/unit.h"
#include "unitfile/exec_settings.h"
#include "unitfile/service_settings.h"

extern const UnitPropertyTable exec_properties;

/*
 * Writes every command of the list with its last run, as a(sasbttttuii): path, argv, ignore failure, four times, pid,
 * code, status.
 */
void exec_property_put_commands(const ExecCommand *command, Sink *sink);
/* The same with the names of all its prefixes in place of one: a(sasasttttuii). */
void exec_property_put_commands_with_prefixes(const ExecCommand *command, Sink *sink);

/* Writes exit statuses and signals as (aiai). */
void exec_property_put_statuses(Sink *sink, const ExitStatusSet *set);
