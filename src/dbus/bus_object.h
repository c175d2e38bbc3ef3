/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From a path to an object
 */

#include "dbus/bus_table.h"

/*
 * Finds what @path (borrowed by the object) names; a unit with a valid name is loaded. Without a dialect in the path
 * the own one is meant. @caller: the process whose unit is called "self". 0, -ENOENT with @ret_failure, or -ENOMEM.
 */
int bus_object_find(Bus *bus, const char *path, pid_t caller, const BusDialect **ret_dialect, BusObject *ret_object,
                    Failure *ret_failure);

/* The interfaces of an object; how many. */
size_t bus_object_interfaces(const BusObject *object, BusInterface ret_interfaces[static BUS_INTERFACES_MAX]);

/* Names of the objects right below, as labels of a path. */
int bus_object_children(Bus *bus, const BusObject *object, char ***ret_labels);
