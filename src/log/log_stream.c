/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One stream: from bytes to records in a file
 *
 * Bytes that are taken together are written together, so that one intent
 * covers them: bytes of the stream, bytes of the file, and the counts after
 * the write.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "log/log_daemon.h"
#include "log/log_frame.h"

#define NOTE_PRIORITY 4U

/* The output for the bytes that were taken. */
typedef struct Batch {
        LogDaemon *daemon;
        uint32_t number;
        LogStream *stream;
        LogFile *file;                  /* borrowed; NULL without memory */
        usec_t realtime, monotonic;
        uint64_t n_dropped, n_lost;     /* counts that are not reported yet */
        uint64_t n_newly_dropped, n_kept;       /* lines of this batch */
} Batch;

static usec_t interval_of(const Batch *batch) {
        return batch->stream->flags & LOG_STREAM_HAS_LIMIT ? batch->stream->interval
                                                           : batch->daemon->table.header->settings.interval;
}

static uint32_t burst_of(const Batch *batch) {
        return batch->stream->flags & LOG_STREAM_HAS_LIMIT ? batch->stream->burst
                                                           : batch->daemon->table.header->settings.burst;
}

static Batch begin_batch(LogDaemon *daemon, uint32_t number) {
        LogStream *stream = &daemon->table.streams[number];
        Batch batch = {
                .daemon = daemon, .number = number, .stream = stream,
                .realtime = clock_realtime(), .monotonic = clock_monotonic(),
                .n_dropped = stream->n_dropped, .n_lost = stream->n_lost,
        };

        (void) log_files_find(&daemon->files, stream->unit, &batch.file);
        daemon->output.n = 0;
        daemon->output.error = 0;
        return batch;
}

/* — output — */

static void add_note(Batch *batch, const char *format, ...) printf_(2, 3);

static void add_note(Batch *batch, const char *format, ...) {
        LogRecord record = {
                .realtime = batch->realtime, .monotonic = batch->monotonic,
                .priority = NOTE_PRIORITY, .mark = LOG_MARK_NOTE,
        };
        char message[256];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(message, sizeof(message), format, arguments);
        va_end(arguments);
        record.message = message;
        record.length = strlen(message);
        log_record_write(&record, &batch->daemon->output);
}

static void add_counts(Batch *batch) {
        char interval[USEC_FORMAT_MAX];

        if (batch->n_lost > 0)
                add_note(batch, "%" PRIu64 " lines were lost: %s", batch->n_lost, strerror(batch->stream->lost_error));
        if (batch->n_dropped > 0)
                add_note(batch, "%" PRIu64 " lines were dropped: more than %u within %s", batch->n_dropped,
                         (unsigned) burst_of(batch), usec_format(interval_of(batch), interval));
        batch->n_lost = batch->n_dropped = 0;
}

static void add_line(Batch *batch, const char *stamp, size_t stamp_length, const LogRecord *record) {
        const char head[] = { (char) ('0' + record->priority), '\t', (char) record->mark, '\t' };
        Text *output = &batch->daemon->output;

        if (record->priority > batch->stream->level_max)
                return;
        if (batch->file &&
            !log_limit_take(&batch->file->limit, batch->monotonic, interval_of(batch), burst_of(batch))) {
                batch->n_dropped++;
                batch->n_newly_dropped++;
                return;
        }
        if (batch->n_dropped > 0 || batch->n_lost > 0)
                add_counts(batch);
        text_add_n(output, stamp, stamp_length);
        text_add_n(output, head, sizeof(head));
        text_add_n(output, record->message, record->length);
        text_add_n(output, "\n", 1);
        batch->n_kept++;
        log_forward_record(&batch->daemon->forward, batch->stream, record);
}

static void add_lines(Batch *batch, size_t n, bool is_end) {
        LogDaemon *daemon = batch->daemon;
        LogFrame frame = {
                .bytes = daemon->stage.buffer, .n = n, .is_end = is_end,
                .line_max = daemon->sources.items[batch->number].line_max,
                .has_prefix = batch->stream->flags & LOG_STREAM_LEVEL_PREFIX,
                .level = batch->stream->level,
        };
        char stamp[LOG_STAMP_MAX];
        size_t stamp_length = log_stamp_write(batch->realtime, batch->monotonic, stamp);
        LogRecord record;

        while (log_frame_next(&frame, &record))
                add_line(batch, stamp, stamp_length, &record);
}

