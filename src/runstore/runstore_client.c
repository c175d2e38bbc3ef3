/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Core's end of the store of runs
 *
 * One queue holds batches and collections from the first that is not durable
 * to the last, so its items have consecutive numbers. n_sent of them have left
 * over this link, and n_partial bytes of the next one. Queries and HELLO stand
 * in a queue of their own and go first, but never within a frame.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/vector.h"
#include "runstore/runstore_client.h"

#define READ_BYTES ((size_t) 64 * 1024)
#define WRITER_KEPT ((size_t) 1024 * 1024) /* bytes */
/* Frames that are sent in a call of serve(), so that a fast store does not keep core from its other work. */
#define FRAMES_A_TURN 256U

typedef struct ClientFrame {
        uint8_t *bytes;                 /* owned */
        size_t n;
        int fd;                         /* owned; -1: none. It goes with the first byte. */
        uint64_t behind;                /* of a query: the number of the batch that it follows; 0: none */
} ClientFrame;

typedef VECTOR(ClientFrame) ClientFrames;

struct RunStoreClient {
        const RunStoreClientOps *ops;
        void *userdata;
        uint64_t instance, epoch, identity;
        int fd;                         /* owned; -1: there is no link */
        bool is_welcome;                /* over this link */
        bool was_welcome;               /* over any: numbers are known */

        ClientFrames queue;             /* .items[0] has the number .durable + 1 */
        size_t n_gone;                  /* the first items of the queue that are durable, and freed */
        size_t n_sent;                  /* items that this link has taken whole, with those that are gone */
        ClientFrames asked;             /* HELLO and queries that are not sent yet */
        ClientFrames later;             /* queries that follow a batch, the same */
        size_t n_asked, n_later;        /* the first of these are sent */
        size_t n_partial;               /* bytes that are sent of the next frame */
        ClientFrames *partial;          /* borrowed: that frame is one of these */
        VECTOR(uint64_t) queries;       /* numbers that have no answer yet */
        uint64_t last_query;

        uint64_t accepted, durable, last;
        uint64_t refused;               /* the last batch whose refusal was told */
        uint64_t after;                 /* batches from that one on: none is known to be refused */
        bool knows_after;               /* the store does */
        size_t bytes;
        RecordWriter writer;            /* the batch that is being put */
        VECTOR(uint8_t) input;
        size_t n_input;                 /* bytes of .input that are frames which have been read */
};

int runstore_client_new(RunStoreClient **ret_client, uint64_t instance, const RunStoreClientOps *ops, void *userdata) {
        RunStoreClient *client = calloc(1, sizeof(*client));

        if (!client)
                return -ENOMEM;
        client->fd = -1;
        client->instance = instance;
        client->ops = ops;
        client->userdata = userdata;
        *ret_client = client;
        return 0;
}

static size_t free_frame(ClientFrame *frame) {
        size_t n = frame->bytes ? frame->n : 0;

        free(frame->bytes);
        frame->fd = fd_close(frame->fd);
        frame->bytes = NULL;
        return n;
}

static void close_link(RunStoreClient *client) {
        client->fd = fd_close(client->fd);
        client->is_welcome = false;
        client->partial = NULL;
        client->n_partial = client->n_input = client->n_asked = client->n_later = 0;
        client->n_sent = client->n_gone;
        vector_clear(&client->input);
        for (size_t i = 0; i < client->asked.n; i++)
                free_frame(&client->asked.items[i]);
        vector_clear(&client->asked);
        for (size_t i = 0; i < client->later.n; i++)
                free_frame(&client->later.items[i]);
        vector_clear(&client->later);
}

RunStoreClient *runstore_client_free(RunStoreClient *client) {
        if (!client)
                return NULL;
        close_link(client);
        for (size_t i = 0; i < client->queue.n; i++)
                free_frame(&client->queue.items[i]);
        vector_deinit(&client->queue);
        vector_deinit(&client->asked);
        vector_deinit(&client->later);
        vector_deinit(&client->queries);
        vector_deinit(&client->input);
        record_writer_deinit(&client->writer);
        free(client);
        return NULL;
}

