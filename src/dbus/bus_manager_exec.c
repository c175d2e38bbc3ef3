/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: Exec and Plan
 */

#include <errno.h>

#include "basic/hash.h"
#include "basic/text.h"
#include "dbus/bus_manager.h"
#include "dbus/bus_token.h"
#include "dbus/object/bus_question.h"

#define REQUESTS_MAX 16384U

typedef struct ExecOptions {
        const char *token;              /* borrowed from the message; NULL: none */
        bool wants_edges;
} ExecOptions;

typedef VECTOR(JobRequest) JobRequests;

static int read_requests(BusCall *call, JobRequests *requests) {
        DBusMessageIter items;

        dbus_message_iter_recurse(&call->arguments, &items);
        for (; dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; dbus_message_iter_next(&items)) {
                DBusMessageIter item;
                const char *unit, *type;
                JobRequest request;
                int r;

                if (requests->n >= REQUESTS_MAX)
                        return bus_call_fail(call, -E2BIG, "LimitsExceeded",
                                             "A transaction may have no more than %u requests.", REQUESTS_MAX);
                dbus_message_iter_recurse(&items, &item);
                dbus_message_iter_get_basic(&item, &unit);
                dbus_message_iter_next(&item);
                dbus_message_iter_get_basic(&item, &type);

                r = bus_call_parse_request(call, unit, type, &request);
                if (r >= 0)
                        r = vector_push(requests, request);
                if (r < 0)
                        return r;
        }
        dbus_message_iter_next(&call->arguments);

        if (requests->n == 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "There is no request.");
        return 0;
}

/* — options — */

static int read_token(BusCall *call, DBusMessageIter *value, ExecOptions *options) {
        if (dbus_message_iter_get_arg_type(value) != DBUS_TYPE_STRING)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "Option token takes a string.");
        dbus_message_iter_get_basic(value, &options->token);
        return bus_token_check(call, "Option token", options->token);
}

static int read_edges(BusCall *call, DBusMessageIter *value, ExecOptions *options) {
        dbus_bool_t is_wanted;

        if (dbus_message_iter_get_arg_type(value) != DBUS_TYPE_BOOLEAN)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "Option edges takes a boolean.");
        dbus_message_iter_get_basic(value, &is_wanted);
        options->wants_edges = is_wanted;
        return 0;
}

/* An unknown option is refused, since it cannot be honoured. */
static int read_option(BusCall *call, DBusMessageIter *option, const char *known, ExecOptions *options) {
        DBusMessageIter value;
        const char *key;

        dbus_message_iter_get_basic(option, &key);
        dbus_message_iter_next(option);
        dbus_message_iter_recurse(option, &value);
        if (!text_equal(key, known))
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "There is no option %s.", key);
        return text_equal(known, "token") ? read_token(call, &value, options) : read_edges(call, &value, options);
}

/* Reads the last argument, before the others. @known: the only option of the method. */
static int read_options(BusCall *call, const char *known, ExecOptions *ret_options) {
        DBusMessageIter arguments = call->arguments, options;
        int r = 0;

        *ret_options = (ExecOptions) {};
        dbus_message_iter_next(&arguments);
        dbus_message_iter_next(&arguments);
        dbus_message_iter_recurse(&arguments, &options);
        for (; r == 0 && dbus_message_iter_get_arg_type(&options) != DBUS_TYPE_INVALID;
             dbus_message_iter_next(&options)) {
                DBusMessageIter option;

                dbus_message_iter_recurse(&options, &option);
                r = read_option(call, &option, known, ret_options);
        }
        return r;
}

/* — requests under a token — */

/* Hashes requests and mode as they stand in the message. */
static uint64_t hash_requests(const BusCall *call) {
        DBusMessageIter arguments = call->arguments, items, item;
        uint64_t hash = HASH_BEGIN;
        const char *word;

        dbus_message_iter_recurse(&arguments, &items);
        for (; dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; dbus_message_iter_next(&items)) {
                dbus_message_iter_recurse(&items, &item);
                for (; dbus_message_iter_get_arg_type(&item) != DBUS_TYPE_INVALID; dbus_message_iter_next(&item)) {
                        dbus_message_iter_get_basic(&item, &word);
                        hash = hash_add(hash, word);
                }
        }
        dbus_message_iter_next(&arguments);
        dbus_message_iter_get_basic(&arguments, &word);
        return hash_add(hash, word);
}

