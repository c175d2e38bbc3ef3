/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What properties of several interfaces write
 */

#include "dbus/bus_table.h"

void bus_view_put_unit_path(const BusView *view, const char *unit, Sink *sink);
void bus_view_put_job_path(const BusView *view, uint32_t id, Sink *sink);   /* "/" for no job */
Manager *bus_view_manager(const BusView *view);
