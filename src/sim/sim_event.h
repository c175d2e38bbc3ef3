/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Events: printed, remembered, and asked for
 *
 * Each is a JSON object whose first key is "ev". The last one is kept for
 * expect, all since the last command for expect-event.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "basic/sink.h"
#include "job/job_manager.h"
#include "sim/json_sink.h"

typedef struct Sim Sim;

typedef struct SimEvents {
        FILE *output;           /* borrowed; NULL prints nothing */
        bool is_needed;         /* false: events are not even made */
        json_t *since;          /* owned array: since the last command */
        json_t *last;           /* owned; NULL before the first */
        int error;              /* the first that happened while making or printing one */
} SimEvents;

int sim_events_init(SimEvents *events, FILE *output, bool is_quiet, bool is_needed);
void sim_events_deinit(SimEvents *events);

/* A command begins: what was kept for expect-event goes. */
void sim_events_begin(SimEvents *events);

/* A new event {"ev": name}, or NULL (not needed, or an error that is kept). To be filled and emitted. */
json_t *sim_event_new(SimEvents *events, const char *name);
void sim_event_set(SimEvents *events, json_t *event, const char *key, json_t *value /* taken over */);
/* Adds what was written into @sink, an object; empties it. */
void sim_event_merge(SimEvents *events, json_t *event, JsonSink *sink);
void sim_event_emit(SimEvents *events, json_t *event /* taken over; may be NULL */);

/* Adds ok: false with the failure's name and message. */
void sim_event_set_failure(SimEvents *events, json_t *event, const Failure *failure);

/* The JobSubscriber and the UnitObserverOps of a Sim, which is their userdata. */
void sim_job_event(const JobEvent *event, void *userdata);
extern const UnitObserverOps sim_observer_ops;
