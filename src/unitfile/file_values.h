/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The assignments of a unit's files, kept to describe the changes of a reload
 *
 * Every unit has them and few ever use them, so they are packed: a directive
 * is a number, and a value equal to that of the line before is omitted,
 * because After= often repeats Requires= or Wants=.
 */

#include "basic/text.h"
#include "unitfile/directive.h"

typedef struct FileValues {
        Text packed;
        size_t value;                   /* offset of the last value … */
        size_t n_value;                 /* … and its length */
        uint64_t header;                /* hash of the present header; 0: the unit's own section */
} FileValues;

static inline void file_values_deinit(FileValues *values) {
        text_deinit(&values->packed);
}

/* The next assignments, if any, belong to an instance of a section, "Node a"; NULL: to the unit. */
void file_values_enter(FileValues *values, const char *header);
void file_values_add(FileValues *values, const Directive *directive, const char *value);

/* Returns the packed string, NULL if there are no assignments: 0, or -ENOMEM, also from an earlier call. */
int file_values_finish(FileValues *values, char **ret_packed);

/* Unpacks to "Restart=no\n[Node a] User=b\n[Node c]\n…"; @packed may be NULL. 0 or -ENOMEM. */
int file_values_unpack(const char *packed, char **ret_text);
