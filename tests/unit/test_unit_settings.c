/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Settings: defaults, words, and that all is freed.
 */

#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "double/double_assert.h"
#include "unit/unit_settings.h"

Test(unit_settings, defaults) {
        cleanup_(unit_settings_deinit) UnitSettings settings;

        unit_settings_init(&settings);
        cr_assert(settings.default_dependencies);
        cr_assert(eq(u64, settings.job_timeout, USEC_INFINITY));
        cr_assert(eq(u64, settings.job_running_timeout, USEC_INFINITY));
        cr_assert(eq(u64, settings.start_limit_interval, 10 * USEC_PER_SEC));
        cr_assert(eq(u32, settings.start_limit_burst, 5));
        cr_assert(eq(i32, settings.rare->failure_action_exit_status, -1));
        cr_assert(not(settings.stop_when_unneeded));
}

Test(unit_settings, conditions_are_freed_as_a_list) {
        UnitSettings settings;

        unit_settings_init(&settings);
        for (int i = 0; i < 100000; i++) {
                UnitCondition *condition = calloc(1, sizeof(*condition));

                condition->parameter = strdup("/");
                condition->next = settings.rare->conditions;
                unit_settings_own_rare(&settings)->conditions = condition;
        }
        settings.description = strdup("x");
        cr_assert(eq(int, strv_push(&unit_settings_own_rare(&settings)->wanted_by, "a.target"), 0));
        unit_settings_deinit(&settings);
        assert_null(settings.rare->conditions);
}

Test(unit_settings, rare_ones_take_room_only_where_they_are_set) {
        cleanup_(unit_settings_deinit) UnitSettings settings, other;
        UnitRareSettings *rare;

        unit_settings_init(&settings);
        unit_settings_init(&other);
        cr_assert(settings.rare == other.rare);

        rare = unit_settings_own_rare(&settings);
        cr_assert(settings.rare == rare);
        cr_assert(settings.rare != other.rare);
        rare->failure_action = UNIT_ACTION_EXIT;
        unit_settings_trim(&settings);
        cr_assert(eq(int, settings.rare->failure_action, UNIT_ACTION_EXIT));
        cr_assert(eq(int, other.rare->failure_action, UNIT_ACTION_NONE));

        rare->failure_action = UNIT_ACTION_NONE;
        unit_settings_trim(&settings);
        cr_assert(settings.rare == other.rare);
        cr_assert(sizeof(UnitSettings) <= 80);
}

Test(unit_settings, words) {
        for (int i = 0; i < _UNIT_ACTION_MAX; i++)
                cr_assert(eq(int, unit_action_from_string(unit_action_to_string((UnitAction) i)), i));
        for (int i = 0; i < _UNIT_COLLECT_MODE_MAX; i++)
                cr_assert(eq(int, unit_collect_mode_from_string(unit_collect_mode_to_string((UnitCollectMode) i)), i));
}
