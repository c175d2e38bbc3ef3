/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Typed values as JSON
 *
 * A container is put into its parent when it is opened, so the root owns
 * everything at every moment and an error needs no unwinding. A variant has
 * no form of its own in JSON: its frame only waits to be closed.
 */

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "basic/text.h"
#include "sim/json_sink.h"

static void json_sink_fail(JsonSink *sink) {
        if (sink->sink.error == 0)
                sink->sink.error = -ENOMEM;
}

/* The innermost open container that takes values; NULL at the top. */
static JsonFrame *json_sink_target(JsonSink *sink) {
        for (size_t i = sink->frames.n; i > 0; i--)
                if (sink->frames.items[i - 1].container != 'v')
                        return &sink->frames.items[i - 1];
        return NULL;
}

/* Owns @value, and puts it at the next place. */
static void json_sink_add(JsonSink *sink, json_t *value) {
        JsonFrame *target = json_sink_target(sink);
        int r;

        if (!value) {
                json_sink_fail(sink);
                return;
        }
        if (!target) {
                assert(!sink->root);
                sink->root = value;
                return;
        }
        if (target->container == 'e')
                r = json_object_set_new(target->node, target->key, value);
        else
                r = json_array_append_new(target->node, value);
        if (r < 0)
                json_sink_fail(sink);
}

static json_t *json_sink_unsigned(uint64_t value) {
        return value > INT64_MAX ? json_null() : json_integer((json_int_t) value);
}

static json_t *json_sink_make(char type, const void *value) {
        switch (type) {
        case 'b':
                return json_boolean(*(const bool *) value);
        case 'y':
                return json_integer(*(const uint8_t *) value);
        case 'n':
                return json_integer(*(const int16_t *) value);
        case 'q':
                return json_integer(*(const uint16_t *) value);
        case 'i':
                return json_integer(*(const int32_t *) value);
        case 'u':
                return json_integer(*(const uint32_t *) value);
        case 'x':
                return json_integer(*(const int64_t *) value);
        case 't':
                return json_sink_unsigned(*(const uint64_t *) value);
        case 'd':
                return json_real(*(const double *) value);
        default:
                assert(strchr("sog", type));
                return json_string(value);
        }
}

/* Keys in JSON are strings, so a number is printed. */
static int json_sink_make_key(char type, const void *value, char **ret_key) {
        cleanup_(json_decrefp) json_t *json = json_sink_make(type, value);

        if (!json)
                return -ENOMEM;
        if (json_is_string(json))
                return text_format(ret_key, "%s", json_string_value(json));
        return text_format(ret_key, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
}

static void json_sink_put(Sink *base, char type, const void *value) {
        JsonSink *sink = container_of(base, JsonSink, sink);
        JsonFrame *target = json_sink_target(sink);

        if (base->error < 0)
                return;
        if (target && target->container == 'e' && !target->key) {
                if (json_sink_make_key(type, value, &target->key) < 0)
                        json_sink_fail(sink);
                return;
        }
        json_sink_add(sink, json_sink_make(type, value));
}

static void json_sink_open(Sink *base, char container, const char *contents) {
        JsonSink *sink = container_of(base, JsonSink, sink);
        JsonFrame frame = { .container = container };

        if (base->error < 0)
                return;
        if (container == 'e') {
                JsonFrame *parent = json_sink_target(sink);

                assert(parent && json_is_object(parent->node));
                frame.node = parent->node;
        } else if (container != 'v') {
                bool is_object = container == 'a' && contents && contents[0] == '{';

                frame.node = is_object ? json_object() : json_array();
                json_sink_add(sink, frame.node);
        }
        if (base->error == 0 && vector_push(&sink->frames, frame) < 0)
                json_sink_fail(sink);
}

static void json_sink_close(Sink *base) {
        JsonSink *sink = container_of(base, JsonSink, sink);

        if (base->error < 0)
                return;
        assert(sink->frames.n > 0);
        free(vector_pop(&sink->frames).key);
}

void json_sink_init(JsonSink *sink) {
        static const SinkOps ops = {
                .put = json_sink_put,
                .open = json_sink_open,
                .close = json_sink_close,
        };

        *sink = (JsonSink) { .sink.ops = &ops };
}

void json_sink_deinit(JsonSink *sink) {
        for (size_t i = 0; i < sink->frames.n; i++)
                free(sink->frames.items[i].key);
        vector_deinit(&sink->frames);
        json_decref(sink->root);
        sink->root = NULL;
}

int json_sink_finish(JsonSink *sink, json_t **ret_json) {
        if (sink->sink.error < 0)
                return sink->sink.error;
        assert(sink->frames.n == 0);
        *ret_json = sink->root ? take_ptr(sink->root) : json_null();
        return 0;
}
