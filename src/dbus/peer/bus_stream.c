/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The socket of a message bus
 *
 * libdbus reads as many bytes as there are, and then has a part of a message
 * that no other process knows of. So the socket is read here, exactly up to the
 * end of a message, and that goes to libdbus over a feed. One message is on its
 * way at a time: while libdbus does not read, neither is the bus read. A call
 * that core dies on after it has been written down and before it is read is
 * read a second time by the next core, and not fed again.
 *
 * The lines of the authentication are sent ahead, as the bus has nothing to say
 * that would change them, and its answers are waited for before any message.
 */

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/log.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "dbus/peer/bus_feed.h"
#include "dbus/peer/bus_stream.h"
#include "manager/manager.h"

#define MESSAGES_PER_TURN 32
#define DESCRIPTORS_MAX 253             /* of one packet: a limit of the kernel (SCM_MAX_FD) */
#define KEPT_BYTES ((size_t) 128 * 1024)
#define ANSWER_LINES 2                  /* to AUTH and NEGOTIATE_UNIX_FD */

struct BusStream {
        int fd, feed;                   /* owned; the feed is -1 at the end */
        BusLedger *ledger;              /* owned, or NULL */
        sd_event_source *bus_source, *feed_source;      /* owned */
        unsigned n_lines;               /* answers to the authentication that are still to come */

        bool repeats;                   /* the calls in the ledger are fed first … */
        uint64_t repeat_order;          /* … from this one on … */
        uint64_t repeat_end;            /* … to before this one */

        uint8_t *bytes;                 /* owned; one message */
        size_t allocated, size;         /* .size 0: there is none */
        size_t n_read, n_fed;
        bool is_written_down;           /* in the ledger, if it is a call */
        bool is_fed;                    /* from there: it is read only to go on behind it */
        int descriptors[DESCRIPTORS_MAX];       /* owned, until they are fed with the first byte */
        size_t n_descriptors;

        void (*writer)(void *userdata);
        void *writer_userdata;          /* borrowed */
        bool wants_write, is_reading_part, is_writing_part;
};

/* — connecting — */

/* Whether it is a local socket: its address. */
static bool find_address(DBusAddressEntry *entry, struct sockaddr_un *address, socklen_t *ret_size) {
        const char *path = dbus_address_entry_get_value(entry, "path");
        const char *name = path ?: dbus_address_entry_get_value(entry, "abstract");

        *address = (struct sockaddr_un) { .sun_family = AF_UNIX };
        if (!text_equal(dbus_address_entry_get_method(entry), "unix") || !name ||
            strlen(name) + 2 > sizeof(address->sun_path))
                return false;
        strcpy(address->sun_path + (path ? 0 : 1), name);
        *ret_size = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + strlen(name) + 1);
        return true;
}

/* The uid in decimal digits, each of which is sent as two hexadecimal ones. */
static int authenticate(int fd) {
        char uid[16], text[128];
        size_t n = 0;

        snprintf(uid, sizeof(uid), "%u", (unsigned) geteuid());
        text[n++] = '\0';
        n += (size_t) snprintf(text + n, sizeof(text) - n, "AUTH EXTERNAL ");
        for (const char *digit = uid; *digit; digit++)
                n += (size_t) snprintf(text + n, sizeof(text) - n, "%02x", (unsigned) *digit);
        n += (size_t) snprintf(text + n, sizeof(text) - n, "\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n");
        return send(fd, text, n, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t) n ? 0 : -EIO;
}

static int connect_to_entry(DBusAddressEntry *entry) {
        struct sockaddr_un address;
        cleanup_fd_ int fd = -1;
        socklen_t size;
        int r;

        if (!find_address(entry, &address, &size))
                return -EAFNOSUPPORT;
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *) &address, size) < 0)
                return -errno;
        r = authenticate(fd);
        if (r < 0)
                return r;
        return fd_take(&fd);
}

int bus_stream_connect(const char *address) {
        DBusAddressEntry **entries;
        int n, fd = -ENOTCONN;

        if (!dbus_parse_address(address, &entries, &n, NULL))
                return -EINVAL;
        for (int i = 0; i < n && fd < 0; i++)
                fd = connect_to_entry(entries[i]);
        dbus_address_entries_free(entries);
        return fd;
}

