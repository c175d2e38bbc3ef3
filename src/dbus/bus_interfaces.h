/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * All interfaces and kinds of objects
 */

#include "dbus/object/bus_tree.h"

extern const BusInterface bus_manager_interface;
extern const BusInterface bus_unit_interface;
extern const BusInterface bus_job_interface;
extern const BusInterface bus_run_interface;
extern const BusInterface bus_properties_interface;
extern const BusInterface bus_introspectable_interface;
extern const BusInterface bus_peer_interface;
extern const BusInterface bus_object_manager_interface;
extern const BusInterface bus_driver_interface;
extern const BusInterface bus_monitoring_interface;

/* The interface of a type of units; name NULL if it has none. */
BusInterface bus_type_interface(const UnitVTable *vtable);

extern const BusKind bus_manager_kind;
extern const BusKind bus_unit_kind;
extern const BusKind bus_job_kind;
extern const BusKind bus_run_kind;
extern const BusKind bus_driver_kind;
extern const BusKind bus_log_control_kind;

extern const BusProperty bus_unit_properties[];
