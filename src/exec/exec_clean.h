/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * jobd-clean: removes directories of a unit
 *
 *      jobd-clean BASE PATH [BASE PATH]…
 *
 * jobd-core acts as jobd-clean when it is executed by that name: removing a
 * large tree takes too long for the manager. No symlink is followed below a
 * base.
 */

#include <stdbool.h>

#include "exec/exec.h"
#include "unit/exec_terms.h"
#include "unit/unit_clean.h"

#define EXEC_CLEAN_NAME "jobd-clean"

/* The kinds of directories that the unit has: a mask of UnitClean. */
unsigned exec_clean_kinds(const ExecTerms *terms /* NULL: none */);

/* The command that removes the directories of @kinds; the caller owns it. 0, -ENODATA if there are none, or -errno. */
int exec_clean_command(const ExecTerms *terms, unsigned kinds, bool is_user, char ***ret_argv);

/* Fills in the request; @argv is borrowed. */
void exec_clean_fill(char *const *argv, ExecRequest *request);

bool exec_clean_is_meant(const char *name);
/* Returns the exit status: 0, or 1 if something could not be removed, with a message on standard error. */
int exec_clean_run(int argc, char *argv[]);
