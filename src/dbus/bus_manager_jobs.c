/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: jobs
 */

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/bus_manager.h"
#include "dbus/object/bus_question.h"

const char *bus_manager_type_of_method(const char *method) {
        static const struct {
                const char *verb, *type;
        } types[] = {
                { "Start", "start" },
                { "Stop", "stop" },
                { "Reload", "reload" },
                { "Restart", "restart" },
                { "TryRestart", "try-restart" },
                { "ReloadOrRestart", "reload-or-restart" },
                { "ReloadOrTryRestart", "reload-or-try-restart" },
        };

        for (size_t i = 0; i < ELEMENTSOF(types); i++) {
                size_t n = strlen(types[i].verb);

                if (strncmp(method, types[i].verb, n) == 0 && (!method[n] || text_equal(method + n, "Unit")))
                        return types[i].type;
        }
        return NULL;
}

int bus_manager_enqueue(BusCall *call) {
        const char *unit = bus_call_string(call);
        const char *mode = bus_call_string(call);

        return bus_call_enqueue(call, unit, bus_manager_type_of_method(call->method->name), mode);
}

int bus_manager_enqueue_with_flags(BusCall *call) {
        const char *unit = bus_call_string(call);
        const char *mode = bus_call_string(call);

        if (bus_call_u64(call) != 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "There are no flags yet: they must be 0.");
        return bus_call_enqueue(call, unit, "start", mode);
}

int bus_manager_enqueue_instead(BusCall *call) {
        const char *old = bus_call_string(call);
        const char *unit = bus_call_string(call);
        const char *mode = bus_call_string(call);
        Unit *waiting;
        JobInfo job;
        int r = bus_call_find_unit(call, old, &waiting);

        if (r < 0)
                return r;
        if (!job_manager_unit_job(manager_jobs(call->tree->manager), waiting, &job) || job.type != JOB_START)
                return bus_call_fail(call, -ENOENT, "NoSuchJob", "No start of %s is queued.", old);
        return bus_call_enqueue(call, unit, "start", mode);
}

int bus_manager_enqueue_unit_job(BusCall *call) {
        const char *unit = bus_call_string(call);
        const char *type = bus_call_string(call);
        const char *mode = bus_call_string(call);

        return bus_call_enqueue_verbose(call, unit, type, mode);
}

/* The arguments are strings. */
static const char *string_argument(const BusCall *call, size_t at) {
        DBusMessageIter arguments = call->arguments;
        const char *string;

        for (; at > 0; at--)
                dbus_message_iter_next(&arguments);
        dbus_message_iter_get_basic(&arguments, &string);
        return string;
}

int bus_manager_describe_job(const BusCall *call, size_t at, BusDetail *ret_detail) {
        return at > 0 ? 0 : bus_question_describe(call, string_argument(call, 0), string_argument(call, 1), ret_detail);
}

int bus_manager_describe_replacement(const BusCall *call, size_t at, BusDetail *ret_detail) {
        return at > 0 ? 0 : bus_question_describe(call, string_argument(call, 1), "start", ret_detail);
}

int bus_manager_get_job(BusCall *call) {
        JobInfo job;
        int r;

        r = bus_call_find_job(call, bus_call_u32(call), &job);
        if (r >= 0)
                bus_call_put_job_path(call, job.id);
        return r;
}

int bus_manager_get_job_after(BusCall *call) {
        return bus_call_put_neighbours(call, bus_call_u32(call), false);
}

int bus_manager_get_job_before(BusCall *call) {
        return bus_call_put_neighbours(call, bus_call_u32(call), true);
}

int bus_manager_list_jobs(BusCall *call) {
        JobInfos jobs = {};
        int r;

        r = job_manager_list(manager_jobs(call->tree->manager), &jobs);
        if (r >= 0)
                bus_call_put_jobs(call, &jobs);
        vector_deinit(&jobs);
        return r;
}

/* systemd ends a running job, too, and clients of its API rely on that. */
int bus_manager_cancel(BusCall *call) {
        return bus_call_cancel(call, bus_call_u32(call), bus_call_is_compatible(call));
}

int bus_manager_detach(BusCall *call) {
        return bus_call_cancel(call, bus_call_u32(call), true);
}

int bus_manager_clear_jobs(BusCall *call) {
        JobRequester requester = bus_call_requester(call);

        if (bus_call_is_compatible(call))
                manager_detach_all_jobs(call->tree->manager, &requester);
        else
                manager_cancel_all_jobs(call->tree->manager, &requester);
        return 0;
}

/* — Query — */

typedef struct JobFilter {
        const char *unit, *pattern, *requester;
        int type, state;                        /* < 0: any */
        uint32_t id;                            /* JOB_ID_NONE: any */
        uint64_t transaction;                   /* 0: any */
} JobFilter;

static int read_filter_string(BusCall *call, const char *key, const char *value, JobFilter *filter) {
        if (text_equal(key, "unit"))
                filter->unit = value;
        else if (text_equal(key, "pattern"))
                filter->pattern = value;
        else if (text_equal(key, "requester"))
                filter->requester = value;
        else if (text_equal(key, "type")) {
                filter->type = job_type_from_string(value);
                if (filter->type < 0)
                        return bus_call_fail(call, -EINVAL, "InvalidArgs", "Job type %s is not valid.", value);
        } else {
                filter->state = job_state_from_string(value);
                if (filter->state < 0)
                        return bus_call_fail(call, -EINVAL, "InvalidArgs", "Job state %s is not valid.", value);
        }
        return 0;
}

