/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * States as words and as groups.
 */

#include "double/double_assert.h"
#include "unit/unit_state.h"

Test(unit_state, every_value_has_a_word_of_its_own) {
        for (int i = 0; i < _UNIT_LOAD_STATE_MAX; i++)
                cr_assert(eq(int, unit_load_state_from_string(unit_load_state_to_string((UnitLoadState) i)), i));
        for (int i = 0; i < _UNIT_ACTIVE_STATE_MAX; i++)
                cr_assert(eq(int, unit_active_state_from_string(unit_active_state_to_string((UnitActiveState) i)), i));
        for (int i = 0; i < _UNIT_ANSWER_MAX; i++)
                cr_assert(eq(int, unit_answer_from_string(unit_answer_to_string((UnitAnswer) i)), i));
        assert_string(unit_load_state_to_string(UNIT_BAD_SETTING), "bad-setting");
        assert_string(unit_answer_to_string(UNIT_NOT_NOW), "not-now");
}

Test(unit_state, groups) {
        static const struct {
                UnitActiveState state;
                bool active, activating, inactive, deactivating;
        } table[] = {
                { UNIT_INACTIVE, false, false, true, true },      { UNIT_FAILED, false, false, true, true },
                { UNIT_ACTIVATING, false, true, false, false },   { UNIT_ACTIVE, true, true, false, false },
                { UNIT_RELOADING, true, true, false, false },     { UNIT_DEACTIVATING, false, false, false, true },
                { UNIT_MAINTENANCE, false, false, false, false },
        };

        for (int i = 0; i < _UNIT_ACTIVE_STATE_MAX; i++) {
                UnitActiveState state = table[i].state;

                cr_assert(eq(int, unit_state_is_active_or_reloading(state), table[i].active));
                cr_assert(eq(int, unit_state_is_active_or_activating(state), table[i].activating));
                cr_assert(eq(int, unit_state_is_inactive_or_failed(state), table[i].inactive));
                cr_assert(eq(int, unit_state_is_inactive_or_deactivating(state), table[i].deactivating));
        }
}
