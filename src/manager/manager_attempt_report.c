/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report of an attempt
 */

#include <errno.h>
#include <stdlib.h>

#include "basic/text.h"
#include "manager/manager_attempt_report.h"
#include "manager/manager_policy.h"

struct ManagerAttemptReport {
        const ManagerAttemptBasis *basis; /* borrowed */
        size_t *n_told; /* the same */
        char *problem; /* owned: the first that it has failed by, or why there is no answer; NULL: nothing is known */
        bool is_told; /* the end was, and is in the next batch of the store */
        bool is_stored; /* the end is in .batch */
        uint64_t batch;
};

int manager_attempt_report_new(ManagerAttemptReport **ret_report, const ManagerAttemptBasis *basis, size_t *n_told) {
        ManagerAttemptReport *report = calloc(1, sizeof(*report));

        if (!report)
                return -ENOMEM;
        report->basis = basis;
        report->n_told = n_told;
        *ret_report = report;
        return 0;
}

ManagerAttemptReport *manager_attempt_report_free(ManagerAttemptReport *report) {
        if (!report)
                return NULL;
        *report->n_told -= report->is_told;
        free(report->problem);
        free(report);
        return NULL;
}

bool manager_attempt_report_keep_problem(ManagerAttemptReport *report, const char *problem) {
        return !report->problem && text_copy(problem, &report->problem) == 0;
}

const char *manager_attempt_report_problem(const ManagerAttemptReport *report) {
        return report->problem;
}

void manager_attempt_report_note_told(ManagerAttemptReport *report) {
        *report->n_told += !report->is_told;
        report->is_told = true;
}

void manager_attempt_report_end(ManagerAttemptReport *report) {
        const ManagerAttemptBasis *basis = report->basis;
        const ManagerAttemptState *state = basis->state;

        /* An item is in no batch of the store, and that of an element follows when its stream has taken the end. */
        if (!state->is_item)
                manager_attempt_report_note_told(report);
        basis->host->ops->ended(basis->host->userdata, &state->key, basis->unit, state->kind, state->end);
}

/* Without an answer a person is asked. */
static RunAnswer read_answer(const ManagerAttemptReport *report, int fd, bool is_late, char **ret_reason) {
        const ManagerAttemptState *state = report->basis->state;
        const ManagerPolicyEnd end = {
                .answer = fd,
                .exit = state->exit,
                .signal = state->exit_signal,
                .is_late = is_late,
                .problem = report->problem,
        };

        if (state->is_stopping || state->kind == RUN_END_LOST || state->kind == RUN_END_INTERRUPTED)
                return RUN_ANSWER_LOST;
        return manager_policy_read(&end, ret_reason);
}

void manager_attempt_report_answer(ManagerAttemptReport *report, int fd, bool is_late) {
        const ManagerAttemptBasis *basis = report->basis;
        cleanup_free_ char *reason = NULL;
        RunAnswer answer;

        manager_attempt_report_note_told(report);
        answer = read_answer(report, fd, is_late, &reason);
        basis->host->ops->answered(basis->host->userdata, &basis->state->key, basis->unit, answer, reason);
}

bool manager_attempt_report_note_batch(ManagerAttemptReport *report, uint64_t batch) {
        if (!report->is_told)
                return false;
        report->is_told = false;
        report->is_stored = true;
        report->batch = batch;
        (*report->n_told)--;
        return true;
}

bool manager_attempt_report_untell(ManagerAttemptReport *report) {
        const bool was_stored = report->is_stored;

        *report->n_told -= report->is_told;
        report->is_told = report->is_stored = false;
        return was_stored;
}

bool manager_attempt_report_is_in_batch(const ManagerAttemptReport *report) {
        return report->is_stored;
}

bool manager_attempt_report_is_durable(const ManagerAttemptReport *report, uint64_t durable) {
        return report->is_stored && report->batch <= durable;
}

void manager_attempt_report_write(const ManagerAttemptReport *report, RecordWriter *writer) {
        record_put_string(writer, report->problem);
}

int manager_attempt_report_read(ManagerAttemptReport *report, RecordReader *reader) {
        return text_copy(record_get_string(reader), &report->problem);
}
