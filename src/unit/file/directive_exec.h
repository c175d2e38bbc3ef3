/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rows and parsers of directives that say how processes are run
 */

#include "unit/file/directive.h"
#include "unit/file/exec_settings.h"

#define DIRECTIVE_EXEC(name_, parse_, field_, ...)                                                       \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_EXEC, .offset = offsetof(ExecSettings, field_), __VA_ARGS__ }
#define DIRECTIVE_EXEC_RARE(name_, parse_, field_, ...)                                                  \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_EXEC_RARE,                                \
          .offset = offsetof(ExecRareSettings, field_), __VA_ARGS__ }

int exec_parse_environment(const DirectiveLine *line, const char *value);
int exec_parse_environment_file(const DirectiveLine *line, const char *value);
int exec_parse_working_directory(const DirectiveLine *line, const char *value);
int exec_parse_account(const DirectiveLine *line, const char *value);
int exec_parse_umask(const DirectiveLine *line, const char *value);
int exec_parse_standard_input(const DirectiveLine *line, const char *value);
int exec_parse_standard_output(const DirectiveLine *line, const char *value);        /* and StandardError= */
int exec_parse_log_level(const DirectiveLine *line, const char *value);              /* and SyslogLevel= */
int exec_parse_syslog_facility(const DirectiveLine *line, const char *value);
int exec_parse_level_prefix(const DirectiveLine *line, const char *value);
int exec_parse_log_burst(const DirectiveLine *line, const char *value);
int exec_parse_log_interval(const DirectiveLine *line, const char *value);
int exec_parse_log_fields(const DirectiveLine *line, const char *value);
int exec_parse_nice(const DirectiveLine *line, const char *value);
int exec_parse_oom_score_adjust(const DirectiveLine *line, const char *value);
