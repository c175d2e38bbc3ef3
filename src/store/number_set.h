/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Sets of numbers, most of which are close together
 *
 * One bit for each number, in pages that exist as long as they contain a
 * number: job ids only grow, and ids below the oldest job take no memory.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_SET_PAGE 4096U           /* numbers */

typedef struct NumberPage {
        uint32_t n;                     /* number of bits set */
        uint64_t bits[NUMBER_SET_PAGE / 64];
} NumberPage;

typedef struct NumberSet {
        NumberPage **pages;             /* owned, with the pages; NULL: page without numbers */
        size_t n_pages;
        uint64_t n;                     /* numbers in the set */
        NumberPage *spare;              /* owned: the page that became empty last, for reuse */
} NumberSet;

void number_set_deinit(NumberSet *set);

/* 1 if the number was added, 0 if it was in the set, or -ENOMEM. */
int number_set_add(NumberSet *set, uint32_t number);

/* Does nothing if the number is not in the set. */
void number_set_remove(NumberSet *set, uint32_t number);

static inline bool number_set_has(const NumberSet *set, uint32_t number) {
        size_t place = number / NUMBER_SET_PAGE;
        const NumberPage *page = place < set->n_pages ? set->pages[place] : NULL;

        return page && page->bits[number % NUMBER_SET_PAGE / 64] >> number % 64 & 1;
}

/* The first number in the set from @number on; false if there is none. */
bool number_set_next(const NumberSet *set, uint32_t number, uint32_t *ret_number);
