/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of the kinds of a unit's data that can be removed, as in "systemctl
 * clean"
 */

#include "unit/unit_clean.h"

static const char *const unit_cleans[_UNIT_CLEAN_MAX] = {
        [UNIT_CLEAN_RUNTIME] = "runtime",
        [UNIT_CLEAN_STATE] = "state",
        [UNIT_CLEAN_CACHE] = "cache",
        [UNIT_CLEAN_LOGS] = "logs",
        [UNIT_CLEAN_CONFIGURATION] = "configuration",
};

DEFINE_STRING_TABLE(unit_clean, UnitClean, unit_cleans)
