/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Jobs in the loop
 *
 * A deferred source dispatches jobs, a few at a time, so that the bus is
 * served in between. Jobs requested by units wait in a list until that source
 * runs: a transaction is never made from inside a unit's function.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_job.h"
#include "manager/manager_priority.h"
#include "manager/manager_section.h"

/* Jobs triggered in one turn. */
#define JOBS_A_TURN 64U

/* Requests of units made in one turn. */
#define REQUESTS_A_TURN 64U

static void request_deinit(ManagerRequest *request) {
        free(request->unit);
        free(request->reason);
}

/* — the source — */

static int on_jobs(sd_event_source *source, void *userdata) {
        ManagerJobs *jobs = userdata;

        jobs->is_armed = false;
        manager_jobs_run(jobs);
        return 0;
}

int manager_jobs_init(ManagerJobs *jobs) {
        return manager_turn_add_source(jobs->turn, &jobs->source, on_jobs, MANAGER_PRIORITY_JOBS, jobs);
}

void manager_jobs_deinit(ManagerJobs *jobs) {
        sd_event_source_disable_unref(jobs->source);
        for (size_t i = 0; i < jobs->requests.n; i++)
                request_deinit(&jobs->requests.items[i]);
        vector_deinit(&jobs->requests);
}

void manager_jobs_wake(ManagerJobs *jobs) {
        manager_turn_arm(jobs->source);
        jobs->is_armed = true;
}

void manager_jobs_arm(ManagerJobs *jobs) {
        if (job_manager_has_ready(jobs->engine) || jobs->requests.n > 0)
                manager_jobs_wake(jobs);
}

/* Sources of one priority are served by age, and serving a deferred source does not reset its age: it is replaced. */
static void renew_source(ManagerJobs *jobs, bool takes_turns) {
        sd_event_source *source = NULL;

        if (!takes_turns && !jobs->takes_turns)
                return;
        if (manager_turn_add_source(jobs->turn, &source, on_jobs,
                                    takes_turns ? MANAGER_PRIORITY_BUS : MANAGER_PRIORITY_JOBS, jobs) < 0) {
                sd_event_source_unref(source);
                return;
        }
        sd_event_source_disable_unref(jobs->source);
        jobs->source = source;
        jobs->is_armed = false;
        jobs->takes_turns = takes_turns;
}

/* — requests of clients — */

int manager_jobs_exec(ManagerJobs *jobs, const JobRequest *requests, size_t n, const JobOptions *options,
                      JobPlan **ret_plan) {
        int r;

        manager_turn_note_work(jobs->turn);
        manager_mounts_refresh(jobs->mounts);
        r = job_manager_exec(jobs->engine, requests, n, options, ret_plan);
        jobs->turn->has_news = jobs->was_asked = true;
        manager_jobs_arm(jobs);
        return r;
}

int manager_jobs_plan(ManagerJobs *jobs, const JobRequest *request, const JobOptions *options, JobPlan **ret_plan) {
        manager_mounts_refresh(jobs->mounts);
        return job_manager_plan(jobs->engine, request, 1, options, ret_plan);
}

void manager_jobs_cancel(ManagerJobs *jobs, uint32_t id, const JobRequester *requester) {
        if (job_manager_cancel(jobs->engine, id, requester, jobs->turn->now, NULL) == JOB_MANAGER_E_NOT_CANCELABLE)
                (void) job_manager_detach(jobs->engine, id, requester, jobs->turn->now, NULL);
        jobs->turn->has_news = true;
        manager_jobs_arm(jobs);
}

static int exec_one(ManagerJobs *jobs, const JobRequest *request, JobMode mode, const JobRequester *requester,
                    JobPlan **ret_plan) {
        const JobOptions options = {
                .mode = mode,
                .requester = requester,
                .now = jobs->turn->now,
                .wants_anchors_only = true,
        };

        return manager_jobs_exec(jobs, request, 1, &options, ret_plan);
}

bool manager_jobs_start(ManagerJobs *jobs, const char *unit, JobMode mode, const JobRequester *requester) {
        const JobRequest request = { .unit = unit, .type = JOB_START };
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        int r = exec_one(jobs, &request, mode, requester, &plan);

        if (r != JOB_MANAGER_E_SUCCESS)
                log_error("Cannot start %s: %s", unit, plan ? failure_message(&plan->failure) : strerror(-r));
        return r == JOB_MANAGER_E_SUCCESS;
}

/* — requests of units — */

int manager_jobs_request(ManagerJobs *jobs, const Unit *unit, JobType type, JobMode mode, const char *reason) {
        cleanup_(request_deinit) ManagerRequest request = { .type = type, .mode = mode };
        int r;

        request.unit = strdup(unit->id);
        request.reason = strdup(reason ?: "");
        if (!request.unit || !request.reason)
                return -ENOMEM;
        r = vector_push(&jobs->requests, request);
        if (r < 0)
                return r;
        request = (ManagerRequest) {};
        manager_mark_queues(jobs->turn->state);
        manager_jobs_wake(jobs);
        return 0;
}

static void tell_refused(const ManagerJobs *jobs, const ManagerRequest *request, const JobPlan *plan) {
        cleanup_(failure_deinit) Failure no_memory = { .code = -ENOMEM };
        const Failure *failure = plan ? &plan->failure : &no_memory;
        Unit *unit = unit_table_find(jobs->units, request->unit);

        log_write(LOG_LEVEL_ERROR, request->unit, "Cannot %s it (%s): %s", job_type_to_string(request->type),
                  request->reason, failure_message(failure));
        if (!unit)
                return;
        manager_turn_enter(jobs->turn, unit);
        if (unit->vtable->job_refused)
                unit->vtable->job_refused(unit, failure);
        manager_triggers_tell_refused(jobs->triggers, unit, failure);
        if (request->type == JOB_START)
                jobs->refused(jobs->userdata, unit);
}