static void put_job(BusCall *call, uint32_t id, const char *unit, JobType type) {
        sink_open(call->reply, 'r', "uosso");
        sink_u32(call->reply, id);
        bus_call_put_job_path(call, id);
        sink_string(call->reply, unit);
        sink_string(call->reply, job_type_to_string(type));
        bus_call_put_unit_path(call, unit);
        sink_close(call->reply);
}

static void put_other(BusCall *call, uint32_t id) {
        JobManager *jobs = manager_jobs(call->tree->manager);
        JobInfo job;

        if ((job_manager_find(jobs, id, &job) || job_manager_find_ended(jobs, id, &job)) && job.unit)
                put_job(call, id, job.unit->id, job.type);
}

static int answer_again(BusCall *call, const ManagerToken *token) {
        sink_u64(call->reply, token->transaction);
        sink_open(call->reply, 'a', "(uosso)");
        for (size_t i = 0; i < token->anchors.n; i++) {
                const ManagerTokenJob *anchor = &token->anchors.items[i];

                if (bus_token_adopt_job(call, anchor) < 0)
                        return -ENOMEM;
                put_job(call, anchor->id, anchor->unit, anchor->type);
        }
        for (size_t i = 0; i < token->others.n; i++)
                for (uint32_t k = 0; k < token->others.items[i].n; k++)
                        put_other(call, token->others.items[i].first + k);
        sink_close(call->reply);
        return 0;
}

/* — Exec — */

static void put_transaction(BusCall *call, const JobPlan *plan) {
        sink_u64(call->reply, plan->transaction);
        sink_open(call->reply, 'a', "(uosso)");
        for (size_t i = 0; i < plan->jobs.n; i++)
                put_job(call, plan->jobs.items[i].id, plan->jobs.items[i].unit, plan->jobs.items[i].type);
        sink_close(call->reply);
}

static int read_exec(BusCall *call, JobRequests *requests, JobMode *ret_mode) {
        int r;

        r = read_requests(call, requests);
        return r < 0 ? r : bus_call_parse_mode(call, bus_call_string(call), ret_mode);
}

static int exec(BusCall *call, const char *token, uint64_t request) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        JobRequests requests = {};
        JobMode mode;
        int r;

        r = read_exec(call, &requests, &mode);
        if (r >= 0)
                r = bus_call_exec(call, requests.items, requests.n, mode, false, &plan);
        if (r >= 0) {
                if (token)
                        bus_token_remember(call, token, request, plan);
                put_transaction(call, plan);
        }
        vector_deinit(&requests);
        return r;
}

/* A transaction of many requests is described as a whole: without a unit. */
int bus_manager_describe_exec(const BusCall *call, size_t at, BusDetail *ret_detail) {
        DBusMessageIter arguments = call->arguments, items, item;
        const char *unit, *type;

        dbus_message_iter_recurse(&arguments, &items);
        if (dbus_message_iter_get_element_count(&arguments) > (int) BUS_QUESTION_DETAILS_MAX)
                return 0;
        for (size_t i = 0; i < at && dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; i++)
                dbus_message_iter_next(&items);
        if (dbus_message_iter_get_arg_type(&items) == DBUS_TYPE_INVALID)
                return 0;
        dbus_message_iter_recurse(&items, &item);
        dbus_message_iter_get_basic(&item, &unit);
        dbus_message_iter_next(&item);
        dbus_message_iter_get_basic(&item, &type);
        return bus_question_describe(call, unit, type, ret_detail);
}

int bus_manager_exec(BusCall *call) {
        const ManagerToken *done;
        ExecOptions options;
        uint64_t request;
        int r;

        r = read_options(call, "token", &options);
        if (r < 0)
                return r;
        if (!options.token)
                return exec(call, NULL, 0);

        request = hash_requests(call);
        r = bus_token_find(call, options.token, request, &done);
        if (r < 0)
                return r;
        return r > 0 ? answer_again(call, done) : exec(call, options.token, request);
}

/* A refusal is an answer here, not an error: the plan contains the reason. */
int bus_manager_plan(BusCall *call) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        JobRequester requester = bus_call_requester(call);
        JobRequests requests = {};
        ExecOptions options;
        JobMode mode;
        int r;

        r = read_options(call, "edges", &options);
        if (r >= 0)
                r = read_exec(call, &requests, &mode);
        if (r >= 0)
                r = manager_plan(call->tree->manager, requests.items, requests.n, mode, &requester, options.wants_edges,
                                 &plan);
        if (r >= 0)
                job_plan_write(plan, call->reply);
        vector_deinit(&requests);
        return r < 0 ? r : 0;
}
