/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The assignments of a unit's files, kept to describe the changes of a reload
 *
 * Every unit keeps them and few ever need them, so they are packed: a directive
 * is a number, and a value equal to that of the line before is left out, as
 * After= often repeats Requires= or Wants=.
 */

#include "basic/text.h"
#include "unitfile/directive.h"

typedef struct FileValues {
        Text packed;
        size_t value;                   /* where the last value begins … */
        size_t n_value;                 /* … and its length */
        uint64_t header;                /* a hash of the present header; 0: assignments are the unit's own */
} FileValues;

static inline void file_values_deinit(FileValues *values) {
        text_deinit(&values->packed);
}

/* Assignments from here on are of that instance of a section, "Node a"; NULL: of the unit. */
void file_values_enter(FileValues *values, const char *header);
void file_values_add(FileValues *values, const Directive *directive, const char *value);

/* Hands the packed string over, NULL if there are no assignments: 0, or -ENOMEM, also for an earlier one. */
int file_values_finish(FileValues *values, char **ret_packed);

/* "Restart=no\n[Node a] User=b\n…"; @packed may be NULL. 0 or -ENOMEM. */
int file_values_unpack(const char *packed, char **ret_text);
