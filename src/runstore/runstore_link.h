/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A connection to jobd-runstore: bytes and descriptors in, frames out
 *
 * Frames are known here, but not what they mean.
 */

#include <sys/types.h>

#include "basic/vector.h"
#include "runstore/runstore_protocol.h"

typedef struct RunStoreLink {
        int fd;                         /* owned; -1: closed */
        uint64_t id;                    /* unique within this process */
        VECTOR(uint8_t) input;
        size_t n_taken;                 /* the first bytes of .input, which were frames */
        VECTOR(int) fds;                /* owned: that came with frames which are not taken yet, in their order */
        VECTOR(uint8_t) output;
        size_t n_sent;                  /* the first bytes of .output */
        bool is_broken;                 /* nothing can be sent */

        bool has_hello, is_welcome;
        RunStoreHello hello;
        uint64_t epoch;
} RunStoreLink;

int runstore_link_new(RunStoreLink **ret_link, int fd, uint64_t id);    /* takes @fd: 0 or -ENOMEM */
RunStoreLink *runstore_link_free(RunStoreLink *link);

/* Reads once: bytes, 0 at the end, -EAGAIN, or -errno. */
ssize_t runstore_link_read(RunStoreLink *link);
/* 1 and the next whole frame, valid until the next call; 0 if there is none; -errno of runstore_frame_read(). */
int runstore_link_next(RunStoreLink *link, RunStoreFrame *ret_frame);
int runstore_link_take_fd(RunStoreLink *link);                  /* the caller's; -1 if none came */

/*
 * Queues a frame made by runstore_frame_end(), and sends what the socket takes. After a failure nothing is sent any
 * more, but what the other end has sent before can be read up to its end.
 */
void runstore_link_send(RunStoreLink *link, const uint8_t *frame, size_t n);
void runstore_link_flush(RunStoreLink *link);
bool runstore_link_has_output(const RunStoreLink *link);
