/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of the store of runs
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_run_row.h"
#include "unit/unit_name.h"

/* Columns of a row that this program writes. */
#define RUN_COLUMNS_PUT 45U
#define NODE_COLUMNS_PUT 27U

/* The bits of a node's column "marks". */
enum {
        MARK_WANTED = 1 << 0,
        MARK_PASSED = 1 << 1,
        MARK_APPROVED = 1 << 2,
        MARK_COMPLETED = 1 << 3, /* as success */
        MARK_COMPLETED_FAILED = 1 << 4,
        MARK_GIVEN_UP = 1 << 5, /* its locks */
};
#define ATTEMPT_COLUMNS_PUT 14U
#define ITEM_ERROR_COLUMNS_PUT 9U

void manager_run_facts_deinit(ManagerRunFacts *facts) {
        free(facts->unit);
        free(facts->name);
        free(facts->key);
        free(facts->operator);
        free(facts->trigger);
        free(facts->client);
        free(facts->namespace);
        free(facts->reqid);
        free(facts->params);
        free(facts->parent_node);
        strv_free(facts->environment);
        free(facts->cursor);
        *facts = (ManagerRunFacts) {};
}

static void put_number(RecordWriter *writer, unsigned column, uint64_t value) {
        runstore_put_integer(writer, column, (int64_t) value);
}

/* Nothing where there is none. */
static void put_time(RecordWriter *writer, unsigned column, usec_t time) {
        if (time > 0)
                put_number(writer, column, time);
        else
                runstore_put_null(writer, column);
}

static void put_word(RecordWriter *writer, unsigned column, const char *word) {
        runstore_put_text(writer, column, word && *word ? word : NULL);
}

/* — runs — */

static void put_run_state(RecordWriter *writer, const RunRow *row) {
        put_word(writer, RUN_ROW_STATE, run_state_to_string(row->state));
        put_word(writer, RUN_ROW_REASON, run_reason_to_string(row->reason));
}

static void put_run_facts(RecordWriter *writer, const RunRow *row, const ManagerRunFacts *facts) {
        runstore_put_text(writer, RUN_ROW_OPERATOR, facts->operator);
        runstore_put_text(writer, RUN_ROW_NAMESPACE, facts->namespace);
        runstore_put_text(writer, RUN_ROW_REQID, facts->reqid);
        put_number(writer, RUN_ROW_ROUND, row->round);
        put_number(writer, RUN_ROW_PRIORITY, row->priority);
        put_time(writer, RUN_ROW_CREATED, facts->created);
        put_time(writer, RUN_ROW_QUEUED, facts->queued);
        put_time(writer, RUN_ROW_STARTED, facts->started);
        put_time(writer, RUN_ROW_ENDED, facts->ended);
}

static void put_tallies(RecordWriter *writer, const ManagerRunFacts *facts) {
        put_number(writer, RUN_ROW_DONE, facts->n_done);
        put_number(writer, RUN_ROW_FAILED, facts->n_failed);
        put_number(writer, RUN_ROW_RUNNING, facts->n_running);
        put_number(writer, RUN_ROW_TOTAL, facts->n_total);
}

/* The columns from which the engine restores a run, in rising order. */
static void put_engine(RecordWriter *writer, const RunRow *row, const ManagerRunNow *now, uint64_t sequence) {
        const bool is_ending = row->state == RUN_STOPPING ||
                               (row->state == RUN_SUSPENDED && row->result != RUN_CREATED);

        put_word(writer, RUN_ROW_OUTCOME, is_ending ? run_state_to_string(row->result) : NULL);
        put_number(writer, RUN_ROW_PAUSED, row->is_paused);
        put_number(writer, RUN_ROW_PLACE, row->place);
        put_number(writer, RUN_ROW_QUEUED_AT, row->queued_at);
        put_number(writer, RUN_ROW_LIMIT, row->deadline);
        put_number(writer, RUN_ROW_AT, now->at);
        put_number(writer, RUN_ROW_SEQUENCE, sequence);
}

