/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frames as bytes
 *
 * Both ends are programs of one machine, so numbers of the header are in its
 * order of bytes. A length is judged before a byte of it is waited for.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "runstore/runstore_protocol.h"

ssize_t runstore_frame_read(const uint8_t *bytes, size_t n, RunStoreFrame *ret_frame, size_t *ret_missing) {
        RunStoreHeader header;

        if (n < sizeof(header)) {
                *ret_missing = sizeof(header) - n;
                return 0;
        }
        memcpy(&header, bytes, sizeof(header));
        if (header.version != RUNSTORE_PROTOCOL_VERSION)
                return -EPROTONOSUPPORT;
        if (header.kind < RUNSTORE_HELLO || header.kind >= _RUNSTORE_KIND_MAX)
                return -EBADMSG;
        if (header.length > RUNSTORE_FRAME_MAX)
                return -EMSGSIZE;
        if (n - sizeof(header) < header.length) {
                *ret_missing = header.length - (n - sizeof(header));
                return 0;
        }
        *ret_frame = (RunStoreFrame) {
                .kind = (RunStoreKind) header.kind,
                .number = header.number,
                .bytes = bytes + sizeof(header),
                .n = header.length,
        };
        return (ssize_t) (sizeof(header) + header.length);
}

void runstore_frame_begin(RecordWriter *writer, RunStoreKind kind, uint64_t number) {
        const RunStoreHeader header = { .kind = (uint16_t) kind, .version = RUNSTORE_PROTOCOL_VERSION };
        uint64_t word;

        record_writer_clear(writer);
        memcpy(&word, &header, sizeof(word));
        record_put_time(writer, word);
        record_put_time(writer, number);
}

int runstore_frame_end(RecordWriter *writer) {
        uint32_t length;

        if (writer->has_failed)
                return -ENOMEM;
        if (writer->n - sizeof(RunStoreHeader) > RUNSTORE_FRAME_MAX)
                return -EMSGSIZE;
        length = (uint32_t) (writer->n - sizeof(RunStoreHeader));
        memcpy(writer->bytes, &length, sizeof(length));
        return 0;
}

void runstore_frame_set_epoch(uint8_t *frame, uint64_t epoch) {
        memcpy(frame + sizeof(RunStoreHeader), &epoch, sizeof(epoch));
}

/* — bodies — */

void runstore_put_hello(RecordWriter *writer, const RunStoreHello *hello) {
        record_put(writer, hello->instance);
        record_put(writer, hello->epoch);
        record_put(writer, hello->next);
}

void runstore_put_welcome(RecordWriter *writer, const RunStoreWelcome *welcome) {
        record_put(writer, welcome->epoch);
        record_put(writer, welcome->accepted);
        record_put(writer, welcome->durable);
        record_put(writer, welcome->identity);
        record_put(writer, welcome->format);
}

void runstore_put_refusal(RecordWriter *writer, RunStoreReason reason, const char *sentence) {
        record_put(writer, (uint64_t) reason);
        record_put_string(writer, sentence);
}

static int end_of(const RecordReader *reader) {
        return record_is_at_end(reader) ? 0 : -EBADMSG;
}

int runstore_get_hello(const RunStoreFrame *frame, RunStoreHello *ret_hello) {
        RecordReader reader;

        record_reader_init(&reader, frame->bytes, frame->n);
        ret_hello->instance = record_get(&reader);
        ret_hello->epoch = record_get(&reader);
        ret_hello->next = record_get(&reader);
        return end_of(&reader);
}

int runstore_get_welcome(const RunStoreFrame *frame, RunStoreWelcome *ret_welcome) {
        RecordReader reader;

        record_reader_init(&reader, frame->bytes, frame->n);
        ret_welcome->epoch = record_get(&reader);
        ret_welcome->accepted = record_get(&reader);
        ret_welcome->durable = record_get(&reader);
        ret_welcome->identity = record_get(&reader);
        ret_welcome->format = record_get(&reader);
        if (ret_welcome->durable > ret_welcome->accepted)
                return -EBADMSG;
        return end_of(&reader);
}

int runstore_get_refusal(const RunStoreFrame *frame, RunStoreRefusal *ret_refusal) {
        RecordReader reader;

        record_reader_init(&reader, frame->bytes, frame->n);
        ret_refusal->reason = (RunStoreReason) record_get_below(&reader, _RUNSTORE_REASON_MAX);
        ret_refusal->sentence = record_get_string(&reader) ?: "";
        return end_of(&reader);
}
