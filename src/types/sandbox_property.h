/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties of units that run commands: sandbox; names and signatures are
 * systemd's
 */

#include "unit/unit.h"

extern const UnitPropertyTable sandbox_properties;
