/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * One method call
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/object/bus_call.h"
#include "dbus/object/bus_view.h"

static void bus_call_basic(BusCall *call, void *ret_value) {
        dbus_message_iter_get_basic(&call->arguments, ret_value);
        dbus_message_iter_next(&call->arguments);
}

const char *bus_call_string(BusCall *call) {
        const char *value;

        bus_call_basic(call, &value);
        return value;
}

uint8_t bus_call_byte(BusCall *call) {
        unsigned char value;

        bus_call_basic(call, &value);
        return value;
}

uint32_t bus_call_u32(BusCall *call) {
        dbus_uint32_t value;

        bus_call_basic(call, &value);
        return value;
}

int32_t bus_call_i32(BusCall *call) {
        dbus_int32_t value;

        bus_call_basic(call, &value);
        return value;
}

uint64_t bus_call_u64(BusCall *call) {
        dbus_uint64_t value;

        bus_call_basic(call, &value);
        return value;
}

bool bus_call_bool(BusCall *call) {
        dbus_bool_t value;

        bus_call_basic(call, &value);
        return value;
}

int bus_call_strv(BusCall *call, char ***ret_strv) {
        cleanup_(strv_freep) char **strv = NULL;
        DBusMessageIter items;

        dbus_message_iter_recurse(&call->arguments, &items);
        for (; dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; dbus_message_iter_next(&items)) {
                const char *item;
                int r;

                dbus_message_iter_get_basic(&items, &item);
                r = strv_push(&strv, item);
                if (r < 0)
                        return r;
        }
        dbus_message_iter_next(&call->arguments);

        *ret_strv = take_ptr(strv);
        return 0;
}

JobRequester bus_call_requester(const BusCall *call) {
        return (JobRequester) {
                .name = call->client->name,
                .command = bus_client_command(call->client),
                .uid = call->client->uid,
                .pid = (uint32_t) call->client->pid,
        };
}

BusView bus_call_view(const BusCall *call) {
        return (BusView) { call->tree, call->dialect, call->object };
}

/* "a, b, c" of a string table. */
static int join_words(const char *(*to_string)(int value), int n, char **ret_words) {
        cleanup_(text_deinit) Text text = {};

        for (int i = 0; i < n; i++)
                text_addf(&text, "%s%s", i > 0 ? ", " : "", to_string(i));
        return text_finish(&text, ret_words);
}

static const char *mode_word(int mode) {
        return job_mode_to_string((JobMode) mode);
}

static const char *type_word(int type) {
        return job_type_to_string((JobType) type);
}

int bus_call_parse_mode(BusCall *call, const char *word, JobMode *ret_mode) {
        cleanup_free_ char *words = NULL;
        int r;

        r = job_mode_from_string(word);
        if (r >= 0) {
                *ret_mode = (JobMode) r;
                return 0;
        }

        r = join_words(mode_word, _JOB_MODE_MAX, &words);
        if (r < 0)
                return r;
        return bus_call_fail(call, -EINVAL, "InvalidArgs", "Job mode %s is not valid. Valid modes: %s.", word, words);
}

static int bus_call_check_unit_name(BusCall *call, const char *unit) {
        if (!unit_name_is_valid(unit))
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "Unit name %s is not valid.", unit);
        if (unit_name_is_template(unit))
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "Unit name %s is missing the instance name; it is a template.", unit);
        return 0;
}

static int bus_call_refuse_unloaded(BusCall *call, const char *name) {
        cleanup_free_ char *hint = NULL;
        int r = manager_hint_unit(call->tree->manager, name, &hint);

        return r < 0 ? r : bus_call_fail(call, -ENOENT, "NoSuchUnit", "Unit %s not loaded%s.", name, hint);
}

/* The engine accepts any name as a stop; for a mistyped one that would look like success. */
static int bus_call_check_stop(BusCall *call, const char *name) {
        Unit *unit;
        int r;

        r = bus_call_load_unit(call, name, &unit);
        if (r < 0)
                return r;
        if (unit->active_state == UNIT_INACTIVE &&
            (unit->load_state == UNIT_NOT_FOUND || unit->load_state == UNIT_ERROR ||
             unit->load_state == UNIT_BAD_SETTING))
                return bus_call_refuse_unloaded(call, name);
        return 0;
}

