/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The scores for the out-of-memory killer: the manager's own, and the one that
 * its children begin with
 */

#include <stdbool.h>

#define EXEC_SCORE_MIN (-1000)
#define EXEC_SCORE_MAX 1000

/* The present score of this process: 0 without /proc. */
int exec_score_read(void);

/*
 * Sets the score that children begin with, and the manager's own. 0, or a negative errno: -EACCES if that takes a
 * privilege; then both are as before.
 */
int exec_score_set(int own, int of_children);
int exec_score_of_children(void);

/* A child is about to be made that shares the manager's memory. */
void exec_score_enter(void);
/* The child has left the memory for good. */
void exec_score_leave(void);
/* Do the two differ, so that it matters when a child has left? */
bool exec_score_differs(void);
