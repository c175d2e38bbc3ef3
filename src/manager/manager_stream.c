/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams in a turn: rows, and what the store is asked
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_alarm.h"
#include "manager/manager_attempt.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_private.h"
#include "manager/manager_stream_private.h"

#define RETRY_TIME (2 * USEC_PER_SEC) /* after which the store is asked again for what it has refused */
#define DELETES_A_TURN 256U
#define ATTEMPTS_KEPT 1024U
#define PRUNE_LIMIT 256U /* elements that are over, in an answer */

/* — life — */

/* The stream of a run that was just submitted is empty; another one is loaded. */
static void make_stream(ManagerRun *run) {
        ManagerStream *stream = calloc(1, sizeof(*stream));

        /* Without memory an empty one is loaded, too. */
        if (stream && run->has_no_elements && manager_stream_make(run, 1, &stream->engine) == 0) {
                run_stream_begin(stream->engine);
                stream->phase = MANAGER_STREAM_OPEN;
                stream->knows_attempts = true;
        }
        run->stream = stream;
}

/* Everything is as in the store, which is asked for it. */
static void reset(ManagerRuns *runs, ManagerRun *run) {
        ManagerStream *stream = run->stream;

        if (!stream)
                return;
        log_write(LOG_LEVEL_WARNING, run->flow->unit->id,
                  "Run %" PRIu32 ": its elements are read from the store again.", run->id);
        manager_stream_forget_pushes(runs, run);
        manager_attempts_untell_elements(runs->attempts, run->id);
        manager_stream_clear(stream);
        stream->phase = MANAGER_STREAM_LAST;
        stream->knows_attempts = true;
        manager_run_note_work(runs);
        manager_turn_wake(runs->host.attempts.turn);
}

#define foreach_stream(runs, run)                                                  \
        for (ManagerFlow *flow_ = (runs)->flows; flow_; flow_ = flow_->next)       \
                if (flow_->unit->type == UNIT_STREAM)                              \
                        for (ManagerRun *run = flow_->first; run; run = run->next)

void manager_streams_reset(ManagerRuns *runs) {
        foreach_stream(runs, run)
                reset(runs, run);
}

/* — rows — */

/* An element that has ended and was resolved in one turn has two. */
static void find_facts(const ManagerStream *stream, uint64_t sequence, ManagerElementFacts *facts) {
        for (size_t i = 0; i < stream->notes.n; i++) {
                const ManagerStreamNote *note = &stream->notes.items[i];

                if (note->sequence != sequence)
                        continue;
                facts->problem = note->problem ?: facts->problem;
                facts->operator = note->operator ?: facts->operator;
                if (note->result) {
                        facts->result = note->result;
                        facts->n_result = note->n_result;
                }
        }
}

static void raise_pending(ManagerRuns *runs, const ManagerRun *run, const RunElementRow *row) {
        cleanup_free_ char *text = NULL;
        const char *reason = run_reason_to_string(row->reason);
        RunStreamCounts counts;
        char others[64] = "";
        RunRow of;
        int r;

        /* Nobody can resolve what a cancelled run leaves behind. */
        if (run_engine_get_row(runs->engine, run->id, &of) < 0 || of.state == RUN_STOPPING ||
            run_state_is_terminal(of.state))
                return;
        run_stream_count(run->stream->engine, &counts);
        if (counts.pending > 1)
                snprintf(others, sizeof(others), counts.pending == 2 ? " So does %" PRIu32 " other group."
                                                                     : " So do %" PRIu32 " other groups.",
                         counts.pending - 1);
        r = text_format(&text,
                        "Element %" PRIu64 " of group '%s' of %s is PENDING (%s): a person has to resolve it, and the "
                        "group waits.%s", row->sequence, row->group, run->flow->unit->id, reason, others);

        log_write(LOG_LEVEL_WARNING, run->flow->unit->id,
                  "Run %" PRIu32 ": element %" PRIu64 " of group '%s' is PENDING (%s): 'jobctl stream resolve %s %s'.",
                  run->id, row->sequence, row->group, reason, run->flow->unit->id,
                  *row->group ? row->group : "''");
        if (r == 0)
                r = manager_alarms_raise(runs->alarms, &(ManagerAlarmFacts) {
                                                               .kind = MANAGER_ALARM_PENDING,
                                                               .run = run->id,
                                                               .unit = run->flow->unit->id,
                                                               .node = FLOW_STREAM_NODE,
                                                               .text = text,
                                                               .raised = runs->host.attempts.turn->now_realtime,
                                                               /* Thousands of groups may wait. */
                                                               .is_one = true,
                                                       });
        if (r < 0)
                log_write(LOG_LEVEL_ERROR, run->flow->unit->id, "Out of memory: no alarm says that it is PENDING.");
}

