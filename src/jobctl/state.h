/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The appearance of states: colours, dots and times
 */

#include "basic/usec.h"
#include "jobctl/terminal.h"

/* The colour of an active state, load state, sub-state or result. */
TerminalColor state_color(const char *state);

/* "●" or another dot for an active state; "*" without UTF-8. */
const char *state_dot(const Terminal *terminal, const char *active_state);

/* "Fri 2024-11-22 08:49:01 UTC; 5min ago"; returns @buffer, "" for 0. */
#define STATE_TIME_MAX 128
const char *state_format_time(usec_t realtime, usec_t now, char buffer[static STATE_TIME_MAX]);
/* A span for people: without fractions of a second above a second, and never below a millisecond. */
const char *state_format_span(usec_t span, char buffer[static USEC_FORMAT_MAX]);

/* The date alone. */
const char *state_format_date(usec_t realtime, char buffer[static STATE_TIME_MAX]);
