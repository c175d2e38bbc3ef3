/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Exec…= lines: commands with their prefixes
 */

#include "unitfile/directive.h"

struct ExecCommand;

/* Appends to the list in the row's field; an empty value resets it. */
int directive_parse_command(const DirectiveLine *line, const char *value);
/* Appends the commands in @value to @list, with the messages of @line. 0, also for a bad one (reported), or -ENOMEM. */
int directive_add_command(const DirectiveLine *line, const char *value, struct ExecCommand **list);
/* As directive_expand(), for text that may have values of the run in a flow: %{…} stays, and can be read. */
int directive_expand_argument(const DirectiveLine *line, const char *word, char **ret_argument);
