/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A sink that makes text
 *
 * Commas and equal signs stand before a value, so they depend only on how many
 * values the innermost container has had.
 */

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "double/double_sink.h"

static void double_sink_separate(DoubleSink *sink) {
        size_t n;

        if (sink->depth == 0) {
                if (sink->text.n > 0)
                        text_add_char(&sink->text, ',');
                return;
        }

        n = sink->open[sink->depth - 1].n++;
        switch (sink->open[sink->depth - 1].container) {
        case 'v':
                assert(n == 0);
                break;
        case 'e':
                assert(n < 2);
                if (n == 1)
                        text_add_char(&sink->text, '=');
                break;
        default:
                if (n > 0)
                        text_add_char(&sink->text, ',');
        }
}

static void double_sink_put(Sink *base, char type, const void *value) {
        DoubleSink *sink = (DoubleSink *) base;
        Text *text = &sink->text;

        double_sink_separate(sink);
        switch (type) {
        case 'b':
                text_add(text, *(const bool *) value ? "true" : "false");
                break;
        case 'y':
                text_addf(text, "%u", *(const uint8_t *) value);
                break;
        case 'n':
                text_addf(text, "%d", *(const int16_t *) value);
                break;
        case 'q':
                text_addf(text, "%u", *(const uint16_t *) value);
                break;
        case 'i':
                text_addf(text, "%" PRId32, *(const int32_t *) value);
                break;
        case 'u':
                text_addf(text, "%" PRIu32, *(const uint32_t *) value);
                break;
        case 'x':
                text_addf(text, "%" PRId64, *(const int64_t *) value);
                break;
        case 't':
                text_addf(text, "%" PRIu64, *(const uint64_t *) value);
                break;
        case 'd':
                text_addf(text, "%g", *(const double *) value);
                break;
        case 's':
        case 'o':
        case 'g':
                text_add(text, value);
                break;
        default:
                assert(!"no basic type");
        }
}

static void double_sink_open(Sink *base, char container, const char *contents) {
        DoubleSink *sink = (DoubleSink *) base;
        bool is_dict = container == 'a' && contents && contents[0] == '{';

        assert(strchr("arev", container) && container != '\0');
        assert(sink->depth < DOUBLE_SINK_DEPTH);

        double_sink_separate(sink);
        sink->open[sink->depth].container = container;
        sink->open[sink->depth].n = 0;
        sink->open[sink->depth].is_dict = is_dict;
        sink->depth++;
        if (container == 'a')
                text_add_char(&sink->text, is_dict ? '{' : '[');
        if (container == 'r')
                text_add_char(&sink->text, '(');
}

static void double_sink_close(Sink *base) {
        DoubleSink *sink = (DoubleSink *) base;

        assert(sink->depth > 0);

        sink->depth--;
        if (sink->open[sink->depth].container == 'a')
                text_add_char(&sink->text, sink->open[sink->depth].is_dict ? '}' : ']');
        if (sink->open[sink->depth].container == 'r')
                text_add_char(&sink->text, ')');
        if (sink->open[sink->depth].container == 'e')
                assert(sink->open[sink->depth].n == 2);
        if (sink->open[sink->depth].container == 'v')
                assert(sink->open[sink->depth].n == 1);
}

static const SinkOps double_sink_ops = {
        .put = double_sink_put,
        .open = double_sink_open,
        .close = double_sink_close,
};

void double_sink_init(DoubleSink *sink) {
        assert(sink);

        *sink = (DoubleSink) { .sink.ops = &double_sink_ops };
}

void double_sink_deinit(DoubleSink *sink) {
        assert(sink);

        text_deinit(&sink->text);
}

const char *double_sink_string(DoubleSink *sink) {
        assert(sink);
        assert(sink->depth == 0);

        text_add(&sink->text, "");
        assert(sink->text.error == 0);
        return sink->text.string;
}

void double_sink_clear(DoubleSink *sink) {
        double_sink_deinit(sink);
        double_sink_init(sink);
}
