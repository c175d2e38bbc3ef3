/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The source of log lines: the files of jobd-log, or the journal
 *
 * The manager tells which of the two; without a manager the existing one is
 * used.
 */

#include "jobctl/jobctl.h"
#include "log/log_reader.h"

typedef struct LogInput LogInput;

/* 0, an exit status if there is no log (reported unless @is_quiet), or < 0. */
int log_input_open(Jobctl *ctl, const LogFilter *filter, bool is_quiet, LogInput **ret_input);
LogInput *log_input_free(LogInput *input);
DEFINE_CLEANUP(LogInput, log_input_free)

/* As log_reader_add(), log_reader_next(), log_reader_wait() and log_reader_fd(). */
int log_input_add(LogInput *input, const char *unit, bool with_manager);
int log_input_next(LogInput *input, LogEntry *ret_entry);
int log_input_wait(LogInput *input, usec_t timeout);
int log_input_fd(const LogInput *input);

/* The default destination of a unit's output: "journal", "inherit" or "null"; "journal" without a manager. */
const char *log_input_default_output(const LogInput *input);

/* Whether some lines of these units could not be read for lack of permission. */
bool log_input_is_denied(const LogInput *input);

/* The last invocation of the unit with output: 0, -ENOENT or -errno. */
int log_input_find_invocation(Jobctl *ctl, const char *unit, char ret_invocation[static 33]);
