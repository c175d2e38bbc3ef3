/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Process attributes that belong to the memory, so that a child changes the
 * manager's, too
 *
 * The attributes are the score for the out-of-memory killer and the filter of
 * core dumps.
 */

/*
 * Stores the manager's values before a child changes them; for one child at a time. A value that cannot be read is not
 * restored.
 */
void exec_adjust_save(void);
/* Restores the stored values. */
void exec_adjust_restore(void);
