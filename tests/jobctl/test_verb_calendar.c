/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * calendar: the output for good and for bad expressions.
 */

#include <criterion/redirect.h>

#include "double/double_assert.h"
#include "jobctl/verbs.h"

static int run(const char *const *argv) {
        return jobctl_run((char *const *) argv);
}

#define RUN(...) run((const char *const[]) { __VA_ARGS__, NULL })

Test(verb_calendar, prints_the_next_elapses, .init = cr_redirect_stdout) {
        setenv("TZ", "Europe/Berlin", 1);
        cr_assert(eq(int, RUN("calendar", "--json", "--base-time=2024-03-30 12:00 UTC", "--iterations=2", "daily"), EXIT_OK));
        fflush(stdout);
        cr_assert_stdout_eq_str("[{\"original\":\"daily\",\"normalized\":\"*-*-* 00:00:00\",\"elapses\":["
                                "{\"usec\":1711839600000000,\"time\":\"Sun 2024-03-31 00:00:00 CET\","
                                "\"utc\":\"Sat 2024-03-30 23:00:00 UTC\"},"
                                "{\"usec\":1711922400000000,\"time\":\"Mon 2024-04-01 00:00:00 CEST\","
                                "\"utc\":\"Sun 2024-03-31 22:00:00 UTC\"}]}]\n");
}

Test(verb_calendar, says_never, .init = cr_redirect_stdout) {
        setenv("TZ", "UTC", 1);
        cr_assert(eq(int, RUN("calendar", "1999-1-1"), EXIT_OK));
        fflush(stdout);
        cr_assert_stdout_eq_str("  Original form: 1999-1-1\nNormalized form: 1999-01-01 00:00:00\n    Next elapse: never\n");
}

Test(verb_calendar, shows_where_it_is_wrong, .init = cr_redirect_stderr) {
        cr_assert(eq(int, RUN("calendar", "Mon 12:o0"), EXIT_FAILED));
        fflush(stderr);
        cr_assert_stderr_eq_str("jobctl: 'Mon 12:o0' is not a calendar expression: a number is expected here:\n"
                                "    Mon 12:o0\n           ^\n");
}

Test(verb_calendar, says_what_a_time_looks_like, .init = cr_redirect_stderr) {
        cr_assert(eq(int, RUN("calendar", "daily", "--base-time=noon"), EXIT_USAGE));
        fflush(stderr);
        cr_assert_stderr_eq_str("jobctl: 'noon' is not a time: write it as '2030-12-24 18:30' or '+3days'.\n");
}
