/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What every unit can be told: the [Unit] and [Install] sections as data
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

/* What happens to the whole machine (or manager) on a failure, a success, a job's timeout or too many starts. */
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
        UNIT_ACTION_KEXEC,              /* into the kernel that was loaded for it */
        UNIT_ACTION_KEXEC_FORCE,
        _UNIT_ACTION_MAX,
} UnitAction;

DECLARE_STRING_TABLE(unit_collect_mode, UnitCollectMode);
DECLARE_STRING_TABLE(unit_action, UnitAction);

/* One Condition…= or Assert…= line; what it checks is evaluated by unitfile/condition.h. */
typedef struct UnitCondition {
        const char *directive;          /* static: "ConditionPathExists" */
        char *parameter;                /* owned */
        bool is_assert;
        bool is_trigger;                /* '|': one of these is enough */
        bool is_negated;                /* '!' */
        int8_t result;                  /* 1 met, 0 untested, -1 not met */
        unsigned line;
        struct UnitCondition *next;     /* owned */
} UnitCondition;

/* What few units say: some 170 bytes for those that do. */
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
        UnitCondition *conditions;      /* owned list, asserts too, in the order of the file */

        JobMode on_failure_job_mode;
        JobMode on_success_job_mode;

        UnitAction job_timeout_action;
        UnitAction start_limit_action;
        UnitAction failure_action;
        UnitAction success_action;
        int32_t failure_action_exit_status;     /* -1: the process's own */
        int32_t success_action_exit_status;
        char *job_timeout_reboot_argument;
        char *reboot_argument;
} UnitRareSettings;

typedef struct UnitSettings {
        /* What each job asks for: it lies together. */
        usec_t job_timeout;             /* from commit; USEC_INFINITY for none */
        usec_t job_running_timeout;     /* from each trigger */
        int32_t job_priority;           /* higher goes first; 0 by default */

        UnitCollectMode collect_mode;
        bool default_dependencies;
        bool stop_when_unneeded;
        bool refuse_manual_start;
        bool refuse_manual_stop;
        bool allow_isolate;
        bool ignore_on_isolate;
        bool restart_on_dependency;     /* ours: start again when what failed it becomes active */
        bool is_perpetual;              /* can't be stopped */
        bool has_job_running_timeout;   /* was it set itself, or follows job_timeout */

        uint32_t start_limit_burst;
        usec_t start_limit_interval;
        char *description;
        const char *fragment_path;      /* borrowed from who read it: the main file, NULL if there is none */
        const UnitRareSettings *rare;   /* owned, unless it is the one that all share; never NULL */
} UnitSettings;

void unit_settings_init(UnitSettings *settings);         /* the defaults */
void unit_settings_deinit(UnitSettings *settings);      /* they are the defaults then */

/* The rare ones, to be changed: a copy of its own is made if it has none. NULL if memory is short. */
UnitRareSettings *unit_settings_own_rare(UnitSettings *settings);
/* Frees them again if they say nothing. */
void unit_settings_trim(UnitSettings *settings);
