/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Options as a table
 *
 * Each row has an option's names, where its value goes, and its help line;
 * parsing, --help and the hint for a misspelt one come from it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum OptionKind {
        OPTION_FLAG,            /* a bool */
        OPTION_COUNT,           /* how often it was given */
        OPTION_STRING,          /* a borrowed string */
        OPTION_LIST,            /* a list: may be given several times, and with commas */
        OPTION_ARRAY,           /* a list: may be given several times, with the option's prefix in front */
} OptionKind;

typedef struct Option {
        const char *name;
        char letter;            /* 0: none */
        OptionKind kind;
        size_t offset;          /* in the options: where its value goes */
        const char *argument;   /* its name in --help */
        const char *help;       /* NULL: an alias, not shown */
        const char *prefix;     /* of an array */
        size_t with;            /* a bool in them that it sets, too; 0: none */
} Option;

typedef struct OptionTable {
        const Option *rows;
        size_t n;
        const char *help;               /* what to look at: "jobctl --help" */
        bool stops_at_word;             /* what follows the first word is that one's own */
        const char *raw_after;          /* the same if the first word is this one; NULL: none */
} OptionTable;

/*
 * Sorts @argv into @options and words; "--" ends the options. 0, -ENOMEM, or -EINVAL with *ret_complaint: a sentence
 * that names the option and the nearest one there is. Strings are borrowed, lists are not.
 */
int option_table_parse(const OptionTable *table, void *options, char *const *argv, char ***ret_words,
                       char **ret_complaint);

/* The lines of --help. */
void option_table_print_help(const OptionTable *table, FILE *stream);
