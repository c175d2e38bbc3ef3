/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Calls that can be repeated
 *
 * Shared by the methods that take a token. The token is looked up before all
 * other checks: a repeated call is answered even if it would be refused by now.
 */

#include <errno.h>

#include "basic/log.h"
#include "dbus/bus_token.h"

int bus_token_check(BusCall *call, const char *what, const char *token) {
        if (manager_token_is_valid(token))
                return 0;
        return bus_call_fail(call, -EINVAL, "InvalidArgs",
                             "%s takes 1 to %u printable ASCII characters without spaces.",
                             what, MANAGER_TOKEN_LENGTH_MAX);
}

int bus_token_find(BusCall *call, const char *token, uint64_t request, const ManagerToken **ret_done) {
        const ManagerToken *done = manager_tokens_find(manager_tokens(call->tree->manager), token, call->client->uid,
                                                       manager_now(call->tree->manager));

        if (done && done->request != request)
                return bus_call_fail(call, -EEXIST, "TokenReused",
                                     "Token %s stands for other requests already, those of transaction %llu.", token,
                                     (unsigned long long) done->transaction);
        *ret_done = done;
        return done ? 1 : 0;
}

void bus_token_remember(BusCall *call, const char *token, uint64_t request, const JobPlan *plan) {
        if (manager_tokens_add(manager_tokens(call->tree->manager), token, call->client->uid, request, plan,
                               manager_now(call->tree->manager)) < 0)
                log_warning("Out of memory: who repeats the request of transaction %llu has it done again.",
                            (unsigned long long) plan->transaction);
}

int bus_token_adopt_job(BusCall *call, const ManagerTokenJob *job) {
        JobInfo info;

        if (job->id == JOB_ID_NONE || !job_manager_find(manager_jobs(call->tree->manager), job->id, &info))
                return 0;
        return bus_client_add_job(call->client, job->id);
}
