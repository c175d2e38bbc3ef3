/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of directives about the output of a unit
 *
 * None of them is strict: a unit can run even if its log is not as configured.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_exec.h"
#include "unitfile/directive_value.h"
#include "unitfile/unit_draft.h"

static int parse_word(const DirectiveLine *line, const char *value, int (*from_string)(const char *), uint32_t max,
                      const char *examples) {
        int number = from_string(value);
        uint32_t digits;

        if (!*value)
                number = -1;
        else if (number < 0 && text_parse_u32(value, &digits) == 0 && digits <= max)
                number = (int) digits;
        else if (number < 0)
                return directive_complain(line, "'%s' is none of %s", value, examples);
        *(uint8_t *) directive_field(line) = (uint8_t) (number + 1);
        return 0;
}

int exec_parse_log_level(const DirectiveLine *line, const char *value) {
        return parse_word(line, value, syslog_level_from_string, 7,
                          "emerg, alert, crit, err, warning, notice, info and debug");
}

int exec_parse_syslog_facility(const DirectiveLine *line, const char *value) {
        return parse_word(line, value, syslog_facility_from_string, 23, "kern, user, daemon, …, local0 to local7");
}

int exec_parse_level_prefix(const DirectiveLine *line, const char *value) {
        int r = text_parse_bool(value);

        if (r < 0)
                return directive_complain(line, "'%s' is neither yes nor no", value);
        *(bool *) directive_field(line) = r == 0;
        return 0;
}

int exec_parse_log_burst(const DirectiveLine *line, const char *value) {
        ExecRareSettings *rare = directive_base(line, DIRECTIVE_IN_EXEC_RARE);
        uint32_t burst = 0;

        if (*value && text_parse_u32(value, &burst) < 0)
                return directive_complain(line, "'%s' is not a number of lines", value);
        rare->has_log_burst = *value;
        *(uint32_t *) directive_field(line) = burst;
        return 0;
}

int exec_parse_log_interval(const DirectiveLine *line, const char *value) {
        ExecRareSettings *rare = directive_base(line, DIRECTIVE_IN_EXEC_RARE);
        usec_t interval = 0;

        if (*value && usec_parse(value, USEC_PER_SEC, &interval) < 0)
                return directive_complain(line, "'%s' is not a time span", value);
        rare->has_log_interval = *value;
        *(usec_t *) directive_field(line) = interval;
        return 0;
}

/* Returns true for a field name of journald: capitals, digits and '_', beginning with a capital. */
static bool is_field(const char *word) {
        size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

        return n > 0 && n <= 64 && word[n] == '=' && word[0] >= 'A' && word[0] <= 'Z';
}

/* Journald takes several fields of a name. */
static int add_field(const DirectiveLine *line, char ***fields, char *field) {
        return strv_consume(fields, field);
}

int exec_parse_log_fields(const DirectiveLine *line, const char *value) {
        return exec_parse_assignments(line, value, "FIELD=value", is_field, add_field);
}
