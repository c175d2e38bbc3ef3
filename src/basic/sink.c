/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Typed output for any reader
 *
 * Thin functions over three operations, so that a new kind of sink implements
 * only three functions.
 */

#include <assert.h>

#include "basic/sink.h"
#include "basic/strv.h"

static void sink_put(Sink *sink, char type, const void *value) {
        assert(sink);

        if (sink->error == 0)
                sink->ops->put(sink, type, value);
}

void sink_bool(Sink *sink, bool value) {
        sink_put(sink, 'b', &value);
}

void sink_byte(Sink *sink, uint8_t value) {
        sink_put(sink, 'y', &value);
}

void sink_u32(Sink *sink, uint32_t value) {
        sink_put(sink, 'u', &value);
}

void sink_i32(Sink *sink, int32_t value) {
        sink_put(sink, 'i', &value);
}

void sink_u64(Sink *sink, uint64_t value) {
        sink_put(sink, 't', &value);
}

void sink_i64(Sink *sink, int64_t value) {
        sink_put(sink, 'x', &value);
}

void sink_double(Sink *sink, double value) {
        sink_put(sink, 'd', &value);
}

void sink_string(Sink *sink, const char *value) {
        sink_put(sink, 's', value ?: "");
}

void sink_path(Sink *sink, const char *value) {
        assert(value);

        sink_put(sink, 'o', value);
}

void sink_open(Sink *sink, char container, const char *contents) {
        assert(sink);

        if (sink->error == 0)
                sink->ops->open(sink, container, contents);
}

void sink_close(Sink *sink) {
        assert(sink);

        if (sink->error == 0)
                sink->ops->close(sink);
}

void sink_strv(Sink *sink, char *const *strv) {
        sink_open(sink, 'a', "s");
        strv_foreach(string, strv)
                sink_string(sink, *string);
        sink_close(sink);
}

void sink_entry_open(Sink *sink, const char *key, const char *signature) {
        sink_open(sink, 'e', "sv");
        sink_string(sink, key);
        sink_open(sink, 'v', signature);
}

void sink_entry_close(Sink *sink) {
        sink_close(sink);
        sink_close(sink);
}

void sink_entry_bool(Sink *sink, const char *key, bool value) {
        sink_entry_open(sink, key, "b");
        sink_bool(sink, value);
        sink_entry_close(sink);
}

void sink_entry_u32(Sink *sink, const char *key, uint32_t value) {
        sink_entry_open(sink, key, "u");
        sink_u32(sink, value);
        sink_entry_close(sink);
}

void sink_entry_i32(Sink *sink, const char *key, int32_t value) {
        sink_entry_open(sink, key, "i");
        sink_i32(sink, value);
        sink_entry_close(sink);
}

void sink_entry_u64(Sink *sink, const char *key, uint64_t value) {
        sink_entry_open(sink, key, "t");
        sink_u64(sink, value);
        sink_entry_close(sink);
}

void sink_entry_string(Sink *sink, const char *key, const char *value) {
        sink_entry_open(sink, key, "s");
        sink_string(sink, value);
        sink_entry_close(sink);
}
