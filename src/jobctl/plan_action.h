/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The action of a plan for one job, in words
 */

#include <jansson.h>

/* "merge into job 5, cancels job 3": the action for @job, one of the "jobs" of a plan. 0 or -ENOMEM. */
int plan_format_action(const json_t *job, char **ret_action);
