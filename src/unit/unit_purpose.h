/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Words for processes and timers: the purpose of one, and how a process ended
 */

#include <sys/types.h>

#include "basic/usec.h"

typedef enum UnitPurpose {
        UNIT_PURPOSE_MAIN,              /* the main process */
        UNIT_PURPOSE_CONTROL,           /* a helper process: start-pre, reload, stop, … */
        UNIT_PURPOSE_STATE_LIMIT,       /* timer: time limit of the present sub-state */
        UNIT_PURPOSE_RESTART,           /* timer: start again */
        UNIT_PURPOSE_RUNTIME_LIMIT,     /* timer: RuntimeMaxSec */
        UNIT_PURPOSE_WATCHDOG,          /* timer: WatchdogSec */
        UNIT_PURPOSE_PIDFILE,           /* poll or watch for the PID file */
        UNIT_PURPOSE_ELAPSE,            /* timer: what a timer is there for */
        /* A process that looks whether the unit is well; timer: its limit, or the next one. */
        UNIT_PURPOSE_PROBE,
        UNIT_PURPOSE_IDLE,              /* timer: look again whether other jobs run */
        UNIT_PURPOSE_HEALTHY,           /* timer: it has run so long that earlier failures don't count any more */
        _UNIT_PURPOSE_MAX,
} UnitPurpose;

/* One exit of a process, however it was learned. */
typedef struct UnitExit {
        pid_t pid;
        int code;                       /* CLD_EXITED, CLD_KILLED, CLD_DUMPED */
        int status;                     /* exit status or signal */
        usec_t time;                    /* monotonic */
} UnitExit;