static void put_element(ManagerRuns *runs, ManagerRun *run, RecordWriter *writer, const RunElementRow *row) {
        const usec_t now = runs->host.attempts.turn->now_realtime;
        ManagerElementFacts facts = {};

        find_facts(run->stream, row->sequence, &facts);
        manager_stream_row_put_element(writer, run->id, row, &facts, now);
        if (row->changes & RUN_ELEMENT_PUSHED && row->key)
                manager_stream_row_put_key(writer, run->id, row->key, row->sequence, now);
        if (row->changes & RUN_ELEMENT_BECAME_PENDING)
                raise_pending(runs, run, row);
        if (row->changes & RUN_ELEMENT_OVER && row->state == RUN_ELEMENT_FAILED)
                log_write(LOG_LEVEL_WARNING, run->flow->unit->id,
                          "Run %" PRIu32 ": element %" PRIu64 " of group '%s' has failed.", run->id, row->sequence,
                          row->group);
}

/* NULL: what the engine gives is in no batch, and the stream is read again. */
static RecordWriter *find_writer(ManagerRuns *runs, ManagerStream *stream) {
        RecordWriter *writer = manager_run_writer(runs);

        if (writer && !stream->has_put)
                manager_run_link_put_after(runs->link);
        stream->has_put |= writer != NULL;
        stream->has_lost |= writer == NULL;
        return writer;
}

static void put_rows(ManagerRuns *runs, ManagerRun *run) {
        ManagerStream *stream = run->stream;
        RecordWriter *writer;
        RunElementRow element;
        RunGroupRow group;

        while (run_stream_take_element(stream->engine, &element))
                if ((writer = find_writer(runs, stream)))
                        put_element(runs, run, writer, &element);
        while (run_stream_take_group(stream->engine, &group))
                if ((writer = find_writer(runs, stream)))
                        manager_stream_row_put_group(writer, run->id, &group);
        manager_stream_clear_notes(stream);
}

static void put_deletes(ManagerRuns *runs, ManagerRun *run) {
        ManagerStream *stream = run->stream;
        const size_t n = MIN(stream->deletes.n, (size_t) DELETES_A_TURN);
        RecordWriter *writer = n > 0 ? manager_run_writer(runs) : NULL;

        if (!writer)
                return;
        stream->has_put = true;
        for (size_t i = 0; i < n; i++)
                manager_stream_row_delete_element(writer, run->id,
                                                  stream->deletes.items[stream->deletes.n - 1 - i]);
        stream->deletes.n -= n;
        if (stream->deletes.n > 0)
                manager_run_note_work(runs);
}

static void take_begins(ManagerStream *stream) {
        RunStreamBegin begin;

        while (run_stream_take_begin(stream->engine, &begin)) {
                const ManagerStreamBegin element = {
                        .sequence = begin.sequence, .is_repeatable = begin.is_repeatable
                };

                if (vector_push(&stream->begins, element) < 0)
                        (void) run_stream_return(stream->engine, begin.sequence);
        }
}

/* The store is: attempts that are over stay until it has their ends, and what it has not is in memory. */
static bool is_behind(const ManagerRuns *runs, const ManagerRun *run) {
        const size_t max = flow_definition_settings(run->definition)->stream.max_groups;

        return manager_run_link_bytes(runs->link) > MANAGER_RUN_BYTES_TIGHT ||
               manager_attempts_count_kept(runs->attempts, run->id) > MAX((size_t) ATTEMPTS_KEPT, 4 * max);
}

static void step(ManagerRuns *runs, ManagerRun *run) {
        ManagerStream *stream = run->stream;

        if (!manager_stream_is_open(stream))
                return;
        run_stream_hold(stream->engine, !stream->is_issuing || is_behind(runs, run));
        run_stream_step(stream->engine, runs->now);
        put_rows(runs, run);
        put_deletes(runs, run);
        take_begins(stream);
}

void manager_streams_step(ManagerRuns *runs) {
        /* Rows of this turn would be in no batch. */
        if (runs->has_refused)
                return;
        foreach_stream(runs, run)
                if (!run->stream && !run->is_over)
                        make_stream(run);
        manager_stream_take_pushes(runs);
        foreach_stream(runs, run)
                step(runs, run);
}

/* — questions — */

static void note_question(ManagerStream *stream, const ManagerStreamQuery *query, const char *text) {
        ManagerStreamQuery wanted = *query;

        if (text_copy(text, &wanted.text) < 0 || manager_stream_ask(stream, &wanted) < 0)
                stream->has_lost = true;
}

