/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs, flows with runs, and all of them, as one looks at them from a file beside theirs
 *
 * A borrowed value stays until the end of the turn. A function that changes a run is
 * with its owner: the table (manager_run_table.h), its results
 * (manager_run_data.h), its graph (manager_run_graph.h).
 */

#include "manager/manager_run.h"

typedef struct ManagerRun ManagerRun; /* a run that lives, or that a person wants to go on */
typedef struct ManagerFlow ManagerFlow; /* a flow with runs */

/* — all runs — */

const ManagerRunsHost *manager_runs_host(const ManagerRuns *runs);
RunEngine *manager_runs_engine(const ManagerRuns *runs);
uint32_t manager_runs_processors(const ManagerRuns *runs); /* of this machine */
ManagerRunLink *manager_runs_link(const ManagerRuns *runs); /* to the store */
usec_t manager_runs_now(const ManagerRuns *runs); /* by the clock of the engine, in this turn */
usec_t manager_runs_now_realtime(const ManagerRuns *runs); /* the same by the wall clock */
bool manager_runs_is_loaded(const ManagerRuns *runs); /* those of an earlier manager are there */
/* Something has changed that is to be taken up in a turn of the runs: if that of this turn is over, in another one. */
void manager_run_note_work(ManagerRuns *runs);

/* — a flow — */

RunFlow *manager_run_flow_engine(const ManagerFlow *flow); /* the same flow in the engine; NULL: it has none yet */
ManagerRun *manager_run_first(const ManagerFlow *flow); /* in the order of submission; NULL */
void manager_run_note_news(ManagerFlow *flow); /* the unit is to be told */

/* — a run — */

uint32_t manager_run_id(const ManagerRun *run);
ManagerFlow *manager_run_flow_of(const ManagerRun *run);
Unit *manager_run_unit(const ManagerRun *run); /* of the flow */
ManagerRun *manager_run_next(const ManagerRun *run); /* of the flow; NULL */
ManagerRun *manager_run_previous(const ManagerRun *run);
const ManagerRunFacts *manager_run_facts(const ManagerRun *run);
FlowDefinition *manager_run_definition(const ManagerRun *run);
RunGraph *manager_run_graph(const ManagerRun *run); /* that of the definition, or with instances of Foreach= */
const RunGraph *manager_run_definition_graph(const ManagerRun *run); /* without instances */
/* The row and the reason as the engine has them, of the run and of a node: 0 or -ENOENT. */
int manager_run_get(const ManagerRuns *runs, const ManagerRun *run, RunRow *ret_row, RunWhy *ret_why);
int manager_run_get_node(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, RunNodeRow *ret_row,
                         RunWhy *ret_why);
bool manager_run_is_over(const ManagerRun *run); /* it has ended, by its last row */
