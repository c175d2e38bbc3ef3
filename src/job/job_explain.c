/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Why: what a job waits for
 *
 * The chain of blockers is followed from job to job until one runs, is paused,
 * or is itself ready. Its length is limited, because a reader gains nothing
 * from a longer one and jobs can wait in a circle until the manager breaks it.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "job/job_explain.h"
#include "job/job_explain_cause.h"

#define CHAIN_MAX 64

static const Unit *unit_of(const JobExplain *explain, const Job *job) {
        return unit_table_at(explain->units, job->unit);
}

static void write_holder(const JobExplain *explain, const Unit *unit) {
        const char *holder = unit ? job_holders_find(&explain->holders, unit) : NULL;

        if (holder)
                sink_entry_string(explain->sink, "held", holder);
}

/* The jobs that must end before @job is dispatched, and how each is related. */
static const Job *find_blocker(const JobExplain *explain, const Job *job, UnitRelationKind *ret_relation) {
        const JobUnitEntry *entry = job_table_peek(explain->table, job->unit);

        *ret_relation = _UNIT_RELATION_INVALID;
        if (job->state == JOB_RUNNING)
                return NULL;
        if (job->type != JOB_NOP && entry->triggered && !job_unit_entry_interrupts(entry))
                return entry->triggered;
        return job_order_find_blocker(explain->table, job, ret_relation);
}

static void write_declared(const JobExplain *explain, const Unit *unit, UnitRelationKind kind, const Unit *other) {
        const UnitRelation *relation;
        char origin[512];

        if (kind < 0)
                return;
        relation = unit_find_relation(unit, kind, other);
        if (!relation)
                return;

        unit_origin_format(explain->units, relation->here != UNIT_ORIGIN_NONE ? relation->here : relation->there,
                           origin, sizeof(origin));
        sink_entry_string(explain->sink, "relation", unit_relation_to_string(kind));
        sink_entry_string(explain->sink, "declared", origin);
}

static void write_times(const JobExplain *explain, const Job *job) {
        if (job->state == JOB_RUNNING)
                sink_entry_u64(explain->sink, "running", usec_sub(explain->now, job->triggered_at));
        if (job->deadline != USEC_INFINITY)
                sink_entry_u64(explain->sink, "deadline-in", usec_sub(job->deadline, explain->now));
}

/* The unit's own time limit for what the running job does; USEC_INFINITY if there is none. */
static usec_t limit_of(const JobExplain *explain, const Job *job) {
        const Unit *unit = unit_of(explain, job);

        return job->state == JOB_RUNNING && unit->vtable->limit ? unit->vtable->limit(unit) : USEC_INFINITY;
}

static void write_activity(const JobExplain *explain, const Job *job) {
        const Unit *unit = unit_of(explain, job);
        usec_t limit = limit_of(explain, job), since = 0;
        cleanup_free_ char *activity = NULL;

        if (limit != USEC_INFINITY)
                sink_entry_u64(explain->sink, "limit-in", usec_sub(limit, explain->now));
        if (!unit->vtable->activity || unit->vtable->activity(unit, &activity, &since) < 0)
                return;
        sink_entry_string(explain->sink, "activity", activity);
        if (since > 0)
                sink_entry_u64(explain->sink, "activity-for", usec_sub(explain->now, since));
}

static int describe_blocker(const JobExplain *explain, const Job *waiting, const Job *blocker, char **ret_text) {
        cleanup_free_ char *activity = NULL;
        char span[USEC_FORMAT_MAX];
        const Unit *unit = unit_of(explain, blocker);
        usec_t since = 0;
        const char *first = waiting->unit == blocker->unit ? "of the same unit goes first" : "goes first";

        if (blocker->state != JOB_RUNNING)
                return text_format(ret_text, "job %u (%s %s) %s and waits itself", blocker->id,
                                   job_type_to_string(blocker->run_type), unit->id, first);

        usec_format(usec_sub(explain->now, blocker->triggered_at), span);
        if (!unit->vtable->activity || unit->vtable->activity(unit, &activity, &since) < 0)
                return text_format(ret_text, "job %u (%s %s) %s and has been running for %s", blocker->id,
                                   job_type_to_string(blocker->run_type), unit->id, first, span);
        return text_format(ret_text, "job %u (%s %s) %s and has been running for %s: %s", blocker->id,
                           job_type_to_string(blocker->run_type), unit->id, first, span, activity);
}

