/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Presets: the units that a distribution wants enabled
 *
 * Files *.preset with lines "enable PATTERN [INSTANCE…]" and "disable
 * PATTERN"; the first line that matches a unit's name applies, and without one
 * the unit is enabled.
 */

#include <stdbool.h>

#include "basic/vector.h"

typedef struct PresetRule {
        char *pattern;                  /* owned */
        char **instances;               /* owned: instances of a template to enable; NULL: none given */
        bool is_enable;
} PresetRule;

typedef struct PresetRules {
        VECTOR(PresetRule) rules;
} PresetRules;

void preset_rules_deinit(PresetRules *rules);

/* The usual folders. 0 or -ENOMEM. */
int preset_search_path(bool is_user, bool with_systemd, char ***ret_path);

/* Reads the files of all folders; of files with equal names the first is used. Invalid lines are ignored. */
int preset_rules_read(PresetRules *rules, char *const *folders, const char *root);

/*
 * Returns true if @name is to be enabled. *ret_instances (borrowed, may be NULL): the instances to enable instead of a
 * template.
 */
bool preset_rules_is_enabled(const PresetRules *rules, const char *name, char *const **ret_instances);
