/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The sections of the manager's state, and the marks of single records
 */

#include "job/job_manager.h"
#include "state/state.h"

typedef enum ManagerSection {
        MANAGER_SECTION_SELF, /* numbers, stage, environment */
        MANAGER_SECTION_QUEUES, /* jobs asked for, and exits */
        MANAGER_SECTION_TRIGGERS, /* of runs: what was triggered, told or held, and is not durable yet */
        MANAGER_SECTION_TOKENS, /* see manager_token.c */
        MANAGER_SECTION_UNITS, /* with their timers and processes */
        MANAGER_SECTION_JOBS,
        MANAGER_SECTION_ERRANDS, /* of processes */
        MANAGER_SECTION_ATTEMPTS, /* of nodes of runs, with their timers and processes */
        MANAGER_SECTION_CALLBACKS, /* of runs, the same */
} ManagerSection;

/* The record numbers in STORE_MANAGER. */
enum {
        MANAGER_RECORD_SELF,
        MANAGER_RECORD_QUEUES,
        MANAGER_RECORD_TRIGGERS,
        MANAGER_RECORD_TOKENS = 64, /* and following */
};

static inline void manager_mark_self(State *state) {
        state_mark(state, STORE_MANAGER, MANAGER_RECORD_SELF);
}

static inline void manager_mark_queues(State *state) {
        state_mark(state, STORE_MANAGER, MANAGER_RECORD_QUEUES);
}

static inline void manager_mark_triggers(State *state) {
        state_mark(state, STORE_MANAGER, MANAGER_RECORD_TRIGGERS);
}

static inline void manager_mark_errand(State *state, uint32_t number) {
        state_mark(state, STORE_ERRANDS, number);
}

static inline void manager_mark_job(State *state, uint32_t id) {
        if (id != JOB_ID_NONE)
                state_mark(state, STORE_JOBS, id);
}
