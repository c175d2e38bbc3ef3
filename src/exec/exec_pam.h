/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The session of PAM that a process is in
 *
 * For a child with memory of its own (ExecClone.has_own_memory): modules are
 * loaded, and may take their time.
 */

#include "exec/exec_child.h"

/*
 * Opens a session for the child's user, and leaves a process behind that closes it when the child, and the program that
 * it becomes, has ended. The session's variables are in its environment then, its groups among the child's. 0, or a
 * negative errno with .what set, a sentence.
 */
int exec_pam_open(ExecChild *child);
