/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A plan, printed
 *
 * @plan is what the method Plan answers, as an object: see the keys there.
 */

#include "jobctl/jobctl.h"

/*
 * As a table, JSON or a graph, as the options say. @title: what was asked for. EXIT_OK, EXIT_REFUSED, or EXIT_FAILED
 * if there is nothing that draws.
 */
int plan_print(Jobctl *ctl, const json_t *plan, const char *title);
