/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the kernel keeps for a memory, and a child in ours would change for us
 *
 * The memory's score for the out-of-memory killer, and what a core dump contains.
 */

/* Remembers ours, before a child changes its own; one at a time. What can't be read is not known. */
void exec_adjust_save(void);
/* Takes it back. */
void exec_adjust_restore(void);
