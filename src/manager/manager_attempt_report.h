/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The report of an attempt: why it has failed, and who knows of its end
 *
 * The end is told to the run, which puts it into the next batch of the store.
 * When that is durable nothing of the attempt is needed any more.
 */

#include "manager/manager_attempt_command.h"

typedef struct ManagerAttemptReport ManagerAttemptReport;

/* 0 or -ENOMEM. @basis: borrowed; @n_told: how many attempts have told an end that is in no batch yet. */
int manager_attempt_report_new(ManagerAttemptReport **ret_report, const ManagerAttemptBasis *basis, size_t *n_told);
ManagerAttemptReport *manager_attempt_report_free(ManagerAttemptReport *report); /* accepts NULL */

/* The first problem is what the attempt fails by; others follow from it. True: it is the first. */
bool manager_attempt_report_keep_problem(ManagerAttemptReport *report, const char *problem);
const char *manager_attempt_report_problem(const ManagerAttemptReport *report); /* NULL: nothing is known */

void manager_attempt_report_end(ManagerAttemptReport *report); /* tells the run, as the state has it */
void manager_attempt_report_note_told(ManagerAttemptReport *report); /* the end of an element is in the next batch */
/* The same for a question: @fd has what the command has written; @is_late: it was not in time. */
void manager_attempt_report_answer(ManagerAttemptReport *report, int fd, bool is_late);

/* The end is in @batch: false if none was told since the last call. */
bool manager_attempt_report_note_batch(ManagerAttemptReport *report, uint64_t batch);
bool manager_attempt_report_untell(ManagerAttemptReport *report); /* it is told anew; true: it was in a batch */
bool manager_attempt_report_is_in_batch(const ManagerAttemptReport *report); /* in any … */
bool manager_attempt_report_is_durable(const ManagerAttemptReport *report, uint64_t durable); /* … up to @durable */

void manager_attempt_report_write(const ManagerAttemptReport *report, RecordWriter *writer);
int manager_attempt_report_read(ManagerAttemptReport *report, RecordReader *reader); /* 0 or -ENOMEM */