static void put_environment(RecordWriter *writer, char *const *environment) {
        size_t n = 0;
        char *bytes;

        strv_foreach(variable, environment)
                n += strlen(*variable) + 1;
        bytes = n > 0 ? malloc(n) : NULL;
        if (n > 0 && !bytes)
                writer->has_failed = true;
        n = 0;
        for (char *const *variable = environment; bytes && *variable; variable++) {
                strcpy(bytes + n, *variable);
                n += strlen(*variable) + 1;
        }
        if (bytes)
                runstore_put_bytes(writer, RUN_ROW_ENVIRONMENT, bytes, n);
        else
                runstore_put_null(writer, RUN_ROW_ENVIRONMENT);
        free(bytes);
}

/* How it has ended in a word, and how long it took; of one that goes on there is neither. */
static void put_cost(RecordWriter *writer, const RunRow *row, const ManagerRunFacts *facts) {
        const bool is_over = run_state_is_terminal(row->state);
        const char *reason = run_reason_to_string(row->reason);

        put_word(writer, RUN_ROW_RET_STAT, !is_over ? NULL : *reason ? reason : run_state_to_string(row->state));
        put_time(writer, RUN_ROW_COST, is_over && facts->started > 0 ? usec_sub(facts->ended, facts->started) : 0);
}

void manager_run_row_put(RecordWriter *writer, const RunRow *row, const ManagerRunFacts *facts, const char *result,
                         const ManagerRunNow *now) {
        const bool is_over = run_state_is_terminal(row->state);
        usec_t deadline = 0;

        if (row->deadline != USEC_INFINITY && !is_over)
                deadline = usec_add(now->realtime, usec_sub(row->deadline, now->at));
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, RUN_COLUMNS_PUT);
        put_number(writer, RUN_ROW_ID, row->id);
        runstore_put_text(writer, RUN_ROW_UNIT, facts->unit);
        runstore_put_text(writer, RUN_ROW_NAME, facts->name);
        runstore_put_text(writer, RUN_ROW_KEY, facts->key);
        runstore_put_text(writer, RUN_ROW_KIND, unit_type_to_string(unit_name_type(facts->unit)));
        put_run_state(writer, row);
        put_run_facts(writer, row, facts);
        put_time(writer, RUN_ROW_DEADLINE, deadline);
        runstore_put_text(writer, RUN_ROW_PARAMS, facts->params);
        runstore_put_text(writer, RUN_ROW_RESULT, result);
        runstore_put_bytes(writer, RUN_ROW_DEFINITION, facts->definition, sizeof(facts->definition));
        put_number(writer, RUN_ROW_VALID, facts->deleted == 0);
        put_number(writer, RUN_ROW_UID, facts->uid);
        runstore_put_text(writer, RUN_ROW_CLIENT, facts->client);
        put_cost(writer, row, facts);
        runstore_put_text(writer, RUN_ROW_TRIGGER, facts->trigger);
        if (facts->parent > 0)
                put_number(writer, RUN_ROW_PARENT, facts->parent);
        else
                runstore_put_null(writer, RUN_ROW_PARENT);
        runstore_put_text(writer, RUN_ROW_PARENT_NODE, facts->parent_node);
        runstore_put_text(writer, RUN_ROW_BOOT, now->boot);
        put_number(writer, RUN_ROW_HELD, row->is_held_by_person ? 2 : row->is_held);
        put_time(writer, RUN_ROW_DELETED, facts->deleted);
        put_tallies(writer, facts);
        put_engine(writer, row, now, facts->sequence);
        put_environment(writer, facts->environment);
        if (facts->cursor)
                runstore_put_bytes(writer, RUN_ROW_CURSOR, facts->cursor, facts->n_cursor);
        else
                runstore_put_null(writer, RUN_ROW_CURSOR);
        put_time(writer, RUN_ROW_LAUNCHES, facts->n_launches);
}

/* — nodes and attempts — */

/* An exit status or a signal; below 0: none. */
static void put_status(RecordWriter *writer, unsigned column, int value) {
        if (value >= 0)
                put_number(writer, column, (uint64_t) value);
        else
                runstore_put_null(writer, column);
}

