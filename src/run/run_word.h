/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * %{…}: values of a run in the words of a command
 *
 * A word, split and with its specifiers (%i) replaced, may have references of
 * run_value.h in it: "--out=%{param.folder}/%{item}". %%{ stands for %{, so it
 * must be left when specifiers are replaced; any other '%' is itself. There
 * are no expressions in a word: what needs one, a node computes.
 *
 * A word stays one word, whatever the values are: blanks, quotes, line breaks
 * and %{ in a value are text, and nobody reads it again. A value becomes
 *
 *     a string               its characters, without quotes
 *     a number               as it was written, 1e3 or 1000
 *     true, false            true, false
 *     an object, an array    compact JSON, as json_write.h has it
 *     null                   nothing, as an unset ${VARIABLE} of a service
 *
 * so that a word may be empty. Who cannot do without a value asks for it in
 * When= or names it in Inputs=.
 */

#include "run/run_value.h"

#define RUN_WORD_MAX 131071U            /* bytes that the kernel takes as one argument, with 4 KiB a page */

typedef struct RunWord RunWord;

/* 0, -ENOMEM, or -EINVAL with a sentence that names the column in *ret_problem, which the caller owns. */
int run_word_parse(const char *text, RunWord **ret_word, char **ret_problem);
RunWord *run_word_free(RunWord *word);  /* accepts NULL, returns NULL */
DEFINE_CLEANUP(RunWord, run_word_free)

/* How many references it has, and each of them. */
size_t run_word_count(const RunWord *word);
const RunReference *run_word_reference(const RunWord *word, size_t i);

/*
 * The word with all values. 0; -EINVAL for a string with a NUL byte, and -EFBIG for a value that is too large to be
 * looked at or makes the word longer than RUN_WORD_MAX, both with a sentence in *ret_problem, which the caller owns;
 * -ENOMEM.
 */
int run_word_substitute(const RunWord *word, const RunScope *scope, char **ret_string, char **ret_problem);