static void write_blocker(const JobExplain *explain, const Job *waiting, const Job *blocker,
                          UnitRelationKind relation) {
        const Unit *unit = unit_of(explain, blocker);
        cleanup_free_ char *text = NULL;

        sink_open(explain->sink, 'a', "{sv}");
        sink_entry_u32(explain->sink, "id", blocker->id);
        sink_entry_string(explain->sink, "unit", unit->id);
        sink_entry_string(explain->sink, "type", job_type_to_string(blocker->type));
        sink_entry_string(explain->sink, "run", job_type_to_string(blocker->run_type));
        sink_entry_string(explain->sink, "state", job_state_to_string(blocker->state));
        write_declared(explain, unit_of(explain, waiting), relation, unit);
        write_times(explain, blocker);
        write_activity(explain, blocker);
        if (describe_blocker(explain, waiting, blocker, &text) == 0)
                sink_entry_string(explain->sink, "text", text);
        sink_close(explain->sink);
}

/* Writes the chain of blockers and returns its last job, for which all others wait. */
static const Job *write_blockers(const JobExplain *explain, const Job *job) {
        UnitRelationKind relation;
        const Job *blocker = find_blocker(explain, job, &relation);

        if (!blocker)
                return NULL;

        sink_entry_open(explain->sink, "blockers", "aa{sv}");
        sink_open(explain->sink, 'a', "a{sv}");
        for (size_t i = 0; blocker && i < CHAIN_MAX; i++) {
                write_blocker(explain, job, blocker, relation);
                job = blocker;
                blocker = find_blocker(explain, job, &relation);
        }
        sink_close(explain->sink);
        sink_entry_close(explain->sink);
        return job;
}

static const char *ends_when(const Job *last) {
        if (last->state == JOB_RUNNING)
                return last->run_type == JOB_STOP ? "the unit has stopped" :
                                                    "the unit becomes active, or fails";
        if (last->pause != JOB_PAUSE_NONE)
                return "the unit changes its state";
        return "the manager's next turn";
}

/* The job with the earliest deadline among @job and the jobs that it waits for; NULL if none has one. */
static const Job *first_to_time_out(const JobExplain *explain, const Job *job) {
        UnitRelationKind relation;
        const Job *first = NULL;

        for (size_t i = 0; job && i < CHAIN_MAX; i++) {
                if (job->deadline != USEC_INFINITY && (!first || job->deadline < first->deadline))
                        first = job;
                job = find_blocker(explain, job, &relation);
        }
        return first;
}

/* Writes every event that would end @job: the end of its last blocker, time limits, a cancel. */
static void write_ends_when(const JobExplain *explain, const Job *job, const Job *last) {
        const Job *timing_out = first_to_time_out(explain, job);
        usec_t limit = limit_of(explain, last);
        cleanup_(text_deinit) Text text = {};
        cleanup_free_ char *end = NULL;
        char span[USEC_FORMAT_MAX];

        text_addf(&text, "%s: %s", unit_of(explain, last)->id, ends_when(last));
        if (limit != USEC_INFINITY)
                text_addf(&text, " (its own time limit: in %s)", usec_format(usec_sub(limit, explain->now), span));
        if (timing_out)
                text_addf(&text, "; or job %u (%s %s) times out, in %s", timing_out->id,
                          job_type_to_string(timing_out->run_type), unit_of(explain, timing_out)->id,
                          usec_format(usec_sub(timing_out->deadline, explain->now), span));
        if (job->state == JOB_WAITING)
                text_addf(&text, "; or job %u is canceled", job->id);
        if (text_finish(&text, &end) == 0)
                sink_entry_string(explain->sink, "ends-when", end);
}

static int describe_running(const JobExplain *explain, const Job *job, char **ret_text) {
        const Unit *unit = unit_of(explain, job);
        cleanup_free_ char *activity = NULL;
        char span[USEC_FORMAT_MAX];
        usec_t since = 0;
        bool is_told = unit->vtable->activity && unit->vtable->activity(unit, &activity, &since) >= 0;

        return text_format(ret_text, "%s %s has been running for %s%s%s.", job_type_to_string(job->run_type), unit->id,
                           usec_format(usec_sub(explain->now, job->triggered_at), span), is_told ? ": " : "",
                           is_told ? activity : "");
}

static int describe_wait(const JobExplain *explain, const Job *job, char **ret_text) {
        UnitRelationKind relation;
        const Job *blocker = find_blocker(explain, job, &relation);
        cleanup_free_ char *why = NULL;
        const Unit *unit = unit_of(explain, job);

        if (job->state == JOB_RUNNING)
                return describe_running(explain, job, ret_text);
        if (blocker && describe_blocker(explain, job, blocker, &why) == 0)
                return text_format(ret_text, "%s %s waits: %s.", job_type_to_string(job->run_type), unit->id, why);
        if (job->pause != JOB_PAUSE_NONE)
                return text_format(ret_text, "%s %s waits: the unit is %s and answered \"not now\".",
                                   job_type_to_string(job->run_type), unit->id,
                                   unit_active_state_to_string(unit->active_state));
        return text_format(ret_text, "%s %s is ready: it will be dispatched in the manager's next turn.",
                           job_type_to_string(job->run_type), unit->id);
}

