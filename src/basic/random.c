/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Random bytes, kept in a buffer
 */

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "basic/random.h"

/* The kernel returns up to 256 bytes without interruption by a signal, so a read is all or nothing. */
static struct {
        unsigned char bytes[256];
        size_t n;                       /* unused bytes, at the front */
} store;

int random_bytes(void *bytes, size_t n) {
        assert(n <= RANDOM_BYTES_MAX);

        if (store.n < n) {
                store.n = 0;
                if (getrandom(store.bytes, sizeof(store.bytes), GRND_NONBLOCK) != sizeof(store.bytes)) {
                        memset(bytes, 0, n);
                        return -EAGAIN;
                }
                store.n = sizeof(store.bytes);
        }
        store.n -= n;
        memcpy(bytes, store.bytes + store.n, n);
        memset(store.bytes + store.n, 0, n);
        return 0;
}
