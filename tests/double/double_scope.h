/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Values of a run, from one object of JSON
 *
 * {"param":{…},"node":{"NAME":{"state","result","cause"}},"item":…,"retry":…,
 * "trigger":{…},"run":{"id","name"}}. A string "TOO LARGE" is a value that is
 * too large to be looked at.
 */

#include "run/run_value.h"

typedef struct DoubleScope {
        RunScope scope;
        JsonTree tree;
        size_t n_finds;                 /* how often a value was asked for */
        bool has_no_memory;
} DoubleScope;

/* Ends the process if @json is none. */
void double_scope_init(DoubleScope *scope, const char *json);
void double_scope_deinit(DoubleScope *scope);
