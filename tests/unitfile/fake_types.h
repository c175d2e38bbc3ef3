/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A vtable that does nothing, for each type that can be loaded from unit files
 */

#include "unit/unit_table.h"

void fake_types_set(UnitTable *table);
