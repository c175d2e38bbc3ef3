/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The input of an attempt: Inputs=, Data=, InputMode=
 */

#include "manager/manager_run_get.h"

int manager_run_input(void *userdata, const RunAttemptKey *key, const char *folder, char **ret_json,
                      char **ret_problem);
int manager_run_variables(void *userdata, const RunAttemptKey *key, bool has_results, char ***environment);
