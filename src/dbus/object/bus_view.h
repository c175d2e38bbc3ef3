/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Values of an object that several interfaces write
 */

#include "dbus/object/bus_tree.h"

void bus_view_put_unit_path(const BusView *view, const char *unit, Sink *sink);
void bus_view_put_job_path(const BusView *view, uint32_t id, Sink *sink);   /* "/" for no job */
void bus_view_put_interface(const BusView *view, const BusInterface *interface, Sink *sink);    /* its whole name */

/* Writes a{sa{sv}}: those of an object's interfaces that have properties, with all of these. */
void bus_view_put_interfaces(const BusView *view, const BusInterface *interfaces, size_t n, Sink *sink);
