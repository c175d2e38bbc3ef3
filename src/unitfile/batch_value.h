/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Parsers of values that only [Batch] has
 */

#include "unitfile/directive.h"

int batch_parse_items(const DirectiveLine *line, const char *value); /* empty: not set */
int batch_parse_number(const DirectiveLine *line, const char *value); /* up to 2^64 - 1 */
int batch_parse_rate(const DirectiveLine *line, const char *value); /* empty: no limit */
int batch_parse_window(const DirectiveLine *line, const char *value); /* "auto" or empty: 0 */
int batch_parse_burst(const DirectiveLine *line, const char *value); /* the same */
int batch_parse_span(const DirectiveLine *line, const char *value); /* 0 is refused */
int batch_parse_depth(const DirectiveLine *line, const char *value); /* the same */
int batch_parse_recover(const DirectiveLine *line, const char *value); /* "retry" alone */
int batch_parse_idempotent(const DirectiveLine *line, const char *value); /* "yes" alone */