static const char *write_hex(const uint8_t id[static 16], char hex[static 33]) {
        text_write_hex(hex, id, 16);
        return strspn(hex, "0") == 32 ? NULL : hex;
}

/* Writes the context of the records, unless the file already ends with it. */
static void write_context(const Batch *batch, Text *text) {
        const LogStream *stream = batch->stream;
        const LogFile *file = batch->file;
        char invocation[33];

        if (file->size > 0 && file->stream == batch->number && file->generation == stream->generation &&
            file->pid == stream->pid && file->since_context < LOG_CONTEXT_EVERY)
                return;
        log_context_write(&(LogContext) {
                .unit = stream->unit, .invocation = write_hex(stream->invocation, invocation), .pid = stream->pid,
                .identifier = stream->identifier, .boot = batch->daemon->boot, .extra = stream->extra }, text);
}

static void note_context(const Batch *batch) {
        batch->file->stream = batch->number;
        batch->file->generation = batch->stream->generation;
        batch->file->pid = batch->stream->pid;
        batch->file->since_context = 0;
}

/* — writing — */

static int append(Batch *batch, const Text *context) {
        LogIntent *intent = &batch->daemon->table.header->intent;
        const Text *output = &batch->daemon->output;
        int r = 0;

        if (context->n > 0)
                r = log_file_append(&batch->daemon->files, batch->file, context->string, context->n);
        if (r == 0)
                r = log_file_append(&batch->daemon->files, batch->file, output->string, output->n);
        if (r < 0)
                log_file_cut(batch->file, intent->offset);
        else if (context->n > 0)
                note_context(batch);
        return r;
}

/* The intent has the counts after a successful write. */
static int write_output_once(Batch *batch) {
        LogIntent *intent = &batch->daemon->table.header->intent;
        const Text *output = &batch->daemon->output;
        cleanup_(text_deinit) Text context = {};
        int r;

        if (!batch->file || output->error < 0)
                return -ENOMEM;
        r = log_file_prepare(&batch->daemon->files, batch->file, batch->realtime, batch->monotonic,
                             output->n + sizeof(LogStream));
        if (r < 0)
                return r;
        write_context(batch, &context);
        if (context.error < 0)
                return context.error;
        intent->inode = batch->file->inode;
        intent->offset = batch->file->size;
        intent->length = context.n + output->n;
        log_store(&intent->phase, LOG_PHASE_WRITING);
        return append(batch, &context);
}

static int write_output(Batch *batch) {
        const Text *output = &batch->daemon->output;
        int r;

        if (output->n == 0 && output->error == 0)
                return 0;
        r = write_output_once(batch);
        if (r != -ENOSPC && r != -EDQUOT)
                return r;
        /* Old files make room for new lines. */
        log_files_vacuum(&batch->daemon->files, batch->realtime);
        return write_output_once(batch);
}

static void apply_counts(const LogDaemon *daemon) {
        const LogIntent *intent = &daemon->table.header->intent;
        LogStream *stream = &daemon->table.streams[intent->stream];

        stream->n_dropped = intent->n_dropped;
        stream->n_lost = intent->n_lost;
        stream->lost_error = intent->lost_error;
}

/* True if the batch is in the file. */
static bool finish_batch(Batch *batch) {
        LogDaemon *daemon = batch->daemon;
        LogIntent *intent = &daemon->table.header->intent;
        int r;

        intent->stream = batch->number;
        intent->n_dropped = batch->n_dropped;
        intent->n_lost = batch->n_lost;
        r = write_output(batch);
        intent->lost_error = -r;
        if (r < 0) {
                intent->n_dropped = batch->stream->n_dropped + batch->n_newly_dropped;
                intent->n_lost = batch->stream->n_lost + batch->n_kept;
        }
        log_store(&intent->phase, LOG_PHASE_WRITTEN);
        apply_counts(daemon);
        log_stage_finish(&daemon->stage);
        return r == 0;
}

/* — the stream — */

static bool has_writers(int fd) {
        struct pollfd pipe = { .fd = fd, .events = POLLIN };

        return poll(&pipe, 1, 0) < 0 || !(pipe.revents & POLLHUP);
}

static void write_taken(LogDaemon *daemon, uint32_t number, size_t n, bool is_end) {
        Batch batch = begin_batch(daemon, number);

        add_lines(&batch, n, is_end);
        (void) finish_batch(&batch);
        daemon->n_taken += n;
}

