/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties of units that run commands: limits, priorities, directories, privileges, filters and credentials; names
 * and signatures are systemd's
 */

#include "unit/unit.h"

extern const UnitPropertyTable exec_terms_properties;
