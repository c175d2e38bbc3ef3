/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The PAM session of a process
 *
 * For a child with a memory of its own (ExecClone.has_own_memory): modules are
 * loaded, and may take long.
 */

#include "exec/exec_child.h"

/*
 * Opens a session for the child's user, and leaves a process behind that closes it after the child, and the program
 * that it becomes, has ended. Adds the session's variables to the environment and its groups to the child's. 0, or a
 * negative errno with .what set to a sentence.
 */
int exec_pam_open(ExecChild *child);
