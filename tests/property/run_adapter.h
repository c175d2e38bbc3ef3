/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The engine of src/run as a subject
 */

#include "run_trial.h"

extern const TrialSubject run_adapter_subject; /* "engine" */
