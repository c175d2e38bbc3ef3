/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of [Batch]
 */

#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/batch_value.h"
#include "unitfile/directive_value.h"
#include "unitfile/flow_range.h"
#include "unitfile/flow_settings.h"

int batch_parse_items(const DirectiveLine *line, const char *value) {
        uint64_t number = 0;

        if (*value && (text_parse_u64(value, &number) < 0 || number == 0 || number > FLOW_RANGE_ITEMS_MAX))
                return directive_complain(line, "'%s' is not a number of items between 1 and 9223372036854775808",
                                          value);
        *(uint64_t *) directive_field(line) = number;
        return 0;
}

int batch_parse_number(const DirectiveLine *line, const char *value) {
        uint64_t number;

        if (text_parse_u64(value, &number) < 0)
                return directive_complain(line, "'%s' is not a whole number between 0 and 18446744073709551615",
                                          value);
        *(uint64_t *) directive_field(line) = number;
        return 0;
}

static usec_t find_period(const char *unit) {
        static const struct {
                const char *unit;
                usec_t period;
        } periods[] = {
                { "", USEC_PER_SEC },
                { "/s", USEC_PER_SEC },
                { "/min", USEC_PER_MINUTE },
                { "/h", USEC_PER_HOUR },
        };

        for (size_t i = 0; i < ELEMENTSOF(periods); i++)
                if (strcmp(unit, periods[i].unit) == 0)
                        return periods[i].period;
        return 0;
}

/* "2000", "2000/s", "100/min", "5/h" */
int batch_parse_rate(const DirectiveLine *line, const char *value) {
        FlowRange *range = &((FlowSettings *) directive_base(line, DIRECTIVE_IN_TYPE))->range;
        const size_t n = strspn(value, "0123456789");
        char digits[16];
        usec_t period = find_period(value + n);
        uint32_t rate = 0;

        if (!*value) {
                range->rate = 0;
                range->rate_period = USEC_PER_SEC;
                return 0;
        }
        if (n == 0 || n >= sizeof(digits) || period == 0)
                return directive_complain(line, "'%s' is not a rate such as 2000, 2000/s, 100/min or 5/h", value);
        memcpy(digits, value, n);
        digits[n] = '\0';
        if (text_parse_u32(digits, &rate) < 0 || rate == 0)
                return directive_complain(line, "'%s' is not between 1 and 4294967295 items; for no limit leave the "
                                                "value empty", value);
        range->rate = rate;
        range->rate_period = period;
        return 0;
}

static int parse_up_to(const DirectiveLine *line, const char *value, uint32_t max) {
        uint32_t number = 0;

        if (*value && strcmp(value, "auto") != 0 &&
            (text_parse_u32(value, &number) < 0 || number == 0 || number > max))
                return directive_complain(line, "'%s' is neither a whole number between 1 and %u nor 'auto'", value,
                                          max);
        *(uint32_t *) directive_field(line) = number;
        return 0;
}

int batch_parse_window(const DirectiveLine *line, const char *value) {
        return parse_up_to(line, value, FLOW_RANGE_WINDOW_MAX);
}

int batch_parse_burst(const DirectiveLine *line, const char *value) {
        return parse_up_to(line, value, UINT32_MAX);
}

int batch_parse_span(const DirectiveLine *line, const char *value) {
        usec_t usec;

        if (usec_parse(value, USEC_PER_SEC, &usec) == 0 && usec == 0)
                return directive_complain(line, "'%s' is no time: write at least 1ms", value);
        return directive_parse_seconds(line, value);
}

int batch_parse_depth(const DirectiveLine *line, const char *value) {
        return parse_up_to(line, value, FLOW_RANGE_DEPTH_MAX);
}

/* Items have no rows: nothing could keep one for a person, or as failed, that was lost with its process. */
int batch_parse_recover(const DirectiveLine *line, const char *value) {
        if (*value && strcmp(value, "retry") != 0)
                return directive_complain(line, "'%s' is not possible: items that were lost are issued again, so that "
                                                "the command must bear that; leave Recover= out, or write 'retry'",
                                          value);
        *(FlowRecover *) directive_field(line) = FLOW_RECOVER_RETRY;
        return 0;
}

int batch_parse_idempotent(const DirectiveLine *line, const char *value) {
        bool *field = directive_field(line);
        int r = directive_parse_bool(line, value);

        if (r < 0 || *field)
                return r;
        *field = true;
        return directive_complain(line, "'%s' is not possible: items that were lost are issued again, so that the "
                                        "command must bear that", value);
}
