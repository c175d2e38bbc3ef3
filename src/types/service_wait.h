/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Waits of a start, besides those for processes: for other jobs (Type=idle), and for the name on the bus (Type=dbus)
 */

#include "unit/unit.h"

typedef struct ServiceWait {
        usec_t idle_until;              /* when the wait of Type=idle ends; 0: there is none */
        bool has_name;                  /* a process of the service owns BusName= */
} ServiceWait;

typedef enum ServiceNameOutcome {
        SERVICE_NAME_SAME,
        SERVICE_NAME_GAINED,
        SERVICE_NAME_LOST,
} ServiceNameOutcome;

bool service_begin_idle(Unit *unit);            /* true: Type=idle has to wait for other jobs, from now on */
bool service_idle_elapsed(Unit *unit);          /* true: the wait is over */
void service_end_idle(Unit *unit);
bool service_is_idle(const Unit *unit);         /* it waits for other jobs */

int service_watch_name(Unit *unit);             /* Type=dbus: 0, or -errno and the failure is noted */
void service_unwatch_name(Unit *unit);
ServiceNameOutcome service_name_changed(Unit *unit, bool is_owned, pid_t pid);
bool service_lacks_name(const Unit *unit);      /* Type=dbus, and no process of it has the name */
