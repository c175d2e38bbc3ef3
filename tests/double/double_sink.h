/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A sink that makes text
 *
 * {a=1,b=[x,y]}: dictionaries in braces, arrays in brackets, structs in
 * parentheses, variants as what they hold, strings as they are. It checks that
 * containers are closed and that basic values have a D-Bus type.
 */

#include "basic/sink.h"
#include "basic/text.h"

#define DOUBLE_SINK_DEPTH 32

typedef struct DoubleSink {
        Sink sink;              /* first, so that a Sink * is one of these */
        Text text;
        size_t depth;
        struct {
                char container;
                size_t n;       /* values so far */
                bool is_dict;   /* an array of dict entries */
        } open[DOUBLE_SINK_DEPTH];
} DoubleSink;

void double_sink_init(DoubleSink *sink);
void double_sink_deinit(DoubleSink *sink);

/* What was written so far, never NULL; all containers must be closed. */
const char *double_sink_string(DoubleSink *sink);

/* Starts afresh. */
void double_sink_clear(DoubleSink *sink);
