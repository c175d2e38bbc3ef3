/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The messages between core and jobd-runstore
 *
 * Frames over a stream socket. A frame is its length (u32, without the
 * header), kind (u16), version (u16) and number (u64), in the order of bytes
 * of the machine, and then a record. Numbers of batches and of collections
 * are one sequence: the first is the last accepted one plus 1. The mark of a
 * frame "accepted" or "durable" is for all numbers up to it.
 *
 *   HELLO     → instance, epoch of the link before (0: none), next number
 *   WELCOME   ← epoch, accepted, durable, identity of the file, format
 *   BATCH     → epoch (eight bytes), operations; see runstore_batch.h
 *   COLLECT   → epoch (eight bytes), most bytes (32 bits) and above them the run, 0 of cores that do not say it; the
 *               descriptor of a file comes with it
 *   ACCEPTED  ← all batches up to the number have been read: they outlive core
 *   DURABLE   ← all up to the number are on the disk
 *   REFUSED   ← reason, sentence; number 0: about the store, else about that batch, collection or query. Before
 *               WELCOME: the last batch that was refused, if core has not heard yet that it, or a later one, is durable
 *   STORED    ← hash, bytes: of the collection of that number, which is durable
 *   QUERY     → table, filters, order, limit, cursor; answered when all accepted before it is durable
 *   ROWS      ← columns, rows, cursor; for the query of that number
 *
 * A link begins with HELLO. Instance 0 reads only. A torn frame at the end
 * of a link is dropped; after any other malformed one the link is closed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/record.h"

#define RUNSTORE_PROTOCOL_VERSION 1U
#define RUNSTORE_FRAME_MAX ((size_t) 64 * 1024 * 1024)  /* bytes behind the header */
#define RUNSTORE_HASH_BYTES 32U                         /* SHA-256 */
#define RUNSTORE_QUERY_NUMBER (UINT64_C(1) << 63) /* set in the numbers of queries, which are a sequence of their own */

typedef enum RunStoreKind {
        RUNSTORE_HELLO = 1,
        RUNSTORE_WELCOME,
        RUNSTORE_BATCH,
        RUNSTORE_ACCEPTED,
        RUNSTORE_DURABLE,
        RUNSTORE_REFUSED,
        RUNSTORE_COLLECT,
        RUNSTORE_STORED,
        RUNSTORE_QUERY,
        RUNSTORE_ROWS,
        _RUNSTORE_KIND_MAX,
} RunStoreKind;

typedef enum RunStoreReason {
        RUNSTORE_REFUSED_MALFORMED,     /* frame, batch or query; the link is closed */
        RUNSTORE_REFUSED_VERSION,       /* another version of the protocol; the link is closed */
        RUNSTORE_REFUSED_ORDER,         /* a number is left out; the link is closed */
        RUNSTORE_REFUSED_FENCED,        /* another core has written since; the link is closed */
        RUNSTORE_REFUSED_CONSTRAINT, /* a unique name or key is taken; nothing of the batch was written, others go on */
        RUNSTORE_REFUSED_TOO_LARGE,     /* a result */
        RUNSTORE_REFUSED_FILE,          /* of COLLECT: missing, or no regular file */
        RUNSTORE_REFUSED_FULL,          /* the disk is full: what is accepted waits */
        RUNSTORE_REFUSED_IO,            /* the disk fails: what is accepted waits */
        RUNSTORE_REFUSED_NONE,          /* what was told of the disk is over */
        RUNSTORE_REFUSED_UNAVAILABLE,   /* the file cannot be opened: read-only, of a later format, … */
        _RUNSTORE_REASON_MAX,
} RunStoreReason;

typedef struct RunStoreHeader {
        uint32_t length;
        uint16_t kind, version;
        uint64_t number;
} RunStoreHeader;

_Static_assert(sizeof(RunStoreHeader) == 16, "the header has no holes");

typedef struct RunStoreFrame {
        RunStoreKind kind;
        uint64_t number;
        const uint8_t *bytes;           /* borrowed */
        size_t n;
} RunStoreFrame;

/*
 * Reads the frame at the beginning of @bytes. Returns its whole size, 0 if a part is missing yet (then *ret_missing
 * bytes at least), -EPROTONOSUPPORT for another version, -EMSGSIZE, -EBADMSG for no known kind.
 */
ssize_t runstore_frame_read(const uint8_t *bytes, size_t n, RunStoreFrame *ret_frame, size_t *ret_missing);

/* Begins a frame in an empty writer; runstore_frame_end() fills in its length: 0, -ENOMEM, -EMSGSIZE. */
void runstore_frame_begin(RecordWriter *writer, RunStoreKind kind, uint64_t number);
int runstore_frame_end(RecordWriter *writer);
/* Of a BATCH or COLLECT; it stands at a fixed place. */
void runstore_frame_set_epoch(uint8_t *frame, uint64_t epoch);

#define RUNSTORE_KNOWS_AFTER (UINT64_C(1) << 32) /* in .format: the operation RUNSTORE_AFTER */

typedef struct RunStoreHello {
        uint64_t instance;              /* of the core that writes; 0: the link only reads */
        uint64_t epoch;                 /* of its link before; 0: none */
        uint64_t next;                  /* the first number that it may send again or next; 0: it waits to be told */
} RunStoreHello;

typedef struct RunStoreWelcome {
        uint64_t epoch;
        uint64_t accepted, durable;     /* the numbers between them are the tail: read, not yet on the disk */
        uint64_t identity;              /* another than before: the file is another one, and history is lost */
        uint64_t format;                /* and above it, what the store knows */
} RunStoreWelcome;

typedef struct RunStoreRefusal {
        RunStoreReason reason;
        const char *sentence;           /* borrowed, never NULL */
} RunStoreRefusal;

void runstore_put_hello(RecordWriter *writer, const RunStoreHello *hello);
void runstore_put_welcome(RecordWriter *writer, const RunStoreWelcome *welcome);
void runstore_put_refusal(RecordWriter *writer, RunStoreReason reason, const char *sentence);

/* 0, or -EBADMSG if the frame does not hold exactly that. */
int runstore_get_hello(const RunStoreFrame *frame, RunStoreHello *ret_hello);
int runstore_get_welcome(const RunStoreFrame *frame, RunStoreWelcome *ret_welcome);
int runstore_get_refusal(const RunStoreFrame *frame, RunStoreRefusal *ret_refusal);
