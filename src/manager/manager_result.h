/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Results of nodes: one value of JSON, which an attempt leaves in a file
 *
 * A short result is kept as text. A large one stays in a file of our own, of
 * which nobody else has a descriptor, and in the store as a blob, by its hash:
 * whoever still writes to the file of the attempt changes neither.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/json.h"
#include "basic/macro.h"
#include "runstore/runstore_protocol.h"

#define MANAGER_RESULT_SHORT ((size_t) 32 * 1024) /* bytes of the file: above, it is a blob */

typedef struct ManagerResult {
        unsigned n_refs;
        size_t n; /* bytes */
        char *path; /* owned: of the file of a large one; NULL: it is short */
        uint8_t hash[RUNSTORE_HASH_BYTES]; /* of a large one */
        char text[]; /* of a short one */
} ManagerResult;

/* 0 or -ENOMEM. */
int manager_result_new(ManagerResult **ret_result, const char *text, size_t n);
int manager_result_new_large(ManagerResult **ret_result, const char *path, const uint8_t *hash, size_t n);
ManagerResult *manager_result_ref(ManagerResult *result); /* accepts NULL */
ManagerResult *manager_result_unref(ManagerResult *result); /* accepts NULL, returns NULL; files stay */
DEFINE_CLEANUP(ManagerResult, manager_result_unref)

/* — taking what an attempt has left — */

typedef enum ManagerTaking {
        MANAGER_TAKING_DONE, /* .result is set, or there is none */
        MANAGER_TAKING_MORE, /* call it again */
        MANAGER_TAKING_LARGE, /* .copy has it, checked: it is to be stored */
        MANAGER_TAKING_INVALID, /* it is no JSON */
        MANAGER_TAKING_TOO_LARGE,
        MANAGER_TAKING_LACKS, /* a key of .outputs */
} ManagerTaking;

typedef struct ManagerTake {
        /* Set by the caller. */
        char *path; /* owned: of the file of the attempt */
        char *copy_path; /* owned: for one of our own, if it is large */
        char *const *outputs; /* borrowed: keys that it has to have; NULL: none */
        size_t max; /* bytes that it may have */
        /* Outcomes. */
        ManagerResult *result; /* owned */
        int copy; /* owned; 0: there is none */
        size_t n;
        /* Used by manager_take_step() alone. */
        int from; /* owned; 0: there is none */
        size_t size; /* when it was opened */
        char *text; /* owned; of a large one a mapping */
        bool is_mapped, is_begun;
        JsonReader reader;
        size_t n_found;
} ManagerTake;

/* Begins with zeros and what the caller sets. Does so much as fits into a turn: a ManagerTaking, or -errno. */
int manager_take_step(ManagerTake *take);
void manager_take_deinit(ManagerTake *take);
