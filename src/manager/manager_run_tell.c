/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * News of runs for others: OnBegin=, OnResult=, Notify=, SummarySec=
 *
 * Here rows of the outbox are made. Each has the object of its run and node as
 * they are in the batch that the row is in; states that pass within one turn
 * are told to nobody.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_run_alarm.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_object.h"
#include "manager/manager_run_outbox.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_tell.h"
#include "manager/manager_target.h"

/* An object with more than that has no parents. */
#define PAYLOAD_MAX ((size_t) 256 * 1024)

/* The event that targets are told of. */
typedef struct Telling {
        ManagerRun *run; /* borrowed, as all of it */
        uint32_t node; /* RUN_NODE_NONE: it is about the run */
        const char *event;
        const char *context; /* JSON; NULL: null */
} Telling;

static const FlowSettings *settings_of(const ManagerRun *run) {
        return flow_definition_settings(run->definition);
}

static const char *name_of(const Telling *telling) {
        return telling->node != RUN_NODE_NONE
                       ? run_graph_name(telling->run->graph, telling->node)
                       : NULL;
}

static int make_payload(const ManagerRuns *runs, const Telling *telling, char **ret_payload) {
        cleanup_free_ char *payload = NULL;
        ManagerRunObject object = {
                .event = telling->event,
                .run = telling->run->id,
                .node = telling->node,
                .context = telling->context,
        };
        int r = manager_run_object_write(runs, &object, &payload);

        if (r == 0 && strlen(payload) > PAYLOAD_MAX) {
                free(take_ptr(payload));
                object.leaves_out_parents = true;
                r = manager_run_object_write(runs, &object, &payload);
        }
        if (r == 0)
                *ret_payload = take_ptr(payload);
        return r;
}

/* A row for each of @targets that wants one of @events; 0: all do. */
static int tell(ManagerRuns *runs, const Telling *telling, const FlowTargets *targets, FlowEvents events) {
        cleanup_free_ char *payload = NULL;
        int r = 0;

        for (size_t i = 0; i < targets->n && r == 0; i++) {
                const FlowTarget *target = &targets->items[i];
                cleanup_free_ char *text = NULL;

                if (events != 0 && !(target->events & events))
                        continue;
                if (!payload)
                        r = make_payload(runs, telling, &payload);
                if (r == 0)
                        r = manager_target_write(target, telling->run->facts.uid, &text);
                if (r == 0)
                        r = manager_run_outbox_add(
                                runs, telling->run->facts.unit,
                                &(ManagerOutboxRow) {
                                        .id = MANAGER_OUTBOX_ID(telling->run->id, ++telling->run->facts.sequence),
                                        .node = name_of(telling),
                                        .event = telling->event,
                                        .target = text,
                                        .payload = payload,
                                });
        }
        return r;
}

static bool wants(const ManagerRun *run, FlowEvents events) {
        return settings_of(run)->notify.n > 0 && flow_targets_events(&settings_of(run)->notify) & events;
}

static int notify(ManagerRuns *runs, const Telling *telling, FlowEvents events) {
        return tell(runs, telling, &settings_of(telling->run)->notify, events);
}

/* — nodes — */

static int tell_by_node(ManagerRuns *runs, const Telling *telling, bool is_begin) {
        FlowCommand command = {};
        int r = manager_run_open_command(telling->run, telling->node, &command);

        if (r == 0)
                r = tell(runs, telling, flow_node_targets(settings_of(telling->run), command.node, is_begin), 0);
        flow_command_close(&command);
        return r;
}

static int tell_state_of_node(ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row) {
        const ManagerRunMark *mark = &run->marks[row->node];
        const RunNodeState old = mark->generation == row->generation ? (RunNodeState) mark->state : RUN_NODE_WAITING;
        cleanup_free_ char *context = NULL;
        char event[FLOW_EVENT_WORD_MAX];
        int r;

        if (old == row->state || !wants(run, FLOW_EVENT_NODE(row->state)))
                return 0;
        flow_event_write_node(row->state, event);
        r = text_format(&context, "{\"old\":\"%s\"}", run_node_state_to_string(old));
        return r < 0 ? r
                     : notify(runs, &(Telling) { run, row->node, event, context }, FLOW_EVENT_NODE(row->state));
}

