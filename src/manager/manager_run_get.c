/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs, as one looks at them
 */

#include "manager/manager_run_get.h"
#include "manager/manager_run_private.h"

const ManagerRunsHost *manager_runs_host(const ManagerRuns *runs) {
        return &runs->host;
}

uint32_t manager_runs_processors(const ManagerRuns *runs) {
        return runs->n_processors;
}

RunEngine *manager_runs_engine(const ManagerRuns *runs) {
        return runs->engine;
}

ManagerRunLink *manager_runs_link(const ManagerRuns *runs) {
        return runs->link;
}

ManagerAttempts *manager_runs_attempts(const ManagerRuns *runs) {
        return runs->attempts;
}

usec_t manager_runs_now(const ManagerRuns *runs) {
        return runs->now;
}

usec_t manager_runs_now_realtime(const ManagerRuns *runs) {
        return runs->host.attempts.turn->now_realtime;
}

bool manager_runs_is_loaded(const ManagerRuns *runs) {
        return runs->is_loaded;
}

void manager_run_note_work(ManagerRuns *runs) {
        runs->has_work = true;
        runs->host.attempts.turn->has_news = true;
}

/* — a flow — */

RunFlow *manager_run_flow_engine(const ManagerFlow *flow) {
        return flow->engine;
}

ManagerRun *manager_run_first(const ManagerFlow *flow) {
        return flow->first;
}

void manager_run_note_news(ManagerFlow *flow) {
        flow->is_news = true;
}

/* — a run — */

uint32_t manager_run_id(const ManagerRun *run) {
        return run->id;
}

ManagerFlow *manager_run_flow_of(const ManagerRun *run) {
        return run->flow;
}

Unit *manager_run_unit(const ManagerRun *run) {
        return run->flow->unit;
}

ManagerRun *manager_run_next(const ManagerRun *run) {
        return run->next;
}

ManagerRun *manager_run_previous(const ManagerRun *run) {
        return run->previous;
}

const ManagerRunFacts *manager_run_facts(const ManagerRun *run) {
        return &run->facts;
}

FlowDefinition *manager_run_definition(const ManagerRun *run) {
        return run->definition;
}

RunGraph *manager_run_graph(const ManagerRun *run) {
        return run->graph;
}

const RunGraph *manager_run_definition_graph(const ManagerRun *run) {
        return flow_definition_graph(run->definition);
}

int manager_run_get(const ManagerRuns *runs, const ManagerRun *run, RunRow *ret_row, RunWhy *ret_why) {
        return run_engine_get(runs->engine, run->id, ret_row, ret_why);
}

int manager_run_get_node(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, RunNodeRow *ret_row,
                         RunWhy *ret_why) {
        return run_engine_get_node(runs->engine, run->id, node, ret_row, ret_why);
}

bool manager_run_is_over(const ManagerRun *run) {
        return run->is_over;
}
