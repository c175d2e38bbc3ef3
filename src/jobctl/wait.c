/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Waiting for jobs
 *
 * The results come as JobRemoved signals, which jobd sends after the reply
 * that named the jobs, so none can be missed. The progress is polled: a Query
 * for the running jobs twice a second, only at a terminal, costs less than a
 * signal for every step.
 *
 * When the connection breaks, the jobs go on: over the next connection jobd
 * is asked for each job by id. A job with the same id but another unit or
 * transaction belongs to a manager that did not take over the old state: then
 * the jobs are lost.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/text.h"
#include "jobctl/log_print.h"
#include "jobctl/wait.h"

#define PROGRESS_AFTER (300 * USEC_PER_MSEC)
#define PROGRESS_EVERY (500 * USEC_PER_MSEC)
#define PROGRESS_TIMEOUT_MSEC 1000

/* Of the log of a unit that did not start. */
#define LINES_SHOWN 10U
#define DEPENDENCIES_MAX 64U            /* so long a chain is followed: jobs may have ended since */

void job_wait_deinit(JobWait *wait) {
        for (size_t i = 0; i < wait->jobs.n; i++) {
                free(wait->jobs.items[i].unit);
                free(wait->jobs.items[i].type);
                free(wait->jobs.items[i].result);
                free(wait->jobs.items[i].reason);
        }
        vector_deinit(&wait->jobs);
        id_map_deinit(&wait->by_id);
}

static WaitJob *job_wait_find(const JobWait *wait, uint32_t id) {
        size_t place = (size_t) (uintptr_t) id_map_get(&wait->by_id, id);

        return place > 0 ? &wait->jobs.items[place - 1] : NULL;
}

int job_wait_add(JobWait *wait, uint32_t id, const char *unit, const char *type, bool is_anchor) {
        WaitJob job = { .id = id, .is_anchor = is_anchor };

        if (job_wait_find(wait, id))
                return 0;
        job.unit = strdup(unit);
        job.type = strdup(type);
        if (!job.unit || !job.type || vector_push(&wait->jobs, job) < 0) {
                free(job.unit);
                free(job.type);
                return -ENOMEM;
        }
        wait->n_anchors_left += is_anchor;
        return id_map_put(&wait->by_id, id, (void *) (uintptr_t) wait->jobs.n);
}

int job_wait_ended(JobWait *wait, uint32_t id, const char *result) {
        WaitJob *job = job_wait_find(wait, id);

        if (!job || job->result)
                return 0;
        job->result = strdup(result);
        if (!job->result)
                return -ENOMEM;
        wait->n_ended++;
        wait->n_anchors_left -= job->is_anchor;
        return 0;
}

/* — progress — */

static const char *format_seconds(usec_t span, char buffer[static USEC_FORMAT_MAX]) {
        return span < USEC_PER_SEC ? "0s" : usec_format(span - span % USEC_PER_SEC, buffer);
}

static bool is_running(const json_t *job) {
        return strcmp(value_string(job, "state"), "running") == 0;
}

int job_wait_format_progress(const JobWait *wait, const json_t *running, usec_t now, char **ret_line) {
        cleanup_(text_deinit) Text text = {};
        char span[USEC_FORMAT_MAX];
        const char *separator = "  ";
        json_t *job;
        size_t i;

        text_addf(&text, "[%zu/%zu] %s", wait->n_ended, wait->jobs.n,
                  format_seconds(usec_sub(now, wait->since), span));
        json_array_foreach(running, i, job) {
                usec_t age = usec_sub(now, value_u64(job, "triggered-at"));

                if (!is_running(job) || !job_wait_find(wait, (uint32_t) value_u64(job, "id")))
                        continue;
                text_addf(&text, "%s%s %s (%s)", separator, value_string(job, "run"), value_string(job, "unit"),
                          format_seconds(age, span));
                separator = ", ";
        }
        return text_finish(&text, ret_line);
}

