/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The messages between a test and its core, besides those of core and keeper
 */

#include <stdint.h>

typedef enum FakeWhat {
        FAKE_FORK,                      /* a child that lives until it is killed: its pid */
        FAKE_ORPHANS,                   /* processes without a parent, which end with status 7 */
        FAKE_SIGNALS,                   /* a bit for each received signal */
        FAKE_LOOP,                      /* loops for ever; no reply */
        FAKE_END,                       /* exits with this status; no reply */
        FAKE_EXECUTE,                   /* executes itself; no reply */
} FakeWhat;

typedef struct FakeOrder {
        FakeWhat what;
        uint64_t value;
} FakeOrder;

/* The first reply is sent unasked, with the pid of core, that of the keeper as passed to core, and the link. */
typedef struct FakeReply {
        int pid;
        uint64_t value;
} FakeReply;
