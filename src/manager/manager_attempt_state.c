/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of an attempt
 *
 * Fields of a record are only ever appended, and flags get new bits: a core
 * reads what an earlier one has written.
 */

#include <string.h>
#include <sys/wait.h>

#include "manager/manager_attempt_state.h"

enum {
        FLAG_WANTED = 1 << 0,
        FLAG_BEGUN = 1 << 1,
        FLAG_STOPPING = 1 << 2,
        FLAG_INTERRUPTED = 1 << 3,
        FLAG_WAITS = 1 << 4,
        FLAG_HAS_END = 1 << 5,
        FLAG_ABANDONED = 1 << 6,
        FLAG_JOB = 1 << 7,
        FLAG_QUESTION = 1 << 8,
        FLAG_SUB = 1 << 9,
        FLAG_PAUSED = 1 << 10,
        FLAG_END_OF_STOP = 1 << 11,
        FLAG_RANGE = 1 << 12,
        FLAG_ITEM = 1 << 13,
        FLAG_WORKER = 1 << 14,
        FLAG_ELEMENT = 1 << 15,
        FLAGS_END = 1 << 16,
};

void manager_attempt_state_init(ManagerAttemptState *state, const RunAttemptKey *key) {
        *state = (ManagerAttemptState) { .key = *key, .exit = -1, .exit_signal = -1 };
}

RunAttemptState manager_attempt_state_get(const ManagerAttemptState *state) {
        if (state->is_abandoned)
                return RUN_ATTEMPT_ABANDONED;
        if (state->step != MANAGER_ATTEMPT_OVER)
                return state->has_begun ? RUN_ATTEMPT_RUNNING : RUN_ATTEMPT_STARTING;
        return state->kind == RUN_END_LOST          ? RUN_ATTEMPT_LOST
               : state->kind == RUN_END_INTERRUPTED ? RUN_ATTEMPT_INTERRUPTED
                                                    : RUN_ATTEMPT_DONE;
}

void manager_attempt_state_note_end(ManagerAttemptState *state, RunEndKind kind, const UnitExit *exit, usec_t now) {
        if (state->has_end)
                return;
        state->has_end = true;
        state->is_end_of_stop = state->is_stopping;
        state->kind = state->is_interrupted ? RUN_END_INTERRUPTED : kind;
        state->ended = now;
        if (!exit || !unit_exit_is_known(exit))
                return;
        if (exit->code == CLD_EXITED)
                state->exit = exit->status;
        else
                state->exit_signal = exit->status;
        state->end = (uint16_t) (exit->code == CLD_EXITED ? exit->status & 0xff
                                                          : RUN_END_BY_SIGNAL(exit->status & 0x7f));
}

bool manager_attempt_state_revoke_stop(ManagerAttemptState *state, bool is_success) {
        if (!state->is_stopping)
                return false;
        /* A command that has done its work has. The signal that ended it may have been that of the stop. */
        if (state->has_end && state->kind == RUN_END_EXITED && state->exit_signal < 0 && is_success) {
                state->is_stopping = false;
                return true;
        }
        state->is_interrupted = true;
        /* An end that followed from it is no failure. A job says itself. */
        if (state->has_end && state->is_end_of_stop && !state->is_job &&
            (state->kind == RUN_END_FAILED || state->kind == RUN_END_EXITED))
                state->kind = RUN_END_INTERRUPTED;
        return false;
}

/* — records — */

