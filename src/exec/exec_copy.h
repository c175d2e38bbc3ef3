/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A child's own copy of its request
 *
 * A request borrows from the settings of a unit, which may change or be freed
 * before the child executes its program. So the child gets a copy, with strings
 * and descriptors of its own.
 */

#include "basic/arena.h"
#include "exec/exec_child.h"
#include "unit/exec_terms.h"

typedef struct ExecCopy {
        ExecRequest request;
        ExecTerms terms;                /* of .request, if it has any */
        Arena strings;                  /* owned: of .request, of the places, and of exec_copy_own_strv() */
        int *fds;                       /* owned, and open: the descriptors of the places */
        size_t n_fds;
} ExecCopy;

/*
 * Copies a request to @copy, which is zeroed or cleared. Until exec_copy_part() the copy also borrows what only the
 * preparation of the child needs: words of the command, variables, paths of the sandbox. 0 or -ENOMEM.
 */
int exec_copy_make(const ExecRequest *request, ExecCopy *copy);
/* Copies a list of strings. *ret_strv is borrowed from the copy. 0 or -ENOMEM. */
int exec_copy_own_strv(ExecCopy *copy, char *const *strv, char ***ret_strv);
/* Duplicates the strings of the places and their descriptors, except for @spared: 0, -ENOMEM, or -errno. */
int exec_copy_own_places(ExecCopy *copy, ExecPlace *places, size_t n, int spared);
/* To be called when the child has been made: clears all that the copy borrows, which the child does not read. */
void exec_copy_part(ExecCopy *copy);
/* Frees what the copy owns, except for the memory of its strings: the next exec_copy_make() uses it. */
void exec_copy_clear(ExecCopy *copy);
void exec_copy_deinit(ExecCopy *copy);
