/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A plan as a graph, in the language of graphviz
 *
 * @plan is the answer of the method Plan with the option edges, as an object.
 */

#include <jansson.h>

/* @title: the request. 0 or -ENOMEM; the caller owns the text. */
int plan_format_dot(const json_t *plan, const char *title, char **ret_dot);
