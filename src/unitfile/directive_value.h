/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Parsers of values that several directives share
 *
 * Each stores into the directive's field. A bad value is reported, and the
 * unit is refused or the line ignored, as the directive's row says.
 */

#include "basic/macro.h"
#include "unitfile/directive.h"
#include "unitfile/unit_file.h"

/* The settings of kind @base of the line's section, which must exist. */
void *directive_base(const DirectiveLine *line, DirectiveBase base);
/* The field of the line's directive. */
void *directive_field(const DirectiveLine *line);

/* Reports a bad value: 0 or -ENOMEM. @format is a sentence without a full stop. */
int directive_complain(const DirectiveLine *line, const char *format, ...) printf_(2, 3);
/* Reports a message without further effect. */
void directive_note(const DirectiveLine *line, UnitFileSeverity severity, const char *format, ...) printf_(3, 4);

/*
 * Removes double slashes, "." and a slash at the end, in place: "a//b/" is "a/b", and "./" is "". False if the path
 * contains "..".
 */
bool directive_simplify_path(char *path);
/* Resolves specifiers: 1 with the text, 0 on an error that was reported, or -ENOMEM. */
int directive_expand(const DirectiveLine *line, const char *value, char **ret_text);
/* The same for an absolute path, which is simplified. */
int directive_expand_path(const DirectiveLine *line, const char *value, char **ret_path);
/* The next word of *@at, unquoted, unescaped and expanded: 1; 0 at the end, -EINVAL (reported), or -ENOMEM. */
int directive_next_word(const DirectiveLine *line, const char **at, char **ret_word);

int directive_parse_bool(const DirectiveLine *line, const char *value);
int directive_parse_i32(const DirectiveLine *line, const char *value);
int directive_parse_u32(const DirectiveLine *line, const char *value);
int directive_parse_seconds(const DirectiveLine *line, const char *value);
int directive_parse_time_limit(const DirectiveLine *line, const char *value);   /* 0 means none */
/* Reports a bad @value, with the words that row.from_string accepts. 0 or -ENOMEM. */
int directive_complain_choice(const DirectiveLine *line, const char *value);
/* Explains why @word is no unit name: " (…)", or "". Static. */
const char *directive_unit_name_hint(const char *word);
int directive_parse_enum(const DirectiveLine *line, const char *value);         /* by row.from_string; empty: 0 */
int directive_parse_string(const DirectiveLine *line, const char *value);       /* empty: NULL */
int directive_parse_path(const DirectiveLine *line, const char *value);
/* Checks one word of a list: 1 to keep it, 0 if it was reported, or -ENOMEM. */
typedef int (*DirectiveJudge)(const DirectiveLine *line, char **word);
int directive_parse_list(const DirectiveLine *line, const char *value, DirectiveJudge judge /* NULL: any word */);
int directive_parse_strings(const DirectiveLine *line, const char *value);      /* a list; empty resets */
int directive_parse_paths(const DirectiveLine *line, const char *value);
int directive_parse_unit_names(const DirectiveLine *line, const char *value);   /* accepts templates */
int directive_parse_ignored(const DirectiveLine *line, const char *value);
int directive_parse_refused(const DirectiveLine *line, const char *value);
/* into an int: "SIGTERM", "TERM", 15 */
int directive_parse_signal(const DirectiveLine *line, const char *value);
