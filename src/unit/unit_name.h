/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of units
 *
 * name.type, or prefix@instance.type; prefix@.type is a template. Characters,
 * the limit of 255 bytes and the escaping are systemd's.
 */

#include <stdbool.h>

#include "basic/string_table.h"

#define UNIT_NAME_MAX 255

typedef enum UnitType {
        UNIT_SERVICE,
        UNIT_SOCKET,
        UNIT_TARGET,
        UNIT_DEVICE,
        UNIT_MOUNT,
        UNIT_AUTOMOUNT,
        UNIT_SWAP,
        UNIT_TIMER,
        UNIT_PATH,
        UNIT_SLICE,
        UNIT_SCOPE,
        UNIT_FLOW,
        UNIT_BATCH,
        UNIT_STREAM,
        _UNIT_TYPE_MAX,
        _UNIT_TYPE_INVALID = -22,
} UnitType;

DECLARE_STRING_TABLE(unit_type, UnitType);               /* "service", … */

/* Whether units of the type have runs, and FlowSettings. */
static inline bool unit_type_has_runs(UnitType type) {
        return type == UNIT_FLOW || type == UNIT_BATCH || type == UNIT_STREAM;
}

bool unit_name_is_valid(const char *name);               /* plain, template or instance */
bool unit_name_is_template(const char *name);
bool unit_name_is_instance(const char *name);
UnitType unit_name_type(const char *name);               /* _UNIT_TYPE_INVALID if there is none */

/* "foo@bar.service" → "foo@.service", "foo", "bar"; 0, -EINVAL if the name has no such part, or -ENOMEM. */
int unit_name_template(const char *name, char **ret_template);
int unit_name_prefix(const char *name, char **ret_prefix);
int unit_name_instance(const char *name, char **ret_instance);
int unit_name_replace_instance(const char *name, const char *instance, char **ret_name);

/* Adds @suffix (".service") to a name without a type, and escapes what is not allowed, as systemctl does. */
int unit_name_mangle(const char *word, const char *suffix, char **ret_name);

/* systemd-escape and its opposite; the path forms drop and collapse slashes ("/" is "-"). */
int unit_name_escape(const char *text, char **ret_escaped);
int unit_name_unescape(const char *escaped, char **ret_text);
int unit_name_escape_path(const char *path, char **ret_escaped);
int unit_name_unescape_path(const char *escaped, char **ret_path);
