/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host of the engine of runs
 *
 * Rows are put into the batch of the turn; attempts are begun and ended.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "basic/log.h"
#include "basic/random.h"
#include "basic/text.h"
#include "manager/manager_launch_cursor.h"
#include "manager/manager_run_alarm.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_define.h"
#include "manager/manager_run_end.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_item.h"
#include "manager/manager_run_keep.h"
#include "manager/manager_run_policy.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_tell.h"
#include "manager/manager_run_token.h"
#include "manager/manager_run_value.h"

/* — rows — */

RecordWriter *manager_run_writer(ManagerRuns *runs) {
        runs->has_batch = true;
        /* A later batch of the turn would be taken for the rows that were refused. */
        if (runs->has_refused)
                return NULL;
        if (!runs->writer && manager_run_link_begin(runs->link, &runs->writer) < 0) {
                runs->writer = NULL;
                runs->has_refused = true;
        }
        return runs->writer;
}

void manager_run_put_event(ManagerRuns *runs, ManagerRun *run, ManagerRunEvent event) {
        RecordWriter *writer = manager_run_writer(runs);

        event.run = run->id;
        event.id = ++run->facts.sequence;
        event.at = runs->host.attempts.turn->now_realtime;
        if (writer)
                manager_run_row_put_event(writer, &event);
}

static void put_definition(ManagerRuns *runs, const ManagerRun *run, RecordWriter *writer) {
        manager_run_row_put_definition(writer, run->facts.definition, flow_definition_text(run->definition),
                                       flow_definition_nodes(run->definition), runs->host.attempts.turn->now_realtime);
}

/* The counts of a stream are those of its elements, as far as this core has seen them. */
static bool note_elements(ManagerRuns *runs, ManagerRun *run) {
        RunStreamCounts counts;

        if (!manager_stream_is_of(run))
                return false;
        if (manager_stream_count(runs, run->id, &counts) < 0)
                return true;
        run->facts.n_total = counts.sequence;
        run->facts.n_done = counts.sequence - counts.backlog;
        run->facts.n_running = counts.out;
        run->facts.n_failed = counts.failed;
        return true;
}

static void count_nodes(ManagerRuns *runs, ManagerRun *run) {
        uint32_t n[_RUN_NODE_STATE_MAX], total = 0, done = 0;

        if (run_engine_tally(runs->engine, run->id, n) < 0)
                return;
        for (unsigned i = 0; i < _RUN_NODE_STATE_MAX; i++) {
                total += n[i];
                done += run_node_state_is_terminal((RunNodeState) i) ? n[i] : 0;
        }
        /* The counts of a batch are those of its items, as of its last checkpoint. */
        if (run->facts.cursor || note_elements(runs, run))
                return;
        run->facts.n_total = total;
        run->facts.n_done = done;
        run->facts.n_running = n[RUN_NODE_RUNNING];
        run->facts.n_failed = n[RUN_NODE_FAILED] + n[RUN_NODE_TIMEOUT];
}

static void note_times(ManagerRuns *runs, ManagerRun *run, const RunRow *row) {
        const usec_t now = runs->host.attempts.turn->now_realtime;
        ManagerRunFacts *facts = &run->facts;

        if (row->state == RUN_QUEUED && facts->queued == 0)
                facts->queued = now;
        if (row->state == RUN_RUNNING && facts->started == 0)
                facts->started = now;
        if (!run_state_is_terminal(row->state))
                facts->ended = 0;
        else if (facts->ended == 0)
                facts->ended = now;
}

/* All that waits for a person does so as the flow says, or another person: no reason for concern. */
static bool waits_on_purpose(const ManagerRuns *runs, const ManagerRun *run) {
        return run_engine_waits_on_purpose(runs->engine, run->id, RUN_NODE_NONE);
}

static void note_suspended(ManagerRuns *runs, const ManagerRun *run) {
        const bool is_planned = waits_on_purpose(runs, run);

        log_write(is_planned ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING, run->flow->unit->id,
                  "Run %" PRIu32 " is suspended: a node waits for %s. See 'jobctl flow why %" PRIu32 "'.", run->id,
                  is_planned ? "an approval" : "a person", run->id);
        runs->host.ops->suspended(runs->host.userdata, run->id, run->facts.unit);
}

