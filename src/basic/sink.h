/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Typed output for any reader
 *
 * A module writes a property, a plan or an explanation into a sink, value by
 * value, typed as D-Bus types. The sink of the bus layer appends to a
 * message, that of jobd-sim makes JSON, that of a test makes text, so the
 * writing code exists once.
 *
 * Containers: 'a' array with the signature of its items, 'r' struct, 'e' dict
 * entry (the next basic value is its key), 'v' variant with the signature of
 * its value. A sink remembers its first error and ignores all later calls.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Sink Sink;

typedef struct SinkOps {
        /* @type: one of "bynqiuxtdsog"; @value points to the C value ('b': a bool), for "sog" it is the string. */
        void (*put)(Sink *sink, char type, const void *value);
        void (*open)(Sink *sink, char container, const char *contents);
        void (*close)(Sink *sink);
} SinkOps;

struct Sink {
        const SinkOps *ops;
        int error;              /* 0, or the first negative errno */
};

void sink_bool(Sink *sink, bool value);
void sink_byte(Sink *sink, uint8_t value);
void sink_u16(Sink *sink, uint16_t value);
void sink_u32(Sink *sink, uint32_t value);
void sink_i32(Sink *sink, int32_t value);
void sink_u64(Sink *sink, uint64_t value);
void sink_i64(Sink *sink, int64_t value);
void sink_double(Sink *sink, double value);
void sink_string(Sink *sink, const char *value);        /* NULL is written as "" */
void sink_path(Sink *sink, const char *value);
void sink_open(Sink *sink, char container, const char *contents);
void sink_close(Sink *sink);
void sink_strv(Sink *sink, char *const *strv);          /* as "as" */

/* One value of that signature, a complete type: 0, false, "", "/", an empty array, a struct of these. */
void sink_nothing(Sink *sink, const char *signature);

/* One entry of an open a{sv}. */
void sink_entry_bool(Sink *sink, const char *key, bool value);
void sink_entry_u32(Sink *sink, const char *key, uint32_t value);
void sink_entry_i32(Sink *sink, const char *key, int32_t value);
void sink_entry_u64(Sink *sink, const char *key, uint64_t value);
void sink_entry_string(Sink *sink, const char *key, const char *value);

/* An entry whose value is a container: open it with the signature, write the value, call sink_entry_close(). */
void sink_entry_open(Sink *sink, const char *key, const char *signature);
void sink_entry_close(Sink *sink);
