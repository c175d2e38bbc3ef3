/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of elements, groups and keys
 *
 * A put writes some columns of a row: the row of a push has all that does not
 * change, and each later one only what has.
 */

#include <errno.h>

#include "manager/manager_stream_row.h"

#define SIGNALS_END 128U

static void put_number(RecordWriter *writer, unsigned column, uint64_t value) {
        runstore_put_integer(writer, column, (int64_t) value);
}

static void put_word(RecordWriter *writer, unsigned column, const char *word) {
        runstore_put_text(writer, column, word && *word ? word : NULL);
}

/* — elements — */

static uint64_t columns_of(const RunElementRow *row, const ManagerElementFacts *facts) {
        static const struct {
                unsigned change;
                uint64_t columns;
        } groups[] = {
                { RUN_ELEMENT_PUSHED, UINT64_C(1) << ELEMENT_GROUP | UINT64_C(1) << ELEMENT_KEY |
                                              UINT64_C(1) << ELEMENT_PAYLOAD | UINT64_C(1) << ELEMENT_PUSHED },
                { RUN_ELEMENT_LINKED, UINT64_C(1) << ELEMENT_POSITION },
                { RUN_ELEMENT_BEGAN, UINT64_C(1) << ELEMENT_BEGAN },
                { RUN_ELEMENT_ENDED, UINT64_C(1) << ELEMENT_EXIT | UINT64_C(1) << ELEMENT_SIGNAL |
                                             UINT64_C(1) << ELEMENT_WHY },
                { RUN_ELEMENT_OVER, UINT64_C(1) << ELEMENT_ENDED },
                { RUN_ELEMENT_RESOLVED, UINT64_C(1) << ELEMENT_OPERATOR },
        };
        uint64_t columns = UINT64_C(1) << ELEMENT_RUN | UINT64_C(1) << ELEMENT_SEQUENCE |
                           UINT64_C(1) << ELEMENT_STATE | UINT64_C(1) << ELEMENT_REASON | UINT64_C(1) << ELEMENT_TRIES |
                           UINT64_C(1) << ELEMENT_LOST | UINT64_C(1) << ELEMENT_ATTEMPT;

        for (size_t i = 0; i < ELEMENTSOF(groups); i++)
                if (row->changes & groups[i].change)
                        columns |= groups[i].columns;
        if (facts->result)
                columns |= UINT64_C(1) << ELEMENT_RESULT;
        return columns;
}

/* The end of a process is one number in the engine. */
static void put_end(RecordWriter *writer, const RunElementRow *row) {
        const unsigned signal = row->end >= RUN_END_BY_SIGNAL(0) ? row->end - RUN_END_BY_SIGNAL(0) : 0;

        if (signal > 0)
                runstore_put_null(writer, ELEMENT_EXIT);
        else
                put_number(writer, ELEMENT_EXIT, row->end);
        if (signal > 0)
                put_number(writer, ELEMENT_SIGNAL, signal);
        else
                runstore_put_null(writer, ELEMENT_SIGNAL);
}

void manager_stream_row_put_element(RecordWriter *writer, uint32_t run, const RunElementRow *row,
                                    const ManagerElementFacts *facts, usec_t now) {
        static const ManagerElementFacts none;
        uint64_t columns;

        facts = facts ?: &none;
        columns = columns_of(row, facts);
        runstore_put_operation(writer, RUNSTORE_ELEMENT, RUNSTORE_PUT, (size_t) __builtin_popcountll(columns));
        put_number(writer, ELEMENT_RUN, run);
        put_number(writer, ELEMENT_SEQUENCE, row->sequence);
        if (row->changes & RUN_ELEMENT_PUSHED)
                runstore_put_text(writer, ELEMENT_GROUP, row->group);
        if (row->changes & RUN_ELEMENT_LINKED)
                put_number(writer, ELEMENT_POSITION, row->position);
        if (row->changes & RUN_ELEMENT_PUSHED)
                runstore_put_text(writer, ELEMENT_KEY, row->key);
        put_word(writer, ELEMENT_STATE, run_element_state_to_string(row->state));
        put_word(writer, ELEMENT_REASON, row->reason != RUN_REASON_NONE ? run_reason_to_string(row->reason) : NULL);
        put_number(writer, ELEMENT_TRIES, row->tries);
        put_number(writer, ELEMENT_LOST, row->deaths);
        if (row->changes & RUN_ELEMENT_ENDED) {
                put_end(writer, row);
                put_word(writer, ELEMENT_WHY, facts->problem);
        }
        if (row->changes & RUN_ELEMENT_RESOLVED)
                put_word(writer, ELEMENT_OPERATOR, facts->operator);
        if (row->changes & RUN_ELEMENT_PUSHED)
                put_number(writer, ELEMENT_PUSHED, now);
        if (row->changes & RUN_ELEMENT_BEGAN)
                put_number(writer, ELEMENT_BEGAN, now);
        if (row->changes & RUN_ELEMENT_OVER)
                put_number(writer, ELEMENT_ENDED, now);
        put_number(writer, ELEMENT_ATTEMPT, row->issue);
        if (facts->result)
                runstore_put_bytes(writer, ELEMENT_RESULT, facts->result, facts->n_result);
        if (row->changes & RUN_ELEMENT_PUSHED)
                runstore_put_bytes(writer, ELEMENT_PAYLOAD, row->data, row->size);
}

