/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Verbs that request changes: start, stop, …, isolate, exec, plan
 *
 * All words of a call are one transaction, one call of Exec: either every
 * unit can be changed as requested, or nothing happens. systemctl differs: it
 * sends one request for each unit.
 *
 * "plan" and --dry-run send the same requests to Plan.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/log_print.h"
#include "jobctl/names.h"
#include "jobctl/plan.h"
#include "jobctl/verbs.h"
#include "jobctl/wait.h"

/* A request. */
typedef struct Request {
        json_t *items;          /* [[unit, type], …] */
        const char *mode;       /* borrowed */
        char *what;             /* owned; for messages: "start a.service" */
} Request;

static void request_deinit(Request *request) {
        json_decref(request->items);
        free(request->what);
}

static int request_add(Request *request, const char *unit, const char *type) {
        return json_array_append_new(request->items, json_pack("[ss]", unit, type)) < 0 ? -ENOMEM : 0;
}

/* "start a.service, stop b.service (mode isolate)" */
static int request_title(const Request *request, char **ret_title) {
        cleanup_(text_deinit) Text title = {};
        json_t *item;
        size_t i;

        json_array_foreach(request->items, i, item)
                text_addf(&title, "%s%s %s", i > 0 ? ", " : "", value_item_string(item, 1), value_item_string(item, 0));
        if (strcmp(request->mode, "replace") != 0)
                text_addf(&title, " (mode %s)", request->mode);
        return text_finish(&title, ret_title);
}

static int request_plan(Jobctl *ctl, const Request *request) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ char *title = NULL;
        json_t *args;
        int r;

        args = ctl->options.graph ? json_pack("[Os{s{sb}}]", request->items, request->mode, "edges", "b", 1) :
                                    json_pack("[Os{}]", request->items, request->mode);
        r = jobctl_call(ctl, "Plan", "a(ss)sa{sv}", args, &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "plan how to %s", request->what);
        r = request_title(request, &title);
        return r < 0 ? r : plan_print(ctl, json_array_get(reply, 0), title);
}

/* — the answer of Exec: t transaction, a(uosso) jobs, anchors first — */

static bool has_unit(const json_t *rows, size_t field, const char *unit) {
        json_t *row;
        size_t i;

        json_array_foreach(rows, i, row)
                if (strcmp(value_item_string(row, field), unit) == 0)
                        return true;
        return false;
}

