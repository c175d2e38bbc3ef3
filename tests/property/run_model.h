/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A slow model of runs
 *
 * It says what must be so after each turn, in the plainest way there is: no
 * counters, no indexes, no queues. Each event changes what it is about; then
 * all nodes of all runs are looked at again and again until nothing changes.
 * How often a node was tried is counted in the list of all attempts ever made.
 * After a restart it has forgotten everything, and lives again through the
 * turns that the store has kept.
 */

#include "run_trial.h"

extern const TrialSubject run_model_subject;

/* All that decides what the model will do, in a number; two states with the same number go on in the same way. */
uint64_t run_model_sum(void *subject);
/* Readiness by the table of counts: succeeded, failed, skipped, pending or blocked, unfinished. */
TrialVerdict run_model_verdict(const TrialNode *node, const TrialParent *parents);
/* The same of all parents that there are, or may be. */
TrialVerdict run_model_judge(const TrialNode *node, const TrialFamily *family);
/* Why a node is skipped that can't be ready any more: a failure upstream, or something else upstream. */
TrialReason run_model_skip_reason(const TrialNode *node, const TrialParent *parents);
TrialReason run_model_reason_of_skip(const TrialNode *node, const TrialFamily *family);
