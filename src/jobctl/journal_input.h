/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The journal, with the interface of the files of jobd-log
 */

#include "log/log_reader.h"

typedef struct JournalInput JournalInput;

int journal_input_new(JournalInput **ret_input, bool is_user, const LogFilter *filter);
JournalInput *journal_input_free(JournalInput *input);
DEFINE_CLEANUP(JournalInput, journal_input_free)

int journal_input_add(JournalInput *input, const char *unit);
int journal_input_next(JournalInput *input, LogEntry *ret_entry);
int journal_input_wait(JournalInput *input, usec_t timeout);
int journal_input_fd(const JournalInput *input);

/* As log_input_find_invocation(). Messages of others about the unit are not part of its invocation. */
int journal_input_find_invocation(bool is_user, const char *unit, char ret_invocation[static 33]);
