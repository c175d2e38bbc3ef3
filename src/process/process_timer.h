/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Timers of owners, one for each purpose
 */

#include <stddef.h>

#include "basic/macro.h"
#include "basic/record.h"
#include "process/process_owner.h"

typedef struct ProcessTimers ProcessTimers;

int process_timers_new(ProcessTimers **ret_timers);
ProcessTimers *process_timers_free(ProcessTimers *timers);      /* all owners must have cleared theirs */

/* Sets, moves or (USEC_INFINITY) clears the timer of (@owner, @purpose): 0 or -ENOMEM. */
int process_timers_set(ProcessTimers *timers, ProcessOwner *owner, UnitPurpose purpose, usec_t deadline);
bool process_timers_has(const ProcessOwner *owner, UnitPurpose purpose);
void process_timers_forget_owner(ProcessTimers *timers, ProcessOwner *owner);

size_t process_timers_count(const ProcessTimers *timers);
usec_t process_timers_next(const ProcessTimers *timers);        /* the first deadline, or USEC_INFINITY */
/* Calls the owners of timers that have elapsed by @now, up to a limit for each turn. */
void process_timers_run(ProcessTimers *timers, usec_t now);

/*
 * Writes the timers into the record of @owner, and reads them: 0, -ENOMEM, or the reader's failure. Without an owner
 * the data is skipped.
 */
void process_timers_write(const ProcessOwner *owner, RecordWriter *writer);
int process_timers_read(ProcessTimers *timers, ProcessOwner *owner, RecordReader *reader);