/* Adds what the unit does now, as ": /bin/sleep 60 (pid 12)", or nothing. */
static void add_activity(Text *text, const Unit *unit) {
        cleanup_free_ char *activity = NULL;
        usec_t since;

        if (unit->vtable->activity && unit->vtable->activity(unit, &activity, &since) >= 0)
                text_addf(text, ": %s", activity);
}

int job_explain_wait(const JobExplain *explain, const Job *job, char **ret_text) {
        UnitRelationKind relation;
        const Job *blocker = find_blocker(explain, job, &relation);
        cleanup_(text_deinit) Text text = {};
        const Unit *unit = unit_of(explain, job);
        int r;

        if (blocker) {
                text_addf(&text, "it waited for job %u (%s %s)", blocker->id, job_type_to_string(blocker->run_type),
                          unit_of(explain, blocker)->id);
                if (blocker->state == JOB_RUNNING)
                        add_activity(&text, unit_of(explain, blocker));
                else
                        text_add(&text, ", which waited itself");
        } else if (job->state == JOB_RUNNING) {
                text_addf(&text, "%s was %s", unit->id, unit_active_state_to_string(unit->active_state));
                add_activity(&text, unit);
        } else if (job->pause != JOB_PAUSE_NONE)
                text_addf(&text, "%s was %s and answered \"not now\"", unit->id,
                          unit_active_state_to_string(unit->active_state));
        else
                return -ENOENT;

        r = text_finish(&text, ret_text);
        if (r == 0)
                text_shorten(*ret_text, JOB_EXPLAIN_WAIT_MAX);
        return r;
}

static int explain_job(const JobExplain *explain, const Job *job) {
        const Job *last;
        cleanup_free_ char *summary = NULL;
        const Unit *unit = unit_of(explain, job);

        sink_open(explain->sink, 'a', "{sv}");
        sink_entry_string(explain->sink, "kind", job_state_to_string(job->state));
        if (describe_wait(explain, job, &summary) == 0)
                sink_entry_string(explain->sink, "summary", summary);
        sink_entry_u32(explain->sink, "id", job->id);
        sink_entry_string(explain->sink, "unit", unit->id);
        sink_entry_string(explain->sink, "type", job_type_to_string(job->type));
        sink_entry_string(explain->sink, "run", job_type_to_string(job->run_type));
        sink_entry_string(explain->sink, "state", job_state_to_string(job->state));
        if (job->cause.record)
                sink_entry_u64(explain->sink, "transaction", job->cause.record->id);
        sink_entry_u64(explain->sink, "age", usec_sub(explain->now, job->installed_at));
        write_times(explain, job);
        if (job->state == JOB_RUNNING)
                write_activity(explain, job);
        job_explain_write_causes(explain, job->cause);
        job_explain_write_other_causes(explain, job);

        last = write_blockers(explain, job);
        if (job->pause != JOB_PAUSE_NONE)
                sink_entry_string(explain->sink, "pause", "the unit answered \"not now\"");
        write_ends_when(explain, job, last ? last : job);
        write_holder(explain, unit);
        sink_close(explain->sink);
        return 0;
}

static int describe_ended(const JobExplain *explain, const JobEnded *ended, char **ret_text) {
        bool was_absorbed = ended->merged_into != JOB_ID_NONE;
        char span[USEC_FORMAT_MAX], text[JOB_END_REASON_TEXT_MAX], absorbed[64] = "";
        const char *cause = job_end_reason_format(&ended->reason, text);

        if (was_absorbed)
                snprintf(absorbed, sizeof(absorbed), "Job %u was merged into another. ", ended->id);
        usec_format(usec_sub(explain->now, ended->ended_at), span);
        return text_format(ret_text, "%sJob %u (%s %s) ended %s %s ago%s%s.", absorbed,
                           was_absorbed ? ended->merged_into : ended->id, job_type_to_string(ended->type),
                           ended->unit->string, job_result_to_string(ended->result), span, cause ? ": " : "",
                           cause ? cause : "");
}

/* The cause of an ended job: for an absorbed job its own request, not its survivor's. */
static JobCause cause_of_ended(const JobExplain *explain, const JobEnded *ended) {
        JobCause own = { .record = job_log_find_transaction(explain->log, ended->transaction), .step = ended->step };
        JobCause request = {};

        if (ended->merged_into != JOB_ID_NONE)
                request = job_log_find_request(explain->log, ended->id);
        return request.record ? request : own;
}

