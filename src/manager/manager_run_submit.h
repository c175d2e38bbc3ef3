/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Submissions: from a unit to a run of it
 *
 * A submission waits for the store, if it has a key or a name, and for its
 * definition, which is read in as many turns as that needs. While others write
 * its NodesFile= it is left aside, and other flows go ahead.
 */

#include "manager/manager_run_get.h"
#include "manager/manager_run_nodes.h"
#include "manager/manager_run_table.h"

/*
 * The definition of a run of @unit that is submitted now: that of the last one, if nothing has changed, else one that
 * is to be read. 0, -ENOMEM, or a negative errno with @ret_failure. A ManagerNodesOutcome: about @n bytes were read,
 * and there are more: *@nodes, which is NULL at first and owned by the caller, has what was read so far.
 */
int manager_run_define(const ManagerRuns *runs, const Unit *unit, ManagerNodes **nodes, size_t n, ManagerTexts *texts,
                       FlowDefinition **ret_definition, Failure *ret_failure);
/* The parameters of a run, with the defaults of Params=, which the caller owns. NULL: none. As above. */
int manager_run_apply_params(const FlowDefinition *definition, char *const *params, char **ret_json,
                             Failure *ret_failure);

/* @is_start: for the start job of the unit, which waits for it. 0 or -ENOMEM. */
int manager_run_add_submit(ManagerRuns *runs, ManagerFlow *flow, const ManagerRunRequest *request, bool is_start);
void manager_run_submit_triggers(ManagerRuns *runs); /* in a turn: those that were not submitted yet */
void manager_run_submit_all(ManagerRuns *runs); /* in a turn: those that can be */
/* The unit is stopped: starts and triggers that wait make no run; see manager_run_submit_all(). */
void manager_run_stop_submits(ManagerRuns *runs, ManagerFlow *flow);
usec_t manager_run_submit_next(const ManagerRuns *runs); /* when one is to be tried again, by the clock of the engine */
bool manager_run_submit_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page); /* false: not for them */
bool manager_run_submit_refused(ManagerRuns *runs, uint64_t query);
bool manager_run_is_reading(const ManagerRuns *runs); /* a definition, which goes on in the next turn */
bool manager_run_is_submitted_to(const ManagerRuns *runs, const ManagerFlow *flow);
void manager_run_ask_for_unit(ManagerRuns *runs, ManagerFlow *flow); /* to start, if a run waits for that */
/* Submissions that people wait for fail, with @has_starts also those of start jobs; those of triggers stay. */
void manager_run_refuse_submits(ManagerRuns *runs, const Failure *failure, bool has_starts);
void manager_run_drop_submits(ManagerRuns *runs);
