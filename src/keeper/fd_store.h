/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Descriptors that outlive core
 *
 * Each has a name that core gives (by convention unit/name/index). The keeper
 * only stores and closes them: it never reads or writes.
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
        size_t n;                       /* all used items lie before this index */
} FdStore;

/*
 * Owns @fd, and closes it on failure. Replaces the descriptor of that name. 0, -EINVAL without a name, -ENOSPC if the
 * store is full.
 */
int fd_store_put(FdStore *store, const char *name, int fd);

/* Whether a descriptor of that name fits. */
bool fd_store_has_room(FdStore *store, const char *name);

/* 0, or -ENOENT if there is none of that name. */
int fd_store_drop(FdStore *store, const char *name);
