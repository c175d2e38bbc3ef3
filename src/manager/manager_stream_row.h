/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rows of the store about elements, groups and keys of streams
 */

#include "manager/manager_run_row.h"
#include "run/run_stream.h"

/* What the engine does not know of an element that has ended or was resolved; all borrowed, NULL: none. */
typedef struct ManagerElementFacts {
        const char *problem; /* a sentence */
        const void *result;
        size_t n_result;
        const char *operator; /* who has resolved it */
} ManagerElementFacts;

/* The columns of @row that have changed. @now: wall clock; @facts: NULL: none. */
void manager_stream_row_put_element(RecordWriter *writer, uint32_t run, const RunElementRow *row,
                                    const ManagerElementFacts *facts, usec_t now);
void manager_stream_row_delete_element(RecordWriter *writer, uint32_t run, uint64_t sequence);
void manager_stream_row_put_group(RecordWriter *writer, uint32_t run, const RunGroupRow *row);
void manager_stream_row_put_key(RecordWriter *writer, uint32_t run, const char *key, uint64_t sequence, usec_t now);

/* 0 or -EBADMSG; what is in the rows is borrowed from the page. */
int manager_stream_row_get_element(const ManagerRunValues *values, RunElementRow *ret_row);
int manager_stream_row_get_group(const ManagerRunValues *values, RunGroupRow *ret_row);