int manager_run_tell_node(ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, unsigned news) {
        const RunPolicy *policy = run_graph_policy(run->graph, row->node);
        int r = 0;

        if (news & MANAGER_RUN_NODE_BEGINS && policy->tells_begin)
                r = tell_by_node(runs, &(Telling) { run, row->node, "begin", NULL }, true);
        if (r == 0)
                r = tell_state_of_node(runs, run, row);
        if (r == 0 && news & MANAGER_RUN_NODE_ENDS && policy->tells_end)
                r = tell_by_node(runs,
                                 &(Telling) { run, row->node, "result",
                                              row->state == RUN_NODE_SUCCEEDED ? "{\"success\":true}"
                                                                               : "{\"success\":false}" },
                                 false);
        return r;
}

int manager_run_tell_alarm(ManagerRuns *runs, ManagerRun *run, uint32_t node, ManagerAlarmKind kind) {
        cleanup_free_ char *context = NULL;
        int r;

        if (!wants(run, FLOW_EVENT_ALARM))
                return 0;
        r = text_format(&context, "{\"kind\":\"%s\"}", manager_alarm_to_string(kind));
        return r < 0 ? r : notify(runs, &(Telling) { run, node, "alarm", context }, FLOW_EVENT_ALARM);
}

/* — runs — */

static int tell_state_of_run(ManagerRuns *runs, ManagerRun *run, RunState state) {
        cleanup_free_ char *context = NULL;
        char event[FLOW_EVENT_WORD_MAX];
        int r = 0;

        if (!wants(run, FLOW_EVENT_RUN(state)))
                return 0;
        flow_event_write_run(state, event);
        if (run->is_told)
                r = text_format(&context, "{\"old\":\"%s\"}", run_state_to_string(run->told_state));
        return r < 0 ? r : notify(runs, &(Telling) { run, RUN_NODE_NONE, event, context }, FLOW_EVENT_RUN(state));
}

/* Behind the nodes of the batch: the end of a run is told after those of its nodes. */
int manager_run_tell_runs(ManagerRuns *runs) {
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (ManagerRun *run = flow->first; run; run = run->next) {
                        RunRow row;
                        RunWhy why;
                        int r;

                        if (!run->is_new || settings_of(run)->notify.n == 0 ||
                            run_engine_get(runs->engine, run->id, &row, &why) < 0 ||
                            (run->is_told && run->told_state == row.state))
                                continue;
                        r = run->must_tell_alarm
                                    ? manager_run_tell_alarm(runs, run, RUN_NODE_NONE, MANAGER_ALARM_SUSPENDED)
                                    : 0;
                        run->must_tell_alarm = run->must_tell_alarm && r < 0;
                        if (r == 0)
                                r = tell_state_of_run(runs, run, row.state);
                        if (r < 0)
                                return r;
                        run->is_told = true;
                        run->told_state = row.state;
                }
        return 0;
}

/* — summaries — */

static bool has_summary(const ManagerRun *run) {
        return settings_of(run)->summary > 0 && !run->is_over && wants(run, FLOW_EVENT_SUMMARY);
}

static int summarize(ManagerRuns *runs, ManagerRun *run) {
        const ManagerRunFacts *facts = &run->facts;
        cleanup_free_ char *context = NULL;
        int r = text_format(&context,
                            "{\"done\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"running\":%" PRIu64 ",\"total\":%" PRIu64
                            "}",
                            facts->n_done, facts->n_failed, facts->n_running, facts->n_total);

        return r < 0 ? r : notify(runs, &(Telling) { run, RUN_NODE_NONE, "summary", context }, FLOW_EVENT_SUMMARY);
}

void manager_run_summarize(ManagerRuns *runs) {
        runs->summary_at = USEC_INFINITY;
        for (ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (ManagerRun *run = flow->first; run; run = run->next) {
                        if (!has_summary(run))
                                continue;
                        /* From the first turn of the run, or of this core, on. */
                        if (run->summary_at == 0)
                                run->summary_at = usec_add(runs->now, settings_of(run)->summary);
                        if (run->is_put && run->summary_at <= runs->now) {
                                if (summarize(runs, run) < 0)
                                        log_write(LOG_LEVEL_ERROR, run->facts.unit,
                                                  "Out of memory: run %" PRIu32 " has no summary.", run->id);
                                run->summary_at = usec_add(runs->now, settings_of(run)->summary);
                        }
                        runs->summary_at = MIN(runs->summary_at, MAX(run->summary_at, runs->now + 1));
                }
}
