/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * System call filters, as programs that the kernel runs
 *
 * To make one takes a millisecond or two, so those that were made are kept:
 * units that say the same, and all processes of a unit, share them.
 */

#include <linux/filter.h>
#include <stddef.h>

#include "unit/exec_terms.h"

#define EXEC_FILTER_PROGRAMS_MAX 48

/* The programs in the order in which they are to be loaded: the one that could deny to load others is the last. */
typedef struct ExecPrograms {
        struct sock_fprog programs[EXEC_FILTER_PROGRAMS_MAX];
        size_t n;
        unsigned n_users;
} ExecPrograms;

/*
 * Those for @filter (NULL: only @denied, ExecDenied) of a process with @personality. *ret_programs is NULL if there is
 * nothing to filter; else it is to be given back. -EOPNOTSUPP if jobd was built without libseccomp, -ENOMEM, or what
 * libseccomp says.
 */
int exec_programs_get(const ExecFilter *filter, unsigned denied, unsigned long personality,
                      const ExecPrograms **ret_programs);
void exec_programs_give_back(const ExecPrograms *programs);
