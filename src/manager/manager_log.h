/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Where the output of units goes, and what takes it there
 *
 * To journald where that runs, else to jobd-log, which is started when it is
 * needed for the first time, and again when it has died; else where ours goes.
 */

#include <stdbool.h>

#include "log/log_table.h"
#include "unit/unit_host.h"

typedef struct sd_event sd_event;
typedef struct ExecRequest ExecRequest;
typedef struct ProcessKeeper ProcessKeeper;

/* The keeper of the log. */
typedef enum ManagerLogKind {
        MANAGER_LOG_NONE,               /* there is none: units inherit our output */
        MANAGER_LOG_AUTO,               /* journald if it is there, else jobd-log */
        MANAGER_LOG_JOURNALD,
        MANAGER_LOG_FILES,              /* jobd-log */
} ManagerLogKind;

/* Standard output of a unit that does not set it. */
typedef enum ManagerOutput {
        MANAGER_OUTPUT_INHERIT,
        MANAGER_OUTPUT_NULL,
        MANAGER_OUTPUT_LOG,
} ManagerOutput;

typedef struct ManagerLogOptions {
        ManagerLogKind kind;
        ManagerOutput default_output;
        const LogSettings *settings;    /* borrowed by manager_new(), which copies it; NULL with MANAGER_LOG_NONE */
        const char *program;            /* jobd-log; copied */
        bool is_user;                   /* the manager is: journald asks that of the system only */
} ManagerLogOptions;

typedef struct ManagerLog ManagerLog;

/* NULL, if there is nothing to do: all functions take that. @keeper is borrowed. 0 or -ENOMEM. */
int manager_log_new(ManagerLog **ret_log, const ManagerLogOptions *options, sd_event *event,
                    const ProcessKeeper *keeper, const char *runtime_directory);
/* @is_done: there is no successor, and what was made for streams goes. */
ManagerLog *manager_log_free(ManagerLog *log, bool is_done);
/* Processes are ended: jobd-log is not started again. */
void manager_log_end(ManagerLog *log);

/* After a death: takes over streams and jobd-log, if the manager before us had them. */
void manager_log_resume(ManagerLog *log);

/* Gives @request, which the unit has filled in, the way to its log. No failure here keeps the process from running. */
void manager_log_prepare(ManagerLog *log, Unit *unit, ExecRequest *request);

/* The process of @request has this pid. */
void manager_log_note_pid(ManagerLog *log, const ExecRequest *request, UnitPurpose purpose, pid_t pid);

/* The process of @request has its program, or there is none. */
void manager_log_spawned(ManagerLog *log, const ExecRequest *request);

/* At the end of a turn: jobd-log is told of streams that were made in it. */
void manager_log_tell_news(ManagerLog *log);

/* Leaves for journald, where that has the output, what it wants to know of the unit's invocation; and takes it away. */
void manager_journal_add_unit(const ManagerLog *log, const Unit *unit);
void manager_journal_remove_unit(const ManagerLog *log, const Unit *unit);

void manager_log_forget_unit(ManagerLog *log, const Unit *unit);

/* Is it jobd-log? That is a child of ours, and of no unit. */
bool manager_log_is_daemon(const ManagerLog *log, pid_t pid);

/* "journald", "files" or "none", and of "files" the two folders (the second may be ""). */
const char *manager_log_name(const ManagerLog *log);
const char *manager_log_default_output(const ManagerLog *log);         /* "journal", "inherit" or "null" */
const LogSettings *manager_log_settings(const ManagerLog *log);         /* NULL if it is not ours */
