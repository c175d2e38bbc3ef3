/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Descriptors of owners that outlive the program
 *
 * The keeper holds them under the name of the owner, their purpose, and a
 * number. An owner that goes on in another program takes them back by the same.
 */

#include <stdbool.h>
#include <stdint.h>

#include "process/process_keeper.h"

typedef struct ProcessKept {
        const ProcessKeeper *keeper;    /* borrowed */
        bool is_settled;                /* the keeper has dropped all descriptors that it was asked to drop */
} ProcessKept;

/* Has the keeper hold a copy of @fd. 0, or -errno after a message in the log. */
int process_kept_store(const ProcessKept *kept, const char *owner, const char *what, uint32_t index, int fd);
/* Accepts a connection to the socket @listening, which the keeper holds first: as ProcessKeeperOps.accept_fd. */
int process_kept_accept(const ProcessKept *kept, const char *owner, const char *what, uint32_t index, int listening);
void process_kept_drop(ProcessKept *kept, const char *owner, const char *what, uint32_t index);
/* A descriptor that was held when the program began; the caller owns it. -ENOENT. */
int process_kept_take(const ProcessKept *kept, const char *owner, const char *what, uint32_t index);
/* Returns when the keeper has dropped all descriptors that it was asked to drop. */
void process_kept_settle(ProcessKept *kept);
