/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The table of verbs, and the messages for wrong words.
 */

#include <criterion/redirect.h>

#include "double/double_assert.h"
#include "jobctl/verbs.h"

static int run(const char *const *argv) {
        return jobctl_run((char *const *) argv);
}

#define RUN(...) run((const char *const[]) { __VA_ARGS__, NULL })

Test(verbs, every_verb_has_a_handler_and_a_help_line) {
        static const char *const names[] = {
                "start", "stop", "restart", "reload", "try-restart", "reload-or-restart", "try-reload-or-restart",
                "isolate", "kill", "exec", "plan", "why", "jobs", "list-jobs", "cancel", "wait", "status", "show",
                "list-units", "list-unit-files", "cat", "list-dependencies", "daemon-reload", "daemon-reexec",
                "reset-failed", "is-active", "is-failed", "is-enabled", "default", "rescue", "emergency", "poweroff",
                "exit", "reboot", "halt", "kexec", "stats", "monitor", "verify", "calendar", "help", "version",
        };

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                const Verb *verb = verb_find(&verbs, names[i]);

                assert_not_null(verb);
                cr_expect(verb->run && verb->help && verb->arguments && verb->min <= verb->max, "%s", names[i]);
        }
        assert_null(verb_find(&verbs, "foo"));
}

Test(verbs, a_misspelt_verb_is_corrected, .init = cr_redirect_stderr) {
        cr_assert(eq(int, RUN("strat", "a"), EXIT_USAGE));
        fflush(stderr);
        cr_assert_stderr_eq_str("jobctl: Unknown verb 'strat'. Did you mean 'start'?\n");
}

Test(verbs, word_of_another_tool_is_translated, .init = cr_redirect_stderr) {
        cr_assert(eq(int, RUN("journal", "a"), EXIT_USAGE));
        cr_assert(eq(int, RUN("tail", "a"), EXIT_USAGE));
        fflush(stderr);
        cr_assert_stderr_eq_str("jobctl: Unknown verb 'journal'. Did you mean 'logs'?\n"
                                "jobctl: Unknown verb 'tail'. Did you mean 'logs -f'?\n");
}

Test(verbs, missing_words_are_named, .init = cr_redirect_stderr) {
        cr_assert(eq(int, RUN("start"), EXIT_USAGE));
        fflush(stderr);
        cr_assert_stderr_eq_str("jobctl: 'start' needs an argument: jobctl start UNIT…\n");
}

Test(verbs, superfluous_words_are_named, .init = cr_redirect_stderr) {
        cr_assert(eq(int, RUN("daemon-reload", "now"), EXIT_USAGE));
        fflush(stderr);
        cr_assert_stderr_eq_str("jobctl: 'daemon-reload' takes no 'now': jobctl daemon-reload\n");
}

Test(verbs, without_a_daemon_the_status_is_seven, .init = cr_redirect_stderr) {
        cr_assert(eq(int, RUN("--socket=/nonexistent/private", "list-units"), EXIT_UNREACHABLE));
        fflush(stderr);
        cr_assert_stderr_eq_str("Cannot reach jobd at /nonexistent/private: No such file or directory.\n");
}

Test(verbs, without_a_daemon_json_is_still_a_document, .init = cr_redirect_stdout) {
        cr_assert(eq(int, RUN("--socket=/nonexistent/private", "--json", "list-units"), EXIT_UNREACHABLE));
        fflush(stdout);
        cr_assert_stdout_eq_str("{\"ok\":false,\"error\":\"NoServer\",\"message\":\"Cannot reach jobd at "
                                "/nonexistent/private: No such file or directory.\"}\n");
}

Test(verbs, escape_sequences_on_the_command_line_are_defused, .init = cr_redirect_stderr) {
        cr_assert(eq(int, RUN("\033]0;x\a"), EXIT_USAGE));
        fflush(stderr);
        cr_assert_stderr_eq_str("jobctl: Unknown verb '\\x1b]0;x\\x07'. See 'jobctl help'.\n");
}
