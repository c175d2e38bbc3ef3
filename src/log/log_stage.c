/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way from a stream to a file
 *
 * tee(2) copies bytes of a pipe and leaves them there; splice(2) moves them
 * to another pipe, so that they are in one of the two at every moment. Bytes
 * are copied to user space only by the one read() of the copy made by tee.
 *
 * The phase tells a successor where the bytes are. TAKING: the first of the
 * .taken bytes are in the stage, the rest in the stream. WRITING: the stage
 * has all of them, and the size of the file tells whether they are in it.
 * WRITTEN: the rest in the stage is obsolete.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "basic/macro.h"
#include "log/log_stage.h"

/* The capacity of streams, where the system allows it. */
#define STAGE_BYTES (256 * 1024)

#define STAGE_NAME "stage"

/* Both need the same capacity, so that a copy of one fits into the other. */
static size_t make_equal(const LogStage *stage) {
        int size;

        if (fcntl(stage->fd, F_SETPIPE_SZ, STAGE_BYTES) < 0 || fcntl(stage->copy[1], F_SETPIPE_SZ, STAGE_BYTES) < 0) {
                size = MIN(fcntl(stage->fd, F_GETPIPE_SZ), fcntl(stage->copy[1], F_GETPIPE_SZ));
                (void) fcntl(stage->fd, F_SETPIPE_SZ, size);
                (void) fcntl(stage->copy[1], F_SETPIPE_SZ, size);
        }
        size = MIN(fcntl(stage->fd, F_GETPIPE_SZ), fcntl(stage->copy[1], F_GETPIPE_SZ));
        return (size_t) MAX(size, 4096);
}

int log_stage_init(LogStage *stage, LogTable *table) {
        *stage = LOG_STAGE_EMPTY;
        stage->header = table->header;
        stage->fd = log_table_open_fifo(table, STAGE_NAME, O_RDWR, true);
        if (stage->fd < 0)
                return stage->fd;
        stage->null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (stage->null_fd < 0 || pipe2(stage->copy, O_CLOEXEC | O_NONBLOCK) < 0)
                return -errno;
        stage->size = make_equal(stage);
        stage->buffer = malloc(stage->size);
        return stage->buffer ? 0 : -ENOMEM;
}

void log_stage_deinit(LogStage *stage) {
        const int fds[] = { stage->fd, stage->copy[0], stage->copy[1], stage->null_fd };

        for (size_t i = 0; i < ELEMENTSOF(fds); i++)
                if (fds[i] >= 0)
                        close(fds[i]);
        free(stage->buffer);
        *stage = LOG_STAGE_EMPTY;
}

ssize_t log_stage_peek(LogStage *stage, int fd) {
        ssize_t n, have = 0;

        n = tee(fd, stage->copy[1], stage->size, SPLICE_F_NONBLOCK);
        if (n <= 0)
                return n < 0 ? -errno : 0;
        while (have < n) {
                ssize_t got = read(stage->copy[0], stage->buffer + have, (size_t) (n - have));

                if (got <= 0)
                        return got < 0 ? -errno : -EIO;
                have += got;
        }
        return n;
}

static size_t bytes_in(int fd) {
        int n = 0;

        return ioctl(fd, FIONREAD, &n) < 0 ? 0 : (size_t) n;
}

/* All copied bytes are present, and there is room for them: less is only moved if something is broken. */
ssize_t log_stage_take_rest(LogStage *stage, int fd) {
        LogIntent *intent = &stage->header->intent;
        size_t have = bytes_in(stage->fd);

        while (have < intent->taken) {
                ssize_t n = splice(fd, NULL, stage->fd, NULL, intent->taken - have, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n <= 0)
                        break;
                have += (size_t) n;
        }
        intent->taken = have;
        return (ssize_t) have;
}

ssize_t log_stage_take(LogStage *stage, uint32_t stream, int fd, size_t n, bool is_end) {
        LogIntent *intent = &stage->header->intent;

        assert(intent->phase == LOG_PHASE_IDLE);

        intent->stream = stream;
        intent->taken = n;
        intent->is_end = is_end;
        intent->length = 0;
        log_store(&intent->phase, LOG_PHASE_TAKING);
        /* The stage is empty: one call is enough. */
        if (splice(fd, NULL, stage->fd, NULL, n, SPLICE_F_NONBLOCK | SPLICE_F_MOVE) == (ssize_t) n)
                return (ssize_t) n;
        return log_stage_take_rest(stage, fd);
}

void log_stage_finish(LogStage *stage) {
        LogIntent *intent = &stage->header->intent;

        log_store(&intent->phase, LOG_PHASE_WRITTEN);
        while (splice(stage->fd, NULL, stage->null_fd, NULL, stage->size, SPLICE_F_NONBLOCK) > 0)
                if (bytes_in(stage->fd) == 0)
                        break;
        log_store(&intent->phase, LOG_PHASE_IDLE);
}
