/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What every unit can be told
 *
 * The defaults are systemd's: five starts in ten seconds, default
 * dependencies, no time limit for jobs.
 */

#include <assert.h>
#include <stdlib.h>

#include "basic/strv.h"
#include "unit/unit_settings.h"

static const char *const collect_modes[_UNIT_COLLECT_MODE_MAX] = {
        [UNIT_COLLECT_INACTIVE] = "inactive",
        [UNIT_COLLECT_INACTIVE_OR_FAILED] = "inactive-or-failed",
};

static const char *const actions[_UNIT_ACTION_MAX] = {
        [UNIT_ACTION_NONE] = "none",
        [UNIT_ACTION_REBOOT] = "reboot",
        [UNIT_ACTION_REBOOT_FORCE] = "reboot-force",
        [UNIT_ACTION_REBOOT_IMMEDIATE] = "reboot-immediate",
        [UNIT_ACTION_POWEROFF] = "poweroff",
        [UNIT_ACTION_POWEROFF_FORCE] = "poweroff-force",
        [UNIT_ACTION_POWEROFF_IMMEDIATE] = "poweroff-immediate",
        [UNIT_ACTION_EXIT] = "exit",
        [UNIT_ACTION_EXIT_FORCE] = "exit-force",
        [UNIT_ACTION_HALT] = "halt",
        [UNIT_ACTION_HALT_FORCE] = "halt-force",
        [UNIT_ACTION_HALT_IMMEDIATE] = "halt-immediate",
};

DEFINE_STRING_TABLE(unit_collect_mode, UnitCollectMode, collect_modes)
DEFINE_STRING_TABLE(unit_action, UnitAction, actions)

void unit_settings_init(UnitSettings *settings) {
        assert(settings);

        *settings = (UnitSettings) {
                .job_timeout = USEC_INFINITY,
                .job_running_timeout = USEC_INFINITY,
                .start_limit_interval = 10 * USEC_PER_SEC,
                .start_limit_burst = 5,
                .failure_action_exit_status = -1,
                .success_action_exit_status = -1,
                .default_dependencies = true,
        };
}

static void unit_settings_free_conditions(UnitCondition *condition) {
        while (condition) {
                UnitCondition *next = condition->next;

                free(condition->parameter);
                free(condition);
                condition = next;
        }
}

void unit_settings_deinit(UnitSettings *settings) {
        assert(settings);

        free(settings->description);
        strv_free(settings->documentation);
        free(settings->fragment_path);
        strv_free(settings->dropin_paths);
        free(settings->source_path);
        strv_free(settings->wanted_by);
        strv_free(settings->required_by);
        strv_free(settings->upheld_by);
        strv_free(settings->also);
        strv_free(settings->alias);
        free(settings->default_instance);
        strv_free(settings->requires_mounts_for);
        strv_free(settings->wants_mounts_for);
        unit_settings_free_conditions(settings->conditions);
        free(settings->job_timeout_reboot_argument);
        free(settings->on_failure_job_mode);
        free(settings->on_success_job_mode);
        free(settings->reboot_argument);
        *settings = (UnitSettings) {};
}
