/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * $VARIABLES in a command line
 *
 * ${NAME} is replaced wherever it stands; $NAME only as a word of its own,
 * where its value is split at white space (quotes kept in mind) into any
 * number of words; $$ is a dollar sign. What is not set is empty.
 */

/* The expanded copy of @argv: 0 or -ENOMEM. argv[0] is always one word. */
int exec_expand_argv(char *const *argv, char *const *environment, char ***ret_argv);
