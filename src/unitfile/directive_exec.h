/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rows and parsers of the execution directives
 */

#include "unitfile/directive.h"
#include "unitfile/exec_settings.h"

#define DIRECTIVE_EXEC(name_, parse_, field_, ...)                                                       \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_EXEC, .offset = offsetof(ExecSettings, field_), \
          __VA_ARGS__ }
#define DIRECTIVE_EXEC_RARE(name_, parse_, field_, ...)                                                  \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_EXEC_RARE,                                \
          .offset = offsetof(ExecRareSettings, field_), __VA_ARGS__ }
#define DIRECTIVE_TERMS(name_, parse_, field_, ...)                                                      \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_EXEC_TERMS,                               \
          .offset = offsetof(ExecTerms, field_), .is_strict = true, __VA_ARGS__ }

/* For types whose directories can be removed; requires directive_value.h. */
#define DIRECTIVE_TIMEOUT_CLEAN                                                                          \
        { .name = "TimeoutCleanSec", .parse = directive_parse_time_limit, .base = DIRECTIVE_IN_EXEC_TERMS, \
          .offset = offsetof(ExecTerms, timeout_clean) }

/*
 * Adds each word of @value that satisfies @is_one to the list, by @add, which owns the word. For other words a warning
 * names the expected @form.
 */
int exec_parse_assignments(const DirectiveLine *line, const char *value, const char *form,
                           bool (*is_one)(const char *word),
                           int (*add)(const DirectiveLine *line, char ***list, char *word));

int exec_parse_environment(const DirectiveLine *line, const char *value);
int exec_parse_environment_file(const DirectiveLine *line, const char *value);
int exec_parse_working_directory(const DirectiveLine *line, const char *value);
int exec_parse_account(const DirectiveLine *line, const char *value);
int exec_parse_accounts(const DirectiveLine *line, const char *value);
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

/* Limits and priorities: exec_limit_value.c */
int exec_parse_limit(const DirectiveLine *line, const char *value);     /* argument: RLIMIT_… */
int exec_parse_scheduling_policy(const DirectiveLine *line, const char *value);
int exec_parse_scheduling_priority(const DirectiveLine *line, const char *value);
int exec_parse_scheduling_reset(const DirectiveLine *line, const char *value);
int exec_parse_io_class(const DirectiveLine *line, const char *value);
int exec_parse_io_priority(const DirectiveLine *line, const char *value);
int exec_parse_cpu_affinity(const DirectiveLine *line, const char *value);
int exec_parse_numa_policy(const DirectiveLine *line, const char *value);
int exec_parse_numa_mask(const DirectiveLine *line, const char *value);
int exec_parse_timer_slack(const DirectiveLine *line, const char *value);
int exec_parse_coredump_filter(const DirectiveLine *line, const char *value);
int exec_parse_personality(const DirectiveLine *line, const char *value);

/* Directories, credentials, input: exec_directory_value.c */
int exec_parse_directories(const DirectiveLine *line, const char *value);
int exec_parse_directory_mode(const DirectiveLine *line, const char *value);
int exec_parse_preserve(const DirectiveLine *line, const char *value);
int exec_parse_load_credential(const DirectiveLine *line, const char *value);
int exec_parse_set_credential(const DirectiveLine *line, const char *value);
int exec_parse_input_text(const DirectiveLine *line, const char *value);
int exec_parse_input_data(const DirectiveLine *line, const char *value);
int exec_parse_search_path(const DirectiveLine *line, const char *value);

/* Privileges: exec_privilege_value.c. The row's argument: does the list begin with all capabilities? */
int exec_parse_capabilities(const DirectiveLine *line, const char *value);
int exec_parse_secure_bits(const DirectiveLine *line, const char *value);
int exec_parse_label(const DirectiveLine *line, const char *value);     /* argument: SecurityModule */
int exec_parse_pam_name(const DirectiveLine *line, const char *value);

/* Filters: exec_filter_value.c */
int exec_parse_filter_switch(const DirectiveLine *line, const char *value);
int exec_parse_system_call_filter(const DirectiveLine *line, const char *value);
int exec_parse_system_call_log(const DirectiveLine *line, const char *value);
int exec_parse_system_call_error(const DirectiveLine *line, const char *value);
int exec_parse_architectures(const DirectiveLine *line, const char *value);
int exec_parse_address_families(const DirectiveLine *line, const char *value);
int exec_parse_namespaces(const DirectiveLine *line, const char *value);
