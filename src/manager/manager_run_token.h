/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Tokens: the right to complete a node with Callback=
 *
 * A node has one token in each generation; whoever has it needs no other right.
 */

#include "manager/manager_run_get.h"

/* The generation of a node that a token stands for. */
typedef struct ManagerToken {
        uint32_t run, node, generation;
} ManagerToken;

bool manager_run_read_token(const char *text, ManagerToken *ret_token); /* false: it has not the form of one */
/* Gives a node with Callback= a token, if it has begun and has none of its generation. 0 or -errno. */
int manager_run_make_token(ManagerRun *run, const RunNodeRow *row);
const char *manager_run_token(void *userdata, const RunAttemptKey *key); /* NULL: it has none */
