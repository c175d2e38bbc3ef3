/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The spare of the store: rows in memory, while the file cannot be written
 *
 * A memory file (memfd) with a header and rows behind it. A commit is the one
 * write that moves the end of the valid rows in the header: before it the rows
 * behind that end do not count. The header names the row that the file would
 * get next: a file with later rows was written after the spare, which does not
 * count any more.
 */

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "basic/fd.h"
#include "store/store_spare.h"

#define MAGIC UINT64_C(0x6a6f626453707231)      /* "jobdSpr1": the last character is the version of the layout */

#define FORMAT_BYTES 128U

/* Beyond this and as much as there was at the beginning, the rows are written anew. */
#define APPENDED_MIN UINT64_C(262144)

typedef struct SpareHeader {
        uint64_t magic;
        uint64_t end;                   /* of the committed rows; 0: there is no commit */
        int64_t file_row;
        char format[FORMAT_BYTES];      /* as in the file; ends with a NUL */
} SpareHeader;

typedef struct StoreSpare {
        int fd;                         /* owned */
        unsigned version;               /* of the records */
        uint64_t end;                   /* with rows that are not committed yet */
        uint64_t first_end;             /* of the first commit; 0: there was none */
        uint64_t room;                  /* bytes that were free in the file's file system at the last try */
} StoreSpare;

static StoreSpare *free_spare(StoreSpare *spare) {
        if (spare)
                close(spare->fd);
        free(spare);
        return NULL;
}

static int write_at(int fd, const void *bytes, size_t n, uint64_t at) {
        const char *from = bytes;

        while (n > 0) {
                ssize_t written = pwrite(fd, from, n, (off_t) at);

                if (written < 0 && errno == EINTR)
                        continue;
                if (written <= 0)
                        return written < 0 ? -errno : -EIO;
                from += written;
                n -= (size_t) written;
                at += (uint64_t) written;
        }
        return 0;
}

static uint64_t find_room(const Store *store) {
        struct statvfs status;

        return statvfs(store->path, &status) == 0 ? (uint64_t) status.f_bavail * status.f_frsize : 0;
}

int store_spare_begin(Store *store) {
        SpareHeader header = { .magic = MAGIC, .file_row = store->committed.next_row };
        cleanup_free_ char *format = NULL;
        cleanup_fd_ int fd = -1;
        StoreSpare *spare;
        int r;

        assert(!store->next_spare);

        if (!store->owner.hold)
                return -EOPNOTSUPP;
        r = store_name_format(store, &format);
        if (r < 0)
                return r;
        if (strlen(format) >= sizeof(header.format))
                return -ENAMETOOLONG;
        strcpy(header.format, format);
        fd = memfd_create("jobd state", MFD_CLOEXEC);
        if (fd < 0)
                return -errno;
        r = write_at(fd, &header, sizeof(header), 0);
        if (r < 0)
                return r;
        spare = malloc(sizeof(*spare));
        if (!spare)
                return -ENOMEM;
        *spare = (StoreSpare) { .fd = fd, .version = store->version, .end = sizeof(header), .room = find_room(store) };
        fd = -1;
        store->next_spare = spare;
        return 0;
}

static StoreSpare *spare_to_write(const Store *store) {
        return store->next_spare ?: store->spare;
}

int store_spare_put(Store *store, const void *bytes, size_t n) {
        StoreSpare *spare = spare_to_write(store);
        const uint32_t size = (uint32_t) n;
        int r;

        r = write_at(spare->fd, &size, sizeof(size), spare->end);
        if (r == 0)
                r = write_at(spare->fd, bytes, n, spare->end + sizeof(size));
        if (r == 0)
                spare->end += sizeof(size) + n;
        return r;
}

static int write_end(const StoreSpare *spare, uint64_t end) {
        return write_at(spare->fd, &end, sizeof(end), offsetof(SpareHeader, end));
}

