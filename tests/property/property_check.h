/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Invariants of every random world
 *
 * Each rule is worked out anew and slowly from the jobs and the relations, and
 * not with the engine's own means.
 */

#include "property_world.h"

/* One end for each id; order at the moment of a trigger. */
void property_check_event(PropertyWorld *world, const JobEvent *event);

/* Between two calls into the engine. */
void property_check_rest(PropertyWorld *world);

/* To be called when nothing is ready: each job waits for something that can end. */
void property_check_idle(PropertyWorld *world);

/* Describes all jobs and counters, except for those of refused and planned transactions. */
void property_describe(PropertyWorld *world, Text *text);
/* The same without counters: what must survive save and restore. */
void property_describe_jobs(PropertyWorld *world, Text *text);

/* A plan as text, without what only the commit gives. */
void property_describe_plan(JobPlan *plan, Text *text);
