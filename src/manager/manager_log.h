/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The output of units, and the process that reads it
 *
 * Output goes to journald if that runs, otherwise to jobd-log, which is
 * started when it is first needed and restarted when it has died; without
 * either, to the manager's own output.
 */

#include <stdbool.h>

#include "log/log_table.h"
#include "unit/unit_host.h"

typedef struct sd_event sd_event;
typedef struct ExecRequest ExecRequest;
typedef struct ProcessKeeper ProcessKeeper;

/* The destination of the log. */
typedef enum ManagerLogKind {
        MANAGER_LOG_NONE, /* none: units inherit the manager's output */
        MANAGER_LOG_AUTO, /* journald if it runs, else jobd-log */
        MANAGER_LOG_JOURNALD,
        MANAGER_LOG_FILES, /* jobd-log */
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
        const LogSettings *settings; /* borrowed by manager_new(), which copies it; NULL with MANAGER_LOG_NONE */
        const char *program; /* jobd-log; copied */
        bool is_user; /* a user manager: only the system's exports to journald */
} ManagerLogOptions;

typedef struct ManagerLog ManagerLog;

/* *ret_log is NULL, which all functions accept, if there is nothing to do. @keeper is borrowed. 0 or -ENOMEM. */
int manager_log_new(ManagerLog **ret_log, const ManagerLogOptions *options, sd_event *event,
                    const ProcessKeeper *keeper, const char *runtime_directory);
/* @is_done: there is no next core, so the files of streams are removed. */
ManagerLog *manager_log_free(ManagerLog *log, bool is_done);
/* All processes are being ended: jobd-log is not restarted. */
void manager_log_end(ManagerLog *log);

/* After a death of core: takes over streams and jobd-log of the earlier core. */
void manager_log_resume(ManagerLog *log);

/*
 * Adds the connection to the log to @request, which the unit has filled in. A failure here does not keep the process
 * from running.
 */
void manager_log_prepare(ManagerLog *log, Unit *unit, ExecRequest *request);

/* An attempt of a flow, which has streams of its own. */
typedef struct ManagerLogAttempt {
        const char *unit; /* the flow */
        const uint8_t *invocation; /* 16 bytes */
        const struct ExecSettings *exec;
        char *const *fields; /* "RUN=7", … */
} ManagerLogAttempt;

/* The same for a process of an attempt. */
void manager_log_prepare_attempt(ManagerLog *log, const ManagerLogAttempt *attempt, ExecRequest *request);

/* Reports the pid of @request's process. */
void manager_log_note_pid(ManagerLog *log, const ExecRequest *request, UnitPurpose purpose, pid_t pid);

/* Reports that the process of @request runs its program, or was not made. */
void manager_log_spawned(ManagerLog *log, const ExecRequest *request);

/* At the end of a turn: announces new streams to jobd-log. */
void manager_log_tell_news(ManagerLog *log);

/* If journald has the output: exports data about the unit's invocation to it, and removes them. */
void manager_journal_add_unit(const ManagerLog *log, const Unit *unit);
void manager_journal_remove_unit(const ManagerLog *log, const Unit *unit);

void manager_log_forget_unit(ManagerLog *log, const Unit *unit);

/* Returns true for jobd-log, which is a child of the manager but of no unit. */
bool manager_log_is_daemon(const ManagerLog *log, pid_t pid);

/* "journald", "files" or "none"; for "files" also the two folders (the second may be ""). */
const char *manager_log_name(const ManagerLog *log);
const char *manager_log_default_output(const ManagerLog *log); /* "journal", "inherit" or "null" */
const LogSettings *manager_log_settings(const ManagerLog *log); /* NULL if jobd-log is not used */
