/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Parsers of values that only [Flow] and [Node …] have
 */

#include "unitfile/directive.h"

int flow_parse_allow(const DirectiveLine *line, const char *value);             /* a list; empty resets */
int flow_parse_count(const DirectiveLine *line, const char *value);             /* at least 1 */
int flow_parse_percent(const DirectiveLine *line, const char *value);
int flow_parse_timeout(const DirectiveLine *line, const char *value);           /* 0 is refused */
int flow_parse_lock(const DirectiveLine *line, const char *value);              /* a list; empty resets */
int flow_parse_needs(const DirectiveLine *line, const char *value);             /* a list; empty resets */
int flow_parse_priority(const DirectiveLine *line, const char *value);          /* empty: not set */
int flow_parse_keep_for(const DirectiveLine *line, const char *value);
int flow_parse_on_trigger(const DirectiveLine *line, const char *value);
int flow_parse_run_name(const DirectiveLine *line, const char *value);
int flow_parse_compensate_on(const DirectiveLine *line, const char *value);     /* a list; empty: never */
int flow_parse_nodes_file(const DirectiveLine *line, const char *value);
int flow_parse_depends_on(const DirectiveLine *line, const char *value);
int flow_parse_optional_depends_on(const DirectiveLine *line, const char *value);
int flow_parse_any_of(const DirectiveLine *line, const char *value);
int flow_parse_skip_counts_as(const DirectiveLine *line, const char *value);
int flow_parse_params(const DirectiveLine *line, const char *value);
int flow_parse_when(const DirectiveLine *line, const char *value);
int flow_parse_foreach(const DirectiveLine *line, const char *value);
int flow_parse_gate(const DirectiveLine *line, const char *value);              /* "manual"; empty: none */
int flow_parse_summary(const DirectiveLine *line, const char *value);           /* "off" or empty: none */
int flow_parse_sleep(const DirectiveLine *line, const char *value);             /* empty: none */
int flow_parse_sleep_until(const DirectiveLine *line, const char *value);       /* empty: none */
int flow_parse_skip_unneeded(const DirectiveLine *line, const char *value);
int flow_parse_script(const DirectiveLine *line, const char *value);            /* a line of it; empty resets */
int flow_parse_unit(const DirectiveLine *line, const char *value);
int flow_parse_sub_flow(const DirectiveLine *line, const char *value);
int flow_parse_sub_params(const DirectiveLine *line, const char *value); /* a list; empty resets */
int flow_parse_units(const DirectiveLine *line, const char *value);            /* a list; empty resets */
int flow_parse_readiness(const DirectiveLine *line, const char *value);
int flow_parse_readiness_context(const DirectiveLine *line, const char *value); /* empty: none */
