/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * timespan and timestamp: the output for good and for bad words.
 */

#include <criterion/redirect.h>

#include "double/double_assert.h"
#include "jobctl/verbs.h"

static int run(const char *const *argv) {
        setenv("TZ", "Europe/Berlin", 1);
        return jobctl_run((char *const *) argv);
}

#define RUN(...) run((const char *const[]) { __VA_ARGS__, NULL })

Test(verb_time_text, spans_are_shown_in_microseconds_and_words, .init = cr_redirect_stdout) {
        cr_assert(eq(int, RUN("timespan", "1h30", "infinity"), EXIT_OK));
        fflush(stdout);
        cr_assert_stdout_eq_str("  Original form: 1h30\n   Microseconds: 3630000000\nNormalized form: 1h 30s\n\n"
                                "  Original form: infinity\n   Microseconds: infinity\nNormalized form: infinity\n");
}

Test(verb_time_text, times_are_shown_here_and_in_utc, .init = cr_redirect_stdout) {
        cr_assert(eq(int, RUN("timestamp", "--json", "2024-03-30 12:00 UTC"), EXIT_OK));
        fflush(stdout);
        cr_assert_stdout_eq_str("[{\"original\":\"2024-03-30 12:00 UTC\",\"usec\":1711800000000000,"
                                "\"normalized\":\"Sat 2024-03-30 13:00:00 CET\",\"utc\":\"Sat 2024-03-30 12:00:00 UTC\"}]\n");
}

Test(verb_time_text, wrong_words_are_told, .init = cr_redirect_stderr) {
        cr_assert(eq(int, RUN("timespan", "soon"), EXIT_FAILED));
        cr_assert(eq(int, RUN("timestamp", "noon"), EXIT_FAILED));
        fflush(stderr);
        cr_assert_stderr_eq_str("jobctl: 'soon' is not a time span: write it as '90', '1min 30s', '2h' or 'infinity'.\n"
                                "jobctl: 'noon' is not a time: write it as '2030-12-24 18:30' or '+3days'.\n");
}

Test(verb_time_text, wrong_words_are_part_of_the_document, .init = cr_redirect_stdout) {
        cr_assert(eq(int, RUN("timespan", "--json", "soon", "1"), EXIT_FAILED));
        fflush(stdout);
        cr_assert_stdout_eq_str("[{\"original\":\"soon\",\"error\":\"This is not a time span: write it as '90', "
                                "'1min 30s', '2h' or 'infinity'.\"},"
                                "{\"original\":\"1\",\"usec\":1000000,\"human\":\"1s\"}]\n");
}
