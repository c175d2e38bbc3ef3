/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A table of verbs
 *
 * One row is all that a verb needs to be found, checked, described and
 * completed. The verbs themselves, and the one table, are in verbs.h.
 */

#include <limits.h>
#include <stdio.h>

#include "jobctl/jobctl.h"

#define VERB_ANY UINT_MAX

struct Verb {
        const char *name;               /* NULL: a heading of the help text, in .help */
        const char *arguments;          /* for the help text */
        unsigned min, max;              /* number of words after it */
        int (*run)(Jobctl *ctl, char *const *words);
        const char *help;
        const char *job_type;           /* for requests: the type of their jobs */
        const char *unit;               /* for requests without words: their unit … */
        const char *job_mode;           /* … and their mode */
        bool is_shared;                 /* systemctl has it: exit statuses are the same */
        bool is_offline;                /* needs no connection */
};

struct VerbTable {
        const Verb *rows;               /* static */
        size_t n;
};

const Verb *verb_find(const VerbTable *table, const char *name);        /* or NULL */

/* Reports that there is no such verb, and the nearest one. Returns EXIT_USAGE. */
int verb_complain(Jobctl *ctl, const char *name);

/* NULL @verb: all of the table. */
void verb_print_help(FILE *stream, const VerbTable *table, const Verb *verb);
