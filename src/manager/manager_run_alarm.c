/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Alarms of runs: what raises them, and who acknowledges them
 *
 * A node that becomes PENDING raises one, a run that becomes SUSPENDED
 * another. A wait for an approval raises none: it is asked for on purpose. So is
 * a pause of a sub-run.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_run_alarm.h"
#include "manager/manager_run_answer.h"
#include "manager/manager_run_part.h"
#include "manager/manager_run_policy.h"
#include "manager/manager_run_private.h"

/* — what is new — */

/* The node waits for an approval, or its sub-run does or was paused: somebody wants it so. */
static bool waits_on_purpose(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row) {
        return row->state == RUN_NODE_PENDING && run_engine_waits_on_purpose(runs->engine, run->id, row->node);
}

unsigned manager_run_compare_node(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row) {
        const ManagerRunMark *mark = &run->marks[row->node];
        const bool is_same_try = mark->generation == row->generation && mark->number == row->number;
        const bool is_same = is_same_try && mark->state == row->state;
        unsigned news = 0;

        if (row->state == RUN_NODE_PENDING && !is_same && !waits_on_purpose(runs, run, row))
                news |= MANAGER_RUN_NODE_WAITS;
        if (row->number > 0 && !is_same_try)
                news |= MANAGER_RUN_NODE_BEGINS;
        if (run_node_state_is_terminal(row->state) && !is_same)
                news |= MANAGER_RUN_NODE_ENDS;
        return news;
}

void manager_run_mark_node(ManagerRun *run, const RunNodeRow *row) {
        run->marks[row->node] = (ManagerRunMark) {
                .number = row->number,
                .state = (uint32_t) row->state & 0xffU,
                .generation = row->generation & 0xffffffU,
        };
}

/* — raising — */

int manager_run_raise_pending(ManagerRuns *runs, const ManagerRun *run, const char *node, const RunNodeRow *row) {
        const bool is_said = row->reason == RUN_REASON_POLICY || row->reason == RUN_REASON_STATUS;
        const ManagerSaying *saying = is_said ? manager_run_find_saying(run, row) : NULL;
        const char *why = saying ? saying->reason : NULL;
        const ManagerRun *sub = manager_run_find_waiting_sub(runs, run, row);
        cleanup_free_ char *text = NULL;
        int r;

        if (sub)
                r = text_format(&text,
                                "Node %s of run %" PRIu32 " of %s is PENDING (sub-run): run %" PRIu32 " of %s, which "
                                "it %s, waits for a person.",
                                node, run->id, run->flow->unit->id, sub->id, sub->flow->unit->id,
                                run_graph_is_extra(run->graph, row->node) ? "undoes" : "is");
        else
                r = text_format(&text,
                                "Node %s of run %" PRIu32 " of %s is PENDING (%s%s%s): a person has to resolve it.",
                                node, run->id, run->flow->unit->id, run_reason_to_string(row->reason),
                                why ? ": " : "", why ? why : "");
        if (r < 0)
                return -ENOMEM;
        return manager_alarms_raise(runs->alarms, &(ManagerAlarmFacts) {
                                                          .kind = MANAGER_ALARM_PENDING,
                                                          .run = run->id,
                                                          .unit = run->flow->unit->id,
                                                          .node = node,
                                                          .text = text,
                                                          .raised = runs->host.attempts.turn->now_realtime,
                                                  });
}

int manager_run_raise_suspended(ManagerRuns *runs, const ManagerRun *run) {
        cleanup_free_ char *text = NULL;
        int r = text_format(&text, "Run %" PRIu32 " of %s is SUSPENDED: it goes on when a person has resolved a node.",
                            run->id, run->flow->unit->id);

        if (r == 0)
                r = manager_alarms_raise(runs->alarms, &(ManagerAlarmFacts) {
                                                               .kind = MANAGER_ALARM_SUSPENDED,
                                                               .run = run->id,
                                                               .unit = run->flow->unit->id,
                                                               .text = text,
                                                               .raised = runs->host.attempts.turn->now_realtime,
                                                       });
        return r < 0 ? r : 1;
}

void manager_run_raise_queue(ManagerRuns *runs, const ManagerFlow *flow, uint32_t max) {
        cleanup_free_ char *text = NULL;
        int r = text_format(&text,
                            "%s has %" PRIu32 " run%s that wait%s, which is all that MaxQueued= allows: a run was "
                            "refused.",
                            flow->unit->id, max, max == 1 ? "" : "s", max == 1 ? "s" : "");

        if (r == 0)
                r = manager_alarms_raise(runs->alarms, &(ManagerAlarmFacts) {
                                                               .kind = MANAGER_ALARM_QUEUE,
                                                               .unit = flow->unit->id,
                                                               .text = text,
                                                               .raised = runs->host.attempts.turn->now_realtime,
                                                       });
        if (r < 0)
                log_write(LOG_LEVEL_ERROR, flow->unit->id, "Out of memory: no alarm says that the queue is full.");
}

void manager_run_raise_callback(ManagerRuns *runs, const char *unit, uint32_t run, uint32_t callback, uint32_t tries,
                                const char *problem) {
        cleanup_free_ char *text = NULL;
        int r = text_format(&text,
                            "Callback %" PRIu32 " of run %" PRIu32 " of %s was given up after %" PRIu32 " %s: %s.",
                            callback, run, unit, tries, tries == 1 ? "try" : "tries", problem);

        if (r == 0)
                r = manager_alarms_raise(runs->alarms, &(ManagerAlarmFacts) {
                                                               .kind = MANAGER_ALARM_CALLBACK,
                                                               .run = run,
                                                               .unit = unit,
                                                               .text = text,
                                                               .raised = runs->host.attempts.turn->now_realtime,
                                                       });
        if (r < 0)
                log_write(LOG_LEVEL_ERROR, unit, "Out of memory: no alarm says that a callback was given up.");
}

/* — acknowledging — */

int manager_runs_acknowledge(ManagerRuns *runs, uint64_t alarm, const char *operator, uint32_t uid,
                             ManagerRunTicket ticket, Failure *ret_failure) {
        ManagerAcknowledgement wanted = { .alarm = alarm, .uid = uid, .ticket = ticket };
        int r = manager_run_link_require(runs->link, ret_failure);

        if (r < 0)
                return r;
        r = text_copy(operator, & wanted.operator);
        if (r == 0)
                r = vector_push(&runs->acknowledgements, wanted);
        if (r < 0) {
                free(wanted.operator);
                return failure_set(ret_failure, r, "NoMemory", "Out of memory.");
        }
        runs->host.attempts.turn->has_news = true;
        return 0;
}

void manager_run_refuse_acknowledgements(ManagerRuns *runs, const Failure *failure) {
        for (size_t i = 0; i < runs->acknowledgements.n; i++) {
                manager_run_answer(runs, runs->acknowledgements.items[i].ticket, 0, failure);
                free(runs->acknowledgements.items[i].operator);
        }
        vector_clear(&runs->acknowledgements);
}

uint32_t manager_runs_count_alarms(const ManagerRuns *runs) {
        return manager_alarms_count(runs->alarms);
}
