/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of system calls and of their groups
 *
 * The numbers used here are indexes of a sorted table, not the kernel's
 * numbers.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSTEM_CALLS_MAX 576U
#define SYSTEM_CALL_NAME_MAX 40
#define SYSTEM_CALL_GROUPS_MAX 64

typedef struct SystemCallSet {
        uint64_t words[SYSTEM_CALLS_MAX / 64];
} SystemCallSet;

static inline void system_call_set_add(SystemCallSet *set, size_t number) {
        set->words[number / 64] |= UINT64_C(1) << (number % 64);
}

static inline void system_call_set_remove(SystemCallSet *set, size_t number) {
        set->words[number / 64] &= ~(UINT64_C(1) << (number % 64));
}

static inline bool system_call_set_has(const SystemCallSet *set, size_t number) {
        return set->words[number / 64] >> (number % 64) & 1;
}

size_t system_call_count(void);
const char *system_call_name(size_t number);    /* NULL: past the last */
int system_call_find(const char *name);         /* or -ENOENT */

/* Adds all calls of a group, such as "@mount": 0, or -ENOENT. */
int system_call_group_add(const char *name, SystemCallSet *set);
const char *system_call_group_name(size_t index);               /* NULL: past the last */