static void note_state(ManagerRuns *runs, ManagerRun *run, const RunRow *row) {
        const bool was_over = run->is_over;

        run->is_over = run_state_is_terminal(row->state);
        if (run->is_over != was_over)
                run->flow->is_news = true;
        if (was_over && !run->is_over)
                manager_run_note_reopened(runs, run, row->round);
        if (run->is_over && !was_over) {
                manager_run_note_result(run->flow, row->state);
                log_write(row->state == RUN_SUCCEEDED ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING, run->flow->unit->id,
                          "Run %" PRIu32 " has ended: %s%s%s.", run->id, run_state_to_string(row->state),
                          row->reason != RUN_REASON_NONE ? ", " : "", run_reason_to_string(row->reason));
                manager_run_note_end(runs, run, row);
        } else if (row->state == RUN_SUSPENDED && run->new_state != RUN_SUSPENDED)
                note_suspended(runs, run);
}

static void put_alarm_event(ManagerRuns *runs, ManagerRun *run, const char *node, ManagerAlarmKind kind) {
        manager_run_put_event(runs, run,
                              (ManagerRunEvent) {
                                      .node = node,
                                      .kind = "alarm",
                                      .new = manager_alarm_to_string(kind),
                                      .uid = run->facts.uid,
                              });
}

/* False: it is to be raised with the batch that is made instead of this one. */
static bool raise_suspended(ManagerRuns *runs, ManagerRun *run, RecordWriter *writer) {
        const int r = waits_on_purpose(runs, run) ? 0 : manager_run_raise_suspended(runs, run);

        if (r > 0) {
                put_alarm_event(runs, run, NULL, MANAGER_ALARM_SUSPENDED);
                run->must_tell_alarm = true;
        }
        writer->has_failed |= r < 0;
        return r >= 0;
}

static void host_put_run(void *userdata, const RunRow *row) {
        ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, row->id);
        RecordWriter *writer = manager_run_writer(runs);
        const ManagerRunNow now = { .boot = runs->boot,
                                    .at = runs->now,
                                    .realtime = runs->host.attempts.turn->now_realtime };
        cleanup_free_ char *result = NULL;
        bool is_raised = true;

        if (!run)
                return;
        count_nodes(runs, run);
        note_times(runs, run, row);
        note_state(runs, run, row);
        run->is_new = true;
        runs->host.ops->changed(runs->host.userdata, run->id);
        if (!writer)
                return;
        if ((!run->is_put || run->has_grown) && !manager_run_has_stored(run)) {
                put_definition(runs, run, writer);
                manager_run_outline(runs, run);
        }
        if (!run->is_put)
                runs->host.ops->came(runs->host.userdata, run->id, run->facts.unit);
        /* The event first: its number is in the row. */
        if (!run->is_put || run->put_state != row->state)
                manager_run_put_event(runs, run, (ManagerRunEvent) {
                        .kind = run->is_put ? "state" : "created",
                        .old = run->is_put ? run_state_to_string(run->put_state) : NULL,
                        .new = run_state_to_string(row->state),
                        .comment = row->reason != RUN_REASON_NONE ? run_reason_to_string(row->reason) : NULL,
                        .uid = run->facts.uid,
                        .operator = run->is_put ? NULL : run->facts.operator,
                        .reqid = run->is_put ? NULL : run->facts.reqid,
                });
        if (row->state == RUN_SUSPENDED && run->new_state != RUN_SUSPENDED)
                is_raised = raise_suspended(runs, run, writer);
        if (run_state_is_terminal(row->state) && manager_run_make_result(runs, run, &result) < 0)
                writer->has_failed = true;
        if (run_state_is_terminal(row->state) && !(run->is_put && run->put_state == row->state) &&
            manager_alarms_note_end(runs->alarms, run->id, run_state_to_string(row->state)) < 0)
                writer->has_failed = true;
        manager_run_row_put(writer, row, &run->facts, result, &now);
        manager_launch_put_errors(runs, run, writer);
        run->put_sequence = run->facts.sequence;
        if (is_raised)
                run->new_state = row->state;
}

/* The sentence for a node that has failed by what the engine counts. */
static int write_problem(const ManagerRun *run, const RunNodeRow *row, const ManagerAttemptFacts *facts,
                         char **ret_problem) {
        const RunPolicy *policy = run_graph_policy(run->graph, row->node);
        const uint16_t end = facts && facts->exit >= 0 ? (uint16_t) (facts->exit & 0xff) : 0;

        if (row->state != RUN_NODE_FAILED || row->agains == 0 || end == 0 || policy->again == 0 ||
            !(policy->again_ends[end / 64] >> end % 64 & 1))
                return 0;
        return text_format(ret_problem, "It has said %" PRIu32 " times that it is too early, which is as often or as "
                           "long as AgainMax= or AgainMaxSec= allows.", row->agains + 1);
}

/* A list that is not short is made again from the results of the instances. */
static bool is_kept(const ManagerNodeResult *result) {
        return result->source != MANAGER_RESULT_ITEMS || (result->result && !result->result->path);
}