static uint64_t flags_of(const ManagerAttemptState *state, bool is_paused) {
        return (state->is_wanted ? FLAG_WANTED : 0U) | (state->has_begun ? FLAG_BEGUN : 0U) |
               (state->is_stopping ? FLAG_STOPPING : 0U) | (state->is_interrupted ? FLAG_INTERRUPTED : 0U) |
               (state->waits ? FLAG_WAITS : 0U) | (state->has_end ? FLAG_HAS_END : 0U) |
               (state->is_abandoned ? FLAG_ABANDONED : 0U) | (state->is_job ? FLAG_JOB : 0U) |
               (state->is_question ? FLAG_QUESTION : 0U) | (state->is_sub ? FLAG_SUB : 0U) |
               (is_paused ? FLAG_PAUSED : 0U) | (state->is_end_of_stop ? FLAG_END_OF_STOP : 0U) |
               (state->is_range ? FLAG_RANGE : 0U) | (state->is_item ? FLAG_ITEM : 0U) |
               (state->is_worker ? FLAG_WORKER : 0U) | (state->is_element ? FLAG_ELEMENT : 0U);
}

void manager_attempt_state_write(const ManagerAttemptState *state, bool is_paused, RecordWriter *writer) {
        record_put(writer, state->key.run);
        record_put(writer, state->key.node);
        record_put(writer, state->key.generation);
        record_put(writer, state->key.number);
        record_put(writer, state->id);
        record_put_bytes(writer, state->invocation, sizeof(state->invocation));
        record_put(writer, state->step);
        record_put(writer, state->signal);
        record_put(writer, state->index);
        record_put(writer, flags_of(state, is_paused));
        record_put(writer, (uint64_t) state->pid);
        record_put(writer, (uint64_t) state->main_pid);
        record_put(writer, state->kind);
        record_put(writer, state->end);
        record_put_signed(writer, state->exit);
        record_put_signed(writer, state->exit_signal);
        record_put_time(writer, state->started);
        record_put_time(writer, state->ended);
}

void manager_attempt_state_read_key(RecordReader *reader, RunAttemptKey *ret_key) {
        ret_key->run = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        ret_key->node = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        ret_key->generation = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        ret_key->number = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
}

static void set_flags(ManagerAttemptState *state, uint64_t flags) {
        state->is_wanted = flags & FLAG_WANTED;
        state->has_begun = flags & FLAG_BEGUN;
        state->is_stopping = flags & FLAG_STOPPING;
        state->is_interrupted = flags & FLAG_INTERRUPTED;
        state->waits = flags & FLAG_WAITS;
        state->has_end = flags & FLAG_HAS_END;
        state->is_abandoned = flags & FLAG_ABANDONED;
        state->is_job = flags & FLAG_JOB;
        state->is_question = flags & FLAG_QUESTION;
        state->is_sub = flags & FLAG_SUB;
        state->is_end_of_stop = flags & FLAG_END_OF_STOP;
        state->is_range = flags & FLAG_RANGE;
        state->is_item = flags & FLAG_ITEM;
        state->is_worker = flags & FLAG_WORKER;
        state->is_element = flags & FLAG_ELEMENT;
}

void manager_attempt_state_read(ManagerAttemptState *state, bool *ret_is_paused, RecordReader *reader) {
        const void *invocation;
        uint64_t flags;
        size_t n;

        state->id = record_get(reader);
        invocation = record_get_bytes(reader, &n);
        if (n == sizeof(state->invocation))
                memcpy(state->invocation, invocation, n);
        state->step = (ManagerAttemptStep) record_get_below(reader, _MANAGER_ATTEMPT_STEP_MAX);
        state->signal = (ManagerAttemptSignal) record_get_below(reader, _MANAGER_ATTEMPT_SIGNAL_MAX);
        state->index = (uint32_t) record_get_below(reader, UINT32_MAX);
        flags = record_get_below(reader, FLAGS_END);
        set_flags(state, flags);
        *ret_is_paused = flags & FLAG_PAUSED;
        state->pid = (pid_t) record_get_below(reader, INT32_MAX);
        state->main_pid = (pid_t) record_get_below(reader, INT32_MAX);
        state->kind = (RunEndKind) record_get_below(reader, _RUN_END_KIND_MAX);
        state->end = (uint16_t) record_get_below(reader, RUN_ENDS);
        state->exit = (int) record_get_signed(reader);
        state->exit_signal = (int) record_get_signed(reader);
        state->started = record_get_time(reader);
        state->ended = record_get_time(reader);
}
