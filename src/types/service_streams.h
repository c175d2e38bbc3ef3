/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Standard streams of a service given by a client
 */

#include "exec/exec.h"
#include "unit/unit.h"

typedef struct ServiceStreams {
        int fds[UNIT_STREAMS];          /* owned; -1: not given, or lost */
        uint8_t mask;                   /* which are given */
} ServiceStreams;

/* as UnitVTable */
int service_give_streams(Unit *unit, const int fds[static UNIT_STREAMS], Failure *ret_failure);
void service_close_streams(Unit *unit);
int service_fill_streams(const Unit *unit, ExecRequest *request);         /* 0, or -EBADF if one is lost */
void service_resume_streams(Unit *unit);
