/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A world of fake units with a job engine over it
 *
 * Changes that units publish reach the engine, as the manager would pass them
 * on. Events are kept as words: "new 1 start a.service", "removed 1 done".
 */

#include "basic/text.h"
#include "double/double_assert.h"
#include "double/double_sink.h"
#include "double/double_unit.h"
#include "job/job_manager.h"

typedef struct JobWorld {
        DoubleWorld *units;             /* owned */
        JobManager *jobs;               /* owned */
        Text events;
        char *text;                     /* owned: what the last question returned */
        Failure failure;                /* of the last refused request */
        JobPlan *plan;                  /* owned: of the last request */
} JobWorld;

JobWorld *job_world_new(void);
JobWorld *job_world_free(JobWorld *world);
DEFINE_CLEANUP(JobWorld, job_world_free)

/* Subscribes to the present manager; needed again after it was replaced. */
void job_world_subscribe(JobWorld *world);

/* "start:a.service stop:b.service" in @mode: 0 or JOB_MANAGER_E_REFUSED, with plan and failure kept. */
int job_world_exec(JobWorld *world, JobMode mode, const char *requests);
int job_world_plan(JobWorld *world, JobMode mode, const char *requests);
/* Asserts that the request is accepted, or refused with the error @name. */
void job_world_accept(JobWorld *world, JobMode mode, const char *requests);
void job_world_refuse(JobWorld *world, JobMode mode, const char *requests, const char *name);

/* Dispatches until nothing is ready. */
void job_world_run(JobWorld *world);
void job_world_state(JobWorld *world, const char *unit, UnitActiveState state);
void job_world_advance(JobWorld *world, usec_t span);

Unit *job_world_unit(JobWorld *world, const char *name);

/* All jobs by id: "1 start a.service waiting, 2 restart/start b.service running". */
const char *job_world_jobs(JobWorld *world);
/* The events since the last call: "new 1 start a.service; removed 1 done a.service". CHANGED ones are left out. */
const char *job_world_events(JobWorld *world);
/* Of the last request: "start a.service, stop b.service merge 3 -4", and "start c.service: redundant". */
const char *job_world_planned(JobWorld *world);
const char *job_world_dropped(JobWorld *world);
const char *job_world_explain(JobWorld *world, const char *what);
uint64_t job_world_stat(JobWorld *world, const char *key);
const char *job_world_calls(JobWorld *world);    /* what units were told, and forget it */

#define assert_jobs(world, expected) assert_string(job_world_jobs(world), expected)
#define assert_events(world, expected) assert_string(job_world_events(world), expected)
#define assert_planned(world, expected) assert_string(job_world_planned(world), expected)
#define assert_dropped(world, expected) assert_string(job_world_dropped(world), expected)
#define assert_contains(text, part) cr_assert(strstr((text), (part)) != NULL, "no \"%s\" in: %s", (part), (text))
#define assert_contains_not(text, part) cr_assert(strstr((text), (part)) == NULL, "\"%s\" in: %s", (part), (text))
#define assert_calls(world, expected) assert_string(job_world_calls(world), expected)
