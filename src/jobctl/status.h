/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Functions that the files of "status" share
 */

#include "jobctl/jobctl.h"

#define STATUS_LABEL_WIDTH 11
#define STATUS_INDENT (STATUS_LABEL_WIDTH + 2)

void status_print_label(const char *label);
void status_print_line(const char *label, const char *text);    /* prints nothing if @text is "" */

/* Tasks, memory, CPU time, the control group and the processes in it. */
void status_print_group(Jobctl *ctl, const json_t *unit);

/* For JSON: adds the same processes as "Processes" to the unit's properties. 0 or -ENOMEM. */
int status_add_processes(Jobctl *ctl, json_t *unit);

/* Of a flow: its runs that live, and the last ones that have ended, a line each. */
void status_print_runs(Jobctl *ctl, const json_t *unit);
/* For JSON: adds the latter as "LastRuns". 0 or -ENOMEM. */
int status_add_runs(Jobctl *ctl, json_t *unit);

/* Prints the state of the manager. Returns an exit status, or < 0. */
int status_manager(Jobctl *ctl);

/* "1.5M"; returns @buffer. */
#define STATUS_BYTES_MAX 32
const char *status_format_bytes(uint64_t bytes, char buffer[static STATUS_BYTES_MAX]);

/* status_log.c: prints the last lines of the unit's log: 0, an exit status, or < 0. */
int status_print_log(Jobctl *ctl, const json_t *unit);
