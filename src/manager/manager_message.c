/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages about jobs in the log
 *
 * One line when a job begins to run and one when it ends, with systemd's
 * wording. Each half of a job is logged once, however often the job changes.
 */

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_message.h"

static const char *const begin_messages[_JOB_TYPE_MAX_MERGING] = {
        [JOB_START] = "Starting %s…",
        [JOB_STOP] = "Stopping %s…",
        [JOB_RELOAD] = "Reloading %s…",
};

static const char *const start_messages[_JOB_RESULT_MAX] = {
        [JOB_DONE] = "Started %s.",
        [JOB_TIMEOUT] = "Timed out starting %s",
        [JOB_FAILED] = "Failed to start %s",
        [JOB_DEPENDENCY] = "Dependency failed for %s",
        [JOB_SKIPPED] = "Skipped %s",
        [JOB_ASSERT] = "Assertion failed for %s",
        [JOB_UNSUPPORTED] = "Starting of %s is not supported",
        [JOB_COLLECTED] = "Unit %s is gone",
        [JOB_ONCE] = "%s was started already, and can be started only once",
};

static const char *const stop_messages[_JOB_RESULT_MAX] = {
        [JOB_DONE] = "Stopped %s.",
        [JOB_FAILED] = "Stopped (with error) %s",
        [JOB_TIMEOUT] = "Timed out stopping %s",
};

static const char *const reload_messages[_JOB_RESULT_MAX] = {
        [JOB_DONE] = "Reloaded %s.",
        [JOB_FAILED] = "Reload failed for %s",
        [JOB_TIMEOUT] = "Timed out reloading %s",
};

static bool is_task(const Unit *unit) {
        return unit->vtable->is_task && unit->vtable->is_task(unit);
}

/* "foo.service - Foo Daemon", or the id alone. */
static void describe(const Unit *unit, char *buffer, size_t size) {
        if (unit->settings.description && strcmp(unit->settings.description, unit->id) != 0)
                snprintf(buffer, size, "%s - %s", unit->id, unit->settings.description);
        else
                snprintf(buffer, size, "%s", unit->id);
}

static bool is_skipped(const JobInfo *job) {
        return job->run_type == JOB_START && job->result == JOB_DONE && job->unit->condition_result < 0 &&
               unit_state_is_inactive_or_failed(job->unit->active_state);
}

static const char *find_end_message(const JobInfo *job) {
        const bool is_target = job->unit->vtable->is_milestone;

        switch (job->run_type) {
        case JOB_START:
                if (is_skipped(job))
                        return "%s was skipped because of an unmet condition";
                if (job->result == JOB_DONE && is_target)
                        return "Reached target %s.";
                if (job->result == JOB_DONE && is_task(job->unit))
                        return "Finished %s.";
                return start_messages[job->result];
        case JOB_STOP:
                return job->result == JOB_DONE && is_target ? "Stopped target %s." : stop_messages[job->result];
        case JOB_RELOAD:
                return reload_messages[job->result];
        case JOB_VERIFY_ACTIVE:
        case JOB_RESTART:
        case JOB_NOP:
        case JOB_TRY_RESTART:
        case JOB_TRY_RELOAD:
        case JOB_RELOAD_OR_START:
        case _JOB_TYPE_MAX:
        case _JOB_TYPE_INVALID:
                return NULL;
        }
        return NULL;
}

static void log_message(LogLevel level, const Unit *unit, const char *message, const char *cause) {
        char name[512], line[768];

        if (!message)
                return;

        describe(unit, name, sizeof(name));
        snprintf(line, sizeof(line), message, name);
        if (cause && !strchr(message, '.'))
                log_write(level, NULL, "%s: %s", line, cause);
        else
                log_write(level, NULL, "%s%s", line, strchr(message, '.') || strstr(message, "…") ? "" : ".");
}

/* A job has changed: logs the start of the job, or of its second half. */
static void log_progress(ManagerUnits *rows, const JobInfo *job) {
        ManagerUnit *row = manager_units_of(rows, job->unit);

        if (!row || job->run_type >= _JOB_TYPE_MAX_MERGING)
                return;
        if (row->told_job == job->id && row->told_run == JOB_STOP && job->run_type == JOB_START) {
                row->told_job = JOB_ID_NONE;
                log_message(LOG_LEVEL_INFO, job->unit, stop_messages[JOB_DONE], NULL);
        }
        if (job->state != JOB_RUNNING || job->unit->vtable->is_milestone ||
            (row->told_job == job->id && row->told_run == (int) job->run_type))
                return;
        row->told_job = job->id;
        row->told_run = (int8_t) job->run_type;
        if (begin_messages[job->run_type])
                log_message(LOG_LEVEL_INFO, job->unit, begin_messages[job->run_type], NULL);
}

/* Neither a start of an active unit is logged, nor the end of an absorbed id. */
static bool is_news(const ManagerUnit *row, const JobInfo *job, usec_t now) {
        if (row->told_end_at == now && row->told_end == (int) job->result)
                return false;
        return job->result != JOB_DONE || job->unit->condition_result < 0 ||
               job->unit->state_change.monotonic >= job->installed_at;
}

static void log_end(ManagerUnits *rows, const JobEvent *event, LogLevel level, usec_t now) {
        const JobInfo *job = &event->job;
        char buffer[JOB_EVENT_CAUSE_MAX], unmet[256];
        const char *cause = NULL;
        ManagerUnit *row = manager_units_of(rows, job->unit);
        const char *message = (unsigned) job->result < _JOB_RESULT_MAX ? find_end_message(job) : NULL;

        if (!message || !row || !is_news(row, job, now))
                return;
        if (row->told_job == job->id)
                row->told_job = JOB_ID_NONE;
        row->told_end = (int8_t) job->result;
        row->told_end_at = now;
        if (job->result == JOB_ASSERT || is_skipped(job))
                cause = unit_list_unmet(job->unit, unmet, sizeof(unmet));
        else if (level != LOG_LEVEL_INFO)
                cause = job_event_cause(event, buffer);
        log_message(level, job->unit, message, cause);
}

static LogLevel level_of_end(const JobInfo *job) {
        return job->result == JOB_DONE || job->result == JOB_SKIPPED ? LOG_LEVEL_INFO : LOG_LEVEL_ERROR;
}

/* Nothing is stored for a message that is not shown, which would access each unit of a large transaction again. */
void manager_message_tell(ManagerUnits *rows, const JobEvent *event, usec_t now) {
        switch (event->kind) {
        case JOB_EVENT_INSTALLED:
                break;
        case JOB_EVENT_CHANGED:
                if (event->job.unit && log_shows(LOG_LEVEL_INFO))
                        log_progress(rows, &event->job);
                break;
        case JOB_EVENT_FINISHED:
                if (event->job.unit && log_shows(level_of_end(&event->job)))
                        log_end(rows, event, level_of_end(&event->job), now);
                break;
        case JOB_EVENT_REFUSED:
                log_warning("%s%s%s", event->cause ?: "", event->cause ? ": " : "", failure_message(event->failure));
                break;
        case JOB_EVENT_CYCLE_BROKEN:
                log_warning("%s", failure_message(event->failure));
                break;
        }
}
