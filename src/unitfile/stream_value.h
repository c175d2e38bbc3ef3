/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Parsers of values that only [Stream] has
 *
 * An empty value is the default.
 */

#include "unitfile/directive.h"

int stream_parse_link_batch(const DirectiveLine *line, const char *value);
int stream_parse_link_delay(const DirectiveLine *line, const char *value); /* milliseconds */
int stream_parse_max_backlog(const DirectiveLine *line, const char *value);
int stream_parse_keep_done(const DirectiveLine *line, const char *value);
int stream_parse_max_groups(const DirectiveLine *line, const char *value);
int stream_parse_on_backlog_full(const DirectiveLine *line, const char *value); /* "reject" alone */
int stream_parse_item_mode(const DirectiveLine *line, const char *value); /* "exec" alone */
int stream_parse_failure_policy(const DirectiveLine *line, const char *value); /* not "end" */
int stream_parse_input_mode(const DirectiveLine *line, const char *value); /* "stdin" alone */
