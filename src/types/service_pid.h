/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The main process of a service
 */

#include "unit/unit.h"

int service_load_pid_file(Unit *unit, bool may_warn);           /* 1: another main process, 0: the same, or -errno */
void service_guess_main_pid(Unit *unit);                        /* if GuessMainPID= allows it */
void service_find_main_pid(Unit *unit);                         /* by its control group or its invocation id */
int service_set_main_pid(Unit *unit, pid_t pid);                /* 1, 0: it was that one, or -errno */
/* 1: it belongs to the service, 0: not known, or -errno */
int service_check_main_pid(const Unit *unit, pid_t pid);