/* The numbers of its instances, by which attempts are known after a restart. */
static int put_instances(const ManagerRun *run, uint32_t node, ManagerRunNodeData *data) {
        uint32_t n;
        const RunExpansion *expansions = run_graph_expansions(run->graph, &n);
        cleanup_(text_deinit) Text text = {};

        if (!run_graph_policy(run->graph, node)->is_foreach)
                return 0;
        for (uint32_t i = 0; i < n; i++)
                if (expansions[i].node == node)
                        text_addf(&text, "%s%" PRIu32 ":%" PRIu32, text.n > 0 ? " " : "", expansions[i].first,
                                  expansions[i].n);
        if (text.n == 0)
                return 0;
        data->n_items = run_graph_count_items(run->graph, node);
        return text_finish(&text, &data->instances);
}

/* The result, its source and the cause of one that has ended; of another one there are none. */
static void put_node_row(ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row,
                         const ManagerAttemptFacts *facts) {
        const char *name = run_graph_name(run->graph, row->node);
        cleanup_free_ char *cause = NULL, *problem = NULL;
        ManagerNodeResult result = {};
        ManagerRunNodeData data = { .reqid = run->facts.reqid };
        int r = put_instances(run, row->node, &data);

        if (r == 0 && run_node_state_is_terminal(row->state)) {
                r = manager_run_get_result(runs, run, row->node, &result);
                if (r == 0)
                        r = manager_run_write_cause(runs, run, manager_run_find_cause(runs, run, row->node), &cause);
                data.result = is_kept(&result) ? result.result : NULL;
                data.source = manager_result_source_to_string(result.source);
                data.cause = cause;
        } else if (row->completion != RUN_COMPLETION_NONE || row->reason == RUN_REASON_CALLBACK) {
                /* The result so far, which the node has when it is completed without another one. */
                result.result = manager_result_ref(run->data[row->node].result);
                data.result = result.result;
                data.source = result.result ? manager_result_source_to_string(MANAGER_RESULT_OWN) : NULL;
        }
        data.token = run->data[row->node].token;
        if (r == 0)
                r = write_problem(run, row, facts, &problem);
        data.problem = problem;
        if (r < 0)
                runs->writer->has_failed = true;
        manager_run_row_put_node(runs->writer, run->id, name, row, facts, &data);
        free(data.instances);
        manager_run_result_deinit(&result);
}

/* Of what ends a run each step is an event. */
static void put_end_event(ManagerRuns *runs, ManagerRun *run, const char *name, const RunNodeRow *row) {
        const RunGraph *graph = run->graph;

        if (!run_graph_is_extra(graph, row->node))
                return;
        manager_run_put_event(runs, run,
                              (ManagerRunEvent) {
                                      .node = name,
                                      .kind = row->node == run_graph_final(graph) ? "final" : "compensate",
                                      .new = run_node_state_to_string(row->state),
                                      .comment = row->reason != RUN_REASON_NONE ? run_reason_to_string(row->reason)
                                                                                : NULL,
                                      .uid = run->facts.uid,
                              });
}

/* Changes of a node since the last batch raise alarms and callbacks in the batch that has its row. */
static void note_node(ManagerRuns *runs, ManagerRun *run, const char *name, const RunNodeRow *row,
                      RecordWriter *writer) {
        const unsigned news = manager_run_compare_node(runs, run, row);
        int r = 0;

        if (news & MANAGER_RUN_NODE_WAITS)
                r = manager_run_raise_pending(runs, run, name, row);
        if (r == 0 && news & MANAGER_RUN_NODE_WAITS)
                put_alarm_event(runs, run, name, MANAGER_ALARM_PENDING);
        if (r == 0 && news & MANAGER_RUN_NODE_WAITS)
                r = manager_run_tell_alarm(runs, run, row->node, MANAGER_ALARM_PENDING);
        if (r == 0)
                r = manager_run_tell_node(runs, run, row, news);
        if (news != 0)
                put_end_event(runs, run, name, row);
        /* The batch is made again, with all of it. */
        writer->has_failed |= r < 0;
        if (r == 0)
                manager_run_mark_node(run, row);
}

static void host_put_node(void *userdata, uint32_t id, const RunNodeRow *row) {
        ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, id);
        const RunAttemptKey key = { id, row->node, row->generation, row->number };
        RecordWriter *writer = manager_run_writer(runs);
        ManagerAttemptFacts facts;
        const char *name;
        bool has_facts;

        if (run)
                runs->host.ops->node_changed(runs->host.userdata, id, row->node);
        if (row->state > RUN_NODE_BLOCKED)
                manager_attempts_end_question(runs->attempts, id, row->node, row->generation);
        if (!run || !writer)
                return;
        writer->has_failed |= manager_run_make_token(run, row) < 0;
        name = run_graph_name(run->graph, row->node);
        has_facts = row->number > 0 && manager_attempts_get(runs->attempts, &key, &facts) == 0;
        put_node_row(runs, run, row, has_facts ? &facts : NULL);
        if (has_facts)
                manager_run_row_put_attempt(writer, &key, name, &facts);
        note_node(runs, run, name, row, writer);
        manager_run_note_reader(runs, run, row, writer);
}

