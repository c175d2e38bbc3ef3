/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Exec…= lines: commands with their prefixes
 */

#include "unit/file/directive.h"

/* Appends to the list of row.argument (a ServiceExec); empty resets it. */
int directive_parse_exec(const DirectiveLine *line, const char *value);