static uint64_t marks_of(const RunNodeRow *row) {
        return (row->is_wanted ? MARK_WANTED : 0U) | (row->has_passed ? MARK_PASSED : 0U) |
               (row->is_approved ? MARK_APPROVED : 0U) | (row->has_given_up ? MARK_GIVEN_UP : 0U) |
               (row->completion == RUN_COMPLETION_SUCCESS   ? MARK_COMPLETED
                : row->completion == RUN_COMPLETION_FAILURE ? MARK_COMPLETED_FAILED
                                                            : 0U);
}

/* Whether it is known how the node has ended, or that it has not: otherwise its row keeps what it has. */
static bool tells_end(const RunNodeRow *row, const ManagerAttemptFacts *facts) {
        return facts || (row->state != RUN_NODE_SUCCEEDED && row->state != RUN_NODE_FAILED);
}

/* Whether the problem of the node's last attempt is known, or is none any more. */
static bool tells_problem(const RunNodeRow *row, const ManagerAttemptFacts *facts, const ManagerRunNodeData *data) {
        return facts || data->problem || row->number == 0 || row->state == RUN_NODE_SUCCEEDED ||
               row->state == RUN_NODE_SKIPPED;
}

static const char *problem_of(const RunNodeRow *row, const ManagerAttemptFacts *facts, const ManagerRunNodeData *data) {
        if (row->state == RUN_NODE_SUCCEEDED || row->state == RUN_NODE_SKIPPED)
                return NULL;
        return data->problem ? data->problem : facts ? facts->problem : NULL;
}

/*
 * No attempt of this round has begun, or the next one is yet to begin: times and ends of earlier ones do not count.
 * They do for a node that a person has decided about, as its run had ended.
 */
static bool has_no_attempt(const RunNodeRow *row) {
        return (row->number == 0 && row->state != RUN_NODE_SUCCEEDED) ||
               (row->state == RUN_NODE_RUNNING &&
                (row->attempt == RUN_ATTEMPT_IS_HELD || row->attempt == RUN_ATTEMPT_IS_ASKED));
}

/* The four columns of the last attempt. */
static void put_attempt(RecordWriter *writer, const ManagerAttemptFacts *facts) {
        put_time(writer, NODE_STARTED, facts->started);
        put_time(writer, NODE_ENDED, facts->ended);
        if (facts->exit >= 0)
                put_number(writer, NODE_EXIT, (uint64_t) facts->exit);
        else
                runstore_put_null(writer, NODE_EXIT);
        if (facts->signal >= 0)
                put_number(writer, NODE_SIGNAL, (uint64_t) facts->signal);
        else
                runstore_put_null(writer, NODE_SIGNAL);
}

/* "0", "7", "SIGKILL", or why it has not come to that: "result-invalid", "timeout". */
static void put_end(RecordWriter *writer, const RunNodeRow *row, const ManagerAttemptFacts *facts) {
        const bool is_by_process = facts && (row->state == RUN_NODE_SUCCEEDED ||
                                             (row->state == RUN_NODE_FAILED && facts->exit != 0));
        const char *signal = is_by_process && facts->signal >= 0 ? sigabbrev_np(facts->signal) : NULL;
        char word[32] = "";

        if (signal)
                snprintf(word, sizeof(word), "SIG%s", signal);
        else if (is_by_process && facts->exit >= 0)
                snprintf(word, sizeof(word), "%i", facts->exit);
        else if (run_node_state_is_terminal(row->state))
                snprintf(word, sizeof(word), "%s", run_reason_to_string(row->reason));
        put_word(writer, NODE_RET_STAT, word);
}

