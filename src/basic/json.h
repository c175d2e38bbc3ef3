/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * JSON, read token by token
 *
 * Texts come from files and programs that are not trusted: depth is limited,
 * a key that an object has twice is an error, and whole numbers are exact or
 * an error, never rounded. Nothing is kept but the open objects' keys and one
 * string, so a text of any size is read with little memory, and in slices.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/index_table.h"
#include "basic/text.h"
#include "basic/vector.h"

#define JSON_DEPTH_MAX 64U

typedef enum JsonKind {
        JSON_TOKEN_NULL,
        JSON_TOKEN_FALSE,
        JSON_TOKEN_TRUE,
        JSON_TOKEN_NUMBER,
        JSON_TOKEN_STRING,
        JSON_TOKEN_KEY,                       /* of an object; its value follows */
        JSON_TOKEN_OBJECT,
        JSON_TOKEN_OBJECT_END,
        JSON_TOKEN_ARRAY,
        JSON_TOKEN_ARRAY_END,
} JsonKind;

/* Borrowed from the reader until the next call. */
typedef struct JsonToken {
        JsonKind kind;
        size_t at;                      /* offset into the text */
        const char *text;               /* a string or key, decoded; a number as it is written; else NULL … */
        size_t n;                       /* … and its length; with a NUL behind it */
        bool is_integer;                /* a number without fraction and exponent, which has 64 bits … */
        bool is_negative;               /* … it is -magnitude */
        uint64_t magnitude;
} JsonToken;

typedef struct JsonLevel {
        bool is_object;
        bool has_entries;
        uint32_t number;                /* of the object, so that keys of different objects differ */
        size_t n_keys;                  /* of the objects around it */
} JsonLevel;

typedef struct JsonKeyPlace {
        size_t at, n;                   /* in JsonReader.keys */
        uint32_t object;
        uint32_t hash;
} JsonKeyPlace;

typedef struct JsonReader {
        const char *text;               /* borrowed */
        size_t n, at;
        JsonLevel levels[JSON_DEPTH_MAX];
        unsigned depth;
        uint32_t n_objects;
        bool is_after_key;
        bool is_done;                   /* the one value was read */
        Text string;                    /* of the present token */
        Text keys;                      /* of all open objects … */
        VECTOR(JsonKeyPlace) key_places;
        IndexTable by_key;              /* … by their hash */
        const char *problem;            /* after -EBADMSG: a sentence without a full stop; static */
} JsonReader;

/* Reads @n bytes of @text, which stay the caller's. A reader may be used again for another text. */
void json_reader_begin(JsonReader *reader, const char *text, size_t n);
void json_reader_deinit(JsonReader *reader);

/*
 * 1 with a token, 0 at the end of the text, which is one value; -EBADMSG, with reader->problem at offset reader->at, or
 * -ENOMEM.
 */
int json_reader_next(JsonReader *reader, JsonToken *ret_token);
