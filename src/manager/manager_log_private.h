/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The log, for the files of manager_log
 */

#include <systemd/sd-event.h>

#include "basic/id_map.h"
#include "basic/log.h"
#include "basic/vector.h"
#include "process/process_keeper.h"
#include "manager/manager_log.h"
#include "unitfile/exec_settings.h"

#define MANAGER_JOURNAL_SOCKET "/run/systemd/journal/stdout"

/* The manager's end of a stream of jobd-log. */
typedef struct ManagerStream {
        int fd;                         /* owned: reading end, which keeps unread data; -1: none */
        char *path;                     /* owned */
        Unit *unit;                     /* borrowed: its unit, while that is loaded */
        uint32_t n_opening;             /* processes on their way that will open it */
} ManagerStream;

struct ManagerLog {
        sd_event *event;                /* borrowed */
        const ProcessKeeper *keeper;    /* borrowed */
        bool is_ending;                 /* jobd-log is not restarted */
        ManagerLogKind kind;            /* never MANAGER_LOG_AUTO */
        ManagerOutput default_output;
        bool exports_units;             /* export units to journald: manager_journal_add_unit() */
        LogSettings settings;
        char *program;                  /* owned: jobd-log */
        char *folder;                   /* owned: folder of the streams */

        bool is_open;                   /* the following members are valid */
        LogTable table;
        VECTOR(ManagerStream) streams;  /* by number */
        IdMap by_unit;                  /* number + 1 of a unit's stream, by index + 1 of the unit */
        uint32_t n_restored;            /* the first ones are of an earlier core */
        uint32_t hand;                  /* where the last free stream was found */
        uint32_t own;                   /* stream for the manager's own lines; UINT32_MAX: none */
        int own_fd;                     /* owned: writing end of .own */
        int stage_fd, control_fd, alive_fd;     /* owned */
        sd_event_source *alive_source;  /* owned: reports the death of jobd-log */
        sd_event_source *process_source;        /* owned: the same for a jobd-log started by this core */
        sd_event_source *retry_source;  /* owned */
        pid_t started;                  /* jobd-log as started by this core; 0: not, or it has ended */
        usec_t last_start;              /* monotonic */
        unsigned n_starts;              /* failed starts */
        bool has_failed;                /* it could not be started at all */
        bool has_news;                  /* there are streams to announce to jobd-log */
};

/* Ensures that there are streams, and a jobd-log that reads them: 0 or -errno. */
int manager_log_serve(ManagerLog *log);

/* The unit's settings for its lines; borrowed, never NULL. */
const ExecRareSettings *manager_log_rare(const Unit *unit);

/* Returns true if the names in journald's folder of units belong to jobd. */
bool manager_journal_is_ours(void);

/* Makes a new stream without a unit. -ENOBUFS: the limit is reached. */
int manager_log_add_stream(ManagerLog *log, uint32_t *ret_number);