/* The answer has the main names of units; an alias in the request is replaced by that. */
static int resolve_aliases(Jobctl *ctl, const Request *request, const json_t *jobs) {
        json_t *item;
        size_t i;

        json_array_foreach(request->items, i, item) {
                cleanup_(bus_error_deinit) BusError error = {};
                cleanup_json_ json_t *properties = NULL;
                const char *unit = value_item_string(item, 0);

                if (has_unit(jobs, 2, unit) || jobctl_unit_properties(ctl, unit, BUS_UNIT, &properties, &error) < 0)
                        continue;
                if (json_array_set(item, 0, json_object_get(properties, "Id")) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int add_jobs(Jobctl *ctl, const Request *request, const json_t *reply, JobWait *wait) {
        const json_t *jobs = json_array_get(reply, 1);
        json_t *job;
        size_t i;
        int r;

        r = resolve_aliases(ctl, request, jobs);
        wait->transaction = value_item_u64(reply, 0);
        json_array_foreach(jobs, i, job) {
                const char *unit = value_item_string(job, 2);

                if (r == 0)
                        r = job_wait_add(wait, (uint32_t) value_item_u64(job, 0), unit, value_item_string(job, 3),
                                         has_unit(request->items, 0, unit));
        }
        return r;
}

static void show_transaction(const JobWait *wait) {
        for (size_t i = 0; i < wait->jobs.n; i++)
                printf("Enqueued %s job %" PRIu32 " %s/%s.\n", wait->jobs.items[i].is_anchor ? "anchor" : "auxiliary",
                       wait->jobs.items[i].id, wait->jobs.items[i].unit, wait->jobs.items[i].type);
}

/* Warns if unit files have changed since they were read, which surprises people. */
static void warn_outdated(Jobctl *ctl, const JobWait *wait) {
        for (size_t i = 0; i < wait->jobs.n && wait->jobs.items[i].is_anchor; i++) {
                cleanup_(bus_error_deinit) BusError error = {};
                cleanup_json_ json_t *is_outdated = NULL;
                const char *unit = wait->jobs.items[i].unit;

                if (jobctl_unit_property(ctl, unit, "NeedDaemonReload", &is_outdated, &error) < 0)
                        return;
                if (json_is_true(is_outdated))
                        jobctl_warn_outdated(unit);
        }
}

static bool is_being_stopped(const JobWait *wait, const char *unit) {
        for (size_t i = 0; i < wait->jobs.n; i++)
                if (strcmp(wait->jobs.items[i].unit, unit) == 0 && strcmp(wait->jobs.items[i].type, "stop") == 0)
                        return true;
        return false;
}

static bool is_active(Jobctl *ctl, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *state = NULL;

        return jobctl_unit_property(ctl, unit, "ActiveState", &state, &error) >= 0 &&
               (strcmp(json_string_value(state) ?: "", "active") == 0 ||
                strcmp(json_string_value(state) ?: "", "reloading") == 0);
}

/* Warns if a socket, timer or path may start a stopped service again. */
static void warn_triggered(Jobctl *ctl, const JobWait *wait) {
        for (size_t i = 0; i < wait->jobs.n && wait->jobs.items[i].is_anchor; i++) {
                cleanup_(bus_error_deinit) BusError error = {};
                cleanup_json_ json_t *triggers = NULL;
                const char *unit = wait->jobs.items[i].unit;
                bool is_said = false;
                json_t *trigger;
                size_t k;

                if (strcmp(wait->jobs.items[i].type, "stop") != 0 ||
                    jobctl_unit_property(ctl, unit, "TriggeredBy", &triggers, &error) < 0)
                        continue;
                json_array_foreach(triggers, k, trigger) {
                        const char *name = json_string_value(trigger) ?: "";

                        if (is_being_stopped(wait, name) || !is_active(ctl, name))
                                continue;
                        if (!is_said)
                                terminal_say(stderr, "Warning: Stopping %s, but it can still be activated by:", unit);
                        terminal_say(stderr, "  %s", name);
                        is_said = true;
                }
        }
}

/* — --wait: until what was started has stopped again — */

static int keep_units(Jobctl *ctl, const Request *request) {
        json_t *item;
        size_t i;

        ctl->kept_units = json_array();
        json_array_foreach(request->items, i, item) {
                cleanup_(bus_error_deinit) BusError error = {};

                (void) jobctl_call(ctl, "RefUnit", "s", json_pack("[s]", value_item_string(item, 0)), NULL, &error);
                if (json_array_append(ctl->kept_units, json_array_get(item, 0)) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int wait_for_ends(Jobctl *ctl, const JobWait *wait) {
        int status = EXIT_OK;

        for (size_t i = 0; i < wait->jobs.n; i++) {
                bool has_failed = false;
                int r;

                if (!wait->jobs.items[i].is_anchor || !strstr(wait->jobs.items[i].type, "start"))
                        continue;
                r = unit_wait_for_end(ctl, wait->jobs.items[i].unit, &has_failed);
                if (r != 0)
                        return r;
                if (has_failed)
                        status = EXIT_FAILED;
        }
        return status;
}

/* — a request from call to result — */

static int finish_request(Jobctl *ctl, JobWait *wait) {
        int status = 0;

        if (!ctl->options.no_block) {
                status = job_wait_run(ctl, wait);
                if (status == 0)
                        status = job_wait_report(ctl, wait);
                if (status == 0 && ctl->options.wait)
                        status = wait_for_ends(ctl, wait);
        }
        if (status < 0 || !ctl->options.json)
                return status;
        return jobctl_print_json(ctl, json_pack("{s:b, s:I, s:o}", "ok", status == 0, "transaction",
                                                (json_int_t) wait->transaction, "jobs", job_wait_to_json(wait)),
                                 status);
}

/* try-… of a masked unit does nothing and is no failure, as with systemctl. */
static bool is_forgivable(const Jobctl *ctl, const BusError *error) {
        return bus_error_is(error, "UnitMasked") && ctl->verb->job_type && strstr(ctl->verb->job_type, "try-");
}

static int request_exec(Jobctl *ctl, const Request *request, json_t **ret_reply, BusError *ret_error) {
        char token[JOBCTL_TOKEN_SIZE];
        int r = jobctl_make_token(token);

        if (r < 0)
                return r;
        return jobctl_call(ctl, "Exec", "a(ss)sa{sv}",
                           json_pack("[Os{s{ss}}]", request->items, request->mode, "token", "s", token), ret_reply,
                           ret_error);
}

/* Begins before the request, so that no line is missed. */
static int begin_to_follow(Jobctl *ctl, const Request *request, LogFollower *follower) {
        cleanup_(strv_freep) char **units = NULL;
        json_t *item;
        size_t i;
        int r = 0;

        *follower = (LogFollower) { .stop_fd = -1 };
        json_array_foreach(request->items, i, item)
                if (r == 0)
                        r = strv_push(&units, value_item_string(item, 0));
        return r < 0 || !ctl->options.follow ? r : log_follower_begin(ctl, units, follower);
}

static int request_send(Jobctl *ctl, const Request *request) {
        cleanup_(log_follower_end) LogFollower follower = {};
        cleanup_(job_wait_deinit) JobWait wait = {};
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        int r;

        r = begin_to_follow(ctl, request, &follower);
        if (r < 0)
                return r;
        r = jobctl_subscribe(ctl, &error);
        wait.n_connections = ctl->n_connections;
        if (r == 0 && ctl->options.wait)
                r = keep_units(ctl, request);
        if (r == 0)
                r = request_exec(ctl, request, &reply, &error);
        if (r < 0 && is_forgivable(ctl, &error))
                return EXIT_OK;
        if (r < 0)
                return jobctl_fail(ctl, &error, "%s", request->what);
        r = add_jobs(ctl, request, reply, &wait);
        if (r < 0)
                return r;
        if (ctl->options.show_transaction && !ctl->options.json)
                show_transaction(&wait);
        if (!ctl->options.quiet && !ctl->options.json) {
                warn_outdated(ctl, &wait);
                warn_triggered(ctl, &wait);
        }
        return finish_request(ctl, &wait);
}

/* Only started units can stop again. */
static bool is_endless(const Request *request) {
        json_t *item;
        size_t i;

        json_array_foreach(request->items, i, item)
                if (strstr(value_item_string(item, 1), "start"))
                        return false;
        return true;
}

static int request_run(Jobctl *ctl, Request *request) {
        if (json_array_size(request->items) == 0)
                return EXIT_OK;
        if (ctl->options.wait && ctl->options.no_block)
                return jobctl_misused(ctl, "'--wait' and '--no-block' exclude each other.");
        if (ctl->options.follow && ctl->options.no_block)
                return jobctl_misused(ctl, "'--follow' and '--no-block' exclude each other.");
        if (ctl->options.wait && is_endless(request))
                return jobctl_misused(ctl, "'--wait' goes with a start or restart only.");
        if (ctl->options.dry_run || ctl->options.graph)
                return request_plan(ctl, request);
        return request_send(ctl, request);
}

static int describe_request(Request *request, const char *verb, char *const *names) {
        cleanup_free_ char *joined = NULL;
        int r = strv_join(names, " ", &joined);

        return r < 0 ? r : text_format(&request->what, "%s %s", verb, joined);
}

int verb_request(Jobctl *ctl, char *const *words) {
        bool is_isolate = strcmp(ctl->verb->name, "isolate") == 0;
        cleanup_(request_deinit) Request request = {
                .items = json_array(),
                .mode = is_isolate ? "isolate" : ctl->options.job_mode ?: "replace",
        };
        cleanup_(strv_freep) char **names = NULL;
        int r;

        if (is_isolate && ctl->options.job_mode && strcmp(ctl->options.job_mode, "isolate") != 0)
                return jobctl_misused(ctl, "'isolate' is a mode itself and takes no other: '%s'.",
                                      ctl->options.job_mode);
        r = names_resolve(ctl, words, is_isolate ? ".target" : ".service", &names);
        if (r != 0)
                return r;
        strv_foreach(name, names) {
                r = request_add(&request, *name, ctl->verb->job_type);
                if (r < 0)
                        return r;
        }
        r = describe_request(&request, ctl->verb->name, names);
        return r < 0 ? r : request_run(ctl, &request);
}

int verb_target(Jobctl *ctl, char *const *words) {
        cleanup_(request_deinit) Request request = { .items = json_array(), .mode = ctl->verb->job_mode };
        int r;

        if (ctl->options.job_mode)
                return jobctl_misused(ctl, "'%s' has a mode of its own.", ctl->verb->name);
        r = request_add(&request, ctl->verb->unit, ctl->verb->job_type);
        if (r == 0)
                r = text_format(&request.what, "start %s", ctl->verb->unit);
        return r < 0 ? r : request_run(ctl, &request);
}

/* — words like start:a.service — */

static int misused_type(Jobctl *ctl, const char *type) {
        const char *nearest = name_request_type_nearest(type);

        if (nearest)
                return jobctl_misused(ctl, "Unknown type of job '%s'. Did you mean '%s'?", type, nearest);
        return jobctl_misused(ctl, "Unknown type of job '%s': start, stop, restart, reload, try-restart, …", type);
}

static int add_typed(Jobctl *ctl, Request *request, const char *type, char *const *units) {
        bool is_isolate = strcmp(type, "isolate") == 0;
        cleanup_(strv_freep) char **names = NULL;
        int r;

        if (!name_request_type(type))
                return misused_type(ctl, type);
        if (is_isolate && ctl->options.job_mode && strcmp(ctl->options.job_mode, "isolate") != 0)
                return jobctl_misused(ctl, "'isolate:' is a mode itself and does not go with --job-mode=%s.",
                                      ctl->options.job_mode);
        if (is_isolate)
                request->mode = "isolate";
        r = names_resolve(ctl, units, is_isolate ? ".target" : ".service", &names);
        strv_foreach(name, names)
                if (r == 0)
                        r = request_add(request, *name, name_request_type(type));
        return r;
}

static int add_word(Jobctl *ctl, Request *request, const char *word) {
        const char *colon = strchr(word, ':');
        cleanup_free_ char *type = colon ? strndup(word, (size_t) (colon - word)) : NULL;
        char *units[] = { (char *) (colon ? colon + 1 : ""), NULL };

        if (!colon && !name_request_type(word))
                return jobctl_misused(ctl, "'%s' is not of the form TYPE:UNIT, as in start:%s.", word, word);
        if (!*units[0])
                return jobctl_misused(ctl, "'%s' names no unit.", word);
        return type ? add_typed(ctl, request, type, units) : -ENOMEM;
}

static int parse_requests(Jobctl *ctl, Request *request, char *const *words) {
        request->mode = ctl->options.job_mode ?: "replace";
        if (!strchr(words[0], ':') && name_request_type(words[0]) && words[1])
                return add_typed(ctl, request, words[0], words + 1);
        strv_foreach(word, words) {
                int r = add_word(ctl, request, *word);

                if (r != 0)
                        return r;
        }
        return 0;
}

static int exec_or_plan(Jobctl *ctl, char *const *words, int (*run)(Jobctl *ctl, Request *request)) {
        cleanup_(request_deinit) Request request = { .items = json_array() };
        cleanup_free_ char *joined = NULL;
        int r = parse_requests(ctl, &request, words);

        if (r == 0)
                r = strv_join(words, " ", &joined);
        if (r == 0)
                r = text_format(&request.what, "carry out %s", joined);
        return r != 0 ? r : run(ctl, &request);
}

int verb_exec(Jobctl *ctl, char *const *words) {
        return exec_or_plan(ctl, words, request_run);
}

static int plan_only(Jobctl *ctl, Request *request) {
        return request_plan(ctl, request);
}

int verb_plan(Jobctl *ctl, char *const *words) {
        return exec_or_plan(ctl, words, plan_only);
}
