/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Errors of items that the store does not have yet
 *
 * What a checkpoint counts and the rows of the errors that it counts are put
 * into one batch, which the store has whole or not at all. Until that is
 * durable the errors are a part of their launch, and recorded with it: a core
 * that takes over puts them again. Rows are put in the order in which items
 * have failed and were mended, so that one that is put twice changes nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/record.h"
#include "basic/usec.h"
#include "basic/vector.h"

#define MANAGER_ITEM_ERROR_PUT UINT64_MAX /* in the batch that is being made */

typedef struct ManagerItemError {
        uint64_t item;
        uint64_t batch; /* that has its row, or MANAGER_ITEM_ERROR_PUT; 0: none has */
        usec_t ended; /* wall clock */
        uint32_t tries;
        int exit, signal; /* -1: none */
        bool is_mended; /* the item was an error, and is none any more: the following and .tries do not count */
        bool is_poison;
        char *why, *text; /* owned; NULL: none */
} ManagerItemError;

typedef struct ManagerItemErrors {
        VECTOR(ManagerItemError) all; /* owned */
        size_t n_bytes; /* of their texts */
        size_t n_due; /* the first ones: the cursor of the run counts them */
} ManagerItemErrors;

void manager_item_errors_deinit(ManagerItemErrors *errors);
/* A copy of *@error without a batch, and with copies of these texts, each of which may be NULL. 0 or -ENOMEM. */
int manager_item_errors_add(ManagerItemErrors *errors, const ManagerItemError *error, const char *why,
                            const char *text);
/* What they take in the record. */
size_t manager_item_errors_bytes(const ManagerItemErrors *errors);
/* Without batches. */
void manager_item_errors_write(const ManagerItemErrors *errors, RecordWriter *writer);
int manager_item_errors_read(ManagerItemErrors *errors, RecordReader *reader); /* 0, -EBADMSG or -ENOMEM */

/* Whether the cursor does not count all. */
bool manager_item_errors_has_new(const ManagerItemErrors *errors);
/* Whether the cursor counts some that no batch has, which is queued. */
bool manager_item_errors_has_unput(const ManagerItemErrors *errors);
/* The batch that was made has those that were put; 0: it could not be made. */
void manager_item_errors_note_batch(ManagerItemErrors *errors, uint64_t batch);
bool manager_item_errors_drop(ManagerItemErrors *errors, uint64_t durable); /* those that are durable: whether any is */
void manager_item_errors_put_again(ManagerItemErrors *errors); /* all: batches are lost */
