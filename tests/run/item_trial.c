/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What trials of ranges and of streams have in common
 */

#include "item_trial.h"

#include <stdarg.h>
#include <string.h>

static const ItemSubject *const subjects[] = { &range_subject, &stream_subject, NULL };

const ItemSubject *item_subject_at(unsigned k) {
        return subjects[k];
}

const ItemSubject *item_subject_find(const char *name, unsigned *ret_fault) {
        for (unsigned k = 0; subjects[k]; k++) {
                const size_t n = strlen(subjects[k]->name);

                *ret_fault = 0;
                if (strcmp(name, subjects[k]->name) == 0)
                        return subjects[k];
                if (strncmp(name, subjects[k]->name, n) != 0 || name[n] != '-')
                        continue;
                for (unsigned fault = 1; subjects[k]->faults[fault]; fault++)
                        if (strcmp(name + n + 1, subjects[k]->faults[fault]) == 0) {
                                *ret_fault = fault;
                                return subjects[k];
                        }
        }
        return NULL;
}

/* Splitmix64: neighbours have nothing in common. */
static uint64_t mix(uint64_t number) {
        number += UINT64_C(0x9e3779b97f4a7c15);
        number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
        return number ^ (number >> 31);
}

static void seed_step(ItemTrial *trial, uint32_t step) {
        trial->random = mix(mix(trial->seed) + step);
        if (trial->random == 0)
                trial->random = 1;
}

void item_trial_begin(ItemTrial *trial) {
        trial->n_steps = 0;
        trial->difference[0] = '\0';
        seed_step(trial, 0);
}

bool item_trial_step(ItemTrial *trial, uint32_t i) {
        if (trial->difference[0] != '\0' || trial->is_left_out[i])
                return false;
        trial->n_steps++;
        seed_step(trial, i + 1);
        item_trial_tell(trial, "step %u", i);
        return true;
}

uint32_t item_trial_pick(ItemTrial *trial, uint32_t n) {
        trial->random ^= trial->random << 13;
        trial->random ^= trial->random >> 7;
        trial->random ^= trial->random << 17;
        return n > 0 ? (uint32_t) (trial->random >> 33) % n : 0;
}

void item_trial_complain(ItemTrial *trial, const char *format, ...) {
        char difference[sizeof(trial->difference)];
        va_list arguments;

        if (trial->difference[0] != '\0')
                return;
        va_start(arguments, format);
        vsnprintf(difference, sizeof(difference), format, arguments);
        va_end(arguments);
        item_trial_tell(trial, "difference: %s", difference);
        memcpy(trial->difference, difference, sizeof(difference));
}

void item_trial_tell(const ItemTrial *trial, const char *format, ...) {
        va_list arguments;

        /* What follows it says nothing more. */
        if (!trial->script || trial->difference[0] != '\0')
                return;
        va_start(arguments, format);
        vfprintf(trial->script, format, arguments);
        va_end(arguments);
        fputc('\n', trial->script);
}

static bool differs(ItemTrial *trial, const ItemSubject *subject) {
        subject->play(trial);
        return trial->difference[0] != '\0';
}

/* Leaves out up to @n steps from @first on, if there is a difference without them. */
static bool leave_out(ItemTrial *trial, const ItemSubject *subject, uint32_t first, uint32_t n) {
        bool before[ITEM_STEPS_MAX], has_more = false;

        memcpy(before, trial->is_left_out, sizeof(before));
        for (uint32_t i = first; i < first + n && i < subject->n_steps; i++) {
                has_more = has_more || !before[i];
                trial->is_left_out[i] = true;
        }
        if (has_more && differs(trial, subject))
                return true;
        memcpy(trial->is_left_out, before, sizeof(before));
        return false;
}

uint32_t item_trial_shrink(ItemTrial *trial, const ItemSubject *subject) {
        FILE *script = trial->script;
        bool has_shrunk = true;

        trial->script = NULL;
        for (uint32_t n = subject->n_steps / 2; n > 1; n /= 2)
                for (uint32_t first = subject->n_steps; first > 0; first -= first < n ? first : n)
                        (void) leave_out(trial, subject, first < n ? 0 : first - n, n);
        while (has_shrunk) {
                has_shrunk = false;
                for (uint32_t i = subject->n_steps; i-- > 0;)
                        has_shrunk = leave_out(trial, subject, i, 1) || has_shrunk;
        }
        (void) differs(trial, subject);
        trial->script = script;
        return trial->n_steps;
}
