/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A plan, printed
 *
 * @plan is what the method Plan answers, as an object: see the keys there.
 */

#include "jobctl/jobctl.h"

/* As a table, JSON or a graph, as the options say. EXIT_OK, or EXIT_REFUSED. */
int plan_print(Jobctl *ctl, const json_t *plan);

/* The jobs and who pulls in whom, in the language of graphviz. 0 or -ENOMEM; owned by the caller. */
int plan_format_dot(const json_t *plan, char **ret_dot);

/* "merge into job 5, cancels job 3": what happens to a job of the plan. 0 or -ENOMEM. */
int plan_format_action(const json_t *job, char **ret_action);
