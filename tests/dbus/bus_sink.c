/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A sink that writes into a D-Bus message
 *
 * After an error the open containers are abandoned, inmost first: that is the
 * only thing libdbus lets one do with a message that is half written.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "dbus/bus_sink.h"

static void bus_sink_append(BusSink *sink, char type, const void *value, size_t size) {
        sink->n_bytes += size;
        if (sink->n_bytes > BUS_SINK_BYTES_MAX)
                sink->sink.error = -EMSGSIZE;
        else if (!dbus_message_iter_append_basic(&sink->iters[sink->depth], type, value))
                sink->sink.error = -ENOMEM;
}

static void bus_sink_put_string(BusSink *sink, char type, const char *string) {
        cleanup_free_ char *escaped = NULL;

        if (type == DBUS_TYPE_OBJECT_PATH && !dbus_validate_path(string, NULL))
                sink->sink.error = -EINVAL;
        else if (type == DBUS_TYPE_SIGNATURE && !dbus_signature_validate(string, NULL))
                sink->sink.error = -EINVAL;
        else if (type == DBUS_TYPE_STRING && !dbus_validate_utf8(string, NULL)) {
                sink->sink.error = text_escape_control(string, &escaped);
                string = escaped;
        }

        if (sink->sink.error == 0)
                bus_sink_append(sink, type, &string, strlen(string) + 8);
}

static void bus_sink_put(Sink *base, char type, const void *value) {
        BusSink *sink = container_of(base, BusSink, sink);
        dbus_bool_t truth;

        if (base->error < 0)
                return;

        if (type == DBUS_TYPE_BOOLEAN) {
                truth = *(const bool *) value;
                bus_sink_append(sink, type, &truth, sizeof(truth));
        } else if (type == DBUS_TYPE_STRING || type == DBUS_TYPE_OBJECT_PATH || type == DBUS_TYPE_SIGNATURE)
                bus_sink_put_string(sink, type, value);
        else
                bus_sink_append(sink, type, value, 8);
}

static void bus_sink_open(Sink *base, char container, const char *contents) {
        BusSink *sink = container_of(base, BusSink, sink);
        int type = container == 'r' ? DBUS_TYPE_STRUCT : container == 'e' ? DBUS_TYPE_DICT_ENTRY : container;

        if (base->error < 0)
                return;

        assert(sink->depth + 1 < BUS_SINK_DEPTH);
        if (type == DBUS_TYPE_STRUCT || type == DBUS_TYPE_DICT_ENTRY)
                contents = NULL;

        if (!dbus_message_iter_open_container(&sink->iters[sink->depth], type, contents, &sink->iters[sink->depth + 1]))
                base->error = -ENOMEM;
        else {
                sink->depth++;
                sink->n_bytes += 8;
        }
}

static void bus_sink_close(Sink *base) {
        BusSink *sink = container_of(base, BusSink, sink);

        if (base->error < 0)
                return;

        assert(sink->depth > 0);
        sink->depth--;
        if (!dbus_message_iter_close_container(&sink->iters[sink->depth], &sink->iters[sink->depth + 1]))
                base->error = -ENOMEM;
}

static const SinkOps bus_sink_ops = {
        .put = bus_sink_put,
        .open = bus_sink_open,
        .close = bus_sink_close,
};

void bus_sink_init(BusSink *sink, DBusMessage *message) {
        sink->sink = (Sink) { .ops = &bus_sink_ops };
        sink->depth = 0;
        sink->n_bytes = 0;
        dbus_message_iter_init_append(message, &sink->iters[0]);
}

int bus_sink_finish(BusSink *sink) {
        assert(sink->sink.error < 0 || sink->depth == 0);

        for (; sink->depth > 0; sink->depth--)
                dbus_message_iter_abandon_container_if_open(&sink->iters[sink->depth - 1], &sink->iters[sink->depth]);

        return sink->sink.error;
}