/* — what is watched — */

static void watch(BusStream *stream) {
        const bool is_full = stream->size > 0 && stream->n_read == stream->size;
        const uint32_t bus = (is_full || stream->feed < 0 ? 0 : EPOLLIN) | (stream->wants_write ? EPOLLOUT : 0);

        (void) sd_event_source_set_io_events(stream->bus_source, bus);
        (void) sd_event_source_set_enabled(stream->bus_source, bus ? SD_EVENT_ON : SD_EVENT_OFF);
        if (stream->feed >= 0)
                (void) sd_event_source_set_enabled(stream->feed_source,
                                                   is_full || stream->repeats ? SD_EVENT_ON : SD_EVENT_OFF);
}

static void note_torn(BusStream *stream) {
        if (stream->ledger)
                bus_ledger_note_torn(stream->ledger, stream->is_reading_part, stream->is_writing_part);
}

/* libdbus reads what it was fed, and then finds that the connection has ended. */
static void end_feed(BusStream *stream) {
        if (stream->feed >= 0)
                (void) shutdown(stream->feed, SHUT_RDWR);
        stream->feed_source = sd_event_source_disable_unref(stream->feed_source);
        stream->feed = fd_close(stream->feed);
}

/* — reading — */

/* 1, 0: later, or a negative errno. */
static int outcome_of_read(ssize_t n) {
        if (n > 0)
                return 1;
        if (n == 0)
                return -EPIPE;
        return errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENOMEM ? 0 : -errno;
}

/* One line of the authentication, which is read to its end and not further. */
static int read_line(BusStream *stream) {
        char line[512];
        ssize_t n = recv(stream->fd, line, sizeof(line), MSG_PEEK | MSG_DONTWAIT);
        const char *end;

        if (n <= 0)
                return outcome_of_read(n);
        end = memchr(line, '\n', (size_t) n);
        if (!end)
                return (size_t) n == sizeof(line) ? -EPROTO : 0;
        if (stream->n_lines == ANSWER_LINES && strncmp(line, "OK ", 3) != 0) {
                log_warning("The message bus does not take us: it refuses the authentication of uid %u.",
                            (unsigned) geteuid());
                return -EACCES;
        }
        if (recv(stream->fd, line, (size_t) (end - line) + 1, MSG_DONTWAIT) < 0)
                return -errno;
        stream->n_lines--;
        return 1;
}

/* @n bytes of a message: at least its beginning. A call that is in the ledger already was fed from there. */
static void write_down(BusStream *stream, const uint8_t *bytes, size_t n) {
        const BusHeader header = bus_header_read(bytes, n);

        stream->is_written_down = true;
        if (stream->ledger && header.type == DBUS_MESSAGE_TYPE_METHOD_CALL)
                stream->is_fed = !bus_ledger_add(stream->ledger, &header, bytes, stream->size);
}

/*
 * A call is written down before it is taken out of the socket, so that it is at one of the two places at any time. If
 * is more of it than that looks at, the connection counts as torn until it is read and written down.
 */
static int begin_message(BusStream *stream) {
        uint8_t bytes[BUS_LEDGER_MESSAGE_MAX];
        ssize_t n = recv(stream->fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);
        int r = outcome_of_read(n);

        if (r <= 0 || (size_t) n < BUS_HEADER_PREFIX)
                return MIN(r, 0);
        stream->size = bus_header_message_size(bytes);
        if (stream->size == 0)
                return -EBADMSG;
        stream->is_written_down = stream->is_fed = false;
        if ((size_t) n >= MIN(stream->size, sizeof(bytes)))
                write_down(stream, bytes, MIN(stream->size, (size_t) n));
        stream->is_reading_part = (size_t) n < stream->size;
        note_torn(stream);
        if (vector_reserve_raw((void **) &stream->bytes, &stream->allocated, 1, stream->size) < 0) {
                stream->size = 0;
                return -ENOMEM;
        }
        return 1;
}

