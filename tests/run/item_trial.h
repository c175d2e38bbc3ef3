/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A trial: random steps of what issues items (a range, a stream) beside its slow model, until the two differ
 *
 * The random numbers of a step follow from the seed and the number of the step, so that a trial without some of its
 * steps still has the others: that makes it small.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ITEM_STEPS_MAX 300U

typedef struct ItemTrial {
        uint64_t seed;
        unsigned fault; /* of the model, by its number; 0: none */
        bool is_left_out[ITEM_STEPS_MAX];
        FILE *script; /* gets what is done, and the difference; NULL */
        uint64_t random;
        uint32_t n_steps; /* that were played */
        char difference[200]; /* the first one; "": none */
} ItemTrial;

typedef struct ItemSubject {
        const char *name;
        const char *const *faults; /* names, NULL for 0 and at the end */
        uint32_t n_steps; /* at most ITEM_STEPS_MAX */
        void (*play)(ItemTrial *trial); /* of which .seed, .fault, .is_left_out and .script are set */
} ItemSubject;

extern const ItemSubject range_subject, stream_subject;
/* By "range", or "range-" and the name of a fault. NULL: there is none. */
const ItemSubject *item_subject_find(const char *name, unsigned *ret_fault);
/* The @k-th; NULL: there are no more. */
const ItemSubject *item_subject_at(unsigned k);

/* Leaves out what can be left out, so that there is still a difference. Returns the number of steps that are left. */
uint32_t item_trial_shrink(ItemTrial *trial, const ItemSubject *subject);

/* — for subjects — */

/* Before the first step. */
void item_trial_begin(ItemTrial *trial);
/* False: step @i is left out, or there was a difference. */
bool item_trial_step(ItemTrial *trial, uint32_t i);
uint32_t item_trial_pick(ItemTrial *trial, uint32_t n); /* below @n; 0 for 0 and 1 */
/* The first difference counts. */
void item_trial_complain(ItemTrial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));
void item_trial_tell(const ItemTrial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));
