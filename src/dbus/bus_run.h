/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs on the bus
 *
 * A call that changes a run is answered when it is durable, and one that the
 * store is asked for when it has answered: both later (bus_later.h).
 */

#include "dbus/object/bus_call.h"
#include "manager/manager_run.h"

typedef struct BusRuns BusRuns;

/* Answers calls about runs. 0 or -ENOMEM. */
int bus_runs_new(BusRuns **ret_runs, const BusTree *tree);
BusRuns *bus_runs_free(BusRuns *runs);

/* Methods of the manager. */
int bus_manager_start_run(BusCall *call);
int bus_manager_plan_run(BusCall *call);
int bus_manager_list_runs(BusCall *call);
int bus_manager_identify(BusCall *call);
int bus_manager_list_locks(BusCall *call);
int bus_manager_get_run(BusCall *call);
int bus_manager_explain_run(BusCall *call);
int bus_manager_list_alarms(BusCall *call);
int bus_manager_acknowledge(BusCall *call);
int bus_manager_complete_node(BusCall *call);

/* Methods of the manager about streams. */
int bus_manager_push(BusCall *call);
int bus_manager_push_many(BusCall *call);
int bus_manager_list_groups(BusCall *call);
int bus_manager_list_elements(BusCall *call);
int bus_manager_resolve_element(BusCall *call);
/* The run of the stream that the first argument names. */
bool bus_manager_find_stream(const BusCall *call, BusObject *ret_subject);