void manager_run_row_put_node(RecordWriter *writer, uint32_t run, const char *name, const RunNodeRow *row,
                              const ManagerAttemptFacts *facts, const ManagerRunNodeData *data) {
        const bool has_end = tells_end(row, facts), has_problem = tells_problem(row, facts, data);
        static const ManagerAttemptFacts none = { .exit = -1, .signal = -1 };
        const ManagerAttemptFacts *told = facts ? facts : has_no_attempt(row) ? &none : NULL;
        const unsigned n = NODE_COLUMNS_PUT - (told ? 0 : 4) + has_end + has_problem;

        runstore_put_operation(writer, RUNSTORE_NODE, RUNSTORE_PUT, n);
        put_number(writer, NODE_RUN, run);
        runstore_put_text(writer, NODE_NAME, name);
        put_number(writer, NODE_GENERATION, row->generation);
        put_word(writer, NODE_STATE, run_node_state_to_string(row->state));
        put_word(writer, NODE_REASON, run_reason_to_string(row->reason));
        put_number(writer, NODE_ATTEMPTS, row->number);
        if (told)
                put_attempt(writer, told);
        runstore_put_text(writer, NODE_RESULT, data->result && !data->result->path ? data->result->text : NULL);
        put_word(writer, NODE_SOURCE, data->source);
        put_word(writer, NODE_CAUSE, data->cause);
        if (has_problem)
                runstore_put_text(writer, NODE_WHY, problem_of(row, facts, data));
        runstore_put_text(writer, NODE_LABEL, name);
        runstore_put_text(writer, NODE_REQID, data->reqid);
        if (has_end)
                put_end(writer, row, facts);
        put_number(writer, NODE_TRIES, row->failures);
        put_number(writer, NODE_LOST, row->losses);
        if (data->result && data->result->path)
                runstore_put_bytes(writer, NODE_BLOB, data->result->hash, sizeof(data->result->hash));
        else
                runstore_put_null(writer, NODE_BLOB);
        runstore_put_text(writer, NODE_TOKEN, data->token);
        put_number(writer, NODE_AGAINS, row->agains);
        put_number(writer, NODE_OUTCOME, row->outcome);
        put_number(writer, NODE_ATTEMPT, row->attempt);
        put_number(writer, NODE_AT, row->at);
        put_number(writer, NODE_FIRST_AT, row->first_at);
        put_number(writer, NODE_MARKS, marks_of(row));
        if (data->instances)
                put_number(writer, NODE_ITEMS, data->n_items);
        else
                runstore_put_null(writer, NODE_ITEMS);
        runstore_put_text(writer, NODE_INSTANCES, data->instances);
}

void manager_run_row_put_dropped(RecordWriter *writer, uint32_t run, const char *name) {
        runstore_put_operation(writer, RUNSTORE_NODE, RUNSTORE_PUT, 5);
        put_number(writer, NODE_RUN, run);
        runstore_put_text(writer, NODE_NAME, name);
        runstore_put_null(writer, NODE_RESULT);
        runstore_put_text(writer, NODE_SOURCE, "dropped");
        runstore_put_null(writer, NODE_BLOB);
}

void manager_run_row_put_attempt(RecordWriter *writer, const RunAttemptKey *key, const char *name,
                                 const ManagerAttemptFacts *facts) {
        char invocation[33];

        if (facts->invocation)
                text_write_hex(invocation, facts->invocation, 16);
        runstore_put_operation(writer, RUNSTORE_ATTEMPT, RUNSTORE_PUT, ATTEMPT_COLUMNS_PUT);
        put_number(writer, ATTEMPT_RUN, key->run);
        put_number(writer, ATTEMPT_ID, facts->id);
        runstore_put_text(writer, ATTEMPT_NODE, name);
        put_number(writer, ATTEMPT_GENERATION, key->generation);
        put_number(writer, ATTEMPT_NUMBER, key->number);
        put_word(writer, ATTEMPT_STATE, run_attempt_state_to_string(facts->state));
        put_number(writer, ATTEMPT_PID, (uint64_t) facts->pid);
        runstore_put_text(writer, ATTEMPT_INVOCATION, facts->invocation ? invocation : NULL);
        put_time(writer, ATTEMPT_STARTED, facts->started);
        put_time(writer, ATTEMPT_ENDED, facts->ended);
        put_status(writer, ATTEMPT_EXIT, facts->exit);
        put_status(writer, ATTEMPT_SIGNAL, facts->signal);
        if (facts->job > 0)
                put_number(writer, ATTEMPT_JOB, facts->job);
        else
                runstore_put_null(writer, ATTEMPT_JOB);
        runstore_put_text(writer, ATTEMPT_WHY, facts->problem);
}

