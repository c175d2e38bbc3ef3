/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * JSON, read token by token
 *
 * Texts come from files and programs that are not trusted: depth is limited,
 * a key that an object has twice is an error, strings are UTF-8, and whole
 * numbers are exact or an error, never rounded. Nothing is kept but the open
 * objects' keys and one string, so a text of any size is read with little
 * memory.
 *
 * A text is read in slices if the caller sets JsonReader.budget: the reader
 * pauses when it has done so much, also inside a string, and goes on with the
 * next budget. json_tree.h has whole values, json_write.h writes them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/index_table.h"
#include "basic/text.h"
#include "basic/vector.h"

#define JSON_DEPTH_MAX 64U
#define JSON_NUMBER_MAX 1000U           /* characters */

/* The result of a step of a reader. */
typedef enum JsonStep {
        JSON_STEP_END,                  /* the text is one value, which has been read */
        JSON_STEP_TOKEN,
        JSON_STEP_PAUSED,               /* the budget is used up */
} JsonStep;

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
        size_t budget;                  /* what may be done before a pause, in bytes and keys of objects that end */
        size_t stop;                    /* up to where the present call reads a string or blanks */
        uint64_t seed;                  /* of the hashes of keys */
        size_t string_at;               /* where the present string or key begins … */
        JsonKind string_kind;           /* … which of them it is … */
        bool is_in_string;              /* … and whether its end is still to come */
        bool is_before_colon;
        bool is_after_comma;
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

/* Reads @n bytes of @text, which stay the caller's, without pauses. A reader may be used again for another text. */
void json_reader_begin(JsonReader *reader, const char *text, size_t n);
void json_reader_deinit(JsonReader *reader);

/*
 * JSON_STEP_TOKEN with a token; JSON_STEP_END at the end of the text, which is one value, with ret_token->at there;
 * JSON_STEP_PAUSED if .budget is 0, or has come to 0 before the end of the token (which may overdraw it by a number or
 * a character). -EBADMSG, with reader->problem at offset reader->at, or -ENOMEM.
 */
int json_reader_next(JsonReader *reader, JsonToken *ret_token);

/* Whether the rest of the text is the rest of one JSON value: as json_reader_next(), but never JSON_STEP_TOKEN. */
int json_reader_check(JsonReader *reader);

/* After -EBADMSG: "line 1, column 7: a ',' or '}' is missing"; columns are bytes, from 1. 0 or -ENOMEM. */
int json_reader_explain(const JsonReader *reader, char **ret_problem);
