/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What units that run commands show of what these are not to see or change: names and signatures are systemd's
 */

#include "unit/unit.h"

extern const UnitPropertyTable sandbox_properties;