void manager_run_row_put_item_error(RecordWriter *writer, uint32_t run, uint64_t item, const char *text, uint32_t tries,
                                    bool is_poison, const ManagerAttemptFacts *facts, usec_t now) {
        runstore_put_operation(writer, RUNSTORE_ITEM_ERROR, RUNSTORE_PUT, ITEM_ERROR_COLUMNS_PUT);
        put_number(writer, ITEM_ERROR_RUN, run);
        put_number(writer, ITEM_ERROR_ITEM, item);
        put_number(writer, ITEM_ERROR_TRIES, tries);
        put_word(writer, ITEM_ERROR_REASON, is_poison ? "poison" : "error");
        put_status(writer, ITEM_ERROR_EXIT, facts->exit);
        put_status(writer, ITEM_ERROR_SIGNAL, facts->signal);
        put_time(writer, ITEM_ERROR_ENDED, now);
        runstore_put_text(writer, ITEM_ERROR_WHY, facts->problem);
        runstore_put_text(writer, ITEM_ERROR_TEXT, text);
}

void manager_run_row_delete_item_error(RecordWriter *writer, uint32_t run, uint64_t item) {
        runstore_put_operation(writer, RUNSTORE_ITEM_ERROR, RUNSTORE_DELETE, 2);
        put_number(writer, ITEM_ERROR_RUN, run);
        put_number(writer, ITEM_ERROR_ITEM, item);
}

/* — definitions and events — */

void manager_run_row_put_definition(RecordWriter *writer, const uint8_t hash[static MANAGER_RUN_HASH_BYTES],
                                    const char *text, const char *nodes, usec_t now) {
        runstore_put_operation(writer, RUNSTORE_DEF, RUNSTORE_PUT, 5);
        runstore_put_bytes(writer, DEF_HASH, hash, MANAGER_RUN_HASH_BYTES);
        put_number(writer, DEF_FORMAT, 1);
        runstore_put_text(writer, DEF_TEXT, text);
        put_time(writer, DEF_CREATED, now);
        runstore_put_text(writer, DEF_NODES, nodes);
}

void manager_run_row_put_outline(RecordWriter *writer, const uint8_t hash[static MANAGER_RUN_HASH_BYTES],
                                 uint32_t number, const char *name, const char *settings) {
        runstore_put_operation(writer, RUNSTORE_DEF_NODE, RUNSTORE_PUT, 4);
        runstore_put_bytes(writer, DEF_NODE_HASH, hash, MANAGER_RUN_HASH_BYTES);
        put_number(writer, DEF_NODE_NUMBER, number);
        runstore_put_text(writer, DEF_NODE_NAME, name);
        runstore_put_text(writer, DEF_NODE_SETTINGS, settings);
}

void manager_run_row_put_edge(RecordWriter *writer, const uint8_t hash[static MANAGER_RUN_HASH_BYTES], uint32_t child,
                              uint32_t parent, const char *kind) {
        runstore_put_operation(writer, RUNSTORE_DEF_EDGE, RUNSTORE_PUT, 4);
        runstore_put_bytes(writer, DEF_EDGE_HASH, hash, MANAGER_RUN_HASH_BYTES);
        put_number(writer, DEF_EDGE_CHILD, child);
        put_number(writer, DEF_EDGE_PARENT, parent);
        runstore_put_text(writer, DEF_EDGE_KIND, kind);
}

void manager_run_row_put_event(RecordWriter *writer, const ManagerRunEvent *event) {
        runstore_put_operation(writer, RUNSTORE_EVENT, RUNSTORE_PUT, 11);
        put_number(writer, EVENT_RUN, event->run);
        put_number(writer, EVENT_ID, event->id);
        runstore_put_text(writer, EVENT_NODE, event->node);
        put_time(writer, EVENT_AT, event->at);
        runstore_put_text(writer, EVENT_KIND, event->kind);
        put_word(writer, EVENT_OLD, event->old);
        put_word(writer, EVENT_NEW, event->new);
        put_word(writer, EVENT_REASON, event->comment);
        runstore_put_text(writer, EVENT_OPERATOR, event->operator);
        put_number(writer, EVENT_UID, event->uid);
        runstore_put_text(writer, EVENT_REQID, event->reqid);
}

