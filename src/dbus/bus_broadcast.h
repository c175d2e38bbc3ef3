/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Signals as messages
 */

#include "dbus/bus_table.h"

typedef enum BusNoticeKind {
        BUS_NOTICE_NONE,                /* taken back */
        BUS_NOTICE_UNIT_NEW,
        BUS_NOTICE_UNIT_REMOVED,
        BUS_NOTICE_JOB_NEW,
        BUS_NOTICE_JOB_REMOVED,
        BUS_NOTICE_RELOADING,
        BUS_NOTICE_UNIT_FILES_CHANGED,
        BUS_NOTICE_STARTUP_FINISHED,
        BUS_NOTICE_REQUEST_STOP,
} BusNoticeKind;

struct BusNotice {
        BusNoticeKind kind;
        bool is_active;                 /* of RELOADING */
        uint32_t id;                    /* of a job */
        JobResult result;
        const char *interface;          /* static; of UNIT_REMOVED: that of its type, or NULL */
        uint32_t index;                 /* of the unit, while that is there */
        const char *unit;               /* its name, or ""; in BusSignals.names */
};

/*
 * Each puts the signal into the outbox once for every peer that listens, in the dialects that it hears. @only_job: nothing
 * of the unit has changed but its job.
 */
void bus_broadcast_notice(Bus *bus, const struct BusNotice *notice);
void bus_broadcast_unit_changes(Bus *bus, Unit *unit, bool only_job);
void bus_broadcast_job_changes(Bus *bus, const JobInfo *job);
