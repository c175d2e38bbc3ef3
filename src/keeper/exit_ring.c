/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exits that core has not acknowledged yet
 */

#include <stddef.h>

#include "keeper/exit_ring.h"

void exit_ring_init(ExitRing *ring) {
        ring->first = ring->next = 1;
        ring->has_lost = false;
}

void exit_ring_add(ExitRing *ring, const ExitRecord *record) {
        if (ring->next - ring->first == EXIT_RING_SIZE) {
                ring->first++;
                ring->has_lost = true;
        }
        ring->records[ring->next % EXIT_RING_SIZE] = *record;
        ring->next++;
}

void exit_ring_take(ExitRing *ring, uint64_t sequence) {
        if (sequence >= ring->next)
                sequence = ring->next - 1;
        if (sequence >= ring->first)
                ring->first = sequence + 1;
        if (ring->first == ring->next)
                ring->has_lost = false;
}

const ExitRecord *exit_ring_at(const ExitRing *ring, uint64_t sequence) {
        if (sequence < ring->first || sequence >= ring->next)
                return NULL;
        return &ring->records[sequence % EXIT_RING_SIZE];
}