void manager_run_row_put_deleted(RecordWriter *writer, uint32_t run, usec_t now) {
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 3);
        put_number(writer, RUN_ROW_ID, run);
        put_number(writer, RUN_ROW_VALID, 0);
        put_time(writer, RUN_ROW_DELETED, now);
}

void manager_run_row_put_sequence(RecordWriter *writer, uint32_t run, uint64_t sequence) {
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 2);
        put_number(writer, RUN_ROW_ID, run);
        put_number(writer, RUN_ROW_SEQUENCE, sequence);
}

void manager_run_row_delete(RecordWriter *writer, uint32_t run) {
        static const struct {
                RunStoreTable table;
                unsigned column;
        } tables[] = {
                { RUNSTORE_STREAM_KEY, STREAM_KEY_RUN },
                { RUNSTORE_STREAM_GROUP, STREAM_GROUP_RUN },
                { RUNSTORE_ELEMENT, ELEMENT_RUN },
                { RUNSTORE_ITEM_ERROR, ITEM_ERROR_RUN },
                { RUNSTORE_EVENT, EVENT_RUN },
                { RUNSTORE_ATTEMPT, ATTEMPT_RUN },
                { RUNSTORE_NODE, NODE_RUN },
                { RUNSTORE_RUN, RUN_ROW_ID },
        };

        for (size_t i = 0; i < ELEMENTSOF(tables); i++) {
                runstore_put_operation(writer, tables[i].table, RUNSTORE_DELETE, 1);
                put_number(writer, tables[i].column, run);
        }
}

void manager_run_row_delete_one(RecordWriter *writer, RunStoreTable table, uint32_t run, uint64_t number,
                                const char *text) {
        runstore_put_operation(writer, table, RUNSTORE_DELETE, 2);
        put_number(writer, 0, run);
        if (text)
                runstore_put_text(writer, 1, text);
        else
                put_number(writer, 1, number);
}

/* — reading — */

int manager_run_values_next(RunStorePage *page, ManagerRunValues *ret_values) {
        if (page->n_rows == 0)
                return 0;
        page->n_rows--;
        *ret_values = (ManagerRunValues) {};
        for (unsigned c = 0; c < RUNSTORE_COLUMNS_MAX; c++)
                if (page->columns >> c & 1)
                        runstore_get_value(&page->rows, &ret_values->values[c]);
        return page->rows.has_failed ? -EBADMSG : 1;
}

const char *manager_run_values_text(const ManagerRunValues *values, unsigned column) {
        const RunStoreValue *value = &values->values[column];

        return value->type == RUNSTORE_TEXT ? value->bytes : "";
}

uint64_t manager_run_values_number(const ManagerRunValues *values, unsigned column) {
        const RunStoreValue *value = &values->values[column];

        return value->type == RUNSTORE_INTEGER ? (uint64_t) value->integer : 0;
}

static uint32_t small_number(const ManagerRunValues *values, unsigned column) {
        return (uint32_t) MIN(manager_run_values_number(values, column), UINT32_MAX);
}

static int copy_text(const ManagerRunValues *values, unsigned column, char **ret_copy) {
        const char *text = manager_run_values_text(values, column);

        return text_copy(*text ? text : NULL, ret_copy);
}

int manager_run_values_environment(const ManagerRunValues *values, char ***ret_environment) {
        const RunStoreValue *value = &values->values[RUN_ROW_ENVIRONMENT];
        cleanup_(strv_freep) char **environment = NULL;
        const char *at = value->type == RUNSTORE_BYTES ? value->bytes : NULL, *end = at ? at + value->n : NULL;

        while (at && at < end && memchr(at, '\0', (size_t) (end - at))) {
                if (strv_push(&environment, at) < 0)
                        return -ENOMEM;
                at += strlen(at) + 1;
        }
        *ret_environment = take_ptr(environment);
        return 0;
}

/* Of a batch that was never launched there is none. */
static int get_cursor(const ManagerRunValues *values, ManagerRunFacts *facts) {
        const RunStoreValue *cursor = &values->values[RUN_ROW_CURSOR];

        if (cursor->type != RUNSTORE_BYTES || cursor->n == 0)
                return 0;
        facts->cursor = malloc(cursor->n);
        if (!facts->cursor)
                return -ENOMEM;
        memcpy(facts->cursor, cursor->bytes, cursor->n);
        facts->n_cursor = cursor->n;
        return 0;
}

