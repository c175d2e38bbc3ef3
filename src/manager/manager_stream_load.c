/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a stream is loaded: groups at work, heads, and what is not linked
 *
 * Groups without work stay in the store. Ends of attempts that are over by
 * then are told again when the stream is open.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "basic/text.h"
#include "flow/flow_spec.h"
#include "manager/manager_attempt.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_value.h"
#include "manager/manager_stream_private.h"

#define PAGE 500U

int manager_stream_make(const ManagerRun *run, uint64_t sequence, RunStream **ret_engine) {
        const FlowStream *stream = &flow_definition_settings(run->definition)->stream;
        RunStreamSettings settings = {
                .link_batch = stream->link_batch,
                .link_delay = stream->link_delay,
                .max_backlog = stream->max_backlog,
                .keep_done = stream->keep_done,
                .max_groups = stream->max_groups,
        };
        FlowCommand command;
        int r = manager_run_open_command(run, 0, &command);

        if (r < 0)
                return r;
        flow_spec_element_policy(command.node, &settings.policy);
        flow_command_close(&command);
        return run_stream_new(&settings, sequence, ret_engine);
}

/* — questions — */

static void filter_text(RunStoreQuery *query, unsigned column, RunStoreCompare compare, const char *value) {
        query->filters[query->n_filters++] = (RunStoreFilter) {
                .column = column,
                .compare = compare,
                .value = { .type = RUNSTORE_TEXT, .bytes = value, .n = strlen(value) },
        };
}

static const char *state_of(ManagerStreamPhase phase) {
        switch (phase) {
        case MANAGER_STREAM_GROUPS_AT_WORK:
                return run_group_state_to_string(RUN_GROUP_AT_WORK);
        case MANAGER_STREAM_GROUPS_PENDING:
                return run_group_state_to_string(RUN_GROUP_PENDING);
        case MANAGER_STREAM_RUNNING:
                return run_element_state_to_string(RUN_ELEMENT_RUNNING);
        case MANAGER_STREAM_READY:
                return run_element_state_to_string(RUN_ELEMENT_READY);
        case MANAGER_STREAM_PENDING:
                return run_element_state_to_string(RUN_ELEMENT_PENDING);
        case MANAGER_STREAM_UNLINKED:
                return run_element_state_to_string(RUN_ELEMENT_UNLINKED);
        case MANAGER_STREAM_LAST:
        case MANAGER_STREAM_OPEN:
                break;
        }
        return "";
}

/* Data of what is not linked stays in the store until its turn comes. */
#define ALL_BUT_DATA (((UINT64_C(1) << _ELEMENT_MAX) - 1) & ~(UINT64_C(1) << ELEMENT_PAYLOAD) & \
                      ~(UINT64_C(1) << ELEMENT_RESULT))

void manager_stream_describe_load(const ManagerStream *stream, RunStoreQuery *query) {
        query->limit = PAGE;
        if (stream->phase == MANAGER_STREAM_LAST) {
                query->columns = UINT64_C(1) << ELEMENT_SEQUENCE;
                query->is_descending = true;
                query->limit = 1;
                return;
        }
        if (stream->phase <= MANAGER_STREAM_GROUPS_PENDING) {
                query->table = RUNSTORE_STREAM_GROUP;
                filter_text(query, STREAM_GROUP_STATE, RUNSTORE_EQUAL, state_of(stream->phase));
                if (stream->after_name)
                        filter_text(query, STREAM_GROUP_NAME, RUNSTORE_GREATER, stream->after_name);
                return;
        }
        filter_text(query, ELEMENT_STATE, RUNSTORE_EQUAL, state_of(stream->phase));
        query->filters[query->n_filters++] = (RunStoreFilter) {
                .column = ELEMENT_SEQUENCE,
                .compare = RUNSTORE_GREATER,
                .value = { .type = RUNSTORE_INTEGER, .integer = (int64_t) stream->after },
        };
        if (stream->phase == MANAGER_STREAM_UNLINKED)
                query->columns = ALL_BUT_DATA;
}

void manager_stream_load_next(ManagerRuns *runs, ManagerRun *run) {
        ManagerStream *stream = run->stream;

        for (size_t i = stream->first; i < stream->queries.n; i++)
                if (stream->queries.items[i].kind == MANAGER_STREAM_ASK_LOAD)
                        return;
        if (manager_stream_ask(stream, &(ManagerStreamQuery) { .kind = MANAGER_STREAM_ASK_LOAD }) < 0)
                manager_run_note_work(runs);
}

/* — answers — */

static void find_highest(void *userdata, const ManagerElementAttempt *attempt) {
        uint64_t *highest = userdata;

        *highest = MAX(*highest, attempt->sequence);
}

static int take_last(ManagerRuns *runs, ManagerRun *run, RunStorePage *page) {
        ManagerRunValues values;
        uint64_t highest = 0;

        if (manager_run_values_next(page, &values) > 0)
                highest = manager_run_values_number(&values, ELEMENT_SEQUENCE);
        manager_attempts_visit_elements(runs->attempts, run->id, find_highest, &highest);
        return manager_stream_make(run, highest + 1, &run->stream->engine);
}

