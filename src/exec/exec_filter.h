/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * System call filters, as programs that the kernel runs
 *
 * Making one takes a millisecond or two, so they are cached: units with equal
 * settings, and all processes of a unit, share them.
 */

#include <linux/filter.h>
#include <stddef.h>

#include "unit/exec_terms.h"

#define EXEC_FILTER_PROGRAMS_MAX 48

/* The programs in loading order: one that could deny the loading of others comes last. */
typedef struct ExecPrograms {
        struct sock_fprog programs[EXEC_FILTER_PROGRAMS_MAX];
        size_t n;
        unsigned n_users;
} ExecPrograms;

/*
 * The programs for @filter (NULL: only @denied, ExecDenied) of a process with @personality. *ret_programs is NULL if
 * there is nothing to filter; otherwise it must be released. -EOPNOTSUPP if jobd was built without libseccomp, -ENOMEM,
 * or libseccomp's error.
 */
int exec_programs_get(const ExecFilter *filter, unsigned denied, unsigned long personality,
                      const ExecPrograms **ret_programs);
void exec_programs_give_back(const ExecPrograms *programs);