/* The call must not delay Ctrl-C if jobd is stuck. */
static void draw_progress(Jobctl *ctl, JobWait *wait) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ char *line = NULL;
        int r;

        /* All running jobs, not those of the transaction: a joined job belongs to the transaction that made it. */
        r = bus_call(ctl->bus, &(BusCall) { .method = "Query", .signature = "a{sv}",
                                            .args = json_pack("[{s:{s:s}}]", "state", "s", "running"),
                                            .timeout_msec = PROGRESS_TIMEOUT_MSEC }, &reply, &error);
        if (r == 0 && job_wait_format_progress(wait, json_array_get(reply, 0), clock_monotonic(), &line) == 0)
                terminal_progress(&ctl->terminal, line);
        wait->next_look = clock_monotonic() + PROGRESS_EVERY;
}

/* — after the connection broke — */

/* Queries a job by id: 1 if it was found (a result is recorded), 0 if it is unknown or another job. */
static int look_up(Jobctl *ctl, JobWait *wait, const WaitJob *job, BusError *ret_error) {
        cleanup_json_ json_t *jobs = NULL;
        const json_t *found;
        int r;

        r = jobctl_query(ctl, "id", "u", json_integer(job->id), &jobs, ret_error);
        if (r < 0)
                return r;
        found = json_array_get(jobs, 0);
        if (!found || strcmp(value_string(found, "unit"), job->unit) != 0 ||
            (wait->transaction > 0 && value_u64(found, "transaction") > wait->transaction))
                return 0;
        if (!*value_string(found, "result"))
                return 1;
        r = job_wait_ended(wait, job->id, value_string(found, "result"));
        return r < 0 ? r : 1;
}

static int fail_unknown(Jobctl *ctl, const WaitJob *job) {
        cleanup_(bus_error_deinit) BusError error = {};

        bus_error_set(&error, "org.jobd1.JobLost",
                      "The connection to jobd was lost while waiting, and the one that is there now knows nothing of "
                      "job %" PRIu32 " (%s %s): how it ended is not known. See 'jobctl status %s'.",
                      job->id, job->type, job->unit, job->unit);
        return jobctl_fail(ctl, &error, NULL);
}

static int look_up_all(Jobctl *ctl, JobWait *wait) {
        cleanup_(bus_error_deinit) BusError error = {};

        wait->n_connections = ctl->n_connections;
        for (size_t i = 0; i < wait->jobs.n; i++) {
                const WaitJob *job = &wait->jobs.items[i];
                int r;

                if (job->result || !job->is_anchor)
                        continue;
                r = look_up(ctl, wait, job, &error);
                if (r == 0)
                        return fail_unknown(ctl, job);
                if (r < 0)
                        return r == -ENOMEM || r == -EINTR ? r :
                               jobctl_fail(ctl, &error, "ask for job %" PRIu32, job->id);
        }
        return 0;
}

/* — the wait — */

static int give_up(Jobctl *ctl, const JobWait *wait) {
        cleanup_(text_deinit) Text ids = {};

        terminal_progress_clear(&ctl->terminal);
        for (size_t i = 0; i < wait->jobs.n; i++)
                if (wait->jobs.items[i].is_anchor && !wait->jobs.items[i].result)
                        text_addf(&ids, " %" PRIu32, wait->jobs.items[i].id);
        if (!ctl->options.quiet)
                terminal_say(stderr, "\nNo longer waiting; the jobs go on. Wait again with 'jobctl wait%s', "
                                     "or cancel waiting jobs with 'jobctl cancel%s'.",
                             ids.string ?: "", ids.string ?: "");
        return EXIT_INTERRUPTED;
}

static int find_again(Jobctl *ctl) {
        cleanup_(bus_error_deinit) BusError error = {};
        int r = jobctl_reconnect(ctl, &error);

        return r == -ENOTCONN ? jobctl_fail(ctl, &error, "wait") : r;
}

static int next_event(Jobctl *ctl, JobWait *wait) {
        bool is_watched = ctl->terminal.is_err_terminal && !ctl->options.quiet;
        cleanup_(bus_signal_deinit) BusSignal signal = {};
        int r;

        r = bus_next_signal(ctl->bus, is_watched ? wait->next_look : USEC_INFINITY, &signal);
        if (r == 0)
                draw_progress(ctl, wait);
        if (r <= 0)
                return r == -ENOTCONN ? find_again(ctl) : r;
        if (!bus_signal_is(&signal, BUS_MANAGER, "JobRemoved"))
                return 0;
        return job_wait_ended(wait, (uint32_t) value_item_u64(signal.args, 0), value_item_string(signal.args, 3));
}

