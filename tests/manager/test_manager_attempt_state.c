/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What becomes of the end of an attempt when the decision that led to it was not recorded
 */

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "manager/manager_attempt_state.h"

TestSuite(manager_attempt_state, .timeout = 60);

static const RunAttemptKey key = { 1, 2, 1, 1 };

/* An attempt that is told to end, or not, and then ends. */
static ManagerAttemptState ended(bool is_stopping, RunEndKind kind, const UnitExit *exit) {
        ManagerAttemptState state = {};

        manager_attempt_state_init(&state, &key);
        state.is_stopping = is_stopping;
        manager_attempt_state_note_end(&state, kind, exit, 1);
        return state;
}

Test(manager_attempt_state, a_stop_that_is_not_recorded_is_an_interruption) {
        const UnitExit badly = { .code = CLD_EXITED, .status = 1 },
                       killed = { .code = CLD_KILLED, .status = SIGTERM };
        const struct {
                bool is_stopping;
                RunEndKind kind;
                const UnitExit *exit;
                bool is_success;
                RunEndKind after;
        } cases[] = {
                /* The process that was asked for is taken back. */
                { true, RUN_END_FAILED, NULL, true, RUN_END_INTERRUPTED },
                { true, RUN_END_EXITED, &killed, false, RUN_END_INTERRUPTED },
                /* Also with SuccessExitStatus=SIGTERM: that is what the stop has sent. */
                { true, RUN_END_EXITED, &killed, true, RUN_END_INTERRUPTED },
                { true, RUN_END_EXITED, &badly, false, RUN_END_INTERRUPTED },
                { true, RUN_END_INPUT_MISSING, NULL, true, RUN_END_INPUT_MISSING },
                { false, RUN_END_FAILED, NULL, true, RUN_END_FAILED },
                { false, RUN_END_EXITED, &killed, false, RUN_END_EXITED },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                ManagerAttemptState state = ended(cases[i].is_stopping, cases[i].kind, cases[i].exit);

                cr_assert(not(manager_attempt_state_revoke_stop(&state, cases[i].is_success)), "case %zu", i);
                cr_assert(eq(int, state.kind, cases[i].after), "case %zu", i);
                cr_assert(eq(int, state.is_interrupted, cases[i].is_stopping), "case %zu", i);
        }
}

/* By SuccessExitStatus= any status may be one. */
Test(manager_attempt_state, success_outlives_a_stop_that_is_not_recorded) {
        const UnitExit exits[] = { { .code = CLD_EXITED }, { .code = CLD_EXITED, .status = 7 } };

        for (size_t i = 0; i < ELEMENTSOF(exits); i++) {
                ManagerAttemptState state = ended(true, RUN_END_EXITED, &exits[i]);

                cr_assert(manager_attempt_state_revoke_stop(&state, true), "case %zu", i);
                cr_assert(eq(int, state.kind, RUN_END_EXITED), "case %zu", i);
                cr_assert(not(state.is_stopping), "case %zu", i);
                cr_assert(not(state.is_interrupted), "case %zu", i);
        }
}

Test(manager_attempt_state, what_ends_later_is_interrupted_too) {
        ManagerAttemptState state = {};

        manager_attempt_state_init(&state, &key);
        state.is_stopping = true;
        (void) manager_attempt_state_revoke_stop(&state, false);
        manager_attempt_state_note_end(&state, RUN_END_FAILED, NULL, 1);
        cr_assert(eq(int, state.kind, RUN_END_INTERRUPTED));
}

/* An attempt that has failed, as a unit that it is bound to is gone, is told to end then: it stays failed over a death. */
Test(manager_attempt_state, a_failure_before_the_stop_stays) {
        ManagerAttemptState state = ended(false, RUN_END_FAILED, NULL), next = {};
        RecordWriter writer = {};
        RecordReader reader;
        RunAttemptKey read;
        bool is_paused;

        state.is_stopping = true;
        manager_attempt_state_write(&state, false, &writer);
        cr_assert(not(writer.has_failed));
        reader = (RecordReader) { .at = writer.bytes, .end = writer.bytes + writer.n };
        manager_attempt_state_read_key(&reader, &read);
        manager_attempt_state_init(&next, &read);
        manager_attempt_state_read(&next, &is_paused, &reader);
        cr_assert(not(reader.has_failed));
        cr_assert(next.is_stopping);
        (void) manager_attempt_state_revoke_stop(&next, false);
        cr_assert(eq(int, next.kind, RUN_END_FAILED));
        free(writer.bytes);
}

/* The end of a job, or of a run of another flow, is what it says. */
Test(manager_attempt_state, the_end_of_a_job_stays) {
        ManagerAttemptState state = ended(true, RUN_END_FAILED, NULL);

        state.is_job = true;
        (void) manager_attempt_state_revoke_stop(&state, false);
        cr_assert(eq(int, state.kind, RUN_END_FAILED));
}