int store_spare_commit(Store *store) {
        StoreSpare *next = store->next_spare;
        int r = write_end(spare_to_write(store), spare_to_write(store)->end);

        if (r < 0 || !next)
                return r;
        r = store->owner.hold(store->owner.userdata, next->fd);
        if (r < 0)
                return r;
        next->first_end = next->end;
        free_spare(store->spare);
        store->spare = take_ptr(store->next_spare);
        return 0;
}

/* The one that somebody holds has its header, which needs no more memory. */
void store_spare_give_up(Store *store) {
        if (store->spare)
                (void) write_end(store->spare, 0);
        store_spare_end(store);
}

void store_spare_close(Store *store) {
        store->next_spare = free_spare(store->next_spare);
        store->spare = free_spare(store->spare);
}

void store_spare_end(Store *store) {
        if (store->spare)
                (void) store->owner.hold(store->owner.userdata, -1);
        store_spare_close(store);
}

bool store_spare_is_due(const Store *store) {
        const StoreSpare *spare = store->spare;

        return spare->end - spare->first_end > spare->first_end + APPENDED_MIN || find_room(store) > spare->room;
}

/* — reading — */

unsigned store_spare_version(const Store *store) {
        return store->spare->version;
}

typedef VECTOR(uint64_t) Places;

static int find_rows(const uint8_t *bytes, uint64_t end, Places *places) {
        uint64_t at = sizeof(SpareHeader);
        uint32_t size;
        int r = 0;

        while (at < end && r >= 0) {
                if (end - at < sizeof(size))
                        return -EBADMSG;
                memcpy(&size, bytes + at, sizeof(size));
                if (end - at - sizeof(size) < size)
                        return -EBADMSG;
                r = vector_push(places, at);
                at += sizeof(size) + size;
        }
        return r < 0 ? r : 0;
}

static int read_rows(const uint8_t *bytes, uint64_t end, StoreTakeRow take, void *userdata) {
        Places places = {};
        uint32_t size;
        int r;

        r = find_rows(bytes, end, &places);
        for (size_t i = places.n; i-- > 0 && r >= 0;) {
                memcpy(&size, bytes + places.items[i], sizeof(size));
                r = take(userdata, bytes + places.items[i] + sizeof(size), size);
        }
        vector_deinit(&places);
        return r;
}

int store_spare_read(const Store *store, StoreTakeRow take, void *userdata) {
        const uint64_t end = store->spare->end;
        void *bytes;
        int r;

        bytes = mmap(NULL, end, PROT_READ, MAP_SHARED, store->spare->fd, 0);
        if (bytes == MAP_FAILED)
                return -errno;
        r = read_rows(bytes, end, take, userdata);
        munmap(bytes, end);
        return r;
}

/* Returns true if what is written there counts, and can be read. */
static bool examine(const Store *store, int fd, SpareHeader *header, unsigned *ret_version) {
        struct stat status;

        if (pread(fd, header, sizeof(*header), 0) != (ssize_t) sizeof(*header) || fstat(fd, &status) < 0 ||
            header->magic != MAGIC || !memchr(header->format, '\0', sizeof(header->format)) ||
            header->end < sizeof(*header) || header->end > (uint64_t) status.st_size ||
            header->file_row < store->committed.next_row)
                return false;
        *ret_version = store_version_of(store, header->format);
        return *ret_version >= store->oldest && *ret_version <= store->version;
}

bool store_take_spare(Store *store, int fd) {
        StoreSpare *spare = malloc(sizeof(*spare));
        SpareHeader header;
        unsigned version;

        assert(!store->spare);

        if (!spare || !examine(store, fd, &header, &version)) {
                close(fd);
                free(spare);
                return false;
        }
        *spare = (StoreSpare) { .fd = fd, .version = version, .end = header.end, .first_end = header.end };
        store->spare = spare;
        store->all_is_marked = true;
        return true;
}