static int take_descriptors(BusStream *stream, struct msghdr *packet) {
        for (struct cmsghdr *header = CMSG_FIRSTHDR(packet); header; header = CMSG_NXTHDR(packet, header)) {
                const size_t n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);

                if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
                        continue;
                for (size_t i = 0; i < n; i++) {
                        int fd;

                        memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(fd));
                        if (stream->n_descriptors < DESCRIPTORS_MAX)
                                stream->descriptors[stream->n_descriptors++] = fd;
                        else
                                close(fd);
                }
        }
        return packet->msg_flags & MSG_CTRUNC ? -EMFILE : 0;
}

static int read_rest(BusStream *stream) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
        } control;
        struct iovec data = { stream->bytes + stream->n_read, stream->size - stream->n_read };
        struct msghdr packet = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes,
                                 .msg_controllen = sizeof(control.bytes) };
        ssize_t n = recvmsg(stream->fd, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        int r = outcome_of_read(n);

        if (r <= 0)
                return r;
        stream->n_read += (size_t) n;
        stream->is_reading_part = stream->n_read < stream->size;
        if (!stream->is_reading_part && !stream->is_written_down)
                write_down(stream, stream->bytes, stream->size);
        note_torn(stream);
        return take_descriptors(stream, &packet);
}

/* A call that core had read before it died; one that it dies of is not repeated for ever. */
static bool repeat_call(BusStream *stream) {
        BusLedgerCall call;

        while (stream->repeats && bus_ledger_next_call(stream->ledger, &stream->repeat_order, &call) &&
               stream->repeat_order <= stream->repeat_end) {
                if (call.stage != BUS_LEDGER_WAITS || call.n == 0)
                        continue;
                if (vector_reserve_raw((void **) &stream->bytes, &stream->allocated, 1, call.n) < 0)
                        break;
                bus_ledger_mark(stream->ledger, call.sender, call.serial, BUS_LEDGER_WAITS_AGAIN);
                memcpy(stream->bytes, call.bytes, call.n);
                stream->size = stream->n_read = call.n;
                return true;
        }
        stream->repeats = false;
        return false;
}

/* 1: a whole message is there; 0: not yet. */
static int next_message(BusStream *stream) {
        int r = 1;

        while (r > 0 && stream->n_lines > 0)
                r = read_line(stream);
        if (r > 0 && stream->size == 0 && repeat_call(stream))
                return 1;
        if (r > 0 && stream->size == 0)
                r = begin_message(stream);
        if (r > 0 && stream->n_read < stream->size)
                r = read_rest(stream);
        return r < 0 ? r : stream->size > 0 && stream->n_read == stream->size;
}

/* — feeding — */

static void drop_descriptors(BusStream *stream) {
        while (stream->n_descriptors > 0)
                close(stream->descriptors[--stream->n_descriptors]);
}

static void end_message(BusStream *stream) {
        drop_descriptors(stream);
        stream->size = stream->n_read = stream->n_fed = 0;
        stream->is_fed = false;
        if (stream->allocated <= KEPT_BYTES)
                return;
        free(stream->bytes);
        stream->bytes = NULL;
        stream->allocated = 0;
}

/* 1: all of the message is fed; 0: libdbus must read first. */
static int feed_message(BusStream *stream) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
        } control = {};
        struct iovec data = { stream->bytes + stream->n_fed, stream->size - stream->n_fed };
        struct msghdr packet = { .msg_iov = &data, .msg_iovlen = 1 };
        const size_t size = stream->n_descriptors * sizeof(int);
        ssize_t n;

        if (stream->is_fed) {
                end_message(stream);
                return 1;
        }
        if (size > 0) {
                packet.msg_control = control.bytes;
                packet.msg_controllen = CMSG_SPACE(size);
                control.header = (struct cmsghdr) { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
                                                    .cmsg_len = CMSG_LEN(size) };
                memcpy(CMSG_DATA(&control.header), stream->descriptors, size);
        }
        n = sendmsg(stream->feed, &packet, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0)
                return errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENOMEM ? 0 : -errno;
        drop_descriptors(stream);
        stream->n_fed += (size_t) n;
        if (stream->n_fed < stream->size)
                return 0;
        end_message(stream);
        return 1;
}