/* A request that would start a unit is dropped if the unit, or everything, is being stopped. */
static bool is_forbidden(const ManagerJobs *jobs, const Unit *unit, JobType type) {
        return type != JOB_STOP && type != JOB_NOP && manager_jobs_is_stopping(jobs, unit);
}

static void make_request(ManagerJobs *jobs, const ManagerRequest *request) {
        const JobRequester requester = { .reason = request->reason };
        const JobRequest anchor = {
                .unit = request->unit,
                .type = request->type,
                .reload_if_possible = request->reload_if_possible,
        };
        const Unit *unit = unit_table_find(jobs->units, request->unit);
        cleanup_(job_plan_freep) JobPlan *plan = NULL;

        if (!unit)
                return;
        if (is_forbidden(jobs, unit, request->type)) {
                manager_triggers_note(jobs->triggers, unit);
                return;
        }
        if (exec_one(jobs, &anchor, request->mode, &requester, &plan) != JOB_MANAGER_E_SUCCESS)
                tell_refused(jobs, request, plan);
}

/* Handles only the present requests; those that they cause are left to the next turn. */
static void make_requests(ManagerJobs *jobs) {
        size_t n = MIN(jobs->requests.n, (size_t) REQUESTS_A_TURN);

        for (size_t i = 0; i < n; i++) {
                ManagerRequest request = jobs->requests.items[i];

                jobs->requests.items[i] = (ManagerRequest) {};
                make_request(jobs, &request);
                request_deinit(&request);
        }
        if (n > 0)
                manager_mark_queues(jobs->turn->state);
        jobs->requests.n -= n;
        memmove(jobs->requests.items, jobs->requests.items + n, jobs->requests.n * sizeof(*jobs->requests.items));
}

/* — the engine — */

/* After a full budget the rest alternates with the bus: neither a long queue nor a busy client delays the other. */
void manager_jobs_run(ManagerJobs *jobs) {
        bool has_more;

        if (jobs->takes_turns)
                manager_turn_note_work(jobs->turn);
        jobs->before(jobs->userdata);
        if (jobs->requests.n > 0)
                make_requests(jobs);
        has_more = job_manager_run(jobs->engine, JOBS_A_TURN, jobs->turn->now) || jobs->requests.n > 0;
        renew_source(jobs, has_more);
        manager_jobs_arm(jobs);
}

/*
 * Jobs requested by a client begin in the turn of its call, so that the client is woken once: the queue was empty, or
 * the call would not have been served. A long queue alternates with the bus, see above.
 */
void manager_jobs_run_asked(ManagerJobs *jobs) {
        if (!jobs->was_asked || !jobs->is_armed || jobs->takes_turns)
                return;
        jobs->was_asked = jobs->is_armed = false;
        sd_event_source_set_enabled(jobs->source, SD_EVENT_OFF);
        manager_jobs_run(jobs);
}

/* — queries of units — */

bool manager_jobs_has(const ManagerJobs *jobs, const Unit *unit) {
        JobInfo job;

        if (job_manager_unit_job(jobs->engine, unit, &job))
                return true;
        for (size_t i = 0; i < jobs->requests.n; i++)
                if (unit_has_name(unit, jobs->requests.items[i].unit))
                        return true;
        return false;
}

bool manager_jobs_is_stopping(const ManagerJobs *jobs, const Unit *unit) {
        return *jobs->stage >= MANAGER_STOPPING || job_manager_unit_has_type(jobs->engine, unit, JOB_STOP);
}

bool manager_jobs_will_start(const ManagerJobs *jobs, const Unit *unit) {
        return job_manager_unit_has_type(jobs->engine, unit, JOB_RESTART) ||
               job_manager_unit_has_type(jobs->engine, unit, JOB_START);
}

bool manager_jobs_is_awaited(const ManagerJobs *jobs, const Unit *unit) {
        JobInfo job;

        return job_manager_unit_job(jobs->engine, unit, &job) && job.state == JOB_RUNNING && job.run_type == JOB_START;
}

/* — as part of a record — */

void manager_jobs_write_requests(const ManagerJobs *jobs, RecordWriter *writer) {
        record_put(writer, jobs->requests.n);
        for (size_t i = 0; i < jobs->requests.n; i++) {
                const ManagerRequest *request = &jobs->requests.items[i];

                record_put_string(writer, request->unit);
                record_put_string(writer, request->reason);
                record_put(writer, (uint64_t) request->type);
                record_put(writer, (uint64_t) request->mode);
                record_put(writer, request->reload_if_possible);
        }
}

static int read_request(ManagerJobs *jobs, RecordReader *reader) {
        ManagerRequest request = { .unit = record_get_string_copy(reader) };

        request.reason = record_get_string_copy(reader);
        request.type = (JobType) record_get_below(reader, _JOB_TYPE_MAX);
        request.mode = (JobMode) record_get_below(reader, _JOB_MODE_MAX);
        request.reload_if_possible = record_get_below(reader, 2) != 0;
        if (!reader->has_failed && request.unit && request.reason && vector_push(&jobs->requests, request) == 0)
                return 0;
        request_deinit(&request);
        return -EBADMSG;
}

int manager_jobs_read_requests(ManagerJobs *jobs, RecordReader *reader) {
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && r == 0; n--)
                r = read_request(jobs, reader);
        return r;
}
