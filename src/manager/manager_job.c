/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Jobs in the loop
 *
 * Jobs are dispatched from a deferred source, a few at a time, so that the bus
 * is served in between. Jobs that units ask for wait in a list until that
 * source runs: a unit never has a transaction made from inside of itself.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_private.h"

/* Jobs triggered in one turn. */
#define JOBS_A_TURN 64U

/* Requests of units made in one turn. */
#define REQUESTS_A_TURN 64U

void manager_arm_jobs(Manager *manager) {
        if (job_manager_has_ready(manager->jobs) || manager->requests.n > 0)
                manager_arm(manager->job_source);
}

static int exec(Manager *manager, const JobRequest *requests, size_t n, const JobOptions *options, JobPlan **ret_plan) {
        int r;

        manager_see_mounts(manager);
        r = job_manager_exec(manager->jobs, requests, n, options, ret_plan);
        manager->has_news = manager->was_asked = true;
        manager_arm_jobs(manager);
        return r;
}

int manager_exec(Manager *manager, const JobRequest *requests, size_t n, JobMode mode, const JobRequester *requester,
                 JobPlan **ret_plan) {
        const JobOptions options = { .mode = mode, .requester = requester, .now = manager->now };

        return exec(manager, requests, n, &options, ret_plan);
}

int manager_exec_briefly(Manager *manager, const JobRequest *requests, size_t n, JobMode mode,
                         const JobRequester *requester, JobPlan **ret_plan) {
        const JobOptions options = {
                .mode = mode,
                .requester = requester,
                .now = manager->now,
                .wants_anchors_only = true,
        };

        return exec(manager, requests, n, &options, ret_plan);
}

int manager_plan(Manager *manager, const JobRequest *requests, size_t n, JobMode mode, const JobRequester *requester,
                 bool wants_edges, JobPlan **ret_plan) {
        const JobOptions options = {
                .mode = mode,
                .requester = requester,
                .now = manager->now,
                .wants_edges = wants_edges,
        };

        assert(manager);

        return job_manager_plan(manager->jobs, requests, n, &options, ret_plan);
}

int manager_cancel_job(Manager *manager, uint32_t id, const JobRequester *requester, Failure *ret_failure) {
        int r;

        assert(manager);

        r = job_manager_cancel(manager->jobs, id, requester, manager->now, ret_failure);
        manager_arm_jobs(manager);
        return r;
}

size_t manager_cancel_all_jobs(Manager *manager, const JobRequester *requester) {
        size_t n;

        assert(manager);

        n = job_manager_cancel_all(manager->jobs, requester, manager->now);
        manager_arm_jobs(manager);
        return n;
}

static void request_deinit(ManagerRequest *request) {
        free(request->unit);
        free(request->reason);
}

void manager_drop_requests(Manager *manager) {
        for (size_t i = 0; i < manager->requests.n; i++)
                request_deinit(&manager->requests.items[i]);
        vector_deinit(&manager->requests);
}

int manager_request_job(Manager *manager, Unit *unit, JobType type, JobMode mode, const char *reason) {
        cleanup_(request_deinit) ManagerRequest request = { .type = type, .mode = mode };
        int r;

        request.unit = strdup(unit->id);
        request.reason = strdup(reason ?: "");
        if (!request.unit || !request.reason)
                return -ENOMEM;
        r = vector_push(&manager->requests, request);
        if (r < 0)
                return r;
        request = (ManagerRequest) {};
        manager_mark_self(manager);
        manager_arm(manager->job_source);
        return 0;
}

void manager_write_requests(const Manager *manager, RecordWriter *writer) {
        record_put(writer, manager->requests.n);
        for (size_t i = 0; i < manager->requests.n; i++) {
                const ManagerRequest *request = &manager->requests.items[i];

                record_put_string(writer, request->unit);
                record_put_string(writer, request->reason);
                record_put(writer, (uint64_t) request->type);
                record_put(writer, (uint64_t) request->mode);
                record_put(writer, request->reload_if_possible);
        }
}

static int read_request(Manager *manager, RecordReader *reader) {
        ManagerRequest request = { .unit = record_get_string_copy(reader) };

        request.reason = record_get_string_copy(reader);
        request.type = (JobType) record_get_below(reader, _JOB_TYPE_MAX);
        request.mode = (JobMode) record_get_below(reader, _JOB_MODE_MAX);
        request.reload_if_possible = record_get_below(reader, 2) != 0;
        if (!reader->has_failed && request.unit && request.reason && vector_push(&manager->requests, request) == 0)
                return 0;
        request_deinit(&request);
        return -EBADMSG;
}

int manager_read_requests(Manager *manager, RecordReader *reader) {
        uint64_t n = record_get(reader);
        int r = 0;

        for (; n > 0 && r == 0; n--)
                r = read_request(manager, reader);
        return r;
}