static void pump(BusStream *stream) {
        int r = 1;

        for (unsigned i = 0; i < MESSAGES_PER_TURN && r > 0 && stream->feed >= 0; i++) {
                r = next_message(stream);
                if (r > 0)
                        r = feed_message(stream);
        }
        if (r < 0)
                end_feed(stream);
        watch(stream);
}

static int on_bus(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        BusStream *stream = userdata;

        if (stream->wants_write && events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
                stream->writer(stream->writer_userdata);
        if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
                pump(stream);
        if (stream->feed < 0 && events & (EPOLLHUP | EPOLLERR))
                (void) sd_event_source_set_enabled(source, SD_EVENT_OFF);
        return 0;
}

static int on_feed(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        pump(userdata);
        return 0;
}

/* — writing — */

void bus_stream_set_writer(BusStream *stream, void (*writer)(void *userdata), void *userdata) {
        stream->writer = writer;
        stream->writer_userdata = userdata;
}

void bus_stream_want_write(BusStream *stream, bool is_wanted) {
        stream->wants_write = is_wanted;
        watch(stream);
}

void bus_stream_write(BusStream *stream, BusOutput *output) {
        bus_output_write(output, stream->fd);
        stream->is_writing_part = bus_output_size(output) > 0;
        note_torn(stream);
        if (stream->ledger && !stream->is_writing_part)
                bus_ledger_settle(stream->ledger);
}

/* — life — */

int bus_stream_fd(const BusStream *stream) {
        return stream->fd;
}

BusLedger *bus_stream_ledger(const BusStream *stream) {
        return stream->ledger;
}

static int add_source(BusStream *stream, sd_event *event, int fd, uint32_t events, sd_event_io_handler_t handler,
                      sd_event_source **ret_source) {
        int r = sd_event_add_io(event, ret_source, fd, events, handler, stream);

        return r < 0 ? r : sd_event_source_set_priority(*ret_source, MANAGER_PRIORITY_BUS);
}

/* The first turn feeds what the ledger has: the feed can be written to at once. */
static void begin_to_repeat(BusStream *stream) {
        BusLedgerCall call;
        uint64_t order = 0;

        while (bus_ledger_next_call(stream->ledger, &order, &call))
                stream->repeat_end = order;
        stream->repeats = stream->repeat_end > 0;
}

int bus_stream_new(BusStream **ret_stream, sd_event *event, int fd, bool is_new, BusLedger *ledger,
                   DBusConnection **ret_connection) {
        cleanup_(bus_stream_freep) BusStream *stream = calloc(1, sizeof(*stream));
        DBusConnection *connection = NULL;
        int r;

        if (!stream) {
                fd_close(fd);
                bus_ledger_free(ledger);
                return -ENOMEM;
        }
        *stream = (BusStream) { .fd = fd, .feed = -1, .ledger = ledger, .n_lines = is_new ? ANSWER_LINES : 0 };
        if (ledger && !is_new)
                begin_to_repeat(stream);
        r = bus_feed_new(&connection, &stream->feed);
        if (r >= 0)
                r = add_source(stream, event, fd, EPOLLIN, on_bus, &stream->bus_source);
        if (r >= 0)
                r = add_source(stream, event, stream->feed, EPOLLOUT, on_feed, &stream->feed_source);
        if (r < 0 && connection) {
                dbus_connection_close(connection);
                dbus_connection_unref(connection);
        }
        if (r < 0)
                return r;
        *ret_connection = connection;
        *ret_stream = take_ptr(stream);
        return 0;
}

BusStream *bus_stream_free(BusStream *stream) {
        if (!stream)
                return NULL;
        sd_event_source_disable_unref(stream->bus_source);
        end_feed(stream);
        drop_descriptors(stream);
        free(stream->bytes);
        fd_close(stream->fd);
        bus_ledger_free(stream->ledger);
        free(stream);
        return NULL;
}
