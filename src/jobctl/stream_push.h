/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * stream push: elements from standard input, and names of streams
 */

#include "jobctl/verbs.h"

/* The name of the stream that a word means, which the caller owns: 0, or an exit status after a message. */
int stream_parse_unit(Jobctl *ctl, const char *word, char **ret_unit);
int stream_push(Jobctl *ctl, char *const *words);
