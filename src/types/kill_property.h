/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties of units with processes: killing; names and signatures are
 * systemd's
 */

#include "unit/unit.h"

extern const UnitPropertyTable kill_properties;
