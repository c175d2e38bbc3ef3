/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * NotifyFd= of a service: readiness by a newline on a descriptor
 */

#include "exec/exec.h"
#include "unit/unit.h"

/* The number of the channel among the descriptors that the host watches for the service; stored ones come after it. */
#define SERVICE_CHANNEL_INDEX 0U

typedef struct ServiceChannel {
        bool is_open;                   /* NotifyFd= is being listened to */
        int fd;                         /* owned; -1: not taken over yet */
} ServiceChannel;

typedef enum ServiceChannelOutcome {
        SERVICE_CHANNEL_NOTHING,
        SERVICE_CHANNEL_READY,
        SERVICE_CHANNEL_BROKEN,         /* closed or filled without a newline; the failure is noted */
} ServiceChannelOutcome;

int service_open_channel(Unit *unit, ExecRequest *request);     /* adds the other end to @request */
void service_close_channel(Unit *unit);
ServiceChannelOutcome service_hear_channel(Unit *unit);         /* called when the descriptor is ready */
void service_resume_channel(Unit *unit);