int runstore_connect(const char *path, int *ret_fd) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd;

        if (strlen(path) >= sizeof(address.sun_path))
                return -ENAMETOOLONG;
        strcpy(address.sun_path, path);
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
                return -errno;
        if (connect(fd, (struct sockaddr *) &address, sizeof(address)) < 0) {
                int r = -errno;

                close(fd);
                return r;
        }
        *ret_fd = fd;
        return 0;
}

/* — queues — */

/* A small writer is used again; a large one, as with the text of a large definition, is given up. */
static uint8_t *take_bytes(RecordWriter *writer) {
        const size_t n = writer->n;
        uint8_t *bytes;

        if (writer->allocated <= WRITER_KEPT) {
                bytes = malloc(n);
                return bytes ? memcpy(bytes, writer->bytes, n) : NULL;
        }
        bytes = realloc(writer->bytes, n);
        if (!bytes)
                bytes = writer->bytes;
        *writer = (RecordWriter) {};
        return bytes;
}

/* Moves the bytes of a finished writer into a frame. */
static int push_frame(ClientFrames *frames, RecordWriter *writer, int fd) {
        ClientFrame frame = { .n = writer->n, .fd = fd };
        int r = runstore_frame_end(writer);

        if (r == 0)
                r = vector_reserve(frames, 1);
        if (r < 0)
                return r;
        frame.bytes = take_bytes(writer);
        if (!frame.bytes)
                return -ENOMEM;
        return vector_push(frames, frame);
}

static void forget_durable(RunStoreClient *client, uint64_t number) {
        while (client->durable < number && client->n_gone < client->queue.n) {
                client->bytes -= free_frame(&client->queue.items[client->n_gone++]);
                client->durable++;
        }
        client->n_sent = MAX(client->n_sent, client->n_gone);
        if (client->n_gone < 64 || client->n_gone < client->queue.n / 2)
                return;
        client->queue.n -= client->n_gone;
        client->n_sent -= client->n_gone;
        memmove(client->queue.items, client->queue.items + client->n_gone,
                client->queue.n * sizeof(*client->queue.items));
        client->n_gone = 0;
}

static int may_write(const RunStoreClient *client) {
        if (client->instance == 0)
                return -EROFS;
        return client->was_welcome ? 0 : -ENOTCONN;
}

int runstore_client_begin(RunStoreClient *client, RecordWriter **ret_writer) {
        int r = may_write(client);

        if (r < 0)
                return r;
        runstore_frame_begin(&client->writer, RUNSTORE_BATCH, client->last + 1);
        record_put_time(&client->writer, client->epoch);
        *ret_writer = &client->writer;
        return 0;
}

static int push_numbered(RunStoreClient *client, int fd, uint64_t *ret_number) {
        int r = push_frame(&client->queue, &client->writer, fd);

        if (r < 0)
                return r;
        client->bytes += client->queue.items[client->queue.n - 1].n;
        *ret_number = ++client->last;
        return 0;
}

int runstore_client_end(RunStoreClient *client, uint64_t *ret_number) {
        return push_numbered(client, -1, ret_number);
}

void runstore_client_put_after(RunStoreClient *client) {
        if (client->knows_after)
                runstore_put_after(&client->writer, client->after);
}

int runstore_client_collect(RunStoreClient *client, int fd, uint64_t n_max, uint32_t run, uint64_t *ret_number) {
        int copy, r = may_write(client);

        if (r < 0)
                return r;
        copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        if (copy < 0)
                return -errno;
        runstore_frame_begin(&client->writer, RUNSTORE_COLLECT, client->last + 1);
        record_put_time(&client->writer, client->epoch);
        record_put(&client->writer, MIN(n_max, (uint64_t) UINT32_MAX) | (uint64_t) run << 32);
        r = push_numbered(client, copy, ret_number);
        if (r < 0)
                close(copy);
        return r;
}

