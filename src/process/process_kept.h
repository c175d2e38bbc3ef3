/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Descriptors of owners that outlive the program
 *
 * The keeper holds them under the name of the owner, what they are to it, and a
 * number. An owner that goes on in another program takes them back by the same.
 */

#include <stdbool.h>
#include <stdint.h>

#include "process/process_keeper.h"

typedef struct ProcessKept {
        const ProcessKeeper *keeper;    /* borrowed */
        bool is_settled;                /* the keeper has dropped all that it was asked to */
} ProcessKept;

/* A copy of @fd is held; if it cannot be, that is logged. 0 or -errno. */
int process_kept_store(const ProcessKept *kept, const char *owner, const char *what, uint32_t index, int fd);
/* A connection to the socket @listening, held before we have it: as ProcessKeeperOps.accept_fd. */
int process_kept_accept(const ProcessKept *kept, const char *owner, const char *what, uint32_t index, int listening);
void process_kept_drop(ProcessKept *kept, const char *owner, const char *what, uint32_t index);
/* One that was held when the program began, the caller's. -ENOENT. */
int process_kept_take(const ProcessKept *kept, const char *owner, const char *what, uint32_t index);
/* Returns when what was dropped is. */
void process_kept_settle(ProcessKept *kept);
