/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Descriptors that outlive core
 *
 * Under a name that core gives (by convention unit/name/index). The keeper
 * never reads, writes or closes what they lead to, except by dropping them.
 */

#include <stdbool.h>
#include <stddef.h>

#include "keeper/keeper_protocol.h"

#define FD_STORE_SIZE 4096U

typedef struct StoredFd {
        int fd;                         /* -1: free */
        char name[KEEPER_NAME_BYTES];
} StoredFd;

typedef struct FdStore {
        StoredFd items[FD_STORE_SIZE];
        size_t n;                       /* all that are in use lie before this */
} FdStore;

/* Takes @fd, also if it fails (it is closed then). Replaces what has the name. -EINVAL without a name, -ENOSPC if it is full. */
int fd_store_put(FdStore *store, const char *name, int fd);

/* May one be put under that name? */
bool fd_store_has_room(FdStore *store, const char *name);

/* -ENOENT if there is none. */
int fd_store_drop(FdStore *store, const char *name);
