/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The states of a unit as words
 *
 * Load and active states are spelled as systemd's, because its clients read
 * them.
 */

#include "unit/unit_state.h"

static const char *const load_states[_UNIT_LOAD_STATE_MAX] = {
        [UNIT_STUB] = "stub",
        [UNIT_LOADED] = "loaded",
        [UNIT_NOT_FOUND] = "not-found",
        [UNIT_BAD_SETTING] = "bad-setting",
        [UNIT_ERROR] = "error",
        [UNIT_MASKED] = "masked",
};

static const char *const active_states[_UNIT_ACTIVE_STATE_MAX] = {
        [UNIT_INACTIVE] = "inactive",
        [UNIT_FAILED] = "failed",
        [UNIT_ACTIVATING] = "activating",
        [UNIT_ACTIVE] = "active",
        [UNIT_RELOADING] = "reloading",
        [UNIT_DEACTIVATING] = "deactivating",
        [UNIT_MAINTENANCE] = "maintenance",
};

static const char *const answers[_UNIT_ANSWER_MAX] = {
        [UNIT_UNDER_WAY] = "under-way",
        [UNIT_ALREADY] = "already",
        [UNIT_NOT_NOW] = "not-now",
        [UNIT_CONDITION_UNMET] = "condition-unmet",
        [UNIT_ASSERT_UNMET] = "assert-unmet",
        [UNIT_CANNOT] = "cannot",
        [UNIT_UNSUPPORTED] = "unsupported",
        [UNIT_WRONG_STATE] = "wrong-state",
        [UNIT_DEPENDENCY_UNMET] = "dependency-unmet",
        [UNIT_ONCE] = "once",
        [UNIT_OPERATION_FAILED] = "operation-failed",
};

DEFINE_STRING_TABLE(unit_load_state, UnitLoadState, load_states)
DEFINE_STRING_TABLE(unit_active_state, UnitActiveState, active_states)
DEFINE_STRING_TABLE(unit_answer, UnitAnswer, answers)
