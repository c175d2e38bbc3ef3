/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A sink that makes JSON
 *
 * a{..} becomes an object, other arrays and structs become arrays, a variant
 * is its value. Keys keep the order in which they were written. A number that
 * JSON's 64 signed bits cannot hold ("never": USEC_INFINITY) becomes null.
 */

#include <jansson.h>

#include "basic/macro.h"
#include "basic/sink.h"
#include "basic/vector.h"

/* An open container. */
typedef struct JsonFrame {
        char container;         /* as in sink_open() */
        json_t *node;           /* borrowed: the array or object that takes the values; NULL for a variant */
        char *key;              /* owned; the key of an entry, once it is written */
} JsonFrame;

typedef struct JsonSink {
        Sink sink;              /* .error: 0 or -ENOMEM */
        VECTOR(JsonFrame) frames;
        json_t *root;           /* owned; NULL before the first value */
} JsonSink;

void json_sink_init(JsonSink *sink);
void json_sink_deinit(JsonSink *sink);

/* Hands over the document (null if nothing was written), or returns the first error of the sink. */
int json_sink_finish(JsonSink *sink, json_t **ret_json);
