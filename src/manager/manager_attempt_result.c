/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The result of an attempt
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_attempt_result.h"

struct ManagerAttemptResult {
        const ManagerAttemptBasis *basis; /* borrowed */
        size_t *n_to_store; /* the same */
        ManagerTake *take; /* owned; NULL: it is not being taken */
        bool must_be_stored; /* at the end of the turn */
        uint64_t collection; /* of the store, that has it; 0: none */
        ManagerResult *value; /* a reference; NULL: none */
};

int manager_attempt_result_new(ManagerAttemptResult **ret_result, const ManagerAttemptBasis *basis,
                               size_t *n_to_store) {
        ManagerAttemptResult *result = calloc(1, sizeof(*result));

        if (!result)
                return -ENOMEM;
        result->basis = basis;
        result->n_to_store = n_to_store;
        *ret_result = result;
        return 0;
}

ManagerAttemptResult *manager_attempt_result_free(ManagerAttemptResult *result) {
        if (!result)
                return NULL;
        *result->n_to_store -= result->must_be_stored;
        manager_attempt_result_end(result);
        manager_result_unref(result->value);
        free(result);
        return NULL;
}

bool manager_attempt_result_is_wanted(const ManagerAttemptResult *result) {
        const ManagerAttemptState *state = result->basis->state;
        const ManagerAttemptCommand *command = result->basis->command;

        return !state->is_question && state->has_end && state->kind == RUN_END_EXITED && !state->is_abandoned &&
               !state->is_stopping && manager_attempt_command_is_defined(command) &&
               !manager_attempt_command_is_of_end(command);
}

bool manager_attempt_result_is_being_taken(const ManagerAttemptResult *result) {
        return result->take;
}

void manager_attempt_result_end(ManagerAttemptResult *result) {
        if (result->take)
                manager_take_deinit(result->take);
        free(take_ptr(result->take));
}

/* The keys that it has to have. With Callback= they may be in the result of whoever completes the node. */
static char *const *wanted_outputs(const ManagerAttemptBasis *basis) {
        return manager_attempt_command_accepts(basis->command, basis->state->end) &&
                               !manager_attempt_command_node(basis->command)->has_callback
                       ? manager_attempt_command_data(basis->command)->outputs
                       : NULL;
}

static int begin_take(ManagerAttemptResult *result) {
        const ManagerAttemptBasis *basis = result->basis;
        cleanup_free_ char *from = NULL, *copy = NULL;
        ManagerTake *take;
        int r = text_join_path(basis->folder, "result", &from);

        if (r == 0)
                r = manager_attempt_folder_result_path(basis->host->folder, basis->name, &copy);
        take = r == 0 ? calloc(1, sizeof(*take)) : NULL;
        if (!take)
                return -ENOMEM;
        take->path = take_ptr(from);
        take->copy_path = take_ptr(copy);
        take->outputs = wanted_outputs(basis);
        take->max = manager_attempt_command_data(basis->command)->result_max;
        /* The result of an element is in its row. */
        if (basis->state->is_element)
                take->max = MIN(take->max, MANAGER_RESULT_SHORT);
        result->take = take;
        return 0;
}

/* The file is ours and judged: the store gets it, and the node runs until that is done. */
static void ask_to_store(ManagerAttemptResult *result) {
        if (result->collection != 0 || result->must_be_stored)
                return;
        result->must_be_stored = true;
        (*result->n_to_store)++;
        result->basis->host->turn->has_news = true;
}

bool manager_attempt_result_is_with_store(const ManagerAttemptResult *result) {
        return result->collection != 0 || result->must_be_stored;
}

int manager_attempt_result_take(ManagerAttemptResult *result) {
        int r = result->take ? 0 : begin_take(result);

        if (r == 0)
                r = manager_take_step(result->take);
        if (r < 0)
                manager_attempt_result_end(result);
        else if (r == MANAGER_TAKING_DONE)
                result->value = take_ptr(result->take->result);
        else if (r == MANAGER_TAKING_LARGE)
                ask_to_store(result);
        return r;
}

int manager_attempt_result_take_none(const ManagerAttemptResult *result) {
        return wanted_outputs(result->basis) ? MANAGER_TAKING_LACKS : MANAGER_TAKING_DONE;
}

int manager_attempt_result_store(ManagerAttemptResult *result) {
        const ManagerAttemptBasis *basis = result->basis;

        if (!result->must_be_stored)
                return 0;
        result->must_be_stored = false;
        (*result->n_to_store)--;
        return basis->host->ops->collect(basis->host->userdata, result->take->copy,
                                         manager_attempt_command_data(basis->command)->result_max,
                                         basis->state->key.run, &result->collection);
}

void manager_attempt_result_ask_again(ManagerAttemptResult *result, uint64_t durable) {
        if (result->basis->state->step != MANAGER_ATTEMPT_COLLECT || result->collection == 0 ||
            result->collection > durable || !result->take)
                return;
        result->collection = 0;
        ask_to_store(result);
}

bool manager_attempt_result_is_answered(ManagerAttemptResult *result, uint64_t number) {
        if (result->basis->state->step != MANAGER_ATTEMPT_COLLECT || result->collection != number || !result->take)
                return false;
        result->collection = 0;
        return true;
}

int manager_attempt_result_keep(ManagerAttemptResult *result, const uint8_t *hash) {
        return manager_result_new_large(&result->value, result->take->copy_path, hash, result->take->n);
}

ManagerResult *manager_attempt_result_get(const ManagerAttemptResult *result) {
        return result->value;
}

/* Text, or path and hash. */
void manager_attempt_result_write(const ManagerAttemptResult *result, RecordWriter *writer) {
        const ManagerResult *value = result->value;

        record_put_string(writer, value && !value->path ? value->text : NULL);
        record_put_string(writer, value ? value->path : NULL);
        record_put_bytes(writer, value ? value->hash : NULL, value ? sizeof(value->hash) : 0);
        record_put(writer, value ? value->n : 0);
}

int manager_attempt_result_read(ManagerAttemptResult *result, RecordReader *reader) {
        const char *text = record_get_string(reader), *path = record_get_string(reader);
        size_t n_hash;
        const uint8_t *hash = record_get_bytes(reader, &n_hash);
        const size_t n = record_get(reader);

        if (reader->has_failed)
                return -EBADMSG;
        if (path && n_hash == RUNSTORE_HASH_BYTES)
                return manager_result_new_large(&result->value, path, hash, n);
        return text ? manager_result_new(&result->value, text, strlen(text)) : 0;
}
