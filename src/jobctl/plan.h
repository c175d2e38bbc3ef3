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