void manager_stream_row_delete_element(RecordWriter *writer, uint32_t run, uint64_t sequence) {
        runstore_put_operation(writer, RUNSTORE_ELEMENT, RUNSTORE_DELETE, 2);
        put_number(writer, ELEMENT_RUN, run);
        put_number(writer, ELEMENT_SEQUENCE, sequence);
}

static uint16_t end_of(const ManagerRunValues *values) {
        const uint64_t exit = manager_run_values_number(values, ELEMENT_EXIT),
                       signal = manager_run_values_number(values, ELEMENT_SIGNAL);

        return (uint16_t) (signal > 0 && signal < SIGNALS_END ? RUN_END_BY_SIGNAL(signal) : exit & 0xff);
}

int manager_stream_row_get_element(const ManagerRunValues *values, RunElementRow *ret_row) {
        const RunStoreValue *data = &values->values[ELEMENT_PAYLOAD], *key = &values->values[ELEMENT_KEY];
        const int state = run_element_state_from_string(manager_run_values_text(values, ELEMENT_STATE));
        const char *word = manager_run_values_text(values, ELEMENT_REASON);
        const int reason = *word ? run_reason_from_string(word) : RUN_REASON_NONE;

        /* Without a group only a part of it was written: the batch with the push was refused. */
        if (state < 0 || reason < 0 || values->values[ELEMENT_GROUP].type != RUNSTORE_TEXT)
                return -EBADMSG;
        *ret_row = (RunElementRow) {
                .sequence = manager_run_values_number(values, ELEMENT_SEQUENCE),
                .group = manager_run_values_text(values, ELEMENT_GROUP),
                .key = key->type == RUNSTORE_TEXT ? key->bytes : NULL,
                .data = data->type == RUNSTORE_BYTES ? data->bytes : NULL,
                .size = data->type == RUNSTORE_BYTES ? data->n : 0,
                .position = manager_run_values_number(values, ELEMENT_POSITION),
                .state = (RunElementState) state,
                .tries = (uint32_t) MIN(manager_run_values_number(values, ELEMENT_TRIES), UINT32_MAX),
                .deaths = (uint32_t) MIN(manager_run_values_number(values, ELEMENT_LOST), UINT32_MAX),
                .issue = (uint32_t) MIN(manager_run_values_number(values, ELEMENT_ATTEMPT), UINT32_MAX),
                .reason = (RunReason) reason,
                .end = end_of(values),
        };
        return ret_row->sequence > 0 ? 0 : -EBADMSG;
}

/* — groups and keys — */

void manager_stream_row_put_group(RecordWriter *writer, uint32_t run, const RunGroupRow *row) {
        runstore_put_operation(writer, RUNSTORE_STREAM_GROUP, RUNSTORE_PUT, _STREAM_GROUP_MAX);
        put_number(writer, STREAM_GROUP_RUN, run);
        runstore_put_text(writer, STREAM_GROUP_NAME, row->name);
        put_number(writer, STREAM_GROUP_HEAD, row->head);
        put_number(writer, STREAM_GROUP_TAIL, row->tail);
        put_number(writer, STREAM_GROUP_WAITING, row->waiting);
        put_number(writer, STREAM_GROUP_DONE, row->done);
        put_number(writer, STREAM_GROUP_FAILED, row->failed);
        put_word(writer, STREAM_GROUP_STATE, run_group_state_to_string(row->state));
}

int manager_stream_row_get_group(const ManagerRunValues *values, RunGroupRow *ret_row) {
        const int state = run_group_state_from_string(manager_run_values_text(values, STREAM_GROUP_STATE));

        if (state < 0)
                return -EBADMSG;
        *ret_row = (RunGroupRow) {
                .name = manager_run_values_text(values, STREAM_GROUP_NAME),
                .head = manager_run_values_number(values, STREAM_GROUP_HEAD),
                .tail = manager_run_values_number(values, STREAM_GROUP_TAIL),
                .waiting = manager_run_values_number(values, STREAM_GROUP_WAITING),
                .done = manager_run_values_number(values, STREAM_GROUP_DONE),
                .failed = manager_run_values_number(values, STREAM_GROUP_FAILED),
                .state = (RunGroupState) state,
        };
        return 0;
}

void manager_stream_row_put_key(RecordWriter *writer, uint32_t run, const char *key, uint64_t sequence, usec_t now) {
        runstore_put_operation(writer, RUNSTORE_STREAM_KEY, RUNSTORE_PUT, _STREAM_KEY_MAX);
        put_number(writer, STREAM_KEY_RUN, run);
        runstore_put_text(writer, STREAM_KEY_KEY, key);
        put_number(writer, STREAM_KEY_SEQUENCE, sequence);
        put_number(writer, STREAM_KEY_AT, now);
}