static int get_facts(const ManagerRunValues *values, ManagerRunFacts *facts) {
        const RunStoreValue *hash = &values->values[RUN_ROW_DEFINITION];

        *facts = (ManagerRunFacts) {
                .uid = small_number(values, RUN_ROW_UID),
                .created = manager_run_values_number(values, RUN_ROW_CREATED),
                .queued = manager_run_values_number(values, RUN_ROW_QUEUED),
                .started = manager_run_values_number(values, RUN_ROW_STARTED),
                .ended = manager_run_values_number(values, RUN_ROW_ENDED),
                .deleted = manager_run_values_number(values, RUN_ROW_DELETED),
                .parent = small_number(values, RUN_ROW_PARENT),
                .sequence = manager_run_values_number(values, RUN_ROW_SEQUENCE),
                .n_done = manager_run_values_number(values, RUN_ROW_DONE),
                .n_failed = manager_run_values_number(values, RUN_ROW_FAILED),
                .n_running = manager_run_values_number(values, RUN_ROW_RUNNING),
                .n_total = manager_run_values_number(values, RUN_ROW_TOTAL),
                .n_launches = small_number(values, RUN_ROW_LAUNCHES),
        };
        if (hash->type != RUNSTORE_BYTES || hash->n != sizeof(facts->definition))
                return -EBADMSG;
        memcpy(facts->definition, hash->bytes, hash->n);
        if (copy_text(values, RUN_ROW_UNIT, &facts->unit) < 0 || copy_text(values, RUN_ROW_NAME, &facts->name) < 0 ||
            copy_text(values, RUN_ROW_KEY, &facts->key) < 0 ||
            copy_text(values, RUN_ROW_OPERATOR, &facts->operator) < 0 ||
            copy_text(values, RUN_ROW_NAMESPACE, &facts->namespace) < 0 ||
            copy_text(values, RUN_ROW_REQID, &facts->reqid) < 0 ||
            copy_text(values, RUN_ROW_CLIENT, &facts->client) < 0 ||
            copy_text(values, RUN_ROW_TRIGGER, &facts->trigger) < 0 ||
            copy_text(values, RUN_ROW_PARAMS, &facts->params) < 0 ||
            copy_text(values, RUN_ROW_PARENT_NODE, &facts->parent_node) < 0 ||
            manager_run_values_environment(values, &facts->environment) < 0)
                return -ENOMEM;
        return facts->unit && facts->name ? get_cursor(values, facts) : -EBADMSG;
}

static int find_word(const ManagerRunValues *values, unsigned column, int (*from_string)(const char *word),
                     int absent) {
        const char *word = manager_run_values_text(values, column);

        return *word ? from_string(word) : absent;
}

int manager_run_row_get(const ManagerRunValues *values, RunRow *ret_row, ManagerRunFacts *ret_facts,
                        const char **ret_boot, usec_t *ret_at) {
        const int state = find_word(values, RUN_ROW_STATE, run_state_from_string, -1);
        const int reason = find_word(values, RUN_ROW_REASON, run_reason_from_string, RUN_REASON_NONE);
        const int outcome = find_word(values, RUN_ROW_OUTCOME, run_state_from_string, RUN_CREATED);
        const uint64_t held = manager_run_values_number(values, RUN_ROW_HELD);
        int r;

        if (state < 0 || reason < 0 || outcome < 0)
                return -EBADMSG;
        *ret_row = (RunRow) {
                .id = small_number(values, RUN_ROW_ID),
                .state = (RunState) state,
                .reason = (RunReason) reason,
                .result = (RunState) outcome,
                .is_held = held > 0,
                .is_held_by_person = held > 1,
                .is_paused = manager_run_values_number(values, RUN_ROW_PAUSED) > 0,
                .round = small_number(values, RUN_ROW_ROUND),
                .place = manager_run_values_number(values, RUN_ROW_PLACE),
                .queued_at = manager_run_values_number(values, RUN_ROW_QUEUED_AT),
                .deadline = manager_run_values_number(values, RUN_ROW_LIMIT),
                .priority = (uint8_t) manager_run_values_number(values, RUN_ROW_PRIORITY),
                .has_priority = values->values[RUN_ROW_PRIORITY].type == RUNSTORE_INTEGER,
                .parent = small_number(values, RUN_ROW_PARENT),
                .parent_node = RUN_NODE_NONE,
        };
        *ret_boot = manager_run_values_text(values, RUN_ROW_BOOT);
        *ret_at = manager_run_values_number(values, RUN_ROW_AT);
        r = get_facts(values, ret_facts);
        if (r < 0)
                manager_run_facts_deinit(ret_facts);
        return r;
}

