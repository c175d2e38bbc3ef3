/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Exits that core has not taken yet
 *
 * A ring of fixed size. When it is full the oldest goes, and has_lost says so.
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
        uint64_t first;                 /* sequence number of the oldest that is kept; they begin with 1 */
        uint64_t next;                  /* of the one to come */
        bool has_lost;
} ExitRing;

void exit_ring_init(ExitRing *ring);
void exit_ring_add(ExitRing *ring, const ExitRecord *record);

/* Forgets all up to @sequence. has_lost is forgotten with the last of them: core knows. */
void exit_ring_take(ExitRing *ring, uint64_t sequence);

/* The record with that number, NULL if it is not kept. */
const ExitRecord *exit_ring_at(const ExitRing *ring, uint64_t sequence);