int job_wait_run(Jobctl *ctl, JobWait *wait) {
        int r = 0;

        bus_catch_interrupt(true);
        wait->since = clock_monotonic();
        wait->next_look = wait->since + PROGRESS_AFTER;
        while (r == 0 && wait->n_anchors_left > 0)
                if (wait->n_connections != ctl->n_connections)
                        r = look_up_all(ctl, wait);
                else
                        r = next_event(ctl, wait);
        bus_catch_interrupt(false);
        terminal_progress_clear(&ctl->terminal);
        return r == -EINTR ? give_up(ctl, wait) : r;
}

/* — afterwards — */

json_t *job_wait_to_json(const JobWait *wait) {
        cleanup_json_ json_t *jobs = json_array();

        for (size_t i = 0; i < wait->jobs.n; i++) {
                const WaitJob *job = &wait->jobs.items[i];
                json_t *entry = json_pack("{s:I, s:s, s:s, s:b, s:s?}", "id", (json_int_t) job->id, "unit", job->unit,
                                          "type", job->type, "anchor", job->is_anchor, "result", job->result);

                if (json_array_append_new(jobs, entry) < 0 ||
                    (job->reason && json_object_set_new(entry, "reason", json_string(job->reason)) < 0))
                        return NULL;
        }
        return take_ptr(jobs);
}

/* "(result 'exit-code'): what happened", as far as the unit can tell. */
static int failure_detail(Jobctl *ctl, const WaitJob *job, char **ret_detail) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *properties = NULL;
        const char *result, *reason;

        if (strcmp(job->result, "failed") != 0 ||
            jobctl_unit_properties(ctl, job->unit, NULL, &properties, &error) < 0)
                return text_format(ret_detail, "%s", "");
        result = value_string(properties, "Result");
        reason = value_string(properties, "FailureReason");
        if (!*result || strcmp(result, "success") == 0)
                return text_format(ret_detail, "%s%s", *reason ? ": " : "", reason);
        return text_format(ret_detail, "(result '%s')%s%s", result, *reason ? ": " : ".", reason);
}

/* The explanation of a unit or a job that has ended; NULL: there is none. */
static json_t *explain(Jobctl *ctl, const char *what) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;

        if (jobctl_call(ctl, "Explain", "s", json_pack("[s]", what), &reply, &error) < 0)
                return NULL;
        return json_incref(json_array_get(reply, 0));
}

/* Follows dependencies that failed to the unit that failed by itself: a copy of its name; NULL: @unit is one. */
static int find_root(Jobctl *ctl, const json_t *explanation, char **ret_unit) {
        cleanup_json_ json_t *at = json_incref((json_t *) explanation);

        for (size_t i = 0; i < DEPENDENCIES_MAX && *value_string(at, "dependency"); i++) {
                json_t *next;

                free(take_ptr(*ret_unit));
                if (text_copy(value_string(at, "dependency"), ret_unit) < 0)
                        return -ENOMEM;
                next = explain(ctl, *ret_unit);
                json_decref(at);
                at = next;
        }
        return 0;
}

/* The unit's own output is mostly the best reason. */
static int show_last_lines(Jobctl *ctl, const char *unit, const char *heading) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *since = NULL;

        if (ctl->options.follow || jobctl_unit_property(ctl, unit, "InactiveExitTimestamp", &since, &error) < 0)
                return 0;
        fflush(stdout);
        return log_print_last(ctl, stderr, &(LogLast) { .unit = unit, .since = (usec_t) json_integer_value(since),
                                                        .n = LINES_SHOWN, .heading = heading, .may_wait = true });
}

