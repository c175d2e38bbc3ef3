/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of [Stream]
 */

#include <string.h>

#include "basic/text.h"
#include "unitfile/directive_value.h"
#include "unitfile/flow_settings.h"
#include "unitfile/flow_stream.h"
#include "unitfile/stream_value.h"

#define LINK_DELAY_MAX 60000U /* milliseconds */

static int parse_between(const DirectiveLine *line, const char *value, uint32_t min, uint32_t max,
                         uint32_t standard) {
        uint32_t number = standard;

        if (*value && (text_parse_u32(value, &number) < 0 || number < min || number > max))
                return directive_complain(line, "'%s' is not a whole number between %u and %u", value, min, max);
        *(uint32_t *) directive_field(line) = number;
        return 0;
}

int stream_parse_link_batch(const DirectiveLine *line, const char *value) {
        return parse_between(line, value, 1, FLOW_STREAM_LINK_BATCH_MAX, FLOW_STREAM_LINK_BATCH);
}

int stream_parse_link_delay(const DirectiveLine *line, const char *value) {
        uint32_t delay = 0;

        if (*value && (text_parse_u32(value, &delay) < 0 || delay > LINK_DELAY_MAX))
                return directive_complain(line, "'%s' is not a number of milliseconds between 0 and %u", value,
                                          LINK_DELAY_MAX);
        *(usec_t *) directive_field(line) = delay * USEC_PER_MSEC;
        return 0;
}

int stream_parse_max_backlog(const DirectiveLine *line, const char *value) {
        uint64_t number = FLOW_STREAM_MAX_BACKLOG;

        if (*value && (text_parse_u64(value, &number) < 0 || number == 0))
                return directive_complain(line, "'%s' is not a whole number between 1 and 18446744073709551615",
                                          value);
        *(uint64_t *) directive_field(line) = number;
        return 0;
}

int stream_parse_keep_done(const DirectiveLine *line, const char *value) {
        return parse_between(line, value, 0, UINT32_MAX, FLOW_STREAM_KEEP_DONE);
}

int stream_parse_max_groups(const DirectiveLine *line, const char *value) {
        return parse_between(line, value, 1, FLOW_STREAM_MAX_GROUPS_MAX, FLOW_STREAM_MAX_GROUPS);
}

/* An element that was pushed is in the store, and its pusher has been told so: none is thrown away. */
int stream_parse_on_backlog_full(const DirectiveLine *line, const char *value) {
        if (*value && strcmp(value, "reject") != 0)
                return directive_complain(line, "'%s' is not supported by this version: a push beyond MaxBacklog= is "
                                                "refused, and the pusher tries again; leave OnBacklogFull= out, or "
                                                "write 'reject'", value);
        return 0;
}

int stream_parse_item_mode(const DirectiveLine *line, const char *value) {
        if (strcmp(value, "pool") == 0)
                return directive_complain(line, "'pool' is not supported in a stream by this version: write a command "
                                                "for one element, and 'exec'");
        return directive_parse_enum(line, value);
}

/* A stream has no end that one of its elements could bring about. */
int stream_parse_failure_policy(const DirectiveLine *line, const char *value) {
        if (strcmp(value, "end") == 0)
                return directive_complain(line, "'end' is not possible in a stream, which never ends: write 'continue' "
                                                "to go on with the next element of the group, or 'suspend' to have "
                                                "the group wait for a person");
        return directive_parse_enum(line, value);
}

int stream_parse_input_mode(const DirectiveLine *line, const char *value) {
        if (*value && strcmp(value, "stdin") != 0)
                return directive_complain(line, "'%s' is not possible: the data of an element are the standard input "
                                                "of its command; leave InputMode= out, or write 'stdin'", value);
        return 0;
}
