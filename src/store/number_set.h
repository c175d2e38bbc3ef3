/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Sets of numbers, many of which are neighbours
 *
 * A bit for each number, in pages that are there as long as a number of them
 * is: job ids only ever grow, and what lies below the oldest takes no memory.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct NumberPage NumberPage;

typedef struct NumberSet {
        NumberPage **pages;             /* owned, so are they; NULL: none of its numbers is in the set */
        size_t n_pages;
        uint64_t n;                     /* numbers in it */
        NumberPage *spare;              /* owned: the last that became empty, for the next that is needed */
} NumberSet;

void number_set_deinit(NumberSet *set);

/* 1 if it was added, 0 if it was there, -ENOMEM. */
int number_set_add(NumberSet *set, uint32_t number);

/* Nothing if it is not there. */
void number_set_remove(NumberSet *set, uint32_t number);

bool number_set_has(const NumberSet *set, uint32_t number);

/* The first from @number on; false if there is none. */
bool number_set_next(const NumberSet *set, uint32_t number, uint32_t *ret_number);