int bus_call_parse_request(BusCall *call, const char *unit, const char *type, JobRequest *ret_request) {
        JobRequest request = { .unit = unit, .is_manual = true };
        cleanup_free_ char *words = NULL;
        int r;

        r = bus_call_check_unit_name(call, unit);
        if (r < 0)
                return r;

        if (job_type_from_request(type, &request.type, &request.reload_if_possible) < 0) {
                r = join_words(type_word, _JOB_TYPE_MAX, &words);
                if (r < 0)
                        return r;
                return bus_call_fail(call, -EINVAL, "InvalidArgs",
                                     "Job type %s is not valid. Valid types: %s, reload-or-restart, "
                                     "reload-or-try-restart.",
                                     type, words);
        }

        *ret_request = request;
        return request.type == JOB_STOP ? bus_call_check_stop(call, unit) : 0;
}

static int bus_call_take_plan(BusCall *call, int outcome, const JobPlan *plan) {
        int r;

        if (outcome == JOB_MANAGER_E_REFUSED) {
                r = failure_copy(&call->failure, &plan->failure);
                return r < 0 ? r : plan->failure.code;
        }

        for (size_t i = 0; i < plan->anchors.n; i++) {
                uint32_t id = plan->jobs.items[plan->anchors.items[i]].id;

                r = id == JOB_ID_NONE ? 0 : bus_client_add_job(call->client, id);
                if (r < 0)
                        return r;
        }
        return 0;
}

int bus_call_exec(BusCall *call, const JobRequest *requests, size_t n, JobMode mode, bool briefly, JobPlan **ret_plan) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        JobRequester requester = bus_call_requester(call);
        Manager *manager = call->tree->manager;
        int r;

        r = briefly ? manager_exec_briefly(manager, requests, n, mode, &requester, &plan) :
                      manager_exec(manager, requests, n, mode, &requester, &plan);
        if (r >= 0)
                r = bus_call_take_plan(call, r, plan);
        if (r < 0)
                return r;

        *ret_plan = take_ptr(plan);
        return 0;
}

/*
 * systemd asks whether a unit may be isolated before it asks whether the unit is there, and clients make an exit status
 * of the error's name. The message stays.
 */
static void take_isolation_first(BusCall *call, const char *name) {
        const Unit *unit = manager_find_unit(call->tree->manager, name);

        if (bus_call_is_compatible(call) && (!unit || unit->load_state != UNIT_LOADED) &&
            (!unit || !unit->settings.allow_isolate))
                call->failure.name = "NoIsolation";
}

static int bus_call_exec_one(BusCall *call, const char *unit, const char *type, const char *mode, bool briefly,
                             JobPlan **ret_plan) {
        JobRequest request;
        JobMode parsed;
        int r;

        r = bus_call_parse_request(call, unit, type, &request);
        if (r >= 0)
                r = bus_call_parse_mode(call, mode, &parsed);
        if (r < 0)
                return r;
        r = bus_call_exec(call, &request, 1, parsed, briefly, ret_plan);
        if (r < 0 && parsed == JOB_ISOLATE && request.type == JOB_START)
                take_isolation_first(call, unit);
        return r;
}

int bus_call_enqueue(BusCall *call, const char *unit, const char *type, const char *mode) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        int r;

        r = bus_call_exec_one(call, unit, type, mode, true, &plan);
        if (r < 0)
                return r;

        bus_call_put_job_path(call, plan->jobs.items[plan->anchors.items[0]].id);
        return 0;
}

int bus_call_enqueue_verbose(BusCall *call, const char *unit, const char *type, const char *mode) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        const JobPlanJob *anchor;
        int r;

        r = bus_call_exec_one(call, unit, type, mode, false, &plan);
        if (r < 0)
                return r;

        anchor = &plan->jobs.items[plan->anchors.items[0]];
        sink_u32(call->reply, anchor->id);
        bus_call_put_job_path(call, anchor->id);
        sink_string(call->reply, anchor->unit);
        bus_call_put_unit_path(call, anchor->unit);
        sink_string(call->reply, job_type_to_string(anchor->type));

        sink_open(call->reply, 'a', "(uosos)");
        for (size_t i = 0; i < plan->jobs.n; i++) {
                const JobPlanJob *job = &plan->jobs.items[i];

                if (job == anchor || job->id == anchor->id)
                        continue;
                sink_open(call->reply, 'r', "uosos");
                sink_u32(call->reply, job->id);
                bus_call_put_job_path(call, job->id);
                sink_string(call->reply, job->unit);
                bus_call_put_unit_path(call, job->unit);
                sink_string(call->reply, job_type_to_string(job->type));
                sink_close(call->reply);
        }
        sink_close(call->reply);
        return 0;
}

int bus_call_find_unit(BusCall *call, const char *name, Unit **ret_unit) {
        Unit *unit;
        int r;

        r = bus_call_check_unit_name(call, name);
        if (r < 0)
                return r;

        unit = manager_find_unit(call->tree->manager, name);
        if (!unit || unit->load_state == UNIT_STUB)
                return bus_call_refuse_unloaded(call, name);

        *ret_unit = unit;
        return 0;
}