/* Appends the unit's present state, which may have changed since its last job ended. @unit may be NULL. */
static int describe_now(const JobExplain *explain, const JobEnded *ended, const Unit *unit, char **ret_text) {
        cleanup_free_ char *end = NULL, *activity = NULL;
        bool is_told, is_loaded = unit && unit->load_state == UNIT_LOADED;
        usec_t since = 0;
        int r = describe_ended(explain, ended, &end);

        if (r < 0 || !unit) {
                *ret_text = r < 0 ? NULL : take_ptr(end);
                return r;
        }
        is_told = unit->vtable->activity && unit->vtable->activity(unit, &activity, &since) >= 0;
        return text_format(ret_text, "%s %s is %s%s%s%s now%s%s.", end, unit->id,
                           unit_active_state_to_string(unit->active_state), is_loaded ? "" : " (",
                           is_loaded ? "" : unit_load_state_to_string(unit->load_state), is_loaded ? "" : ")",
                           is_told ? ": " : "", is_told ? activity : "");
}

/* The dependency because of which the job ended, or the conditions that kept its unit from starting. */
static void write_end_cause(const JobExplain *explain, const JobEndReason *reason) {
        char name[UNIT_NAME_MAX + 1], text[JOB_END_REASON_TEXT_MAX];
        size_t length;
        const char *dependency = job_end_reason_dependency(reason, &length);

        if (job_end_reason_format(reason, text))
                sink_entry_string(explain->sink, "end", text);
        if (job_end_reason_is_unmet(reason))
                sink_entry_string(explain->sink, "unmet", reason->name->string);
        if (!dependency)
                return;
        snprintf(name, sizeof(name), "%.*s", (int) length, dependency);
        sink_entry_string(explain->sink, "dependency", name);
}

/* @unit: the unit, if the question was about it rather than about the job; or NULL. */
static int explain_ended(const JobExplain *explain, const JobEnded *ended, const char *kind, const Unit *unit) {
        JobCause why = cause_of_ended(explain, ended);
        cleanup_free_ char *summary = NULL;
        int r = describe_now(explain, ended, unit, &summary);

        sink_open(explain->sink, 'a', "{sv}");
        sink_entry_string(explain->sink, "kind", kind);
        if (r == 0)
                sink_entry_string(explain->sink, "summary", summary);
        sink_entry_u32(explain->sink, "id", ended->id);
        sink_entry_string(explain->sink, "unit", ended->unit->string);
        sink_entry_string(explain->sink, "type", job_type_to_string(ended->type));
        sink_entry_string(explain->sink, "run", job_type_to_string(ended->run_type));
        sink_entry_string(explain->sink, "result", job_result_to_string(ended->result));
        if (why.record || ended->transaction > 0)
                sink_entry_u64(explain->sink, "transaction", why.record ? why.record->id : ended->transaction);
        sink_entry_u64(explain->sink, "age", usec_sub(explain->now, ended->installed_at));
        job_explain_write_causes(explain, why);
        write_end_cause(explain, &ended->reason);
        write_holder(explain, unit);
        sink_close(explain->sink);
        return 0;
}

static void write_requests(const JobExplain *explain, const JobTransactionRecord *record) {
        sink_entry_open(explain->sink, "requests", "as");
        sink_open(explain->sink, 'a', "s");
        for (size_t i = 0; i < record->steps.n; i++) {
                cleanup_free_ char *text = NULL;
                const JobStep *step = &record->steps.items[i];

                if (step->is_anchor && text_format(&text, "%s %s", job_type_to_string(step->type),
                                                   step->unit->string) == 0)
                        sink_string(explain->sink, text);
        }
        sink_close(explain->sink);
        sink_entry_close(explain->sink);

        sink_entry_open(explain->sink, "jobs", "au");
        sink_open(explain->sink, 'a', "u");
        for (size_t i = 0; i < record->steps.n; i++)
                if (record->steps.items[i].id != JOB_ID_NONE)
                        sink_u32(explain->sink, record->steps.items[i].id);
        sink_close(explain->sink);
        sink_entry_close(explain->sink);
}

