/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Kinds of a unit's data that outlive its runs and can be removed
 *
 * Sets of kinds are masks: bit n is kind n. The first five have the order of
 * ExecDirectoryKind.
 */

#include "basic/string_table.h"

typedef enum UnitClean {
        UNIT_CLEAN_RUNTIME,
        UNIT_CLEAN_STATE,               /* of a timer: the time of its last elapse */
        UNIT_CLEAN_CACHE,
        UNIT_CLEAN_LOGS,
        UNIT_CLEAN_CONFIGURATION,
        _UNIT_CLEAN_MAX,
} UnitClean;

#define UNIT_CLEAN_ALL ((1U << _UNIT_CLEAN_MAX) - 1)

DECLARE_STRING_TABLE(unit_clean, UnitClean);     /* "runtime", … */
