/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The state of an attempt: what outlives the death of core
 *
 * The steps of an attempt follow each other; each has at most one process at a
 * time. The state is plain: whoever changes it also sees to it that the record
 * is written again.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/record.h"
#include "basic/usec.h"
#include "run/run_engine.h"
#include "unit/unit_purpose.h"

typedef enum ManagerAttemptStep {
        MANAGER_ATTEMPT_PRE, /* ExecStartPre= */
        MANAGER_ATTEMPT_MAIN, /* Exec= */
        MANAGER_ATTEMPT_CLEAN, /* what the command has left is ended */
        MANAGER_ATTEMPT_POST, /* ExecStopPost= */
        MANAGER_ATTEMPT_CLEAN_POST,
        MANAGER_ATTEMPT_OVER,
        MANAGER_ATTEMPT_COLLECT, /* before it is over: what it has left is taken */
        _MANAGER_ATTEMPT_STEP_MAX,
} ManagerAttemptStep;

/* How far the end of the processes of the present step is. */
typedef enum ManagerAttemptSignal {
        MANAGER_ATTEMPT_UNSIGNALLED,
        MANAGER_ATTEMPT_TERMINATED,
        MANAGER_ATTEMPT_KILLED,
        _MANAGER_ATTEMPT_SIGNAL_MAX,
} ManagerAttemptSignal;

/* The number of an attempt of a launch that executes no item. */
#define MANAGER_ITEM_PREPARE 0U /* ExecPrepare= */
#define MANAGER_ITEM_PAGE UINT32_MAX /* reads items; .item is the first of them, and .item_text the cursor */

typedef struct ManagerAttemptItem {
        uint64_t number;
        uint32_t tries; /* that have failed */
        const char *text; /* NULL: it has its number alone */
        uint32_t issue; /* the number of the attempt, if it is an element of a stream, whose end is kept until the store
                           has it; 0: it is the item of a batch */
} ManagerAttemptItem;

typedef struct ManagerAttemptState {
        RunAttemptKey key;
        uint64_t id; /* of its row in the store */
        uint8_t invocation[16];
        ManagerAttemptStep step;
        ManagerAttemptSignal signal;
        uint32_t index; /* of the command in its list */
        bool is_wanted; /* a process was asked for */
        bool has_begun; /* a process was made */
        bool is_stopping; /* it was told to end */
        bool is_interrupted; /* … by a stop of the unit */
        bool waits; /* for its definition, to take the next step */
        bool is_abandoned; /* no run waits for its end */
        bool is_sub; /* it is a run of another flow, or has one undone … */
        bool is_job; /* … or a job of a unit, and no process; set for both */
        bool is_question; /* to a command that judges the node */
        bool is_range; /* it is the launch of a batch, and no process; .is_job is set, too */
        bool is_item; /* it executes an item of a batch, … */
        bool is_worker; /* … or many: it is a worker; … */
        bool is_element; /* … or an element of a stream, with the number .item: .is_item is set with both; … */
        uint64_t item; /* … this one, … */
        uint32_t item_tries; /* … which has failed so often … */
        char *item_text; /* owned: … and has this text, or the cursor of a page; NULL: it has its number alone */
        uint32_t issue; /* of an element: the number of the attempt */
        pid_t pid; /* of the process at hand; 0: none */
        pid_t main_pid;
        bool has_end; /* the following are set */
        bool is_end_of_stop; /* it was told to end before that */
        RunEndKind kind;
        uint16_t end;
        int exit, exit_signal; /* -1: none */
        usec_t started, ended; /* wall clock */
} ManagerAttemptState;

static inline bool manager_attempt_state_is_page(const ManagerAttemptState *state) {
        return state->is_item && state->key.number == MANAGER_ITEM_PAGE;
}

void manager_attempt_state_init(ManagerAttemptState *state, const RunAttemptKey *key);

/* As the store of runs names it. */
RunAttemptState manager_attempt_state_get(const ManagerAttemptState *state);

/*
 * The first end counts, whatever comes after; of an attempt that a stop has interrupted it is that. @exit: of the
 * process that has ended it; NULL: none has. @now: wall clock.
 */
void manager_attempt_state_note_end(ManagerAttemptState *state, RunEndKind kind, const UnitExit *exit, usec_t now);
/*
 * The decision to end it, if there was one, counts for nothing: what it has led to is an interruption. Returns true of
 * one that has succeeded all the same, whose result counts. @is_success: its end is one of the node's successes.
 */
bool manager_attempt_state_revoke_stop(ManagerAttemptState *state, bool is_success);

/* — records: the key first, for whoever wants it alone; .is_paused is of the run that an attempt is — */

void manager_attempt_state_write(const ManagerAttemptState *state, bool is_paused, RecordWriter *writer);
/* The reader has failed if the key, or the rest, is none. */
void manager_attempt_state_read_key(RecordReader *reader, RunAttemptKey *ret_key);
void manager_attempt_state_read(ManagerAttemptState *state, bool *ret_is_paused, RecordReader *reader);
