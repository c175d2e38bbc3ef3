/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The outbox of runs: what others are to be told, until they were
 *
 * A row is put with the batch of the change that it tells of. Once that is
 * durable its target is told: in order for each run, one row of a run at a time, at
 * least once. A row that was delivered is deleted; one that was given up after
 * NotifyMax= tries stays, as a dead letter, with its run, and raises an alarm.
 *
 * In memory are the runs that have rows, and no rows: each is read from the
 * store when it is its turn.
 */

#include "manager/manager_run_row.h"

typedef struct ManagerRuns ManagerRuns;
typedef struct ManagerOutbox ManagerOutbox;

typedef struct ManagerOutboxRow {
        uint64_t id; /* the number of the run, and below it one of its sequence */
        const char *node; /* borrowed, as all of it; NULL: it is about the run */
        const char *event, *target, *payload;
} ManagerOutboxRow;

#define MANAGER_OUTBOX_ID(run, sequence) ((uint64_t) (run) << 32 | (uint32_t) (sequence))

int manager_run_outbox_new(ManagerRuns *runs); /* 0 or -ENOMEM */
ManagerOutbox *manager_run_outbox_free(ManagerOutbox *outbox);

/* Adds a row, which is in the next batch; @row is copied. 0 or -ENOMEM. */
int manager_run_outbox_add(ManagerRuns *runs, const char *unit, const ManagerOutboxRow *row);

bool manager_run_outbox_has_rows(const ManagerRuns *runs); /* that no batch has */
void manager_run_outbox_put(ManagerRuns *runs, RecordWriter *writer);
/* The rows that were put last are in batch @number; if it was not taken they are put again. */
void manager_run_outbox_end_batch(ManagerRuns *runs, bool is_taken, uint64_t number);

void manager_run_outbox_step(ManagerRuns *runs); /* in a turn: tells who can be told */
usec_t manager_run_outbox_next(const ManagerRuns *runs); /* when to do so next, by the clock of the engine */
void manager_run_outbox_forget(ManagerRuns *runs, uint32_t run); /* the run is deleted: so are its dead letters */
size_t manager_run_outbox_count_gone(const ManagerRuns *runs); /* deleted runs whose rows are still looked for */
bool manager_run_outbox_is_idle(const ManagerRuns *runs);
bool manager_run_outbox_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page); /* false: not for it */
bool manager_run_outbox_refused(ManagerRuns *runs, uint64_t query);

/* — restart — */

/* A row of an earlier manager that was not delivered. 0 or -ENOMEM. */
int manager_run_outbox_restore(ManagerRuns *runs, uint64_t id);
