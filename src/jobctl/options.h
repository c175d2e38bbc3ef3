/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The options of jobctl
 *
 * One table holds the names of each option, the place of its value, and its
 * help line; parsing, --help and the hint for a misspelt option use it.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct Options {
        bool is_user, is_system;
        const char *socket; /* all strings are borrowed from the command line */

        const char *job_mode;
        bool no_block, wait, detach, dry_run, show_transaction;

        bool all, failed, full, plain, no_legend, no_pager, value, quiet, verbose, json, no_color;
        bool reject;
        bool reverse, before, after;
        char **states; /* owned */
        char **types;
        char **properties;

        unsigned n_force; /* the number of --force options */
        bool watch, strict, with_systemd_units;
        bool follow;
        const char *since, *until, *invocation, *priority, *output;
        const char *signal;
        const char *kill_whom;
        const char *graph;
        const char *unit_path;
        const char *from;
        bool user_column;
        const char *as;
        bool stop, deleted;
        const char *name, *key, *namespace, *reqid, *operator;
        const char *comment;
        bool create;
        const char *first;
        const char *group;
        bool each_line, tsv;
        const char *for_times, *timer, *max_runs;
        const char *iterations, *base_time;

        bool now, runtime, no_reload, from_stdin, show_types;
        const char *root;
        const char *preset_mode;
        const char *drop_in;
        char **what; /* owned */
        const char *lines;

        bool no_ask_password;
        bool help, version;
} Options;

void options_deinit(Options *options);

/*
 * Splits @argv (without the program's name) into options and words; options may be anywhere, "--" ends them. 0,
 * -ENOMEM, or -EINVAL with *ret_complaint: a sentence that names the option and the nearest existing one.
 */
int options_parse(Options *options, char *const *argv, char ***ret_words, char **ret_complaint);

/* Prints the lines of --help. */
void options_print_help(FILE *stream);
