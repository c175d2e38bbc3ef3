/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * jobd-clean: removes directories of a unit
 *
 *      jobd-clean BASE PATH [BASE PATH]…
 *
 * What jobd-core is when it is executed by that name: a tree may be large, and
 * the manager has no time for that. No symlink is followed below a base.
 */

#include <stdbool.h>

#include "exec/exec.h"
#include "unit/exec_terms.h"
#include "unit/unit_clean.h"

#define EXEC_CLEAN_NAME "jobd-clean"

/* Of which kinds there are any directories: a mask of UnitClean. */
unsigned exec_clean_kinds(const ExecTerms *terms /* NULL: it has none */);

/* The command that removes those of @kinds, the caller's; 0, -ENODATA if there are none, or -errno. */
int exec_clean_command(const ExecTerms *terms, unsigned kinds, bool is_user, char ***ret_argv);

/* @argv is borrowed, as all in a request. */
void exec_clean_fill(char *const *argv, ExecRequest *request);

bool exec_clean_is_meant(const char *name);
/* The exit status: 0, or 1 if something is left, which is said on standard error. */
int exec_clean_run(int argc, char *argv[]);
