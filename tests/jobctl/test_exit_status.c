/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Exit statuses: systemctl's for verbs that systemctl has, jobd's for the others.
 */

#include "double/double_assert.h"
#include "jobctl/exit_status.h"

typedef struct Case {
        const char *name;
        int request, ours;
} Case;

Test(exit_status, of_errors) {
        static const Case cases[] = {
                { "org.jobd1.NoSuchUnit", 5, 5 },
                { "org.freedesktop.systemd1.NoSuchUnit", 5, 5 },
                { "org.jobd1.NoSuchJob", 1, 5 },
                { "org.jobd1.OnlyByDependency", 4, 4 },
                { "org.jobd1.NoIsolation", 4, 4 },
                { "org.jobd1.TransactionIsDestructive", 4, 4 },
                { "org.jobd1.TransactionOrderIsCyclic", 1, 4 },
                { "org.freedesktop.DBus.Error.AccessDenied", 4, 4 },
                { "org.jobd1.JobTypeNotApplicable", 3, 4 },
                { "org.freedesktop.DBus.Error.NotSupported", 3, 4 },
                { "org.jobd1.LoadFailed", 6, 4 },
                { "org.jobd1.UnitMasked", 1, 4 },
                { "org.jobd1.BadUnitSetting", 1, 4 },
                { "org.freedesktop.DBus.Error.InvalidArgs", 1, 2 },
                { "org.jobd1.NoSuchRun", 5, 5 },
                { "org.jobd1.NoSuchNode", 5, 5 },
                { "org.jobd1.NoSuchAlarm", 5, 5 },
                { "org.jobd1.InvalidTransition", 4, 4 },
                { "org.jobd1.NameTaken", 4, 4 },
                { "org.jobd1.Busy", 4, 4 },
                { "org.jobd1.StoreBusy", 14, 14 },
                { "org.jobd1.StoreUnavailable", 15, 15 },
                { "org.freedesktop.DBus.Error.NoServer", 7, 7 },
                { "org.example.Whatever", 1, 1 },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(bus_error_deinit) BusError error = {};

                bus_error_set(&error, cases[i].name, "x");
                cr_expect(eq(int, exit_status_of_error(&error, EXIT_SCHEME_REQUEST), cases[i].request), "%s", cases[i].name);
                cr_expect(eq(int, exit_status_of_error(&error, EXIT_SCHEME_OURS), cases[i].ours), "%s", cases[i].name);
        }
}

Test(exit_status, verbs_of_systemctl_that_make_no_jobs_only_fail) {
        cleanup_(bus_error_deinit) BusError unknown = {};
        cleanup_(bus_error_deinit) BusError gone = {};

        bus_error_set(&unknown, "org.jobd1.NoSuchUnit", "x");
        bus_error_set(&gone, "org.freedesktop.DBus.Error.NoServer", "x");
        cr_assert(eq(int, exit_status_of_error(&unknown, EXIT_SCHEME_SHARED), EXIT_FAILED));
        cr_assert(eq(int, exit_status_of_error(&gone, EXIT_SCHEME_SHARED), EXIT_UNREACHABLE));
}

Test(exit_status, of_results) {
        static const char *const bad[] = { "failed", "canceled", "timeout", "dependency", "invalid", "assert",
                                           "unsupported", "collected", "once" };

        cr_assert(eq(int, exit_status_of_result("done"), 0));
        cr_assert(eq(int, exit_status_of_result("skipped"), 0));
        for (size_t i = 0; i < ELEMENTSOF(bad); i++)
                cr_expect(eq(int, exit_status_of_result(bad[i]), 1), "%s", bad[i]);
}

/* Of several runs: what is no end of a run, failed, late, cancelled, suspended, partial, well. */
Test(exit_status, the_worst_of_several_runs_counts) {
        static const int worst_first[] = { EXIT_REFUSED, 1, 12, 13, 11, 10, 0 };
        static const int of_no_run[] = { EXIT_USAGE, EXIT_REFUSED, EXIT_NO_SUCH, EXIT_UNREACHABLE, EXIT_STORE_BUSY,
                                         EXIT_STORE_UNAVAILABLE, EXIT_INTERRUPTED };

        for (size_t i = 0; i < ELEMENTSOF(worst_first); i++)
                for (size_t k = i; k < ELEMENTSOF(worst_first); k++) {
                        cr_expect(eq(int, exit_status_worse(worst_first[i], worst_first[k]), worst_first[i]));
                        cr_expect(eq(int, exit_status_worse(worst_first[k], worst_first[i]), worst_first[i]));
                }
        for (size_t i = 0; i < ELEMENTSOF(of_no_run); i++)
                cr_expect(eq(int, exit_status_worse(EXIT_FAILED, of_no_run[i]), of_no_run[i]));
}

static void assert_described(const char *result, const char *detail, const char *expected) {
        cleanup_free_ char *sentence = NULL;

        cr_assert(eq(int, exit_status_describe("x.service", result, detail, &sentence), 0));
        assert_string(sentence, expected);
}

Test(exit_status, results_are_sentences_that_name_the_unit) {
        assert_described("canceled", "", "Job for x.service canceled.");
        assert_described("dependency", "", "A dependency job for x.service failed.");
        assert_described("failed", "", "Job for x.service failed.");
        assert_described("failed", "(result 'exit-code'): it went wrong",
                         "Job for x.service failed (result 'exit-code'): it went wrong.");
        assert_described("failed", ": it went wrong", "Job for x.service failed: it went wrong.");
        assert_described("strange", "", "Job for x.service failed (strange).");
}

Test(exit_status, an_error_without_memory_still_reads) {
        BusError error = {};

        assert_string(bus_error_word(&error), "NoMemory");
        assert_string(bus_error_message(&error), "Out of memory.");
}