static int read_filter_entry(BusCall *call, DBusMessageIter *entry, JobFilter *filter) {
        static const struct {
                const char *key;
                int type;
        } keys[] = {
                { "id", DBUS_TYPE_UINT32 },    { "transaction", DBUS_TYPE_UINT64 }, { "unit", DBUS_TYPE_STRING },
                { "pattern", DBUS_TYPE_STRING }, { "requester", DBUS_TYPE_STRING },   { "type", DBUS_TYPE_STRING },
                { "state", DBUS_TYPE_STRING },
        };
        DBusMessageIter value;
        const char *key, *string;
        int type;

        dbus_message_iter_get_basic(entry, &key);
        dbus_message_iter_next(entry);
        dbus_message_iter_recurse(entry, &value);
        type = dbus_message_iter_get_arg_type(&value);

        for (size_t i = 0; i < ELEMENTSOF(keys); i++) {
                if (!text_equal(keys[i].key, key))
                        continue;
                if (keys[i].type != type)
                        return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                             "Filter %s wants a value of type %c, not %c.",
                                             key, keys[i].type, type);
                if (type == DBUS_TYPE_STRING) {
                        dbus_message_iter_get_basic(&value, &string);
                        return read_filter_string(call, key, string, filter);
                }
                dbus_message_iter_get_basic(&value, type == DBUS_TYPE_UINT32 ? (void *) &filter->id :
                                                                               (void *) &filter->transaction);
                return 0;
        }
        return bus_call_fail(call, -EINVAL, "InvalidArgs",
                             "There is no filter %s. Filters: id, unit, pattern, type, state, transaction, requester.",
                             key);
}

static int read_filter(BusCall *call, JobFilter *filter) {
        DBusMessageIter entries;

        *filter = (JobFilter) { .type = -1, .state = -1 };
        dbus_message_iter_recurse(&call->arguments, &entries);
        for (; dbus_message_iter_get_arg_type(&entries) != DBUS_TYPE_INVALID; dbus_message_iter_next(&entries)) {
                DBusMessageIter entry;
                int r;

                dbus_message_iter_recurse(&entries, &entry);
                r = read_filter_entry(call, &entry, filter);
                if (r < 0)
                        return r;
        }
        return 0;
}

static bool was_requested_by(const BusPeers *peers, const char *name, uint32_t id) {
        bus_foreach_peer(peers, peer) {
                const BusClient *client = bus_peer_find_client(peer, name);

                if (client && bus_client_has_job(client, id))
                        return true;
        }
        return false;
}

static bool job_fits(const BusCall *call, const JobInfo *job, const JobFilter *filter) {
        return (!filter->unit || (job->unit && unit_has_name(job->unit, filter->unit))) &&
               (!filter->pattern || (job->unit && fnmatch(filter->pattern, job->unit->id, FNM_NOESCAPE) == 0)) &&
               (filter->type < 0 || (int) job->type == filter->type) &&
               (filter->state < 0 || (int) job->state == filter->state) &&
               (filter->transaction == 0 || job->transaction == filter->transaction) &&
               (!filter->requester || was_requested_by(call->tree->peers, filter->requester, job->id));
}

static int query_by_id(BusCall *call, const JobFilter *filter) {
        JobManager *jobs = manager_jobs(call->tree->manager);
        JobInfo job;

        if ((job_manager_find(jobs, filter->id, &job) || job_manager_find_ended(jobs, filter->id, &job)) &&
            job_fits(call, &job, filter))
                job_manager_write_job(jobs, &job, call->reply);
        return 0;
}

static int query_all(BusCall *call, const JobFilter *filter) {
        JobManager *manager = manager_jobs(call->tree->manager);
        JobInfos jobs = {};
        int r;

        r = job_manager_list(manager, &jobs);
        for (size_t i = 0; r >= 0 && i < jobs.n; i++)
                if (job_fits(call, &jobs.items[i], filter))
                        job_manager_write_job(manager, &jobs.items[i], call->reply);
        vector_deinit(&jobs);
        return r;
}

int bus_manager_query(BusCall *call) {
        JobFilter filter;
        int r;

        r = read_filter(call, &filter);
        if (r < 0)
                return r;

        sink_open(call->reply, 'a', "a{sv}");
        r = filter.id != JOB_ID_NONE ? query_by_id(call, &filter) : query_all(call, &filter);
        if (r >= 0)
                sink_close(call->reply);
        return r;
}

int bus_manager_explain(BusCall *call) {
        const char *what = bus_call_string(call);
        Unit *unit;
        int r;

        if (unit_name_is_valid(what) && !unit_name_is_template(what)) {
                r = bus_call_load_unit(call, what, &unit);
                if (r < 0)
                        return r;
        }

        r = job_manager_explain(manager_jobs(call->tree->manager), what, manager_now(call->tree->manager), call->reply);
        if (r == -ENOENT)
                return bus_call_fail(call, -ENOENT, "NoSuchJob",
                                     "There is no job, unit or transaction %s; it may have ended too long ago.", what);
        return r;
}

int bus_manager_stats(BusCall *call) {
        job_manager_write_stats(manager_jobs(call->tree->manager), call->reply);
        return 0;
}
