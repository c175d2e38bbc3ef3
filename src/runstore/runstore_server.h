/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * jobd-runstore: the process that owns the store of runs
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/failure.h"

typedef struct RunStoreServer RunStoreServer;

typedef struct RunStoreSettings {
        const char *path;               /* of the file */
        const char *socket;             /* to listen at; NULL: .fd */
        int fd;                         /* a listening socket, which the server takes; -1: .socket */
        bool is_full_sync;              /* durable also over a loss of power */
        uint64_t n_ballast;             /* bytes that are given up on a full disk; 0: none */
} RunStoreSettings;

/* Strings of @settings stay the caller's. -EALREADY if another process serves this file. */
int runstore_server_new(RunStoreServer **ret_server, const RunStoreSettings *settings, Failure *ret_failure);
RunStoreServer *runstore_server_free(RunStoreServer *server);

/* Until SIGTERM, and then until all that was accepted is durable: 0 or -errno. */
int runstore_server_run(RunStoreServer *server);
