/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What fuzz-runs can try beside the model itself: made by plant-run from its list of defects
 */

#include "run_trial.h"

extern const TrialSubject *const run_subjects[];       /* ends with NULL */
