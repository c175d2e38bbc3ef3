/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Messages of a service (the sd_notify protocol): the right to send them, and their assignments
 */

#include "basic/macro.h"
#include "unit/unit.h"
#include "unitfile/service_settings.h"

ServiceNotifyAccess service_notify_access(const Unit *unit);
bool service_may_notify(const Unit *unit, pid_t sender);

const char *service_find_assignment(char *const *assignments, const char *name);        /* its value, or NULL */
bool service_says(char *const *assignments, const char *name);                          /* NAME=1 */

/* Logs a warning about a message, unless there were too many of them lately. */
void service_complain(Unit *unit, const char *format, ...) printf_(2, 3);
