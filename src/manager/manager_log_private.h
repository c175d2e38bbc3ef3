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

/* Our end of a stream of jobd-log. */
typedef struct ManagerStream {
        int fd;                         /* owned: the reading end, so that what is in it stays; -1: there is none */
        char *path;                     /* owned */
        Unit *unit;                     /* borrowed: whose it is, as long as that is loaded */
        uint32_t n_opening;             /* processes on their way that will open it */
} ManagerStream;

struct ManagerLog {
        sd_event *event;                /* borrowed */
        const ProcessKeeper *keeper;    /* borrowed */
        bool is_ending;                 /* jobd-log is not started again */
        ManagerLogKind kind;            /* never MANAGER_LOG_AUTO */
        ManagerOutput default_output;
        bool exports_units;             /* journald is told of units: manager_journal_add_unit() */
        LogSettings settings;
        char *program;                  /* owned: jobd-log */
        char *folder;                   /* owned: of the streams */

        bool is_open;                   /* the following are there */
        LogTable table;
        VECTOR(ManagerStream) streams;  /* by number */
        IdMap by_unit;                  /* number + 1 of a unit's stream, by index + 1 of the unit */
        uint32_t n_restored;            /* the first ones are of a core before us */
        uint32_t hand;                  /* where the last free stream was found */
        uint32_t own;                   /* for our own lines; UINT32_MAX: none */
        int own_fd;                     /* owned: its writing end */
        int stage_fd, control_fd, alive_fd;     /* owned */
        sd_event_source *alive_source;  /* owned: tells that jobd-log has died */
        sd_event_source *process_source;        /* owned: the same of one that we have started */
        sd_event_source *retry_source;  /* owned */
        usec_t last_start;              /* monotonic */
        unsigned n_starts;              /* that came to nothing */
        bool has_failed;                /* it could not be started at all */
        bool has_news;                  /* jobd-log is to be told of streams */
};

/* Sees to it that there are streams, and a jobd-log that reads them: 0 or -errno. */
int manager_log_serve(ManagerLog *log);

/* Settings of the unit for its lines; borrowed, never NULL. */
const ExecRareSettings *manager_log_rare(const Unit *unit);

/* May the names in journald's folder of units be ours? */
bool manager_journal_is_ours(void);

/* A new stream, which is not given to a unit yet. -ENOBUFS: there are as many as can be. */
int manager_log_add_stream(ManagerLog *log, uint32_t *ret_number);