static int show_log(Jobctl *ctl, const WaitJob *job, const json_t *explanation) {
        cleanup_free_ char *root = NULL, *heading = NULL;
        int r;

        if (strcmp(job->result, "failed") == 0)
                return show_last_lines(ctl, job->unit, "  The last lines of its log:");
        r = find_root(ctl, explanation, &root);
        if (r < 0 || !root)
                return r;
        r = text_format(&heading, "  The last lines of the log of %s:", root);
        return r < 0 ? r : show_last_lines(ctl, root, heading);
}

static int report_failure(Jobctl *ctl, const WaitJob *job, const json_t *explanation) {
        cleanup_free_ char *detail = NULL;
        cleanup_free_ char *sentence = NULL;
        int r;

        r = failure_detail(ctl, job, &detail);
        if (r == 0)
                r = exit_status_describe(job->unit, job->result, detail, &sentence);
        if (r < 0)
                return r;
        terminal_say(stderr, "%s", sentence);
        if (!*detail && job->reason)
                terminal_say(stderr, "  %s", job->reason);
        r = show_log(ctl, job, explanation);
        if (r < 0)
                return r;
        terminal_say(stderr, "  See 'jobctl status %s' and 'jobctl why %" PRIu32 "'.", job->unit, job->id);
        return 0;
}

static int report_job(Jobctl *ctl, WaitJob *job, bool is_ok) {
        const bool is_silent = ctl->options.quiet || ctl->options.json;
        cleanup_json_ json_t *explanation = NULL;
        cleanup_free_ char *id = NULL;
        const char *unmet;

        if (text_format(&id, "%" PRIu32, job->id) < 0)
                return -ENOMEM;
        explanation = explain(ctl, id);
        unmet = value_string(explanation, "unmet");
        if (is_ok && !*unmet)
                return 0;
        if (explanation && text_copy(value_string(explanation, "summary"), &job->reason) < 0)
                return -ENOMEM;
        if (is_silent)
                return 0;
        if (!is_ok)
                return report_failure(ctl, job, explanation);
        terminal_say(stderr, "%s was skipped, as a condition is not met: %s", job->unit, unmet);
        return 0;
}

int job_wait_report(Jobctl *ctl, JobWait *wait) {
        int status = EXIT_OK;

        for (size_t i = 0; i < wait->jobs.n; i++) {
                WaitJob *job = &wait->jobs.items[i];
                bool is_ok;
                int r = 0;

                if (!job->is_anchor || !job->result)
                        continue;
                is_ok = exit_status_of_result(job->result) == EXIT_OK;
                if (!is_ok)
                        status = EXIT_FAILED;
                if (!is_ok || strstr(job->type, "start"))
                        r = report_job(ctl, job, is_ok);
                if (r < 0)
                        return r;
        }
        return status;
}

/* — units — */

/* Whether the unit is at rest, and whether it failed: 1 or 0, or < 0. */
static int unit_is_over(Jobctl *ctl, const char *unit, bool *ret_has_failed, BusError *ret_error) {
        cleanup_json_ json_t *properties = NULL;
        const char *state;
        int r;

        r = jobctl_unit_properties(ctl, unit, BUS_UNIT, &properties, ret_error);
        if (r < 0)
                return r;
        state = value_string(properties, "ActiveState");
        *ret_has_failed = strcmp(state, "failed") == 0;
        return (*ret_has_failed || strcmp(state, "inactive") == 0) &&
               value_item_u64(json_object_get(properties, "Job"), 0) == 0;
}

int unit_wait_for_end(Jobctl *ctl, const char *unit, bool *ret_has_failed) {
        cleanup_(bus_error_deinit) BusError error = {};

        for (;;) {
                cleanup_(bus_signal_deinit) BusSignal signal = {};
                int r = unit_is_over(ctl, unit, ret_has_failed, &error);

                if (r < 0)
                        return jobctl_fail(ctl, &error, "wait for %s", unit);
                if (r > 0)
                        return 0;
                r = bus_next_signal(ctl->bus, USEC_INFINITY, &signal);
                if (r == -ENOTCONN)
                        r = jobctl_reconnect(ctl, &error);
                if (r < 0)
                        return r == -ENOTCONN ? jobctl_fail(ctl, &error, "wait for %s", unit) : r;
        }
}
