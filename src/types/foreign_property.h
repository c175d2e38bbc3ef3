/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties of features that only systemd has
 *
 * Clients of systemd read them, and take one that is missing for an empty one.
 * Each has the value that systemd gives where the feature is not used.
 */

#include "unit/unit.h"

extern const UnitPropertyTable foreign_group_properties;        /* of units with a control group */
extern const UnitPropertyTable foreign_exec_properties;         /* of units that run commands */
extern const UnitPropertyTable foreign_service_properties;
extern const UnitPropertyTable foreign_mount_properties;
extern const UnitPropertyTable foreign_socket_properties;
