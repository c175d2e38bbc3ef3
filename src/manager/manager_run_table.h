/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Flows with runs, and the runs that live: how they are made, found and removed
 *
 * A flow keeps the definition that it was submitted with last, since a large one
 * takes long to read.
 */

#include "manager/manager_run_get.h"
#include "runstore/sha256.h"
#include "unitfile/file_state.h"

/* The texts of a definition, as they were read. */
typedef struct ManagerTexts {
        uint8_t hash[MANAGER_RUN_HASH_BYTES]; /* of both */
        uint8_t nodes_hash[SHA256_BYTES]; /* of NodesFile= */
        SeenFile nodes;
} ManagerTexts;

/* A definition that was read: a large one takes long to read, and to write. */
typedef struct ManagerKept {
        FlowDefinition *definition; /* a reference; NULL: none */
        ManagerTexts texts;
        bool is_stored; /* the store has it */
} ManagerKept;

ManagerFlow *manager_run_find_flow(const ManagerRuns *runs, const Unit *unit); /* NULL: it has none */
ManagerFlow *manager_run_flow(ManagerRuns *runs, Unit *unit); /* made if needed; NULL: no memory */
/* The start of the unit lasts until its runs have ended, which do not wait for it to be active. */
void manager_run_leave_out(ManagerRuns *runs, uint32_t id); /* it lives and could not be loaded: its parts are kept */
bool manager_run_waits_for_end(const Unit *unit);
void manager_run_note_result(ManagerFlow *flow, RunState state); /* a run has ended so: the unit is judged by that */
void manager_run_drop_flow(ManagerRuns *runs, ManagerFlow *flow);
void manager_run_drop_spare(ManagerRuns *runs);
/* The definition of @unit that was read last; NULL: none is known. */
const ManagerKept *manager_run_find_kept(const ManagerRuns *runs, const Unit *unit);
/* The definition of the last submission. */
void manager_run_keep_definition(ManagerRuns *runs, ManagerFlow *flow, FlowDefinition *definition,
                                 const ManagerTexts *texts);
bool manager_run_has_stored(const ManagerRun *run); /* the store has its definition */
void manager_run_note_stored(ManagerRun *run); /* it has */
void manager_run_forget_stored(ManagerRuns *runs); /* none is known to be there */
/* The hash of a definition; @nodes_hash: of its NodesFile=, or NULL. */
void manager_run_hash(const char *text, const uint8_t *nodes_hash, uint8_t hash[static MANAGER_RUN_HASH_BYTES]);
/* @busy: in place of OnBusy=. */
void manager_run_set_settings(ManagerRuns *runs, ManagerFlow *flow, const FlowSettings *settings, FlowBusy busy);
ManagerRun *manager_run_find(const ManagerRuns *runs, uint32_t id);
/* A run that the engine has, by its name; NULL. */
ManagerRun *manager_run_find_name(const ManagerRuns *runs, const char *name);
/* The node that a run is a part of, in the graph of its parent; RUN_NODE_NONE: the parent is not there. */
uint32_t manager_run_find_parent_node(const ManagerRuns *runs, const ManagerRunFacts *facts);
/* @name: NULL gives 0. -ENOENT with @ret_failure. */
int manager_run_find_node(const ManagerRun *run, const char *name, uint32_t *ret_node, Failure *ret_failure);
/* A run of @flow that the engine has, or will have. Takes @facts. 0 or -ENOMEM. */
int manager_run_add(ManagerFlow *flow, ManagerRuns *runs, uint32_t id, FlowDefinition *definition,
                    ManagerRunFacts *facts, ManagerRun **ret_run);
void manager_run_remove(ManagerRuns *runs, ManagerRun *run);
uint32_t manager_run_count_live(const ManagerRuns *runs, const ManagerFlow *flow); /* runs that have not ended */
