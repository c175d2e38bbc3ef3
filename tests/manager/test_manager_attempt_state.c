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
        const UnitExit well = { .code = CLD_EXITED }, badly = { .code = CLD_EXITED, .status = 1 },
                       killed = { .code = CLD_KILLED, .status = SIGTERM };
        const struct {
                bool is_stopping;
                RunEndKind kind;
                const UnitExit *exit;
                RunEndKind after;
        } cases[] = {
                /* The process that was asked for is taken back. */
                { true, RUN_END_FAILED, NULL, RUN_END_INTERRUPTED },
                { true, RUN_END_EXITED, &killed, RUN_END_INTERRUPTED },
                { true, RUN_END_EXITED, &badly, RUN_END_INTERRUPTED },
                { true, RUN_END_EXITED, &well, RUN_END_EXITED },
                { true, RUN_END_INPUT_MISSING, NULL, RUN_END_INPUT_MISSING },
                { false, RUN_END_FAILED, NULL, RUN_END_FAILED },
                { false, RUN_END_EXITED, &killed, RUN_END_EXITED },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                ManagerAttemptState state = ended(cases[i].is_stopping, cases[i].kind, cases[i].exit);

                manager_attempt_state_revoke_stop(&state);
                cr_assert(eq(int, state.kind, cases[i].after), "case %zu", i);
                cr_assert(eq(int, state.is_interrupted, cases[i].is_stopping), "case %zu", i);
        }
}

Test(manager_attempt_state, what_ends_later_is_interrupted_too) {
        ManagerAttemptState state = {};

        manager_attempt_state_init(&state, &key);
        state.is_stopping = true;
        manager_attempt_state_revoke_stop(&state);
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
        manager_attempt_state_revoke_stop(&next);
        cr_assert(eq(int, next.kind, RUN_END_FAILED));
        free(writer.bytes);
}

/* The end of a job, or of a run of another flow, is what it says. */
Test(manager_attempt_state, the_end_of_a_job_stays) {
        ManagerAttemptState state = ended(true, RUN_END_FAILED, NULL);

        state.is_job = true;
        manager_attempt_state_revoke_stop(&state);
        cr_assert(eq(int, state.kind, RUN_END_FAILED));
}
