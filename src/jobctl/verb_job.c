/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verbs about jobs: jobs, cancel, wait
 */

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "basic/clock.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/names.h"
#include "jobctl/state.h"
#include "jobctl/table.h"
#include "jobctl/verbs.h"
#include "jobctl/wait.h"

#define WATCH_EVERY USEC_PER_SEC
#define WATCH_PAUSE (100 * USEC_PER_MSEC)

/* — list — */

static bool matches_words(const json_t *job, char *const *words) {
        const char *unit = value_string(job, "unit");

        if (!words || !*words)
                return true;
        strv_foreach(word, words) {
                cleanup_free_ char *name = NULL;
                uint32_t id;

                if (name_is_number(*word, &id) && value_u64(job, "id") == id)
                        return true;
                if (name_mangle(*word, ".service", &name) == 0 && fnmatch(name, unit, FNM_NOESCAPE) == 0)
                        return true;
        }
        return false;
}

static bool is_wanted(const Options *options, const json_t *job, char *const *words) {
        if (options->types && !strv_contains(options->types, value_string(job, "type")))
                return false;
        if (options->states && !strv_contains(options->states, value_string(job, "state")))
                return false;
        return matches_words(job, words);
}

static int query_wanted(Jobctl *ctl, char *const *words, json_t **ret_jobs, BusError *ret_error) {
        cleanup_json_ json_t *all = NULL;
        cleanup_json_ json_t *wanted = json_array();
        json_t *job;
        size_t i;
        int r;

        r = jobctl_query(ctl, NULL, NULL, NULL, &all, ret_error);
        if (r < 0)
                return r;
        json_array_foreach(all, i, job)
                if (is_wanted(&ctl->options, job, words) && json_array_append(wanted, job) < 0)
                        return -ENOMEM;
        *ret_jobs = take_ptr(wanted);
        return 0;
}

static void add_job(Table *table, const json_t *job, usec_t now) {
        const char *type = value_string(job, "type"), *run = value_string(job, "run");
        bool is_running = strcmp(value_string(job, "state"), "running") == 0;
        usec_t since = value_u64(job, is_running ? "triggered-at" : "installed-at");
        usec_t age = since > 0 ? usec_sub(now, since) : 0;
        char span[USEC_FORMAT_MAX];
        uint64_t blocker = value_u64(job, "blocker");

        table_addf(table, "%" PRIu64, value_u64(job, "id"));
        table_add(table, COLOR_NONE, value_string(job, "unit"));
        if (strcmp(type, run) != 0 && *run)
                table_addf(table, "%s (%s)", type, run);
        else
                table_add(table, COLOR_NONE, type);
        table_add(table, is_running ? COLOR_GREEN : COLOR_NONE, value_string(job, "state"));
        table_add(table, COLOR_NONE, state_format_span(age, span));
        if (blocker > 0)
                table_addf(table, "job %" PRIu64, blocker);
        else
                table_add(table, COLOR_NONE, value_bool(job, "paused") ? "paused" : "");
}

static int print_jobs(Jobctl *ctl, const json_t *jobs) {
        cleanup_(table_deinit) Table table = { .n_columns = 6, .right_columns = 1U << 0,
                                               .whole_columns = TABLE_FIRST(2) | 1U << 4,
                                               .has_header = !ctl->options.no_legend, .is_full = ctl->options.full };
        usec_t now = clock_monotonic();
        size_t n = json_array_size(jobs), i;
        json_t *job;
        int r;

        if (n == 0) {
                if (!ctl->options.no_legend)
                        puts("No jobs running.");
                return 0;
        }
        if (table.has_header)
                for (i = 0; i < table.n_columns; i++)
                        table_add(&table, COLOR_NONE,
                                  ((const char *[]) { "JOB", "UNIT", "TYPE", "STATE", "FOR", "WAITS FOR" })[i]);
        json_array_foreach(jobs, i, job)
                add_job(&table, job, now);
        r = table_write(&table, &ctl->terminal, stdout);
        if (r == 0 && !ctl->options.no_legend)
                printf("\n%zu %s listed.\n", n, n == 1 ? "job" : "jobs");
        return r;
}

static int list_once(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *jobs = NULL;
        int r = query_wanted(ctl, words, &jobs, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "list jobs");
        if (!ctl->options.json)
                return print_jobs(ctl, jobs);
        return ctl->options.watch ? jobctl_print_json_line(ctl, take_ptr(jobs))
                                  : jobctl_print_json(ctl, take_ptr(jobs), EXIT_OK);
}

/* Waits for a change of a job, then a moment for further changes. */
static int watch_jobs(Jobctl *ctl) {
        bool is_terminal = ctl->terminal.is_out_terminal && !ctl->options.json;
        usec_t deadline = is_terminal ? clock_monotonic() + WATCH_EVERY : USEC_INFINITY;

        for (;;) {
                cleanup_(bus_signal_deinit) BusSignal signal = {};
                int r = bus_next_signal(ctl->bus, deadline, &signal);

                if (r <= 0)
                        return r;
                if (text_starts_with(signal.member, "Job"))
                        deadline = MIN(deadline, clock_monotonic() + WATCH_PAUSE);
        }
}

