/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Typed output for any reader
 *
 * Thin functions over three operations, so that a new kind of sink implements
 * only three functions.
 */

#include <assert.h>
#include <string.h>

#include "basic/sink.h"
#include "basic/strv.h"

#define NOTHING_MAX 64

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

void sink_u16(Sink *sink, uint16_t value) {
        sink_put(sink, 'q', &value);
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

/* The length of the first complete type. */
static size_t length_of_type(const char *signature) {
        size_t n = strspn(signature, "a");
        unsigned depth = 0;

        do {
                depth += signature[n] == '(';
                depth -= signature[n] == ')';
                n++;
        } while (depth > 0);
        return n;
}

static void open_part(Sink *sink, char container, const char *contents, size_t n) {
        char part[NOTHING_MAX];

        assert(n < sizeof(part));
        memcpy(part, contents, n);
        part[n] = '\0';
        sink_open(sink, container, part);
}

static void put_nothing(Sink *sink, char type) {
        static const uint64_t zero;

        if (type == 's' || type == 'o')
                sink_put(sink, type, type == 'o' ? "/" : "");
        else if (type == 'b')
                sink_bool(sink, false);
        else
                sink_put(sink, type, &zero);
}

void sink_nothing(Sink *sink, const char *signature) {
        for (const char *at = signature; *at; at++) {
                if (*at == 'a') {
                        size_t n = length_of_type(at);

                        open_part(sink, 'a', at + 1, n - 1);
                        sink_close(sink);
                        at += n - 1;
                } else if (*at == '(')
                        open_part(sink, 'r', at + 1, length_of_type(at) - 2);
                else if (*at == ')')
                        sink_close(sink);
                else
                        put_nothing(sink, *at);
        }
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