static int take_group(ManagerStream *stream, const ManagerRunValues *values) {
        RunGroupRow row;
        char *name = NULL;
        int r = manager_stream_row_get_group(values, &row);

        if (r < 0)
                return r;
        if (text_copy(row.name, &name) < 0)
                return -ENOMEM;
        free(stream->after_name);
        stream->after_name = name;
        return run_stream_restore_group(stream->engine, &row);
}

static int take_element(ManagerStream *stream, const ManagerRunValues *values) {
        RunElementRow row;
        int r;

        stream->after = manager_run_values_number(values, ELEMENT_SEQUENCE);
        r = manager_stream_row_get_element(values, &row);
        return r < 0 ? r : run_stream_restore_element(stream->engine, &row);
}

/* Rows that cannot be are left out, and said. */
static int take_rows(ManagerRun *run, RunStorePage *page) {
        ManagerStream *stream = run->stream;
        ManagerRunValues values;

        while (manager_run_values_next(page, &values) > 0) {
                const int r = stream->phase <= MANAGER_STREAM_GROUPS_PENDING ? take_group(stream, &values)
                                                                             : take_element(stream, &values);

                if (r == -ENOMEM)
                        return r;
                if (r < 0)
                        log_write(LOG_LEVEL_ERROR, run->flow->unit->id,
                                  "Run %" PRIu32 ": a row of an element or a group cannot be read, and is left out.",
                                  run->id);
        }
        return 0;
}

typedef VECTOR(ManagerElementAttempt) Attempts;

static void list(void *userdata, const ManagerElementAttempt *attempt) {
        Attempts *attempts = userdata;

        (void) vector_push(attempts, *attempt);
}

static int compare_issues(const void *a, const void *b) {
        const ManagerElementAttempt *left = a, *right = b;

        return (left->issue < right->issue) - (left->issue > right->issue);
}

/* The last attempt of an element is what it is about. What is left of others is ended, before anything begins. */
static void claim_all(ManagerRuns *runs, ManagerRun *run) {
        Attempts attempts = {};

        manager_attempts_visit_elements(runs->attempts, run->id, list, &attempts);
        if (attempts.n > 0)
                qsort(attempts.items, attempts.n, sizeof(*attempts.items), compare_issues);
        for (size_t i = 0; i < attempts.n; i++) {
                const ManagerElementAttempt *attempt = &attempts.items[i];

                if (run_stream_claim(run->stream->engine, attempt->sequence, attempt->issue, attempt->tries) == 0)
                        continue;
                (void) vector_push(&run->stream->strays, attempt->key);
                manager_attempts_end(runs->attempts, &attempt->key);
        }
        vector_deinit(&attempts);
}

/*
 * An element that is RUNNING has an attempt in the state of a core that has seen it begin: without one it has not begun
 * yet. Of those of an earlier boot nobody knows.
 */
static void settle_unclaimed(ManagerRuns *runs, ManagerRun *run) {
        RunStream *engine = run->stream->engine;
        const bool was_not_begun = runs->knows_attempts || run->stream->knows_attempts;
        uint64_t sequence = 0;

        while ((sequence = run_stream_next_unclaimed(engine, sequence + 1)) > 0) {
                if (was_not_begun) {
                        (void) run_stream_return(engine, sequence);
                        continue;
                }
                log_write(LOG_LEVEL_WARNING, run->flow->unit->id,
                          "Run %" PRIu32 ": nobody knows how the attempt of element %" PRIu64 " has ended.", run->id,
                          sequence);
                (void) run_stream_end(engine, sequence, RUN_END_LOST, 0, runs->now, USEC_INFINITY, 0);
        }
}

static void open_stream(ManagerRuns *runs, ManagerRun *run) {
        claim_all(runs, run);
        settle_unclaimed(runs, run);
        run_stream_begin(run->stream->engine);
        run->stream->phase = MANAGER_STREAM_OPEN;
        run->stream->knows_attempts = true;
        /* Tells ends again of attempts that are over. */
        manager_attempts_resume_items(runs->attempts, run->id, run->definition, run->graph);
        manager_run_note_work(runs);
}

int manager_stream_load_rows(ManagerRuns *runs, ManagerRun *run, RunStorePage *page) {
        ManagerStream *stream = run->stream;
        const bool has_more = page->has_more && stream->phase != MANAGER_STREAM_LAST;
        int r = stream->phase == MANAGER_STREAM_LAST ? take_last(runs, run, page) : take_rows(run, page);

        if (r == -EINVAL)
                log_write(LOG_LEVEL_ERROR, run->flow->unit->id,
                          "Run %" PRIu32 ": its section [Stream] cannot be read again.", run->id);
        if (r < 0 || has_more)
                return r;
        stream->after = 0;
        free(take_ptr(stream->after_name));
        stream->phase++;
        if (stream->phase == MANAGER_STREAM_OPEN)
                open_stream(runs, run);
        return 0;
}
