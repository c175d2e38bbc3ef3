/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Timers of owners: one a purpose
 */

#include <stddef.h>

#include "basic/macro.h"
#include "basic/record.h"
#include "process/process_owner.h"

typedef struct ProcessTimers ProcessTimers;

int process_timers_new(ProcessTimers **ret_timers);
ProcessTimers *process_timers_free(ProcessTimers *timers);      /* no owner has any */

/* Sets, moves or (USEC_INFINITY) clears the timer of (@owner, @purpose): 0 or -ENOMEM. */
int process_timers_set(ProcessTimers *timers, ProcessOwner *owner, UnitPurpose purpose, usec_t deadline);
bool process_timers_has(const ProcessOwner *owner, UnitPurpose purpose);
void process_timers_forget_owner(ProcessTimers *timers, ProcessOwner *owner);

size_t process_timers_count(const ProcessTimers *timers);
usec_t process_timers_next(const ProcessTimers *timers);        /* the first deadline, or USEC_INFINITY */
/*
 * Tells the owners of timers that have elapsed by @now; of a crowd only the first, so that other things have their
 * turn.
 */
void process_timers_run(ProcessTimers *timers, usec_t now);

/* In the record of @owner; reading: 0, -ENOMEM, or the reader has failed. Without an owner what is read is dropped. */
void process_timers_write(const ProcessOwner *owner, RecordWriter *writer);
int process_timers_read(ProcessTimers *timers, ProcessOwner *owner, RecordReader *reader);