/* The number of the copied bytes that can be taken. Without a writer the last line is complete. */
static ssize_t choose(LogDaemon *daemon, LogSource *source, ssize_t n, bool *ret_is_end) {
        size_t taken = log_frame_take(daemon->stage.buffer, (size_t) n, source->line_max, false);

        *ret_is_end = false;
        if (taken > 0 || has_writers(source->fd))
                return (ssize_t) taken;
        /* The last writer may have written between the two checks. */
        n = log_stage_peek(&daemon->stage, source->fd);
        *ret_is_end = true;
        return n <= 0 ? n : (ssize_t) log_frame_take(daemon->stage.buffer, (size_t) n, source->line_max, true);
}

static LogStreamResult serve(LogDaemon *daemon, uint32_t number) {
        LogSource *source = &daemon->sources.items[number];
        bool is_end = false;
        ssize_t n;

        n = log_stage_peek(&daemon->stage, source->fd);
        if (n == 0)
                log_stream_tell_counts(daemon, number, true);
        source->is_partial = false;
        if (n <= 0)
                return LOG_STREAM_WAITS;
        n = choose(daemon, source, n, &is_end);
        source->is_partial = n == 0;
        if (n <= 0)
                return LOG_STREAM_WAITS;
        n = log_stage_take(&daemon->stage, number, source->fd, (size_t) n, is_end);
        write_taken(daemon, number, (size_t) n, is_end);
        return n > 0 ? LOG_STREAM_HAS_MORE : LOG_STREAM_WAITS;
}

LogStreamResult log_stream_serve(LogDaemon *daemon, uint32_t number) {
        LogStream *stream = &daemon->table.streams[number];
        LogStreamResult result;

        log_store(&stream->is_busy, 1);
        result = serve(daemon, number);
        log_store(&stream->is_busy, 0);
        return result;
}

void log_stream_tell_counts(LogDaemon *daemon, uint32_t number, bool is_end) {
        LogStream *stream = &daemon->table.streams[number];
        Batch batch;

        if (stream->n_dropped == 0 && stream->n_lost == 0)
                return;
        batch = begin_batch(daemon, number);
        if (!is_end && stream->n_lost == 0 && batch.file &&
            log_limit_is_reached(&batch.file->limit, batch.monotonic, interval_of(&batch), burst_of(&batch)))
                return;
        daemon->table.header->intent.taken = 0;
        add_counts(&batch);
        (void) finish_batch(&batch);
}

/* — after a death — */

/* Whether the whole batch is in the file; if not, removes the part that is. */
static bool is_written(LogDaemon *daemon) {
        const LogIntent *intent = &daemon->table.header->intent;
        LogFile *file = NULL;

        if (log_files_find(&daemon->files, daemon->table.streams[intent->stream].unit, &file) < 0 ||
            log_file_open(&daemon->files, file, clock_realtime()) < 0 || file->inode != intent->inode ||
            file->size < intent->offset)
                return false;
        if (file->size >= intent->offset + intent->length)
                return true;
        log_file_cut(file, intent->offset);
        return false;
}

static void write_again(LogDaemon *daemon) {
        LogIntent *intent = &daemon->table.header->intent;
        const bool is_end = intent->is_end;
        ssize_t n;

        n = log_stage_take_rest(&daemon->stage, daemon->sources.items[intent->stream].fd);
        if (n > 0)
                n = log_stage_peek(&daemon->stage, daemon->stage.fd);
        if (n > 0)
                write_taken(daemon, intent->stream, (size_t) n, is_end);
        else
                log_stage_finish(&daemon->stage);
}

void log_stream_recover(LogDaemon *daemon) {
        LogIntent *intent = &daemon->table.header->intent;

        if (intent->phase != LOG_PHASE_IDLE && intent->stream < daemon->sources.n) {
                if (intent->phase == LOG_PHASE_WRITTEN || (intent->phase == LOG_PHASE_WRITING && is_written(daemon))) {
                        apply_counts(daemon);
                        log_stage_finish(&daemon->stage);
                } else
                        write_again(daemon);
        } else
                log_stage_finish(&daemon->stage);
        for (size_t i = 0; i < daemon->sources.n; i++)
                log_store(&daemon->table.streams[i].is_busy, 0);
}
