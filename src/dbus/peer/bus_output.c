/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Output of a private connection
 *
 * A reader that has hung up is not an error here: its earlier messages must
 * still be read, and the end of its stream then reports the hang-up.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "basic/macro.h"
#include "basic/vector.h"
#include "dbus/peer/bus_output.h"

/* Memory that is kept when all is written; the rest is freed. */
#define KEPT_BYTES ((size_t) 128 * 1024)

#define SERIAL_AT 8U

void bus_output_deinit(BusOutput *output) {
        free(output->bytes);
        *output = (BusOutput) { .is_broken = true };
}

/* Room for a message of @n bytes, which counts as added; NULL without memory. */
static uint8_t *output_extend(BusOutput *output, size_t n) {
        uint8_t *place;

        if (output->begin > 0 && output->end + n > output->allocated) {
                memmove(output->bytes, output->bytes + output->begin, output->end - output->begin);
                output->end -= output->begin;
                output->begin = 0;
        }
        if (vector_reserve_raw((void **) &output->bytes, &output->allocated, 1, output->end + n) < 0)
                return NULL;

        place = output->bytes + output->end;
        output->end += n;
        output->last = n;
        output->added += n;
        if (++output->serial == 0)
                output->serial = 1;
        return place;
}

int bus_output_add_message(BusOutput *output, DBusMessage *message) {
        uint8_t *place;
        char *bytes;
        int n;

        if (output->is_broken)
                return 0;
        if (!dbus_message_marshal(message, &bytes, &n))
                return -ENOMEM;

        place = output_extend(output, (size_t) n);
        if (place) {
                memcpy(place, bytes, (size_t) n);
                memcpy(place + SERIAL_AT, &output->serial, sizeof(output->serial));
        }
        dbus_free(bytes);
        return place ? 0 : -ENOMEM;
}

int bus_output_add_wire(BusOutput *output, const BusWire *wire) {
        uint8_t *place;

        if (output->is_broken)
                return 0;
        place = output_extend(output, bus_wire_size(wire));
        if (!place)
                return -ENOMEM;
        bus_wire_copy(wire, output->serial, place);
        return 0;
}

static void output_empty(BusOutput *output) {
        output->begin = output->end = output->last = output->added = 0;
        if (output->allocated <= KEPT_BYTES)
                return;
        free(output->bytes);
        output->bytes = NULL;
        output->allocated = 0;
}

void bus_output_write(BusOutput *output, int fd) {
        while (output->begin < output->end) {
                ssize_t n = send(fd, output->bytes + output->begin, output->end - output->begin,
                                 MSG_DONTWAIT | MSG_NOSIGNAL);

                if (n < 0 && errno == EINTR)
                        continue;
                /* The socket is full, or the kernel short of memory: retried when the socket is writable. */
                if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM))
                        return;
                if (n < 0) {
                        output->is_broken = true;
                        break;
                }
                output->begin += (size_t) n;
        }
        output_empty(output);
}

size_t bus_output_size(const BusOutput *output) {
        return output->end - output->begin;
}

size_t bus_output_backlog(const BusOutput *output) {
        size_t size = bus_output_size(output);

        return size - MIN(size, output->last);
}

size_t bus_output_take_unread(BusOutput *output) {
        size_t size = bus_output_size(output), added = output->added;

        output->added = 0;
        return size - MIN(size, added);
}