int bus_call_load_unit(BusCall *call, const char *name, Unit **ret_unit) {
        Unit *unit;
        int r;

        r = bus_call_check_unit_name(call, name);
        if (r < 0)
                return r;

        r = manager_load_unit(call->tree->manager, name, &unit, &call->failure);
        if (r < 0)
                return r;

        manager_consider_unloading(call->tree->manager, unit);
        *ret_unit = unit;
        return 0;
}

int bus_call_reach_unit(const BusCall *call, const char *name, Unit **ret_unit) {
        int r;

        if (!unit_name_is_valid(name) || unit_name_is_template(name))
                return -EINVAL;
        r = manager_load_unit(call->tree->manager, name, ret_unit, NULL);
        if (r >= 0)
                manager_consider_unloading(call->tree->manager, *ret_unit);
        return r;
}

int bus_call_find_job(BusCall *call, uint32_t id, JobInfo *ret_job) {
        if (id == JOB_ID_NONE || !job_manager_find(manager_jobs(call->tree->manager), id, ret_job))
                return bus_call_fail(call, -ENOENT, "NoSuchJob", "Job %u does not exist.", id);
        return 0;
}

void bus_call_put_unit_path(BusCall *call, const char *unit) {
        BusView view = bus_call_view(call);

        bus_view_put_unit_path(&view, unit, call->reply);
}

void bus_call_put_job_path(BusCall *call, uint32_t id) {
        BusView view = bus_call_view(call);

        bus_view_put_job_path(&view, id, call->reply);
}

void bus_call_put_jobs(BusCall *call, const JobInfos *jobs) {
        sink_open(call->reply, 'a', "(usssoo)");
        for (size_t i = 0; i < jobs->n; i++) {
                const JobInfo *job = &jobs->items[i];

                sink_open(call->reply, 'r', "usssoo");
                sink_u32(call->reply, job->id);
                sink_string(call->reply, job->unit->id);
                sink_string(call->reply, job_type_to_string(job->type));
                sink_string(call->reply, job_state_to_string(job->state));
                bus_call_put_job_path(call, job->id);
                bus_call_put_unit_path(call, job->unit->id);
                sink_close(call->reply);
        }
        sink_close(call->reply);
}

int bus_call_put_neighbours(BusCall *call, uint32_t id, bool before) {
        JobInfos jobs = {};
        JobInfo job;
        int r;

        r = bus_call_find_job(call, id, &job);
        if (r < 0)
                return r;

        r = job_manager_neighbours(manager_jobs(call->tree->manager), job.id, before, &jobs);
        if (r >= 0)
                bus_call_put_jobs(call, &jobs);
        vector_deinit(&jobs);
        return r;
}

int bus_call_reference(BusCall *call, Unit *unit) {
        int r;

        r = bus_client_add_reference(call->client, unit);
        if (r == -E2BIG)
                return bus_call_fail(call, -E2BIG, "LimitsExceeded",
                                     "A client may hold no more than %u references to units.", BUS_REFERENCES_MAX);
        return r;
}

int bus_call_unreference(BusCall *call, Unit *unit) {
        if (!bus_client_remove_reference(call->client, unit))
                return bus_call_fail(call, -ENOENT, "NotReferenced", "The client holds no reference to unit %s.",
                                     unit->id);
        return 0;
}

int bus_call_kill(BusCall *call, Unit *unit, const char *who, int32_t signal) {
        if (signal <= 0 || signal >= NSIG)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "%d is not a signal.", signal);
        return manager_kill_unit(call->tree->manager, unit, who, signal, &call->failure);
}

bool bus_call_is_compatible(const BusCall *call) {
        return call->dialect->id == BUS_DIALECT_SYSTEMD;
}

int bus_call_cancel(BusCall *call, uint32_t id, bool detaches) {
        JobRequester requester = bus_call_requester(call);
        int r;

        r = (detaches ? manager_detach_job : manager_cancel_job)(call->tree->manager, id, &requester, &call->failure);
        switch (r) {
        case JOB_MANAGER_E_NO_SUCH_JOB:
                return call->failure.code < 0 ? call->failure.code :
                       bus_call_fail(call, -ENOENT, "NoSuchJob", "Job %u does not exist.", id);
        case JOB_MANAGER_E_NOT_CANCELABLE:
                return call->failure.code < 0 ? call->failure.code :
                       bus_call_fail(call, -EBUSY, "NotCancelable", "Job %u is running and cannot be canceled.", id);
        default:
                return r;
        }
}
