/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets of numbers, most of which are close together
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "store/number_set.h"

void number_set_deinit(NumberSet *set) {
        for (size_t i = 0; i < set->n_pages; i++)
                free(set->pages[i]);
        free(set->pages);
        free(set->spare);
        *set = (NumberSet) {};
}

static int make_room(NumberSet *set, size_t page) {
        size_t n = MAX(page + 1, 2 * set->n_pages);
        NumberPage **pages = realloc(set->pages, n * sizeof(*pages));

        if (!pages)
                return -ENOMEM;
        memset(pages + set->n_pages, 0, (n - set->n_pages) * sizeof(*pages));
        set->pages = pages;
        set->n_pages = n;
        return 0;
}

static NumberPage *make_page(NumberSet *set) {
        NumberPage *page = set->spare;

        set->spare = NULL;
        return page ? page : calloc(1, sizeof(*page));
}

int number_set_add(NumberSet *set, uint32_t number) {
        size_t place = number / NUMBER_SET_PAGE;
        uint64_t bit = UINT64_C(1) << number % 64, *word;
        int r;

        if (place >= set->n_pages) {
                r = make_room(set, place);
                if (r < 0)
                        return r;
        }
        if (!set->pages[place])
                set->pages[place] = make_page(set);
        if (!set->pages[place])
                return -ENOMEM;
        word = &set->pages[place]->bits[number % NUMBER_SET_PAGE / 64];
        if (*word & bit)
                return 0;
        *word |= bit;
        set->pages[place]->n++;
        set->n++;
        return 1;
}

void number_set_remove(NumberSet *set, uint32_t number) {
        size_t place = number / NUMBER_SET_PAGE;
        NumberPage *page = place < set->n_pages ? set->pages[place] : NULL;
        uint64_t bit = UINT64_C(1) << number % 64;

        if (!page || !(page->bits[number % NUMBER_SET_PAGE / 64] & bit))
                return;
        page->bits[number % NUMBER_SET_PAGE / 64] &= ~bit;
        page->n--;
        set->n--;
        if (page->n > 0)
                return;
        set->pages[place] = NULL;
        free(set->spare);
        set->spare = page;
}

/* The first number in the page from @from on; NUMBER_SET_PAGE if there is none. */
static uint32_t next_in_page(const NumberPage *page, uint32_t from) {
        uint64_t word = page->bits[from / 64] >> from % 64;

        if (word != 0)
                return from + (uint32_t) __builtin_ctzll(word);
        for (uint32_t i = from / 64 + 1; i < NUMBER_SET_PAGE / 64; i++)
                if (page->bits[i] != 0)
                        return 64 * i + (uint32_t) __builtin_ctzll(page->bits[i]);
        return NUMBER_SET_PAGE;
}

bool number_set_next(const NumberSet *set, uint32_t number, uint32_t *ret_number) {
        uint32_t from = number % NUMBER_SET_PAGE;

        for (size_t place = number / NUMBER_SET_PAGE; place < set->n_pages; place++) {
                uint32_t found = set->pages[place] ? next_in_page(set->pages[place], from) : NUMBER_SET_PAGE;

                if (found < NUMBER_SET_PAGE) {
                        *ret_number = (uint32_t) (place * NUMBER_SET_PAGE) + found;
                        return true;
                }
                from = 0;
        }
        return false;
}
