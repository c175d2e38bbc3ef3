/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * One method call
 *
 * The interface for handlers. Signature and access have been checked: the
 * readers below are called in the order of the signature and fail only without
 * memory.
 */

#include "dbus/object/bus_tree.h"
#include "job/job_plan.h"

typedef struct BusConsent BusConsent;

struct BusCall {
        const BusTree *tree;
        BusPeer *peer;
        BusClient *client;
        const BusDialect *dialect;
        const char *sender;             /* static: sender of the answer */
        const BusObject *object;
        const BusMethod *method;
        DBusMessage *message;
        DBusMessageIter arguments;
        Sink *reply;                    /* takes the body of the answer */
        uint64_t later;                 /* its number, if it is answered later; else 0 */
        BusConsent *consent;            /* of polkit, which has been asked before; NULL: it has not */
        Failure failure;
};

const char *bus_call_string(BusCall *call);              /* also of a path; borrowed from the message */
uint8_t bus_call_byte(BusCall *call);
uint32_t bus_call_u32(BusCall *call);
int32_t bus_call_i32(BusCall *call);
uint64_t bus_call_u64(BusCall *call);
bool bus_call_bool(BusCall *call);
int bus_call_strv(BusCall *call, char ***ret_strv);

/* Sets the call's failure and returns @code. */
#define bus_call_fail(call, code, name, ...) failure_set(&(call)->failure, code, name, __VA_ARGS__)

/* — shared by handlers — */

JobRequester bus_call_requester(const BusCall *call);
BusView bus_call_view(const BusCall *call);

/* Parse the words of a request; an InvalidArgs failure names the valid ones. */
int bus_call_parse_mode(BusCall *call, const char *word, JobMode *ret_mode);
int bus_call_parse_request(BusCall *call, const char *unit, const char *type, JobRequest *ret_request);

/* Runs the requests as one transaction; a refusal is a failure. The client is recorded as the requester. */
int bus_call_exec(BusCall *call, const JobRequest *requests, size_t n, JobMode mode, bool briefly, JobPlan **ret_plan);

/* One request, answered with the path of its job, as StartUnit() and Unit.Start() do. */
int bus_call_enqueue(BusCall *call, const char *unit, const char *type, const char *mode);
/* The same, answered with all its jobs, like EnqueueUnitJob(). */
int bus_call_enqueue_verbose(BusCall *call, const char *unit, const char *type, const char *mode);

/* A unit by name: one that is loaded (NoSuchUnit), or after loading it. */
int bus_call_find_unit(BusCall *call, const char *name, Unit **ret_unit);
int bus_call_load_unit(BusCall *call, const char *name, Unit **ret_unit);
/* As bus_call_load_unit(), without a failure that says why not. */
int bus_call_reach_unit(const BusCall *call, const char *name, Unit **ret_unit);
int bus_call_find_job(BusCall *call, uint32_t id, JobInfo *ret_job);

void bus_call_put_unit_path(BusCall *call, const char *unit);
void bus_call_put_job_path(BusCall *call, uint32_t id);

/* Writes a(usssoo). */
void bus_call_put_jobs(BusCall *call, const JobInfos *jobs);
int bus_call_put_neighbours(BusCall *call, uint32_t id, bool before);

int bus_call_reference(BusCall *call, Unit *unit);
int bus_call_unreference(BusCall *call, Unit *unit);
int bus_call_kill(BusCall *call, Unit *unit, const char *who, int32_t signal);
int bus_call_cancel(BusCall *call, uint32_t id, bool detaches);        /* @detaches: a running job ends, too */

/* Whether the client uses the names of systemd, and expects what that does. */
bool bus_call_is_compatible(const BusCall *call);
