/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Events: printed, remembered, and compared with expectations
 *
 * Each is a JSON object whose first key is "ev". The last event is kept for
 * expect, all events since the last command for expect-event.
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
        bool is_needed;         /* false: no events are made */
        json_t *since;          /* owned array: since the last command */
        json_t *last;           /* owned; NULL before the first */
        int error;              /* the first error of making or printing an event */
} SimEvents;

int sim_events_init(SimEvents *events, FILE *output, bool is_quiet, bool is_needed);
void sim_events_deinit(SimEvents *events);

/* At the beginning of a command: removes the events kept for expect-event. */
void sim_events_begin(SimEvents *events);

/* A new event {"ev": name}, or NULL (not needed, or after an error). The caller fills and emits it. */
json_t *sim_event_new(SimEvents *events, const char *name);
void sim_event_set(SimEvents *events, json_t *event, const char *key, json_t *value /* taken over */);
/* Adds the members of the object in @sink, and empties the sink. */
void sim_event_merge(SimEvents *events, json_t *event, JsonSink *sink);
void sim_event_emit(SimEvents *events, json_t *event /* taken over; may be NULL */);

/* Adds ok: false and the name and message of the failure. */
void sim_event_set_failure(SimEvents *events, json_t *event, const Failure *failure);

/* The JobSubscriber and the UnitObserverOps of a Sim, which is their userdata. */
void sim_job_event(const JobEvent *event, void *userdata);
extern const UnitObserverOps sim_observer_ops;