/* @drop: the dropped job that the question is about, or NULL. */
static int explain_transaction(const JobExplain *explain, JobTransactionRecord *record, const JobDrop *drop,
                               const char *summary) {
        bool was_refused = record->failure.code != 0;
        cleanup_free_ char *requester = NULL, *text = NULL;

        if (!summary && job_explain_requester(record, &requester) == 0 &&
            text_format(&text, "Transaction %" PRIu64 " in mode %s was %s, %s.", record->id,
                        job_mode_to_string(record->mode), was_refused ? "refused" : "committed", requester) == 0)
                summary = text;

        sink_open(explain->sink, 'a', "{sv}");
        sink_entry_string(explain->sink, "kind", was_refused ? "refused" : "transaction");
        sink_entry_string(explain->sink, "summary", summary);
        /* The id of a refused transaction was never shown to a user. */
        if (!was_refused)
                sink_entry_u64(explain->sink, "transaction", record->id);
        sink_entry_u64(explain->sink, "age", usec_sub(explain->now, record->time));
        if (was_refused)
                sink_entry_string(explain->sink, "message", failure_message(&record->failure));
        job_explain_write_request(explain, record, drop);
        write_requests(explain, record);
        job_explain_write_drops(explain, record);
        sink_close(explain->sink);
        return 0;
}

static int describe_drop(const JobTransactionRecord *record, const JobDrop *drop, char **ret_text) {
        size_t n = strlen(drop->why);
        const char *stop = n > 0 && drop->why[n - 1] == '.' ? "" : ".";

        if (record->failure.code != 0)
                return text_format(ret_text, "A request that would have brought %s %s was refused: %s",
                                   job_type_to_string(drop->type), drop->unit->string,
                                   failure_message(&record->failure));
        return text_format(ret_text, "%s %s was left out of transaction %" PRIu64 " (%s): %s%s",
                           job_type_to_string(drop->type), drop->unit->string, record->id,
                           job_drop_rule_to_string(drop->rule), drop->why, stop);
}

/* A unit without a job: how its last job ended, unless a later transaction dropped its job or was refused. */
static int explain_idle(const JobExplain *explain, const Unit *unit, const char *name) {
        const JobDrop *drop = NULL;
        JobTransactionRecord *record = job_log_find_drop(explain->log, name, &drop);
        const JobEnded *ended = job_log_find_of_unit(explain->log, name);
        cleanup_free_ char *summary = NULL;
        bool is_loaded;

        if (record && (!ended || record->time >= ended->ended_at)) {
                if (drop)
                        (void) describe_drop(record, drop, &summary);
                else
                        (void) text_format(&summary, "A request for %s was refused: %s", name,
                                           failure_message(&record->failure));
                return explain_transaction(explain, record, drop, summary);
        }
        if (ended)
                return explain_ended(explain, ended, "idle", unit);
        if (!unit || (unit->load_state == UNIT_NOT_FOUND && unit_state_is_inactive_or_failed(unit->active_state)))
                return -ENOENT;

        is_loaded = unit->load_state == UNIT_LOADED;
        (void) text_format(&summary, "%s is %s%s%s%s and has no job.", unit->id,
                           unit_active_state_to_string(unit->active_state), is_loaded ? "" : " (",
                           is_loaded ? "" : unit_load_state_to_string(unit->load_state), is_loaded ? "" : ")");
        sink_open(explain->sink, 'a', "{sv}");
        sink_entry_string(explain->sink, "kind", "idle");
        sink_entry_string(explain->sink, "summary", summary);
        sink_entry_string(explain->sink, "unit", unit->id);
        write_holder(explain, unit);
        sink_close(explain->sink);
        return 0;
}

static int explain_id(const JobExplain *explain, uint32_t id) {
        const Job *job = job_table_find(explain->table, id);
        const JobEnded *ended;

        if (job)
                return explain_job(explain, job);
        ended = job_log_find(explain->log, id);
        return ended ? explain_ended(explain, ended, "ended", NULL) : -ENOENT;
}

int job_explain(const JobExplain *explain, const char *what) {
        JobTransactionRecord *record;
        const Unit *unit;
        const Job *job;
        uint64_t number;
        uint32_t id;

        if (text_parse_u32(what, &id) == 0)
                return explain_id(explain, id);
        if (what[0] == 't' && text_parse_u64(what + 1, &number) == 0) {
                record = job_log_find_transaction(explain->log, number);
                return record ? explain_transaction(explain, record, NULL, NULL) : -ENOENT;
        }

        unit = unit_table_find(explain->units, what);
        job = unit ? job_unit_entry_main(job_table_peek(explain->table, unit->index)) : NULL;
        /* With a running and a pending job the question is about the pending one. */
        if (job && job_table_peek(explain->table, unit->index)->pending)
                job = job_table_peek(explain->table, unit->index)->pending;
        if (job)
                return explain_job(explain, job);
        return explain_idle(explain, unit, unit ? unit->id : what);
}
