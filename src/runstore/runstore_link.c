/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A connection to jobd-runstore
 *
 * A descriptor arrives with the first byte of its frame or before, so those
 * of a link stand in a queue, in the order of the frames that they belong to.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "runstore/runstore_link.h"

#define READ_BYTES ((size_t) 128 * 1024)
#define FDS_A_READ 16U
#define FDS_MAX 256U
/* A reader that is so far behind has stopped reading. */
#define OUTPUT_MAX ((size_t) 64 * 1024 * 1024)

int runstore_link_new(RunStoreLink **ret_link, int fd, uint64_t id) {
        RunStoreLink *link = calloc(1, sizeof(*link));

        if (!link) {
                close(fd);
                return -ENOMEM;
        }
        link->fd = fd;
        link->id = id;
        *ret_link = link;
        return 0;
}

RunStoreLink *runstore_link_free(RunStoreLink *link) {
        if (!link)
                return NULL;
        fd_close(link->fd);
        for (size_t i = 0; i < link->fds.n; i++)
                close(link->fds.items[i]);
        vector_deinit(&link->fds);
        vector_deinit(&link->input);
        vector_deinit(&link->output);
        free(link);
        return NULL;
}

/* — input — */

static int add_fds(RunStoreLink *link, const struct cmsghdr *header) {
        int fds[FDS_A_READ], r = 0;
        const size_t size = MIN(header->cmsg_len - CMSG_LEN(0), sizeof(fds));

        memcpy(fds, CMSG_DATA(header), size);
        for (size_t i = 0; i < size / sizeof(int); i++) {
                if (r == 0)
                        r = link->fds.n < FDS_MAX ? vector_push(&link->fds, fds[i]) : -EBADMSG;
                if (r < 0)
                        close(fds[i]);
        }
        return r;
}

static int take_control(RunStoreLink *link, struct msghdr *message) {
        int r = message->msg_flags & MSG_CTRUNC ? -EBADMSG : 0;

        for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header))
                if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
                        r = MIN(r, add_fds(link, header));
        return r;
}

static void drop_taken(RunStoreLink *link) {
        if (link->n_taken == 0)
                return;
        link->input.n -= link->n_taken;
        if (link->input.n > 0)
                memmove(link->input.items, link->input.items + link->n_taken, link->input.n);
        link->n_taken = 0;
}

ssize_t runstore_link_read(RunStoreLink *link) {
        union {
                char bytes[CMSG_SPACE(FDS_A_READ * sizeof(int))];
                struct cmsghdr header;
        } control;
        struct msghdr message = { .msg_control = &control, .msg_controllen = sizeof(control), .msg_iovlen = 1 };
        struct iovec part = { .iov_len = READ_BYTES };
        ssize_t n;
        int r;

        drop_taken(link);
        r = vector_reserve(&link->input, READ_BYTES);
        if (r < 0)
                return r;
        part.iov_base = link->input.items + link->input.n;
        message.msg_iov = &part;
        n = recvmsg(link->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n < 0)
                return errno == EINTR ? -EAGAIN : -errno;
        r = take_control(link, &message);
        link->input.n += (size_t) n;
        return r < 0 ? r : n;
}

int runstore_link_next(RunStoreLink *link, RunStoreFrame *ret_frame) {
        size_t missing;
        ssize_t n = runstore_frame_read(link->input.items + link->n_taken, link->input.n - link->n_taken, ret_frame,
                                        &missing);

        if (n <= 0)
                return (int) n;
        link->n_taken += (size_t) n;
        return 1;
}

int runstore_link_take_fd(RunStoreLink *link) {
        int fd;

        if (link->fds.n == 0)
                return -1;
        fd = link->fds.items[0];
        link->fds.n--;
        memmove(link->fds.items, link->fds.items + 1, link->fds.n * sizeof(fd));
        return fd;
}

/* — output — */

bool runstore_link_has_output(const RunStoreLink *link) {
        return !link->is_broken && link->n_sent < link->output.n;
}

/* The link is not closed, because what has come is still to be read; but nothing is sent any more. */
static void give_up_output(RunStoreLink *link) {
        link->is_broken = true;
        (void) shutdown(link->fd, SHUT_RDWR);
}

void runstore_link_flush(RunStoreLink *link) {
        while (!link->is_broken && link->n_sent < link->output.n) {
                ssize_t n = send(link->fd, link->output.items + link->n_sent, link->output.n - link->n_sent,
                                 MSG_DONTWAIT | MSG_NOSIGNAL);

                if (n < 0 && errno == EAGAIN)
                        return;
                if (n < 0 && errno != EINTR)
                        give_up_output(link);
                link->n_sent += n > 0 ? (size_t) n : 0;
        }
        vector_clear(&link->output);
        link->n_sent = 0;
}

void runstore_link_send(RunStoreLink *link, const uint8_t *frame, size_t n) {
        if (link->is_broken)
                return;
        if (link->output.n - link->n_sent + n > OUTPUT_MAX || vector_reserve(&link->output, n) < 0) {
                give_up_output(link);
                return;
        }
        memcpy(link->output.items + link->output.n, frame, n);
        link->output.n += n;
        runstore_link_flush(link);
}