int runstore_client_query(RunStoreClient *client, const RunStoreQuery *query, uint64_t *ret_number) {
        RecordWriter writer = {};
        int r;

        if (!client->is_welcome)
                return -ENOTCONN;
        r = vector_reserve(&client->queries, 1);
        runstore_frame_begin(&writer, RUNSTORE_QUERY, RUNSTORE_QUERY_NUMBER | (client->last_query + 1));
        runstore_put_query(&writer, query);
        if (r == 0)
                r = push_frame(query->is_behind ? &client->later : &client->asked, &writer, -1);
        record_writer_deinit(&writer);
        if (r < 0)
                return r;
        if (query->is_behind)
                vector_last(&client->later).behind = client->last;
        *ret_number = RUNSTORE_QUERY_NUMBER | ++client->last_query;
        return vector_push(&client->queries, *ret_number);
}

/* — the link — */

int runstore_client_attach(RunStoreClient *client, int fd) {
        const RunStoreHello hello = {
                .instance = client->instance,
                .epoch = client->epoch,
                .next = client->was_welcome ? client->durable + 1 : 0,
        };
        RecordWriter writer = {};
        int r;

        close_link(client);
        client->fd = fd;
        runstore_frame_begin(&writer, RUNSTORE_HELLO, 0);
        runstore_put_hello(&writer, &hello);
        r = push_frame(&client->asked, &writer, -1);
        record_writer_deinit(&writer);
        if (r < 0)
                close_link(client);
        return r;
}

bool runstore_client_is_attached(const RunStoreClient *client) {
        return client->fd >= 0;
}

int runstore_client_fd(const RunStoreClient *client) {
        return client->fd;
}

static bool has_output(const RunStoreClient *client) {
        return client->n_asked < client->asked.n ||
               (client->is_welcome && (client->n_sent < client->queue.n || client->n_later < client->later.n));
}

short runstore_client_events(const RunStoreClient *client) {
        return has_output(client) ? POLLIN | POLLOUT : POLLIN;
}

size_t runstore_client_bytes(const RunStoreClient *client) {
        return client->bytes;
}

/* Sends the rest of a frame: 1 if all of it has left, 0 if the socket is full. */
static int send_frame(RunStoreClient *client, const ClientFrame *frame) {
        union {
                char bytes[CMSG_SPACE(sizeof(int))];
                struct cmsghdr header;
        } control = {};
        struct iovec part = { .iov_base = frame->bytes + client->n_partial, .iov_len = frame->n - client->n_partial };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
        ssize_t n;

        if (frame->fd >= 0 && client->n_partial == 0) {
                control.header = (struct cmsghdr) {
                        .cmsg_len = CMSG_LEN(sizeof(int)),
                        .cmsg_level = SOL_SOCKET,
                        .cmsg_type = SCM_RIGHTS,
                };
                memcpy(CMSG_DATA(&control.header), &frame->fd, sizeof(int));
                message.msg_control = &control;
                message.msg_controllen = sizeof(control);
        }
        n = sendmsg(client->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0)
                return errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ETOOMANYREFS ? 0 : -errno;
        client->n_partial += (size_t) n;
        if (client->n_partial < frame->n)
                return 0;
        client->n_partial = 0;
        return 1;
}

/* The number of the last batch that has left. */
static uint64_t last_sent(const RunStoreClient *client) {
        return client->durable + (client->n_sent - client->n_gone);
}

/* Questions go first, but those that are to see batches behind these. What has left in part goes on. */
static ClientFrames *find_next(RunStoreClient *client) {
        if (client->n_partial > 0)
                return client->partial;
        if (client->n_asked < client->asked.n)
                return &client->asked;
        if (client->n_later < client->later.n && client->later.items[client->n_later].behind <= last_sent(client))
                return &client->later;
        return &client->queue;
}

