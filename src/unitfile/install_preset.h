/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Presets: which units a distribution wants enabled
 *
 * Files *.preset with lines "enable PATTERN [INSTANCE…]" and "disable PATTERN";
 * the first line that fits a unit's name counts, and without one it is enabled.
 */

#include <stdbool.h>

#include "basic/vector.h"

typedef struct PresetRule {
        char *pattern;                  /* owned */
        char **instances;               /* owned: of a template, those that are enabled; NULL: none are named */
        bool is_enable;
} PresetRule;

typedef struct PresetRules {
        VECTOR(PresetRule) rules;
} PresetRules;

void preset_rules_deinit(PresetRules *rules);

/* The usual folders. 0 or -ENOMEM. */
int preset_search_path(bool is_user, bool with_systemd, char ***ret_path);

/* Reads the files of all folders; of two of the same name the first counts. Lines that are wrong are left out. */
int preset_rules_read(PresetRules *rules, char *const *folders, const char *root);

/* Is @name to be enabled? *ret_instances (borrowed, may be NULL): of a template, what is to be enabled instead. */
bool preset_rules_is_enabled(const PresetRules *rules, const char *name, char *const **ret_instances);
