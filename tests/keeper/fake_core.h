/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What a test and its core say to each other, besides what core and keeper do
 */

#include <stdint.h>

typedef enum FakeWhat {
        FAKE_FORK,                      /* a child that lives until it is killed: its pid */
        FAKE_ORPHANS,                   /* so many processes without a parent, which end with status 7 */
        FAKE_SIGNALS,                   /* a bit for each signal that came */
        FAKE_END,                       /* with this status; no reply */
        FAKE_EXECUTE,                   /* itself; no reply */
} FakeWhat;

typedef struct FakeOrder {
        FakeWhat what;
        uint64_t value;
} FakeOrder;

/* The first one comes by itself, with core's pid, the keeper's as core was told, and the link. */
typedef struct FakeReply {
        int pid;
        uint64_t value;
} FakeReply;
