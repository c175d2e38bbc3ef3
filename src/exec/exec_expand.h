/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Expansion of $VARIABLES in a command line
 *
 * ${NAME} is replaced anywhere; $NAME only as a whole word, where its value is
 * split at white space (outside of quotes) into any number of words; $$ is a
 * dollar sign. Unset variables are empty.
 */

/* The expanded copy of @argv: 0 or -ENOMEM. argv[0] is always one word. */
int exec_expand_argv(char *const *argv, char *const *environment, char ***ret_argv);