int manager_run_row_get_node(const ManagerRunValues *values, RunNodeRow *ret_row, const char **ret_name) {
        const int state = find_word(values, NODE_STATE, run_node_state_from_string, -1);
        const int reason = find_word(values, NODE_REASON, run_reason_from_string, RUN_REASON_NONE);
        const uint64_t marks = manager_run_values_number(values, NODE_MARKS);

        if (state < 0 || reason < 0)
                return -EBADMSG;
        *ret_name = manager_run_values_text(values, NODE_NAME);
        *ret_row = (RunNodeRow) {
                .state = (RunNodeState) state,
                .reason = (RunReason) reason,
                .attempt = (RunAttempt) small_number(values, NODE_ATTEMPT),
                .outcome = (RunOutcome) small_number(values, NODE_OUTCOME),
                .generation = small_number(values, NODE_GENERATION),
                .number = small_number(values, NODE_ATTEMPTS),
                .failures = small_number(values, NODE_TRIES),
                .agains = small_number(values, NODE_AGAINS),
                .losses = small_number(values, NODE_LOST),
                .at = manager_run_values_number(values, NODE_AT),
                .first_at = manager_run_values_number(values, NODE_FIRST_AT),
                .is_wanted = marks & MARK_WANTED,
                .has_passed = marks & MARK_PASSED,
                .is_approved = marks & MARK_APPROVED,
                .has_given_up = marks & MARK_GIVEN_UP,
                .completion = marks & MARK_COMPLETED          ? RUN_COMPLETION_SUCCESS
                              : marks & MARK_COMPLETED_FAILED ? RUN_COMPLETION_FAILURE
                                                              : RUN_COMPLETION_NONE,
        };
        return 0;
}

/* A file that is not there is one of an earlier boot: nobody can look into it. */
static int get_large(const RunStoreValue *hash, const RunNodeRow *row, uint32_t run, const char *folder,
                     ManagerResult **ret_result) {
        cleanup_free_ char *name = NULL, *path = NULL;
        struct stat stat_;
        int r = text_format(&name, MANAGER_ATTEMPT_NAME, run, row->node, row->generation, row->number);

        if (r == 0)
                r = manager_attempt_folder_result_path(folder, name, &path);
        if (r < 0)
                return r;
        return manager_result_new_large(ret_result, path, hash->bytes,
                                        stat(path, &stat_) == 0 ? (size_t) stat_.st_size : 0);
}

int manager_run_row_get_data(const ManagerRunValues *values, const RunNodeRow *row, uint32_t run, const char *folder,
                             ManagerAttemptFacts *ret_facts) {
        const RunStoreValue *exit = &values->values[NODE_EXIT], *signal = &values->values[NODE_SIGNAL],
                            *blob = &values->values[NODE_BLOB];
        const char *text = manager_run_values_text(values, NODE_RESULT);

        *ret_facts = (ManagerAttemptFacts) {
                .exit = exit->type == RUNSTORE_INTEGER ? (int) exit->integer : -1,
                .signal = signal->type == RUNSTORE_INTEGER ? (int) signal->integer : -1,
        };
        /* Default= is of the definition. */
        if (!text_equal(manager_run_values_text(values, NODE_SOURCE), "own"))
                return 0;
        if (blob->type == RUNSTORE_BYTES && blob->n == RUNSTORE_HASH_BYTES)
                return get_large(blob, row, run, folder, &ret_facts->result);
        return *text ? manager_result_new(&ret_facts->result, text, strlen(text)) : 0;
}
