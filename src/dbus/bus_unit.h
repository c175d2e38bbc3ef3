/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The properties that every unit has
 */

#include "dbus/bus_table.h"

extern const BusProperty bus_unit_properties[];
