/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Where jobctl reads log lines: the files of jobd-log, or the journal
 *
 * Which of the two is asked of the manager; if there is none it is guessed by
 * what there is.
 */

#include "jobctl/jobctl.h"
#include "log/log_reader.h"

typedef struct LogInput LogInput;

/* 0, an exit status if there is no log (said unless @is_quiet), or < 0. */
int log_input_open(Jobctl *ctl, const LogFilter *filter, bool is_quiet, LogInput **ret_input);
LogInput *log_input_free(LogInput *input);
DEFINE_CLEANUP(LogInput, log_input_free)

/* As log_reader_add(), log_reader_next(), log_reader_wait() and log_reader_fd(). */
int log_input_add(LogInput *input, const char *unit, bool with_manager);
int log_input_next(LogInput *input, LogEntry *ret_entry);
int log_input_wait(LogInput *input, usec_t timeout);
int log_input_fd(const LogInput *input);

/* Is there something of these units that may not be read? */
bool log_input_is_denied(const LogInput *input);

/* Of the unit: the last invocation that wrote something: 0, -ENOENT or -errno. */
int log_input_find_invocation(Jobctl *ctl, const char *unit, char ret_invocation[static 33]);
