/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A sink that writes into a D-Bus message
 *
 * libdbus aborts the program on text that is not UTF-8 and on paths that are
 * none, so nothing is appended unseen. A body grows to 24 MiB at most: on a
 * larger message a system bus, which takes 32 MiB, would hang up on us.
 */

#include <dbus/dbus.h>

#include "basic/sink.h"

#define BUS_SINK_DEPTH 24
#define BUS_SINK_BYTES_MAX (24U * 1024U * 1024U)

typedef struct BusSink {
        Sink sink;
        DBusMessageIter iters[BUS_SINK_DEPTH];
        unsigned depth;
        size_t n_bytes;         /* about */
} BusSink;

/* Appends to @message (borrowed) until bus_sink_finish(). */
void bus_sink_init(BusSink *sink, DBusMessage *message);

/* 0, or the first error: -ENOMEM, -EMSGSIZE, -EINVAL for a bad path; the message is then of no use. */
int bus_sink_finish(BusSink *sink);