/* What would start a unit gives way to a stop of it, or of everything. */
static bool is_forbidden_by_stop(Manager *manager, const Unit *unit, JobType type) {
        if (type == JOB_STOP || type == JOB_NOP)
                return false;
        return manager->stage >= MANAGER_STOPPING || job_manager_unit_has_type(manager->jobs, unit, JOB_STOP);
}

static void tell_refused(Manager *manager, const ManagerRequest *request, const JobPlan *plan) {
        cleanup_(failure_deinit) Failure no_memory = { .code = -ENOMEM };
        const Failure *failure = plan ? &plan->failure : &no_memory;
        Unit *unit = unit_table_find(manager->units, request->unit);

        log_write(LOG_LEVEL_ERROR, request->unit, "Cannot %s it (%s): %s", job_type_to_string(request->type),
                  request->reason, failure_message(failure));
        if (!unit)
                return;
        manager_mark_unit(manager, unit);
        if (unit->vtable->job_refused)
                unit->vtable->job_refused(unit, failure);
        manager_tell_refused(manager, unit, failure);
}

static void make_request(Manager *manager, const ManagerRequest *request) {
        const JobRequester requester = { .reason = request->reason };
        const JobRequest anchor = {
                .unit = request->unit,
                .type = request->type,
                .reload_if_possible = request->reload_if_possible,
        };
        const Unit *unit = unit_table_find(manager->units, request->unit);
        cleanup_(job_plan_freep) JobPlan *plan = NULL;

        if (!unit)
                return;
        if (is_forbidden_by_stop(manager, unit, request->type)) {
                manager_note_triggered(manager, unit);
                return;
        }
        if (manager_exec_briefly(manager, &anchor, 1, request->mode, &requester, &plan) != JOB_MANAGER_E_SUCCESS)
                tell_refused(manager, request, plan);
}

/* Only those that are there now: what they lead to is for the next turn. */
static void make_requests(Manager *manager) {
        size_t n = MIN(manager->requests.n, (size_t) REQUESTS_A_TURN);

        for (size_t i = 0; i < n; i++) {
                ManagerRequest request = manager->requests.items[i];

                manager->requests.items[i] = (ManagerRequest) {};
                make_request(manager, &request);
                request_deinit(&request);
        }
        if (n > 0)
                manager_mark_self(manager);
        manager->requests.n -= n;
        memmove(manager->requests.items, manager->requests.items + n,
                manager->requests.n * sizeof(*manager->requests.items));
}

/* After a full budget the rest takes turns with the bus: neither a long queue nor a busy client holds up the other. */
void manager_run_jobs(Manager *manager) {
        bool has_more;

        manager_start_default_unit(manager);
        manager_act(manager);
        if (manager->requests.n > 0)
                make_requests(manager);
        has_more = job_manager_run(manager->jobs, JOBS_A_TURN, manager->now) || manager->requests.n > 0;
        manager_renew_job_source(manager, has_more ? MANAGER_PRIORITY_BUS : MANAGER_PRIORITY_JOBS);
        manager_arm_jobs(manager);
}

/*
 * What a client has asked for begins in the turn of its call, so that the client is woken once: nothing that goes first
 * was there, or the call would not have been served. A long queue takes turns, see above.
 */
void manager_run_asked_jobs(Manager *manager) {
        int64_t priority = MANAGER_PRIORITY_BUS;
        int enabled = SD_EVENT_OFF;

        sd_event_source_get_enabled(manager->job_source, &enabled);
        sd_event_source_get_priority(manager->job_source, &priority);
        if (!manager->was_asked || enabled == SD_EVENT_OFF || priority != MANAGER_PRIORITY_JOBS)
                return;
        manager->was_asked = false;
        sd_event_source_set_enabled(manager->job_source, SD_EVENT_OFF);
        manager_run_jobs(manager);
}

/* A time limit of the job was up: the unit may have said what becomes of all of us. */
static void act_on_timeout(Manager *manager, const JobInfo *job) {
        if (job->result != JOB_TIMEOUT || !job->unit ||
            job->unit->settings.rare->job_timeout_action == UNIT_ACTION_NONE)
                return;
        manager_request_action(manager, job->unit, job->unit->settings.rare->job_timeout_action, -1, "its job timed out");
}

void manager_take_job_event(const JobEvent *event, void *userdata) {
        Manager *manager = userdata;

        manager->has_news = true;
        manager_mark_job(manager, event->job.id);
        manager_mark_job(manager, event->forgotten);
        if (event->job.unit && event->kind == JOB_EVENT_INSTALLED)
                manager_mark_job_of(manager, event->job.unit);
        else if (event->job.unit)
                manager_mark_unit(manager, event->job.unit);
        manager_log_job(manager, event);
        manager_watch_targets(manager, event);
        if (event->kind == JOB_EVENT_FINISHED) {
                act_on_timeout(manager, &event->job);
                if (event->job.unit) {
                        manager_note_triggered(manager, event->job.unit);
                        manager_consider_unloading(manager, event->job.unit);
                        manager_consider_handled(manager, event->job.unit);
                }
        }
        manager_tell(manager, job_event, event);
}