static void note_prune(ManagerStream *stream, const char *group, uint64_t position) {
        ManagerStreamQuery query = { .kind = MANAGER_STREAM_ASK_PRUNE, .position = position, .limit = PRUNE_LIMIT };

        if (text_copy(group, &query.text) < 0 || manager_stream_note_prune(stream, &query) < 0)
                stream->has_lost = true;
}

static void take_questions(ManagerStream *stream) {
        RunStreamQuery query;
        RunStreamPrune prune;

        while (run_stream_take_query(stream->engine, &query))
                note_question(stream,
                              &(ManagerStreamQuery) {
                                      .kind = query.kind == RUN_STREAM_QUERY_GROUP ? MANAGER_STREAM_ASK_GROUP
                                                                                   : MANAGER_STREAM_ASK_ELEMENTS,
                                      .position = query.position,
                                      .limit = query.limit,
                                      .bytes = query.bytes,
                              },
                              query.group);
        while (manager_stream_has_room(stream) && run_stream_take_prune(stream->engine, &prune))
                note_prune(stream, prune.group, prune.position);
        stream->has_lost |= manager_stream_ask_prunes(stream) < 0;
}

static void filter_number(RunStoreQuery *query, unsigned column, RunStoreCompare compare, uint64_t value) {
        query->filters[query->n_filters++] = (RunStoreFilter) {
                .column = column,
                .compare = compare,
                .value = { .type = RUNSTORE_INTEGER, .integer = (int64_t) value },
        };
}

static void filter_text(RunStoreQuery *query, unsigned column, const char *value) {
        query->filters[query->n_filters++] = (RunStoreFilter) {
                .column = column,
                .compare = RUNSTORE_EQUAL,
                .value = { .type = RUNSTORE_TEXT, .bytes = value, .n = strlen(value) },
        };
}

static void describe(const ManagerRun *run, const ManagerStreamQuery *wanted, RunStoreQuery *query) {
        /* Rows that the engine gave before may be in batches that have not left yet. */
        *query = (RunStoreQuery) { .table = RUNSTORE_ELEMENT, .limit = wanted->limit, .is_behind = true };
        /* The run is the first column of all three tables. */
        filter_number(query, ELEMENT_RUN, RUNSTORE_EQUAL, run->id);
        switch (wanted->kind) {
        case MANAGER_STREAM_ASK_LOAD:
                manager_stream_describe_load(run->stream, query);
                break;
        case MANAGER_STREAM_ASK_KEY:
                query->table = RUNSTORE_STREAM_KEY;
                filter_text(query, STREAM_KEY_KEY, wanted->text);
                break;
        case MANAGER_STREAM_ASK_GROUP:
                query->table = RUNSTORE_STREAM_GROUP;
                filter_text(query, STREAM_GROUP_NAME, wanted->text);
                break;
        case MANAGER_STREAM_ASK_ELEMENTS:
                filter_text(query, ELEMENT_GROUP, wanted->text);
                /* Each position is that of an element. */
                filter_number(query, ELEMENT_POSITION, RUNSTORE_GREATER, wanted->position);
                filter_number(query, ELEMENT_POSITION, RUNSTORE_AT_MOST, wanted->position + wanted->limit);
                break;
        case MANAGER_STREAM_ASK_PRUNE:
                query->columns = UINT64_C(1) << ELEMENT_SEQUENCE;
                filter_text(query, ELEMENT_GROUP, wanted->text);
                filter_number(query, ELEMENT_POSITION, RUNSTORE_AT_MOST, wanted->position);
                break;
        }
}

static void send_questions(ManagerRuns *runs, ManagerRun *run) {
        ManagerStream *stream = run->stream;

        if (stream->ask_at > runs->now)
                return;
        for (ManagerStreamQuery *wanted; (wanted = manager_stream_next_query(stream)); stream->n_sent++) {
                RunStoreQuery query;

                describe(run, wanted, &query);
                if (manager_run_link_query(runs->link, &query, &wanted->number) < 0) {
                        wanted->number = 0;
                        stream->ask_at = usec_add(runs->now, RETRY_TIME);
                        return;
                }
        }
}

void manager_streams_send(ManagerRuns *runs, bool is_stored) {
        foreach_stream(runs, run) {
                ManagerStream *stream = run->stream;

                if (!stream)
                        continue;
                if (stream->has_lost || (stream->has_put && !is_stored))
                        reset(runs, run);
                stream->has_put = false;
                for (size_t i = 0; i < stream->begins.n; i++)
                        if (stream->begins.items[i].batch == 0)
                                stream->begins.items[i].batch = runs->batch;
                if (manager_stream_is_open(stream))
                        take_questions(stream);
                else
                        manager_stream_load_next(runs, run);
                send_questions(runs, run);
        }
        if (is_stored)
                manager_stream_note_batch(runs);
}

/* — answers — */

