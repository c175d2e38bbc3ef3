/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Targets of callbacks that need no process: signals, and units
 *
 * Both are done within a turn. A flow is not started but triggered, as by
 * OnFailure=, so that it has a run of its own for each event, by the key of the
 * callback one alone, which learns what it is about.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "job/job_manager.h"
#include "manager/manager_run_deliver.h"
#include "types/unit_process.h"

static uint32_t run_of(const ManagerCallbackTerms *terms) {
        return (uint32_t) (terms->id >> 32);
}

static int send_signal(const ManagerRuns *runs, const ManagerTarget *target, const ManagerCallbackTerms *terms) {
        cleanup_free_ char *key = NULL;
        int r = text_format(&key, "%" PRIu32 "/%" PRIu32, run_of(terms), (uint32_t) terms->id);

        if (r == 0)
                manager_runs_host(runs)->ops->notified(manager_runs_host(runs)->userdata, &(ManagerRunNotice) {
                                                                      .run = run_of(terms),
                                                                      .uid = target->uid,
                                                                      .name = target->name,
                                                                      .unit = terms->unit,
                                                                      .node = terms->node ?: "",
                                                                      .event = terms->event,
                                                                      .key = key,
                                                                      .object = terms->payload,
                                                              });
        return r;
}

/* — units — */

static int trigger(ManagerRuns *runs, const Unit *unit, const ManagerCallbackTerms *terms) {
        cleanup_(strv_freep) char **environment = NULL;
        cleanup_free_ char *key = NULL;
        int r = text_format(&key, "%s callback %" PRIu32 "/%" PRIu32, terms->unit, run_of(terms), (uint32_t) terms->id);

        if (r == 0)
                r = unit_process_add_variable(&environment, "MONITOR_UNIT=%s", terms->unit);
        if (r == 0)
                r = unit_process_add_variable(&environment, "MONITOR_RUN=%" PRIu32, run_of(terms));
        if (r == 0 && terms->node)
                r = unit_process_add_variable(&environment, "MONITOR_NODE=%s", terms->node);
        if (r == 0)
                r = unit_process_add_variable(&environment, "MONITOR_EVENT=%s", terms->event);
        return r < 0 ? r
                     : manager_runs_trigger(runs, unit,
                                            &(UnitRunRequest) {
                                                    .key = key, .trigger = terms->unit, .environment = environment });
}

/* A start that would stop the flow would change its runs, which no callback may. */
static bool stops(const JobPlan *plan, const char *unit) {
        for (size_t i = 0; i < plan->jobs.n; i++)
                if ((plan->jobs.items[i].type == JOB_STOP || plan->jobs.items[i].type == JOB_RESTART) &&
                    strcmp(plan->jobs.items[i].unit, unit) == 0)
                        return true;
        return false;
}

/* As failure_message(), without its end. */
static int refuse(const JobPlan *plan, int r, const char *unit, Failure *ret_failure) {
        const char *message = plan && plan->failure.code != 0 ? failure_message(&plan->failure)
                                                              : strerror(r < 0 ? -r : EIO);
        const size_t n = strlen(message);

        return failure_set(ret_failure, -EINVAL, "Failed", "%s cannot be started: %.*s", unit,
                           (int) (n > 0 && message[n - 1] == '.' ? n - 1 : n), message);
}

static int start(ManagerRuns *runs, const ManagerTarget *target, const ManagerCallbackTerms *terms,
                 Failure *ret_failure) {
        ManagerJobs *jobs = manager_runs_host(runs)->jobs;
        const JobRequest request = { .unit = target->name, .type = JOB_START };
        cleanup_(job_plan_freep) JobPlan *plan = NULL, *done = NULL;
        cleanup_free_ char *reason = NULL;
        JobRequester requester = {};
        JobOptions options = { .mode = target->mode, .requester = &requester, .now = jobs->turn->now };
        int r = text_format(&reason, "run %" PRIu32 " of %s tells it of '%s'", run_of(terms), terms->unit,
                            terms->event);

        if (r < 0)
                return r;
        requester.reason = reason;
        r = manager_jobs_plan(jobs, &request, &options, &plan);
        if (r == JOB_MANAGER_E_SUCCESS && stops(plan, terms->unit))
                return failure_set(ret_failure, -EINVAL, "WouldStopItself", "to start %s would stop %s",
                                   target->name, terms->unit);
        if (r != JOB_MANAGER_E_SUCCESS)
                return r == -ENOMEM ? r : refuse(plan, r, target->name, ret_failure);
        options.wants_anchors_only = true;
        r = manager_jobs_exec(jobs, &request, 1, &options, &done);
        if (r == JOB_MANAGER_E_SUCCESS)
                return 0;
        return r == -ENOMEM ? r : refuse(done, r, target->name, ret_failure);
}

static int tell_unit(ManagerRuns *runs, const ManagerTarget *target, const ManagerCallbackTerms *terms,
                     Failure *ret_failure) {
        Unit *unit;
        int r = unit_table_load(manager_runs_host(runs)->units, target->name, &unit);

        if (r == -ENOMEM)
                return r;
        /* A unit that is being stopped is not started by others, as with OnFailure=. */
        if (r == 0 && manager_jobs_is_stopping(manager_runs_host(runs)->jobs, unit))
                return failure_set(ret_failure, -EINVAL, "Failed", "%s is being stopped", target->name);
        if (r == 0 && unit_type_has_runs(unit->type) && unit->load_state == UNIT_LOADED)
                return trigger(runs, unit, terms);
        return start(runs, target, terms, ret_failure);
}

int manager_run_deliver(ManagerRuns *runs, const ManagerTarget *target, const ManagerCallbackTerms *terms,
                        Failure *ret_failure) {
        switch (target->kind) {
        case FLOW_TARGET_SIGNAL:
                return send_signal(runs, target, terms);
        case FLOW_TARGET_UNIT:
                return tell_unit(runs, target, terms, ret_failure);
        case FLOW_TARGET_EXEC:
        case _FLOW_TARGET_KIND_MAX:
                break;
        }
        return failure_set(ret_failure, -EINVAL, "Failed", "its target is not known");
}