static void note_asked(ClientFrames *frames, size_t *n) {
        free_frame(&frames->items[*n]);
        if (++*n < frames->n)
                return;
        vector_clear(frames);
        *n = 0;
}

static int send_next(RunStoreClient *client) {
        ClientFrames *frames = find_next(client);
        size_t *n = frames == &client->asked   ? &client->n_asked
                    : frames == &client->later ? &client->n_later
                                               : &client->n_sent;
        int r;

        if (frames == &client->queue && client->n_partial == 0)
                runstore_frame_set_epoch(frames->items[*n].bytes, client->epoch);
        r = send_frame(client, &frames->items[*n]);
        client->partial = frames;
        if (r <= 0)
                return r;
        if (frames == &client->queue)
                client->n_sent++;
        else
                note_asked(frames, n);
        return 1;
}

static int send_all(RunStoreClient *client) {
        int r = 1;

        for (unsigned i = 0; i < FRAMES_A_TURN && r > 0 && has_output(client); i++)
                r = send_next(client);
        return MIN(r, 0);
}

/* — answers — */

static int take_welcome(RunStoreClient *client, const RunStoreFrame *frame) {
        RunStoreWelcome welcome;
        bool has_lost;
        int r = runstore_get_welcome(frame, &welcome);

        if (r < 0 || client->is_welcome)
                return -EBADMSG;
        has_lost = client->was_welcome && welcome.identity != client->identity;
        if (!client->was_welcome || client->instance == 0)
                client->durable = client->last = welcome.accepted;
        /* A store that knows more than was sent, or less than was durable, has the marks of another core. */
        else if (welcome.accepted > client->last || welcome.durable < client->durable)
                return -EPROTO;
        client->accepted = welcome.accepted;
        client->epoch = welcome.epoch;
        client->identity = welcome.identity;
        if (!client->was_welcome || has_lost)
                client->after = client->last + 1;
        client->knows_after = welcome.format & RUNSTORE_KNOWS_AFTER;
        client->is_welcome = client->was_welcome = true;
        forget_durable(client, welcome.durable);
        client->n_sent = client->n_gone + (size_t) (MAX(welcome.accepted, client->durable) - client->durable);
        client->ops->welcomed(client->userdata, &welcome, has_lost);
        return 0;
}

static int take_mark(RunStoreClient *client, const RunStoreFrame *frame) {
        if (!client->is_welcome || frame->n > 0 || frame->number > last_sent(client))
                return -EBADMSG;
        if (frame->number > client->accepted) {
                client->accepted = frame->number;
                if (frame->kind == RUNSTORE_ACCEPTED)
                        client->ops->accepted(client->userdata, frame->number);
        }
        if (frame->kind == RUNSTORE_DURABLE && frame->number > client->durable) {
                forget_durable(client, frame->number);
                client->ops->durable(client->userdata, frame->number);
        }
        return 0;
}

static bool forget_query(RunStoreClient *client, uint64_t number) {
        for (size_t i = 0; i < client->queries.n; i++)
                if (client->queries.items[i] == number) {
                        client->queries.items[i] = vector_last(&client->queries);
                        client->queries.n--;
                        return true;
                }
        return false;
}

static int take_refusal(RunStoreClient *client, const RunStoreFrame *frame) {
        RunStoreRefusal refusal;
        int r = runstore_get_refusal(frame, &refusal);

        if (r < 0)
                return r;
        if (frame->number & RUNSTORE_QUERY_NUMBER && !forget_query(client, frame->number))
                return -EBADMSG;
        if (refusal.reason == RUNSTORE_REFUSED_CONSTRAINT && frame->number <= client->refused)
                return 0;
        if (refusal.reason == RUNSTORE_REFUSED_CONSTRAINT) {
                client->refused = frame->number;
                client->after = client->last + 1;
        }
        client->ops->refused(client->userdata, frame->number, &refusal);
        return 0;
}