static bool take_query(ManagerRuns *runs, uint64_t number, ManagerRun **ret_run, ManagerStreamQuery *ret_query) {
        foreach_stream(runs, run)
                if (run->stream && manager_stream_take_query(run->stream, number, ret_query)) {
                        *ret_run = run;
                        return true;
                }
        return false;
}

static void answer_group(ManagerStream *stream, const ManagerStreamQuery *query, RunStorePage *page) {
        ManagerRunValues values;
        RunGroupRow row;
        int r = manager_run_values_next(page, &values);

        if (r > 0)
                r = manager_stream_row_get_group(&values, &row) < 0 ? -EBADMSG : 1;
        if (r < 0)
                log_error("The row of group '%s' of a stream cannot be read: it is made anew.", query->text);
        run_stream_answer_group(stream->engine, query->text, r > 0 ? &row : NULL);
}

/* The page may have less than was asked for: then more are asked for when their turn comes. */
static void answer_elements(ManagerRuns *runs, ManagerStream *stream, const ManagerStreamQuery *query,
                            RunStorePage *page) {
        ManagerRunValues values;
        RunElementRow row;
        int r = 0;

        while (r == 0 && manager_run_values_next(page, &values) > 0)
                if (manager_stream_row_get_element(&values, &row) == 0)
                        r = run_stream_answer_element(stream->engine, &row);
        run_stream_answer_end(stream->engine, query->text, usec_add(runs->now, RETRY_TIME));
}

static void answer_prune(ManagerStream *stream, const ManagerStreamQuery *query, RunStorePage *page) {
        const bool has_more = page->has_more;
        ManagerRunValues values;

        stream->n_pruning--;
        while (manager_run_values_next(page, &values) > 0) {
                if (vector_push(&stream->deletes, manager_run_values_number(&values, ELEMENT_SEQUENCE)) < 0)
                        return;
        }
        if (has_more)
                note_prune(stream, query->text, query->position);
}

/* Without an engine no row says how they have ended. */
static void forget_attempts(void *userdata, const ManagerElementAttempt *attempt) {
        manager_attempts_note_told(((ManagerRuns *) userdata)->attempts, &attempt->key);
}

static void load_rows(ManagerRuns *runs, ManagerRun *run, RunStorePage *page) {
        const int r = manager_stream_load_rows(runs, run, page);

        if (r == 0)
                return;
        reset(runs, run);
        run->stream->ask_at = usec_add(runs->now, RETRY_TIME);
        if (r == -EINVAL && run->is_over)
                manager_attempts_visit_elements(runs->attempts, run->id, forget_attempts, runs);
}

bool manager_stream_rows(ManagerRuns *runs, uint64_t number, RunStorePage *page) {
        ManagerStreamQuery query;
        ManagerRunValues values;
        ManagerRun *run;

        if (!take_query(runs, number, &run, &query))
                return false;
        switch (query.kind) {
        case MANAGER_STREAM_ASK_LOAD:
                load_rows(runs, run, page);
                break;
        case MANAGER_STREAM_ASK_KEY:
                run_stream_answer_key(run->stream->engine, query.text,
                                      manager_run_values_next(page, &values) > 0
                                              ? manager_run_values_number(&values, STREAM_KEY_SEQUENCE)
                                              : 0);
                break;
        case MANAGER_STREAM_ASK_GROUP:
                answer_group(run->stream, &query, page);
                break;
        case MANAGER_STREAM_ASK_ELEMENTS:
                answer_elements(runs, run->stream, &query, page);
                break;
        case MANAGER_STREAM_ASK_PRUNE:
                answer_prune(run->stream, &query, page);
                break;
        }
        free(query.text);
        runs->host.attempts.turn->has_news = true;
        return true;
}

bool manager_stream_refused(ManagerRuns *runs, uint64_t number) {
        foreach_stream(runs, run)
                if (run->stream && manager_stream_repeat_query(run->stream, number)) {
                        run->stream->ask_at = usec_add(runs->now, RETRY_TIME);
                        return true;
                }
        return false;
}

/* — time — */

usec_t manager_streams_due(const ManagerRuns *runs) {
        usec_t due = USEC_INFINITY;

        foreach_stream(runs, run) {
                const ManagerStream *stream = run->stream;

                /* One that is over is read only for the ends of its attempts. */
                if (!stream || (run->is_over && manager_stream_is_open(stream)))
                        continue;
                if (stream->ask_at > runs->now && manager_stream_has_queries(stream))
                        due = MIN(due, stream->ask_at);
                /* While the store is behind, its answer is what comes next. */
                if (manager_stream_is_open(stream))
                        due = MIN(due, run_stream_due(stream->engine, runs->now));
        }
        return due;
}
