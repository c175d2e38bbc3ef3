/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Parsers of values that only [Service] has
 */

#include "unitfile/directive.h"

int service_parse_type(const DirectiveLine *line, const char *value);
int service_parse_exit_type(const DirectiveLine *line, const char *value);
int service_parse_notify_access(const DirectiveLine *line, const char *value);
int service_parse_pid_file(const DirectiveLine *line, const char *value);
int service_parse_timeout(const DirectiveLine *line, const char *value);        /* TimeoutSec=: start and stop */
int service_parse_timeout_start(const DirectiveLine *line, const char *value);
int service_parse_timeout_abort(const DirectiveLine *line, const char *value);
int service_parse_watchdog(const DirectiveLine *line, const char *value);
int service_parse_bus_name(const DirectiveLine *line, const char *value);
int service_parse_open_file(const DirectiveLine *line, const char *value);
int service_parse_notify_fd(const DirectiveLine *line, const char *value);
int service_parse_restart_jitter(const DirectiveLine *line, const char *value);
int service_parse_fd_preserve(const DirectiveLine *line, const char *value);
/* For the probe in the row's argument, a ServiceProbeKind. */
int service_parse_probe_command(const DirectiveLine *line, const char *value);
int service_parse_probe_tcp(const DirectiveLine *line, const char *value);
int service_parse_probe_http(const DirectiveLine *line, const char *value);
int service_parse_exit_status(const DirectiveLine *line, const char *value);
