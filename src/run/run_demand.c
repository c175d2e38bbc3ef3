/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Copies of demands
 *
 * Arrays come first, strings last, so that everything is aligned.
 */

#include <stdlib.h>
#include <string.h>

#include "run/run_demand.h"

static size_t array_bytes(const RunDemand *demand) {
        return demand->n_locks * sizeof(*demand->locks) + demand->n_needs * sizeof(*demand->needs);
}

static size_t string_bytes(const RunDemand *demand) {
        size_t n = 0;

        for (size_t i = 0; i < demand->n_locks; i++)
                n += strlen(demand->locks[i].name) + 1;
        for (size_t i = 0; i < demand->n_needs; i++)
                n += strlen(demand->needs[i].name) + 1;
        return n;
}

size_t run_demands_bytes(const RunDemand *demands, size_t n) {
        size_t sum = n * sizeof(*demands);

        for (size_t i = 0; i < n; i++)
                sum += array_bytes(&demands[i]) + string_bytes(&demands[i]);
        return sum;
}

static const char *put_string(char **at, const char *string) {
        const char *copy = *at;

        *at += strlen(string) + 1;
        return memcpy((char *) copy, string, strlen(string) + 1);
}

/* @arrays, @strings: where the next ones stand. */
static RunDemand put_demand(const RunDemand *demand, char **arrays, char **strings) {
        RunDemandLock *locks = (RunDemandLock *) *arrays;
        RunDemandNeed *needs = (RunDemandNeed *) (locks + demand->n_locks);

        for (size_t i = 0; i < demand->n_locks; i++)
                locks[i] = (RunDemandLock) { put_string(strings, demand->locks[i].name), demand->locks[i].slots };
        for (size_t i = 0; i < demand->n_needs; i++)
                needs[i] = (RunDemandNeed) { put_string(strings, demand->needs[i].name), demand->needs[i].amount };
        *arrays += array_bytes(demand);
        return (RunDemand) { locks, needs, demand->n_locks, demand->n_needs };
}

RunDemand *run_demands_copy(const RunDemand *demands, size_t n) {
        RunDemand *copy = malloc(run_demands_bytes(demands, n));
        char *arrays, *strings;

        if (!copy)
                return NULL;
        arrays = strings = (char *) (copy + n);
        for (size_t i = 0; i < n; i++)
                strings += array_bytes(&demands[i]);
        for (size_t i = 0; i < n; i++)
                copy[i] = put_demand(&demands[i], &arrays, &strings);
        return copy;
}
