/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Options as a table
 *
 * Each row has the names of an option, the place of its value, and its help
 * line; parsing, --help and the hint for a misspelt option use it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum OptionKind {
        OPTION_FLAG,            /* a bool */
        OPTION_COUNT,           /* the number of occurrences */
        OPTION_STRING,          /* a borrowed string */
        OPTION_LIST,            /* a list: may be given several times, separated by commas */
        OPTION_ARRAY,           /* a list: may be given several times; each item gets the option's prefix */
} OptionKind;

typedef struct Option {
        const char *name;
        char letter;            /* 0: none */
        OptionKind kind;
        size_t offset;          /* the place of the value in the options */
        const char *argument;   /* the name of the argument in --help */
        const char *help;       /* NULL: an alias, not shown */
        const char *prefix;     /* put in front of the items of an OPTION_ARRAY */
        size_t with;            /* the place of a bool that is set, too; 0: none */
} Option;

typedef struct OptionTable {
        const Option *rows;
        size_t n;
        const char *help;               /* the reference for help: "jobctl --help" */
        bool stops_at_word;             /* words after the first one are not options of this table */
        const char *raw_after;          /* the same if the first word is this; NULL: none */
} OptionTable;

/*
 * Splits @argv into @options and words; "--" ends the options. 0, -ENOMEM, or -EINVAL with *ret_complaint: a sentence
 * that names the option and the nearest existing one. Strings are borrowed, lists are owned.
 */
int option_table_parse(const OptionTable *table, void *options, char *const *argv, char ***ret_words,
                       char **ret_complaint);

/* Prints the lines of --help. */
void option_table_print_help(const OptionTable *table, FILE *stream);
