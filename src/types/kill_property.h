/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What units that have processes show of how these are ended: names and signatures are systemd's
 */

#include "unit/unit.h"

extern const UnitPropertyTable kill_properties;
