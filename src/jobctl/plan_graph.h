/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A plan as a graph, in the language of graphviz
 *
 * @plan is what the method Plan answers with the option edges, as an object.
 */

#include <jansson.h>

/* @title: what was asked for. 0 or -ENOMEM; the text is the caller's. */
int plan_format_dot(const json_t *plan, const char *title, char **ret_dot);
