/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The settings that all unit types share
 *
 * The defaults are systemd's: five starts in ten seconds, default
 * dependencies, no time limit for jobs.
 */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
        [UNIT_ACTION_KEXEC] = "kexec",
        [UNIT_ACTION_KEXEC_FORCE] = "kexec-force",
};

DEFINE_STRING_TABLE(unit_collect_mode, UnitCollectMode, collect_modes)
DEFINE_STRING_TABLE(unit_action, UnitAction, actions)

static const UnitRareSettings default_rare = {
        .on_failure_job_mode = JOB_REPLACE,
        .on_success_job_mode = JOB_FAIL,
        .failure_action_exit_status = -1,
        .success_action_exit_status = -1,
};

void unit_settings_init(UnitSettings *settings) {
        assert(settings);

        *settings = (UnitSettings) {
                .rare = &default_rare,
                .job_timeout = USEC_INFINITY,
                .job_running_timeout = USEC_INFINITY,
                .start_limit_interval = 10 * USEC_PER_SEC,
                .start_limit_burst = 5,
                .default_dependencies = true,
        };
}

UnitRareSettings *unit_settings_own_rare(UnitSettings *settings) {
        UnitRareSettings *rare;

        assert(settings);

        if (settings->rare != &default_rare)
                return (UnitRareSettings *) settings->rare;
        rare = malloc(sizeof(*rare));
        if (!rare)
                return NULL;
        memcpy(rare, &default_rare, sizeof(*rare));
        settings->rare = rare;
        return rare;
}

void unit_settings_trim(UnitSettings *settings) {
        assert(settings);

        settings->has_conditions = settings->rare->conditions;
        if (settings->rare == &default_rare || memcmp(settings->rare, &default_rare, sizeof(default_rare)) != 0)
                return;
        free((UnitRareSettings *) settings->rare);
        settings->rare = &default_rare;
}

static void unit_settings_free_conditions(UnitCondition *condition) {
        while (condition) {
                UnitCondition *next = condition->next;

                free(condition->parameter);
                free(condition);
                condition = next;
        }
}

static void unit_settings_free_rare(UnitRareSettings *rare) {
        strv_free(rare->documentation);
        strv_free(rare->dropin_paths);
        free(rare->source_path);
        strv_free(rare->wanted_by);
        strv_free(rare->required_by);
        strv_free(rare->upheld_by);
        strv_free(rare->also);
        strv_free(rare->alias);
        free(rare->default_instance);
        strv_free(rare->requires_mounts_for);
        strv_free(rare->wants_mounts_for);
        unit_settings_free_conditions(rare->conditions);
        free(rare->job_timeout_reboot_argument);
        free(rare->reboot_argument);
        free(rare);
}

void unit_settings_deinit(UnitSettings *settings) {
        assert(settings);

        free(settings->description);
        if (settings->rare != &default_rare)
                unit_settings_free_rare((UnitRareSettings *) settings->rare);
        unit_settings_init(settings);
}
