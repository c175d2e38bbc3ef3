/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rows and parsers of the sandbox directives
 *
 * All are strict: a unit never runs with less protection than its file
 * requests.
 */

#include <stddef.h>

#include "unit/sandbox_settings.h"
#include "unitfile/directive.h"

#define SANDBOX_ROW(name_, parse_, argument_, ...)                                                               \
        DIRECTIVE_OTHER(name_, parse_, DIRECTIVE_IN_EXEC_RARE, .argument = (int) (argument_), \
                        .is_strict = true, __VA_ARGS__)
#define SANDBOX_BOOL(name_, field_) SANDBOX_ROW(name_, sandbox_parse_bool, offsetof(SandboxSettings, field_))
#define SANDBOX_PATH(name_, field_) SANDBOX_ROW(name_, sandbox_parse_path, offsetof(SandboxSettings, field_))
#define SANDBOX_ENUM(name_, field_, from_string_)                                                                \
        SANDBOX_ROW(name_, sandbox_parse_enum, offsetof(SandboxSettings, field_), .from_string = from_string_)
#define SANDBOX_PATHS(name_, kind_, ...) SANDBOX_ROW(name_, sandbox_parse_paths, kind_, __VA_ARGS__)

int sandbox_parse_bool(const DirectiveLine *line, const char *value);
int sandbox_parse_path(const DirectiveLine *line, const char *value);
int sandbox_parse_enum(const DirectiveLine *line, const char *value);           /* booleans for "yes" and "no" */
int sandbox_parse_mount_api(const DirectiveLine *line, const char *value);
int sandbox_parse_paths(const DirectiveLine *line, const char *value);          /* argument: SandboxPathKind */
int sandbox_parse_binds(const DirectiveLine *line, const char *value);
int sandbox_parse_temporary(const DirectiveLine *line, const char *value);
