/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers of commands that judge nodes
 *
 * S000-15, S000-16
 */

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "double/double_assert.h"
#include "manager/manager_policy.h"

TestSuite(manager_policy, .timeout = 60);

static RunAnswer read_answer(const char *text, size_t n, char **ret_reason) {
        int ends[2];
        RunAnswer answer;

        cr_assert(eq(int, pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0));
        cr_assert(eq(long, write(ends[1], text, n), (long) n));
        /* Whoever else has the pipe is not waited for. */
        answer = manager_policy_read(&(ManagerPolicyEnd) { .answer = ends[0], .exit = 0, .signal = -1 }, ret_reason);
        close(ends[0]);
        close(ends[1]);
        return answer;
}

static void expect(const char *text, RunAnswer wanted, const char *wanted_reason) {
        cleanup_free_ char *reason = NULL;
        const RunAnswer answer = read_answer(text, strlen(text), &reason);

        cr_expect(answer == wanted, "\"%s\" is %s", text, run_answer_to_string(answer));
        if (wanted_reason)
                cr_expect(reason && strcmp(reason, wanted_reason) == 0, "\"%s\" has the reason %s", text,
                          reason ? reason : "NULL");
        else
                cr_expect(reason == NULL, "\"%s\" has the reason %s", text, reason ? reason : "NULL");
}

Test(manager_policy, words_and_reasons) {
        expect("READY\n", RUN_ANSWER_READY, NULL);
        expect("READY", RUN_ANSWER_READY, NULL);
        expect("WAIT\r\n", RUN_ANSWER_WAIT, NULL);
        expect("UNKNOWN \t too early\nand more\n", RUN_ANSWER_WAIT, "too early");
        expect("NEVER all are gone\n", RUN_ANSWER_NEVER, "all are gone");
        expect("SKIP\n", RUN_ANSWER_NEVER, NULL);
        expect("FAIL\tno\n", RUN_ANSWER_FAIL, "no");
        expect("PENDING who knows?\n", RUN_ANSWER_PENDING, "who knows?");
}

Test(manager_policy, what_is_no_answer_asks_a_person) {
        static const char none[] = "its answer is none of READY, WAIT, UNKNOWN, NEVER, SKIP, FAIL and PENDING";

        expect("", RUN_ANSWER_PENDING, "it has said nothing");
        expect("\nREADY\n", RUN_ANSWER_PENDING, "it has said nothing");
        expect("ready\n", RUN_ANSWER_PENDING, none);
        expect("READYNESS\n", RUN_ANSWER_PENDING, none);
        expect("LOST\n", RUN_ANSWER_PENDING, none);
        expect("{\"READY\":1}\n", RUN_ANSWER_PENDING, none);
}

Test(manager_policy, garbage_is_harmless) {
        char bytes[4096];
        char *reason;

        for (unsigned round = 0; round < 256; round++) {
                for (size_t i = 0; i < sizeof(bytes); i++)
                        bytes[i] = (char) (i * (round * 2 + 1) + round);
                if (read_answer(bytes, sizeof(bytes), &reason) != RUN_ANSWER_PENDING)
                        cr_fatal("round %u is an answer", round);
                free(reason);
        }
        /* A reason that is no UTF-8 is none. */
        expect("WAIT \xff\xfe\n", RUN_ANSWER_WAIT, NULL);
}

static void expect_end(const ManagerPolicyEnd *end, const char *wanted) {
        cleanup_free_ char *reason = NULL;

        cr_expect(manager_policy_read(end, &reason) == RUN_ANSWER_PENDING, "%s", wanted);
        cr_expect(reason && strcmp(reason, wanted) == 0, "%s is not %s", reason ? reason : "NULL", wanted);
}

Test(manager_policy, a_bad_end_asks_a_person_whatever_was_said) {
        int ends[2];

        cr_assert(eq(int, pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0));
        cr_assert(eq(long, write(ends[1], "READY\n", 6), 6));
        expect_end(&(ManagerPolicyEnd) { .answer = ends[0], .exit = 3, .signal = -1 },
                   "its command has failed with status 3");
        expect_end(&(ManagerPolicyEnd) { .answer = ends[0], .exit = -1, .signal = SIGSEGV },
                   "its command was ended by SIGSEGV");
        expect_end(&(ManagerPolicyEnd) { .answer = ends[0], .exit = -1, .signal = SIGKILL, .is_late = true },
                   "it has not answered in time");
        expect_end(&(ManagerPolicyEnd) { .answer = -1, .exit = 203, .signal = -1, .problem = "no such file" },
                   "its command cannot be executed: no such file");
        expect_end(&(ManagerPolicyEnd) { .answer = -1, .exit = -1, .signal = -1 },
                   "its command cannot be executed: Cannot allocate memory");
        close(ends[0]);
        close(ends[1]);
}
