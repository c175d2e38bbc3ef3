/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The states of a unit, and the details of a change
 */

#include <stdbool.h>

#include "basic/string_table.h"

typedef enum UnitLoadState {
        UNIT_STUB,              /* named, not loaded yet */
        UNIT_LOADED,
        UNIT_NOT_FOUND,
        UNIT_BAD_SETTING,       /* its file cannot be used: see load_failure */
        UNIT_ERROR,             /* its file could not be read, or its type is unsupported */
        UNIT_MASKED,
        _UNIT_LOAD_STATE_MAX,
        _UNIT_LOAD_STATE_INVALID = -22,
} UnitLoadState;

typedef enum UnitActiveState {
        UNIT_INACTIVE,
        UNIT_FAILED,
        UNIT_ACTIVATING,
        UNIT_ACTIVE,
        UNIT_RELOADING,
        UNIT_DEACTIVATING,
        UNIT_MAINTENANCE,
        _UNIT_ACTIVE_STATE_MAX,
        _UNIT_ACTIVE_STATE_INVALID = -22,
} UnitActiveState;

/* Details of a change of state beyond old and new. */
typedef enum UnitChangeFlags {
        UNIT_CHANGE_RELOAD_FAILED = 1 << 0,     /* active again, but the reload failed */
        UNIT_CHANGE_WILL_RESTART = 1 << 1,      /* the unit will start again by itself */
        /* The unit is inactive because it skipped its start (ExecCondition=). */
        UNIT_CHANGE_SKIPPED = 1 << 2,
        /* OnFailure= and OnSuccess= are for each piece of its work, and were told of it. */
        UNIT_CHANGE_RESULTS_TOLD = 1 << 3,
} UnitChangeFlags;

/* A unit's answer to start, stop or reload. The engine maps it to a job's result. */
typedef enum UnitAnswer {
        UNIT_UNDER_WAY,                 /* a change of state will follow */
        UNIT_ALREADY,                   /* already in that state */
        UNIT_NOT_NOW,                   /* ask again when it changes state or says unit_publish_ready() */
        UNIT_CONDITION_UNMET,
        UNIT_ASSERT_UNMET,
        UNIT_CANNOT,                    /* the type has no such operation */
        UNIT_UNSUPPORTED,               /* not supported on this machine */
        UNIT_WRONG_STATE,               /* reload of an inactive unit */
        UNIT_DEPENDENCY_UNMET,          /* BindsTo= and After= on a unit that is not active */
        UNIT_ONCE,                      /* cannot be started a second time */
        UNIT_OPERATION_FAILED,
        _UNIT_ANSWER_MAX,
        _UNIT_ANSWER_INVALID = -22,
} UnitAnswer;

DECLARE_STRING_TABLE(unit_load_state, UnitLoadState);    /* "not-found", "bad-setting", … */
DECLARE_STRING_TABLE(unit_active_state, UnitActiveState);
DECLARE_STRING_TABLE(unit_answer, UnitAnswer);           /* "under-way", "not-now", … */

static inline bool unit_state_is_active_or_reloading(UnitActiveState state) {
        return state == UNIT_ACTIVE || state == UNIT_RELOADING;
}

static inline bool unit_state_is_active_or_activating(UnitActiveState state) {
        return state == UNIT_ACTIVE || state == UNIT_RELOADING || state == UNIT_ACTIVATING;
}

static inline bool unit_state_is_inactive_or_failed(UnitActiveState state) {
        return state == UNIT_INACTIVE || state == UNIT_FAILED;
}

static inline bool unit_state_is_inactive_or_deactivating(UnitActiveState state) {
        return unit_state_is_inactive_or_failed(state) || state == UNIT_DEACTIVATING;
}
