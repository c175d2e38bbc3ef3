/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors that outlive core
 *
 * A list that is searched from its beginning: a table is not worth it for
 * some hundred descriptors that are looked up when a socket is opened or a
 * log pipe is made.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "keeper/fd_store.h"

static StoredFd *find(FdStore *store, const char *name) {
        for (size_t i = 0; i < store->n; i++)
                if (store->items[i].fd >= 0 && strcmp(store->items[i].name, name) == 0)
                        return &store->items[i];
        return NULL;
}

static StoredFd *find_free(FdStore *store) {
        for (size_t i = 0; i < store->n; i++)
                if (store->items[i].fd < 0)
                        return &store->items[i];
        return store->n < FD_STORE_SIZE ? &store->items[store->n] : NULL;
}

bool fd_store_has_room(FdStore *store, const char *name) {
        return find(store, name) || find_free(store);
}

int fd_store_put(FdStore *store, const char *name, int fd) {
        size_t length = strnlen(name, KEEPER_NAME_BYTES);
        StoredFd *item;

        if (length == 0 || length == KEEPER_NAME_BYTES) {
                close(fd);
                return -EINVAL;
        }
        item = find(store, name);
        if (item) {
                close(item->fd);
                item->fd = fd;
                return 0;
        }
        item = find_free(store);
        if (!item) {
                close(fd);
                return -ENOSPC;
        }
        if (item == &store->items[store->n])
                store->n++;
        memcpy(item->name, name, length + 1);
        item->fd = fd;
        return 0;
}

int fd_store_drop(FdStore *store, const char *name) {
        StoredFd *item = strnlen(name, KEEPER_NAME_BYTES) == KEEPER_NAME_BYTES ? NULL : find(store, name);

        if (!item)
                return -ENOENT;
        close(item->fd);
        item->fd = -1;
        while (store->n > 0 && store->items[store->n - 1].fd < 0)
                store->n--;
        return 0;
}