static int take_stored(RunStoreClient *client, const RunStoreFrame *frame) {
        const uint8_t *hash;
        RecordReader reader;
        uint64_t n_bytes;
        size_t n;

        record_reader_init(&reader, frame->bytes, frame->n);
        hash = record_get_bytes(&reader, &n);
        n_bytes = record_get(&reader);
        if (!record_is_at_end(&reader) || n != RUNSTORE_HASH_BYTES)
                return -EBADMSG;
        client->ops->stored(client->userdata, frame->number, hash, n_bytes);
        return 0;
}

static int take_rows(RunStoreClient *client, const RunStoreFrame *frame) {
        RunStorePage page;
        int r = runstore_get_page(frame, &page);

        if (r < 0 || !forget_query(client, frame->number))
                return -EBADMSG;
        client->ops->rows(client->userdata, frame->number, &page);
        return 0;
}

static int take_frame(RunStoreClient *client, const RunStoreFrame *frame) {
        switch (frame->kind) {
        case RUNSTORE_WELCOME:
                return take_welcome(client, frame);
        case RUNSTORE_ACCEPTED:
        case RUNSTORE_DURABLE:
                return take_mark(client, frame);
        case RUNSTORE_REFUSED:
                return take_refusal(client, frame);
        case RUNSTORE_STORED:
                return take_stored(client, frame);
        case RUNSTORE_ROWS:
                return take_rows(client, frame);
        case RUNSTORE_HELLO:
        case RUNSTORE_BATCH:
        case RUNSTORE_COLLECT:
        case RUNSTORE_QUERY:
        case _RUNSTORE_KIND_MAX:
                break;
        }
        return -EBADMSG;
}

/* A function that is called back may attach another link: then the rest of the input is gone. */
static int take_input(RunStoreClient *client) {
        int fd = client->fd, r = 0;

        while (r == 0 && client->fd == fd) {
                RunStoreFrame frame;
                size_t missing;
                ssize_t n = runstore_frame_read(client->input.items + client->n_input,
                                                client->input.n - client->n_input, &frame, &missing);

                if (n <= 0) {
                        r = (int) n;
                        break;
                }
                client->n_input += (size_t) n;
                r = take_frame(client, &frame);
        }
        client->input.n -= client->n_input;
        if (client->input.n > 0)
                memmove(client->input.items, client->input.items + client->n_input, client->input.n);
        client->n_input = 0;
        return r;
}

static int read_input(RunStoreClient *client) {
        for (;;) {
                ssize_t n;
                int r = vector_reserve(&client->input, READ_BYTES);

                if (r < 0)
                        return r;
                n = recv(client->fd, client->input.items + client->input.n, READ_BYTES, MSG_DONTWAIT);
                if (n < 0)
                        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
                if (n == 0)
                        return -ECONNRESET;
                client->input.n += (size_t) n;
                r = take_input(client);
                if (r < 0 || (size_t) n < READ_BYTES)
                        return r;
        }
}

static void refuse_queries(RunStoreClient *client) {
        const RunStoreRefusal refusal = { RUNSTORE_REFUSED_UNAVAILABLE, "The link to the store of runs was lost." };

        while (client->queries.n > 0) {
                uint64_t number = vector_pop(&client->queries);

                client->ops->refused(client->userdata, number, &refusal);
        }
}

int runstore_client_serve(RunStoreClient *client) {
        int fd = client->fd, r, sent;

        if (client->fd < 0)
                return -ENOTCONN;
        r = sent = send_all(client);
        /* Also after a failure: why the store has closed the link is still to be read. */
        if (sent == 0 || sent == -EPIPE || sent == -ECONNRESET)
                r = read_input(client) ?: sent;
        if (r == 0 && client->fd == fd)
                r = send_all(client);
        if (r < 0 && client->fd == fd) {
                close_link(client);
                refuse_queries(client);
        }
        return r;
}

/* The answer to what has just been sent is not there yet: to look for it would mostly be in vain. */
int runstore_client_send(RunStoreClient *client) {
        return client->fd >= 0 && send_all(client) == 0 ? 0 : runstore_client_serve(client);
}
