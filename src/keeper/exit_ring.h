/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Exits that core has not acknowledged yet
 *
 * A ring of fixed size. When it is full the oldest record is overwritten, and
 * has_lost is set.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define EXIT_RING_SIZE 16384U

typedef struct ExitRecord {
        pid_t pid;
        int code;                       /* CLD_EXITED, CLD_KILLED, CLD_DUMPED */
        int status;
        uint64_t time;                  /* µs, CLOCK_MONOTONIC */
} ExitRecord;

typedef struct ExitRing {
        ExitRecord records[EXIT_RING_SIZE];
        uint64_t first;                 /* sequence number of the oldest record; the first one is 1 */
        uint64_t next;                  /* sequence number of the next record */
        bool has_lost;
} ExitRing;

void exit_ring_init(ExitRing *ring);
void exit_ring_add(ExitRing *ring, const ExitRecord *record);

/* Removes the records up to @sequence. Removing the last one clears has_lost: core knows by then. */
void exit_ring_take(ExitRing *ring, uint64_t sequence);

/* The record with that number, or NULL. */
const ExitRecord *exit_ring_at(const ExitRing *ring, uint64_t sequence);
