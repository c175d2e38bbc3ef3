/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Printing a plan
 *
 * @plan is the answer of the method Plan, as an object.
 */

#include "jobctl/jobctl.h"

/*
 * Prints a table, JSON or a graph, by the options. @title: the request. EXIT_OK, EXIT_REFUSED, or EXIT_FAILED if
 * graphviz is missing.
 */
int plan_print(Jobctl *ctl, const json_t *plan, const char *title);

/*
 * Prints the jobs that are left out, with the rule for each; without --all, those for which there is nothing to do are
 * only listed by unit. Also for the record of a transaction. 0 or -ENOMEM.
 */
int plan_print_dropped(Jobctl *ctl, const json_t *dropped);
