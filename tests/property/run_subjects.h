/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What can be tried beside the model itself: made by plant-run from its list of defects
 */

#include "run_trial.h"

extern const TrialSubject *const run_subjects[]; /* ends with NULL */

/* The model, the engine, or one of them; NULL: there is none of that name. */
const TrialSubject *run_find_subject(const char *name);
