/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Properties of units with a control group
 *
 * Names and signatures are systemd's, except for ResourcesNotApplied, which is
 * jobd's own. Unknown amounts, and limits that are not set, are
 * 18446744073709551615.
 */

#include "unit/unit.h"

extern const UnitPropertyTable group_properties;
