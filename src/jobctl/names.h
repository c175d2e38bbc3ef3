/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of units and jobs as people write them
 */

#include <stdbool.h>
#include <stdint.h>

#include "jobctl/jobctl.h"

bool name_is_pattern(const char *word);                 /* has any of "*?[" */
bool name_is_number(const char *word, uint32_t *ret_number);

/* Adds @suffix (".service") and escapes, as systemctl does; patterns stay. 0, -EINVAL or -ENOMEM. */
int name_mangle(const char *word, const char *suffix, char **ret_name);

/*
 * The units named by @words: mangled, and with patterns replaced by the matching loaded units. 0, an exit status with
 * the reason reported, or < 0.
 */
int names_resolve(Jobctl *ctl, char *const *words, const char *suffix, char ***ret_names);

/* Mangles words that are no patterns: "foo" means foo.service. 0, an exit status with the reason reported, or < 0. */
int names_to_patterns(Jobctl *ctl, char *const *words, char ***ret_patterns);

/* Returns true for a name of a flow or a batch: a unit that has runs. */
bool name_has_runs(const char *name);

/* "service" of "a.service". Borrowed. */
const char *name_type_of(const char *name);

/*
 * Checks the words of --type=, types of units or load states: a wrong word would match nothing, which looks like an
 * answer. 0, or an exit status with the reason reported.
 */
int names_check_types(Jobctl *ctl);

/* The job type for Exec that a word of the command line stands for, or NULL. */
const char *name_request_type(const char *word);
const char *name_request_type_nearest(const char *word);
