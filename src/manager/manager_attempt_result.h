/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The result of an attempt: it is taken from $JOBD_RESULT when the command has ended
 *
 * A result counts only from the command itself, and only if it was not told to
 * end. A large one is given to the store between two batches, and the attempt
 * lasts until the store has it.
 */

#include "basic/record.h"
#include "manager/manager_attempt_command.h"
#include "manager/manager_result.h"

typedef struct ManagerAttemptResult ManagerAttemptResult;

/* 0 or -ENOMEM. @basis: borrowed; @n_to_store: how many results of all attempts are to be stored. */
int manager_attempt_result_new(ManagerAttemptResult **ret_result, const ManagerAttemptBasis *basis,
                               size_t *n_to_store);
ManagerAttemptResult *manager_attempt_result_free(ManagerAttemptResult *result); /* accepts NULL */

bool manager_attempt_result_is_wanted(const ManagerAttemptResult *result); /* the attempt may leave one */
bool manager_attempt_result_is_with_store(const ManagerAttemptResult *result); /* or waits for it */
bool manager_attempt_result_is_being_taken(const ManagerAttemptResult *result);
/*
 * Takes so much of it as fits into a turn; the command is open. A ManagerTaking: with MANAGER_TAKING_LARGE it waits
 * for the store. -errno: it is to be tried again, from the beginning.
 */
int manager_attempt_result_take(ManagerAttemptResult *result);
int manager_attempt_result_take_none(const ManagerAttemptResult *result); /* the same: there is no file */
void manager_attempt_result_end(ManagerAttemptResult *result); /* what is being taken is let go */

/* Gives the store what is for it. 0, or -errno: it is to be tried again. */
int manager_attempt_result_store(ManagerAttemptResult *result);
/* Another store process has all up to @durable, and will not answer again: it is asked again for the same. */
void manager_attempt_result_ask_again(ManagerAttemptResult *result, uint64_t durable);
/* The store has answered to this number: it is the one of this result, which waits no more. */
bool manager_attempt_result_is_answered(ManagerAttemptResult *result, uint64_t number);
int manager_attempt_result_keep(ManagerAttemptResult *result, const uint8_t *hash); /* the store has it: 0, -ENOMEM */

/* NULL: it has left none, which stays until the attempt is forgotten. */
ManagerResult *manager_attempt_result_get(const ManagerAttemptResult *result);

void manager_attempt_result_write(const ManagerAttemptResult *result, RecordWriter *writer);
int manager_attempt_result_read(ManagerAttemptResult *result, RecordReader *reader); /* 0, -EBADMSG, -ENOMEM */
