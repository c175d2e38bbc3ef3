/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the start of a service waits for besides its processes: other jobs (Type=idle), its name on the bus (Type=dbus)
 */

#include "unit/unit.h"

typedef struct ServiceWait {
        usec_t idle_until;              /* Type=idle waits so long at most; 0: it does not wait */
        bool has_name;                  /* a process of it has BusName= */
} ServiceWait;

typedef enum ServiceNameOutcome {
        SERVICE_NAME_SAME,
        SERVICE_NAME_GAINED,
        SERVICE_NAME_LOST,
} ServiceNameOutcome;

bool service_begin_idle(Unit *unit);            /* Type=idle: does it have to wait for other jobs? */
bool service_idle_elapsed(Unit *unit);          /* is that wait over now? */
void service_end_idle(Unit *unit);
bool service_is_idle(const Unit *unit);         /* does it wait so? */

int service_watch_name(Unit *unit);             /* Type=dbus: 0, or -errno, which is said */
void service_unwatch_name(Unit *unit);
ServiceNameOutcome service_name_changed(Unit *unit, bool is_owned, pid_t pid);
bool service_lacks_name(const Unit *unit);      /* Type=dbus, and no process of it has the name */