static int watch(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        int r = jobctl_subscribe(ctl, &error);

        if (r < 0)
                return jobctl_fail(ctl, &error, "watch jobs");
        for (;;) {
                if (ctl->terminal.is_out_terminal && !ctl->options.json)
                        fputs("\033[H\033[J", stdout);
                r = list_once(ctl, words);
                fflush(stdout);
                if (r != 0)
                        return r;
                r = watch_jobs(ctl);
                if (r == -ENOTCONN)
                        r = jobctl_reconnect(ctl, &error);
                if (r < 0)
                        return r == -ENOTCONN ? jobctl_fail(ctl, &error, NULL) : r;
        }
}

int verb_jobs(Jobctl *ctl, char *const *words) {
        return ctl->options.watch ? watch(ctl, words) : list_once(ctl, words);
}

/* — cancel — */

/* After a lost answer: whether the job ended as canceled. */
static bool was_canceled(Jobctl *ctl, uint32_t id) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *jobs = NULL;

        return jobctl_query(ctl, "id", "u", json_integer(id), &jobs, &error) == 0 &&
               text_equal(value_string(json_array_get(jobs, 0), "result"), "canceled");
}

static int cancel_id(Jobctl *ctl, uint32_t id, json_t *failures) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_free_ char *word = NULL;
        unsigned connections = ctl->n_connections;
        json_t *arguments = json_pack("[I]", (json_int_t) id);
        int r = ctl->options.detach ? jobctl_call(ctl, "Detach", "u", arguments, NULL, &error) :
                jobctl_call(ctl, "CancelJob", "u", arguments, NULL, &error);

        if (r >= 0 || (connections != ctl->n_connections && was_canceled(ctl, id)))
                return EXIT_OK;
        r = text_format(&word, "%" PRIu32, id);
        return r < 0 ? r : jobctl_fail_word(ctl, failures, word, &error, "cancel job");
}

static int cancel_unit(Jobctl *ctl, const char *word, json_t *failures) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *jobs = NULL;
        char *words[] = { (char *) word, NULL };
        int status = EXIT_OK;
        json_t *job;
        size_t i;
        int r;

        r = query_wanted(ctl, words, &jobs, &error);
        if (r < 0)
                return jobctl_fail_word(ctl, failures, word, &error, "list the jobs of");
        if (json_array_size(jobs) == 0) {
                bus_error_set(&error, "org.jobd1.NoSuchJob", "The unit has no job.");
                return jobctl_fail_word(ctl, failures, word, &error, "cancel");
        }
        json_array_foreach(jobs, i, job) {
                r = cancel_id(ctl, (uint32_t) value_u64(job, "id"), failures);
                if (r < 0)
                        return r;
                status = MAX(status, r);
        }
        return status;
}

int verb_cancel(Jobctl *ctl, char *const *words) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *failures = json_array();
        int status = EXIT_OK, r;

        if (ctl->options.detach && (!words || !*words))
                return jobctl_misused(ctl, "'--detach' needs the names of jobs or units.");
        if (!words || !*words) {
                r = jobctl_call(ctl, "ClearJobs", NULL, NULL, NULL, &error);
                return r < 0 ? jobctl_fail(ctl, &error, "cancel all jobs") : jobctl_finish(ctl, failures, EXIT_OK);
        }
        strv_foreach(word, words) {
                uint32_t id;

                r = name_is_number(*word, &id) ? cancel_id(ctl, id, failures) : cancel_unit(ctl, *word, failures);
                if (r < 0)
                        return r;
                status = MAX(status, r);
        }
        return jobctl_finish(ctl, failures, status);
}

/* — wait — */

static int add_awaited(Jobctl *ctl, JobWait *wait, const char *word) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *jobs = NULL;
        const json_t *job;
        const char *result;
        uint32_t id;
        int r;

        if (!name_is_number(word, &id))
                return jobctl_misused(ctl, "'%s' is not the id of a job.", word);
        r = jobctl_query(ctl, "id", "u", json_integer(id), &jobs, &error);
        job = json_array_get(jobs, 0);
        if (r == 0 && !job) {
                bus_error_set(&error, "org.jobd1.NoSuchJob", "Job %" PRIu32 " is not known.", id);
                r = -ENOENT;
        }
        if (r < 0)
                return jobctl_fail(ctl, &error, "wait");
        /* A query for an absorbed id returns the surviving job; the signal has the requested id, too. */
        r = job_wait_add(wait, id, value_string(job, "unit"), value_string(job, "type"), true);
        result = value_string(job, "result");
        if (r == 0 && *result)
                r = job_wait_ended(wait, id, result);
        return r;
}

int verb_wait(Jobctl *ctl, char *const *words) {
        cleanup_(job_wait_deinit) JobWait wait = {};
        cleanup_(bus_error_deinit) BusError error = {};
        int r;

        r = jobctl_subscribe(ctl, &error);
        wait.n_connections = ctl->n_connections;
        if (r < 0)
                return jobctl_fail(ctl, &error, "wait");
        strv_foreach(word, words) {
                r = add_awaited(ctl, &wait, *word);
                if (r != 0)
                        return r;
        }
        r = job_wait_run(ctl, &wait);
        if (r == 0)
                r = job_wait_report(ctl, &wait);
        if (r < 0 || !ctl->options.json)
                return r;
        return jobctl_print_json(ctl, json_pack("{s:b, s:o}", "ok", r == 0, "jobs", job_wait_to_json(&wait)), r);
}