/* Events of nodes follow the row of their run, which has the number of the last one. */
static void put_sequences(ManagerRuns *runs, RecordWriter *writer) {
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (ManagerRun *run = flow->first; run; run = run->next)
                        if ((run->is_put || run->is_new) && run->put_sequence != run->facts.sequence) {
                                manager_run_row_put_sequence(writer, run->id, run->facts.sequence);
                                run->put_sequence = run->facts.sequence;
                        }
}

int manager_run_persist(void *userdata, uint32_t *ret_batch) {
        ManagerRuns *runs = userdata;
        uint64_t number;
        int r;

        if (!runs->writer)
                return -ENOTCONN;
        runs->writer->has_failed |= manager_run_tell_runs(runs) < 0;
        manager_run_outbox_put(runs, runs->writer);
        put_sequences(runs, runs->writer);
        manager_alarms_put(runs->alarms, runs->writer);
        runs->writer = NULL;
        r = manager_run_link_end_batch(runs->link, &number);
        manager_alarms_end_batch(runs->alarms, r == 0);
        manager_run_outbox_end_batch(runs, r == 0, r == 0 ? number : 0);
        manager_launches_note_batch(runs, r == 0 ? number : 0);
        if (r < 0) {
                runs->has_refused = true;
                return r;
        }
        runs->batch = number;
        runs->has_batch = false;
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (ManagerRun *run = flow->first; run; run = run->next)
                        if (run->is_new) {
                                run->is_new = run->has_grown = false;
                                run->is_put = true;
                                run->put_state = run->new_state;
                                run->batch = number;
                                manager_run_note_stored(run);
                        }
        *ret_batch = (uint32_t) number;
        return 0;
}

/* — attempts — */

static void host_spawn(void *userdata, const RunAttemptKey *key) {
        ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, key->run);

        if (!run || manager_attempts_has(runs->attempts, key))
                return;
        if (manager_attempts_begin(runs->attempts, key, ++run->facts.sequence, run->flow->unit, run->definition,
                                   run->graph) < 0) {
                log_write(LOG_LEVEL_ERROR, run->flow->unit->id, "Run %" PRIu32 ": no memory for an attempt.", run->id);
                runs->has_missed = true;
        }
}

static void host_end(void *userdata, const RunAttemptKey *key, RunOutcome outcome) {
        ManagerRuns *runs = userdata;

        manager_attempts_end(runs->attempts, key);
}

static void host_abandon(void *userdata, const RunAttemptKey *key) {
        ManagerRuns *runs = userdata;

        manager_attempts_abandon(runs->attempts, key);
        /* The run is over and not loaded again: the state alone says that the attempt is to be left. */
        runs->must_commit = true;
}

static uint32_t host_random(void *userdata) {
        uint32_t value = 0;

        (void) random_bytes(&value, sizeof(value));
        return value;
}

const RunHost manager_run_host = {
        .put_run = host_put_run,
        .put_node = host_put_node,
        .persist = manager_run_persist,
        .spawn = host_spawn,
        .end = host_end,
        .abandon = host_abandon,
        .judge = manager_run_judge,
        .count = manager_run_count,
        .grow = manager_run_grow,
        .gather = manager_run_gather,
        .ask = manager_run_ask,
        .wake = manager_run_wake,
        .random = host_random,
};

/* Attempts that could not be begun for want of memory. */
void manager_run_begin_missed(ManagerRuns *runs) {
        runs->has_missed = false;
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (ManagerRun *run = flow->first; run; run = run->next) {
                        RunNodeRow row;
                        RunWhy why;

                        for (uint32_t i = 0; run_engine_get_node(runs->engine, run->id, i, &row, &why) == 0; i++) {
                                const RunAttemptKey key = { run->id, i, row.generation, row.number };

                                if (row.state == RUN_NODE_RUNNING && row.attempt == RUN_ATTEMPT_IS_ASKED) {
                                        host_spawn(runs, &key);
                                        /* The run may have told it to end meanwhile. */
                                        if (row.outcome != RUN_OUTCOME_OPEN)
                                                manager_attempts_end(runs->attempts, &key);
                                } else if (why == RUN_WHY_POLICY)
                                        manager_run_ask_missed(runs, run, &row);
                        }
                }
}
