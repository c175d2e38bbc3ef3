/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The purposes of processes and timers, and the exit of a process
 */

#include <stdbool.h>
#include <sys/types.h>

#include "basic/usec.h"

typedef enum UnitPurpose {
        UNIT_PURPOSE_MAIN, /* the main process */
        UNIT_PURPOSE_CONTROL, /* a helper process: start-pre, reload, stop, … */
        UNIT_PURPOSE_STATE_LIMIT, /* timer: time limit of the present sub-state */
        UNIT_PURPOSE_RESTART, /* timer: start again */
        UNIT_PURPOSE_RUNTIME_LIMIT, /* timer: RuntimeMaxSec */
        UNIT_PURPOSE_WATCHDOG, /* timer: WatchdogSec */
        UNIT_PURPOSE_PIDFILE, /* poll or watch for the PID file */
        UNIT_PURPOSE_ELAPSE, /* timer: the next elapse of a timer unit */
        /* A process that checks the unit's health; timer: its limit, or its next start. */
        UNIT_PURPOSE_PROBE,
        UNIT_PURPOSE_IDLE, /* timer: check again whether other jobs run */
        UNIT_PURPOSE_HEALTHY, /* timer: it has run so long that earlier failures no longer count */
        _UNIT_PURPOSE_MAX,
} UnitPurpose;

/* The exit of a process, from whichever source. */
typedef struct UnitExit {
        pid_t pid;
        int code; /* CLD_EXITED, CLD_KILLED, CLD_DUMPED */
        int status; /* exit status or signal */
        usec_t time; /* monotonic */
        bool is_lost; /* nobody knows how it ended: the two above are made up, and say that it was killed */
        bool is_unseen; /* it ended as the child of another program: they are made up, and say that it went well */
} UnitExit;

static inline bool unit_exit_is_known(const UnitExit *exit) {
        return !exit->is_lost && !exit->is_unseen;
}
