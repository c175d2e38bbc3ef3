/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of streams that core and jobd-log share
 *
 * The table has its full size from the start: a file on tmpfs only takes
 * memory for pages that were written, and nothing has to be mapped again
 * while the other side uses it.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "log/log_table.h"

#define TABLE_NAME "table"
#define HEADER_BYTES ((size_t) 4096)
#define RESERVED_AT_ONCE 16U
#define TABLE_BYTES (HEADER_BYTES + LOG_STREAMS_MAX * sizeof(LogStream))

_Static_assert(sizeof(LogHeader) <= HEADER_BYTES, "the header has a page");
_Static_assert(sizeof(LogStream) % 8 == 0, "streams lie one behind the other");

static bool is_ours(const LogHeader *header) {
        return header->magic == LOG_TABLE_MAGIC && header->version == LOG_TABLE_VERSION &&
               header->n_streams <= LOG_STREAMS_MAX;
}

/* Owns *fd on success. */
static int map(LogTable *table, int *fd) {
        char *memory = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);

        if (memory == MAP_FAILED)
                return -errno;
        table->fd = *fd;
        *fd = -1;
        table->header = (LogHeader *) memory;
        table->streams = (LogStream *) (memory + HEADER_BYTES);
        return 0;
}

/* A new table replaces the old one in one step; a process that has the old one open continues with that. */
static int make_table(LogTable *table) {
        static const char temporary[] = TABLE_NAME ".new";
        cleanup_fd_ int fd = openat(table->folder_fd, temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        int r;

        if (fd < 0 || ftruncate(fd, (off_t) TABLE_BYTES) < 0 || fallocate(fd, 0, 0, (off_t) HEADER_BYTES) < 0)
                return -errno;
        r = map(table, &fd);
        if (r < 0)
                return r;
        table->header->version = LOG_TABLE_VERSION;
        table->header->magic = LOG_TABLE_MAGIC;
        return renameat(table->folder_fd, temporary, table->folder_fd, TABLE_NAME) < 0 ? -errno : 0;
}

static int open_table(LogTable *table, bool may_make) {
        cleanup_fd_ int fd = openat(table->folder_fd, TABLE_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        struct stat status;
        int r;

        if (fd < 0)
                return errno == ENOENT && may_make ? make_table(table) : -errno;
        if (fstat(fd, &status) < 0)
                return -errno;
        if ((size_t) status.st_size != TABLE_BYTES)
                return may_make ? make_table(table) : -EBADMSG;
        r = map(table, &fd);
        if (r < 0 || is_ours(table->header))
                return r;
        munmap(table->header, TABLE_BYTES);
        table->header = NULL;
        table->fd = fd_close(table->fd);
        return may_make ? make_table(table) : -EBADMSG;
}

int log_table_open(LogTable *table, const char *folder, bool may_make) {
        int r;

        *table = LOG_TABLE_EMPTY;
        if (may_make && mkdir(folder, 0700) < 0 && errno != EEXIST)
                return -errno;
        table->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (table->folder_fd < 0)
                return -errno;
        r = open_table(table, may_make);
        if (r < 0)
                log_table_close(table);
        return r;
}

void log_table_close(LogTable *table) {
        if (table->header)
                munmap(table->header, TABLE_BYTES);
        fd_close(table->fd);
        fd_close(table->folder_fd);
        *table = LOG_TABLE_EMPTY;
}

static int reserve_up_to(LogTable *table, uint32_t n) {
        const uint32_t from = table->n_reserved;

        if (fallocate(table->fd, 0, (off_t) (HEADER_BYTES + from * sizeof(LogStream)),
                      (off_t) ((n - from) * sizeof(LogStream))) < 0)
                return -errno;
        table->n_reserved = n;
        return 0;
}

/* Reserves several at once, to ask the file system less often, unless it only has room for this one. */
int log_table_reserve(LogTable *table, uint32_t number) {
        int r;

        if (number < table->n_reserved)
                return 0;
        r = reserve_up_to(table, MIN(number + RESERVED_AT_ONCE, LOG_STREAMS_MAX));
        return r == -ENOSPC ? reserve_up_to(table, number + 1) : r;
}

const char *log_stream_name(uint32_t number, char buffer[static LOG_STREAM_NAME_MAX]) {
        snprintf(buffer, LOG_STREAM_NAME_MAX, "%u", (unsigned) number);
        return buffer;
}

int log_table_open_fifo(const LogTable *table, const char *name, int flags, bool may_make) {
        struct stat status;
        int fd;

        if (may_make && mkfifoat(table->folder_fd, name, 0600) < 0 && errno != EEXIST)
                return -errno;
        fd = openat(table->folder_fd, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        if (fd < 0)
                return -errno;
        if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
                return fd;
        close(fd);
        return -EBADF;
}

/*
 * The kernel reports POLLHUP only to a reader that was open at the same time as a writer, so this opens a writing end
 * for a moment.
 */
int log_table_open_stream(const LogTable *table, uint32_t number, bool may_make) {
        char name[LOG_STREAM_NAME_MAX];
        int fd, writer;

        fd = log_table_open_fifo(table, log_stream_name(number, name), O_RDONLY, may_make);
        if (fd < 0)
                return fd;
        writer = log_table_open_fifo(table, name, O_WRONLY, false);
        if (writer >= 0)
                close(writer);
        return fd;
}

/* The order matters: bytes taken after the check of the FIFO were written after it, and no writer was left then. */
bool log_stream_is_done(const LogStream *stream, int fd) {
        struct pollfd pipe = { .fd = fd, .events = POLLIN };

        if (log_load(&stream->generation) == 0)
                return true;
        if (poll(&pipe, 1, 0) < 0 || (pipe.revents & POLLIN) || !(pipe.revents & POLLHUP))
                return false;
        return log_load(&stream->is_busy) == 0 && stream->n_dropped == 0 && stream->n_lost == 0;
}

bool log_is_alive(int fd) {
        char byte;

        return fd >= 0 && read(fd, &byte, 1) < 0 && errno == EAGAIN;
}
