/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The settings that all unit types share: the [Unit] and [Install] sections as
 * data
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/string_table.h"
#include "basic/usec.h"
#include "unit/job_words.h"

typedef enum UnitCollectMode {
        UNIT_COLLECT_INACTIVE,
        UNIT_COLLECT_INACTIVE_OR_FAILED,
        _UNIT_COLLECT_MODE_MAX,
} UnitCollectMode;

/* An action on the whole machine (or manager) after a failure, a success, a job's timeout or too many starts. */
typedef enum UnitAction {
        UNIT_ACTION_NONE,
        UNIT_ACTION_REBOOT,
        UNIT_ACTION_REBOOT_FORCE,
        UNIT_ACTION_REBOOT_IMMEDIATE,
        UNIT_ACTION_POWEROFF,
        UNIT_ACTION_POWEROFF_FORCE,
        UNIT_ACTION_POWEROFF_IMMEDIATE,
        UNIT_ACTION_EXIT,
        UNIT_ACTION_EXIT_FORCE,
        UNIT_ACTION_HALT,
        UNIT_ACTION_HALT_FORCE,
        UNIT_ACTION_HALT_IMMEDIATE,
        UNIT_ACTION_KEXEC,              /* into the loaded kernel */
        UNIT_ACTION_KEXEC_FORCE,
        _UNIT_ACTION_MAX,
} UnitAction;

DECLARE_STRING_TABLE(unit_collect_mode, UnitCollectMode);
DECLARE_STRING_TABLE(unit_action, UnitAction);

/* One Condition…= or Assert…= line; unitfile/condition.h evaluates it. */
typedef struct UnitCondition {
        const char *directive;          /* static: "ConditionPathExists" */
        char *parameter;                /* owned */
        bool is_assert;
        bool is_trigger;                /* '|': one trigger condition that is met suffices */
        bool is_negated;                /* '!' */
        int8_t result;                  /* 1 met, 0 untested, -1 not met */
        unsigned line;
        struct UnitCondition *next;     /* owned */
} UnitCondition;

/* The settings that few units have: some 170 bytes. */
typedef struct UnitRareSettings {
        char **documentation;
        char **dropin_paths;
        char *source_path;

        char **wanted_by;               /* [Install] */
        char **required_by;
        char **upheld_by;
        char **also;
        char **alias;
        char *default_instance;

        char **requires_mounts_for;
        char **wants_mounts_for;
        UnitCondition *conditions;      /* owned list with the asserts, in the order of the file */

        JobMode on_failure_job_mode;
        JobMode on_success_job_mode;

        UnitAction job_timeout_action;
        UnitAction start_limit_action;
        UnitAction failure_action;
        UnitAction success_action;
        int32_t failure_action_exit_status;     /* -1: the exit status of the unit's main process */
        int32_t success_action_exit_status;
        char *job_timeout_reboot_argument;
        char *reboot_argument;
} UnitRareSettings;

typedef struct UnitSettings {
        /* The members that each job reads stand together. */
        usec_t job_timeout;             /* from the commit on; USEC_INFINITY for none */
        usec_t job_running_timeout;     /* from each trigger on */
        int32_t job_priority;           /* higher goes first; the default is 0 */

        UnitCollectMode collect_mode;
        bool default_dependencies;
        bool stop_when_unneeded;
        bool refuse_manual_start;
        bool refuse_manual_stop;
        bool allow_isolate;
        bool ignore_on_isolate;
        bool restart_on_dependency;     /* jobd only: start again once the dependency that failed is active */
        bool is_perpetual;              /* can't be stopped */
        bool has_job_running_timeout;   /* false: job_running_timeout follows job_timeout */
        bool has_conditions;            /* or asserts; set by unit_settings_trim() */

        uint32_t start_limit_burst;
        usec_t start_limit_interval;
        char *description;
        const char *fragment_path;      /* borrowed from the loader: the main file, NULL if there is none */
        const UnitRareSettings *rare;   /* owned, unless it is the shared default; never NULL */
} UnitSettings;

void unit_settings_init(UnitSettings *settings);         /* sets the defaults */
void unit_settings_deinit(UnitSettings *settings);      /* frees, then sets the defaults */

/* The rare settings, for writing: a unit's own copy is made at the first call. NULL if memory is short. */
UnitRareSettings *unit_settings_own_rare(UnitSettings *settings);
/* To be called once all is set: frees the rare settings if they equal the defaults. */
void unit_settings_trim(UnitSettings *settings);
