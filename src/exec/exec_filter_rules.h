/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The rules of system call filters
 */

#include "exec/exec_filter.h"

/* Makes all programs, which the caller frees even after an error: 0 or a negative errno. */
int exec_filter_make(const ExecFilter *filter, unsigned denied, unsigned long personality, ExecPrograms *programs);
