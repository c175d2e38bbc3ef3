/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A request that a child may read as long as it likes
 *
 * A request borrows from the settings of a unit, and those may change or go
 * while the child is on its way. So the child gets a copy, with strings and
 * descriptors of its own.
 */

#include "exec/exec_child.h"
#include "unit/exec_terms.h"

typedef struct ExecCopy {
        ExecRequest request;
        ExecTerms terms;                /* of .request, if it has any */
        char *strings;                  /* owned: all strings of .request in one block … */
        char **paths;                   /* owned: … and of the places */
        int *fds;                       /* owned, and open: what the places have */
        size_t n_fds;
} ExecCopy;

/*
 * All that is to be made of the request is made of the copy. Until exec_copy_part() the copy still borrows what only
 * the preparation needs: words of the command, variables, paths of the sandbox. 0 or -ENOMEM.
 */
int exec_copy_make(const ExecRequest *request, ExecCopy *ret_copy);
/* The places get descriptors of their own, but for @spared, and strings: 0, -ENOMEM, or -errno. */
int exec_copy_own_places(ExecCopy *copy, ExecPlace *places, size_t n, int spared);
/* The child is made: it reads nothing that the copy borrows. */
void exec_copy_part(ExecCopy *copy);
void exec_copy_deinit(ExecCopy *copy);
