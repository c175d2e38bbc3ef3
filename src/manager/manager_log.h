/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Where the output of units goes, and who takes it there
 *
 * To journald where that runs, else to jobd-log, which is started when it is
 * needed for the first time, and again when it has died; else where ours goes.
 */

#include <stdbool.h>

#include "log/log_table.h"
#include "unit/unit_host.h"

typedef struct Manager Manager;
typedef struct ExecRequest ExecRequest;

/* What has the log. */
typedef enum ManagerLogKind {
        MANAGER_LOG_NONE,               /* there is none: units inherit our output */
        MANAGER_LOG_AUTO,               /* journald if it is there, else jobd-log */
        MANAGER_LOG_JOURNALD,
        MANAGER_LOG_FILES,              /* jobd-log */
} ManagerLogKind;

/* What a unit has that says nothing of its standard output. */
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
} ManagerLogOptions;

typedef struct ManagerLog ManagerLog;

int manager_log_new(Manager *manager, const ManagerLogOptions *options);
void manager_log_free(Manager *manager);

/* After a death: takes over streams and jobd-log, if the one before us had them. */
void manager_log_resume(Manager *manager);

/* Gives @request, which the unit has filled in, the way to its log. Nothing that fails here keeps it from running. */
void manager_log_prepare(Manager *manager, Unit *unit, ExecRequest *request);

/* The process that it is for has this number. */
void manager_log_note_pid(Manager *manager, const ExecRequest *request, UnitPurpose purpose, pid_t pid);

/* It has its program, or there is none. */
void manager_log_spawned(Manager *manager, const ExecRequest *request);

/* At the end of a turn: who reads streams hears of those that were made in it. */
void manager_log_tell_news(Manager *manager);

/* Leaves for journald, where it has the output, what it wants to know of the unit's invocation; and takes it away. */
void manager_journal_add_unit(const Manager *manager, const Unit *unit);
void manager_journal_remove_unit(const Manager *manager, const Unit *unit);

void manager_log_forget_unit(Manager *manager, const Unit *unit);

/* Is it jobd-log? It is a child of ours, and of no unit. */
bool manager_log_is_daemon(const Manager *manager, pid_t pid);

/* "journald", "files" or "none", and of "files" the two folders (the second may be ""). */
const char *manager_log_name(const Manager *manager);
const char *manager_log_default_output(const Manager *manager);         /* "journal", "inherit" or "null" */
const LogSettings *manager_log_settings(const Manager *manager);         /* NULL if it is not ours */
