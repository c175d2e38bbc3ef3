/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits, priorities and privileges, as the process itself finds them
 */

#include <errno.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_rights.h"
#include "exec_fixture.h"
#include "unit/exec_terms.h"

#define TERMS(...) ExecTerms terms = { __VA_ARGS__ }

static void expect(Fixture *fixture, ExecTerms *terms, const char *output) {
        fixture->request.terms = terms;
        cr_assert(eq(int, fixture_run(fixture), 0));
        assert_string(fixture_output(fixture), output);
}

static void set_limit(ExecTerms *terms, int kind, uint64_t soft, uint64_t hard) {
        terms->limits |= 1U << kind;
        terms->limit[kind] = (ExecLimit) { soft, hard };
}

Test(exec_terms, limits) {
        TERMS();
        FIXTURE("ulimit -Sn; ulimit -Hn; ulimit -Sc; ulimit -Hc; ulimit -Sd; ulimit -Hs");

        set_limit(&terms, RLIMIT_NOFILE, 123, 456);
        set_limit(&terms, RLIMIT_CORE, 0, 0);
        set_limit(&terms, RLIMIT_DATA, 1U << 30, EXEC_LIMIT_INFINITY);
        set_limit(&terms, RLIMIT_STACK, 8U << 20, 16U << 20);
        fixture.request.open_files_limit = 77;
        expect(&fixture, &terms, "123\n456\n0\n0\n1048576\n16384");
}

Test(exec_terms, a_hard_limit_that_may_not_be_raised_stays) {
        TERMS();
        FIXTURE("ulimit -Hn");
        struct rlimit low = { 200, 200 };

        if (geteuid() != 0)
                cr_skip_test("not root");
        cr_assert(setrlimit(RLIMIT_NOFILE, &low) == 0);
        cr_assert(prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE) == 0);
        /* The effective set of the test process counts. */
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct data[2] = {};
        cr_assert(syscall(SYS_capget, &header, data) == 0);
        data[0].effective &= ~(1U << CAP_SYS_RESOURCE);
        cr_assert(syscall(SYS_capset, &header, data) == 0);
        set_limit(&terms, RLIMIT_NOFILE, EXEC_LIMIT_INFINITY, EXEC_LIMIT_INFINITY);
        expect(&fixture, &terms, "200");
}

Test(exec_terms, full_privileges_are_not_limited) {
        TERMS(.no_new_privileges = true);
        FIXTURE("ulimit -Hc; grep NoNewPrivs /proc/self/status");

        set_limit(&terms, RLIMIT_CORE, 0, 0);
        fixture.request.flags |= EXEC_REQUEST_NO_RESTRICTIONS;
        expect(&fixture, &terms, "unlimited\nNoNewPrivs:\t0");
}

Test(exec_terms, scheduling) {
        TERMS(.has_scheduling = true, .scheduling_policy = SCHED_BATCH, .resets_on_fork = true);
        FIXTURE("chrt -p $$ | sed 's/^.*: //'");

        expect(&fixture, &terms, "SCHED_BATCH|SCHED_RESET_ON_FORK\n0");
}

Test(exec_terms, processors) {
        uint64_t word = 1;
        TERMS(.has_cpus = true, .cpus = { &word, 1 });
        FIXTURE("grep Cpus_allowed_list /proc/self/status");

        expect(&fixture, &terms, "Cpus_allowed_list:\t0");
        word = UINT64_C(1) << 63;
        terms.cpus.words = (uint64_t[]) { 0, 0, word };
        terms.cpus.n = 3;
        fixture_fail(&fixture, EXEC_STEP_CPUAFFINITY, EINVAL, "CPU affinity");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_CPUAFFINITY), 215));
}

Test(exec_terms, disk_priority_and_timer_slack) {
        TERMS(.has_io_priority = true, .io_priority = 3 << 13, .has_timer_slack = true, .timer_slack_nsec = 123456);
        FIXTURE("ionice -p $$; cat /proc/$$/timerslack_ns");

        expect(&fixture, &terms, "idle\n123456");
}

Test(exec_terms, core_dumps_of_us_stay_as_they_are) {
        TERMS(.has_coredump_filter = true, .coredump_filter = 0x1);
        FIXTURE("cat /proc/$$/coredump_filter");
        char before[32] = {}, after[32] = {};
        FILE *file = fopen("/proc/self/coredump_filter", "re");

        cr_assert(file && fgets(before, sizeof(before), file));
        fclose(file);
        expect(&fixture, &terms, "00000001");
        file = fopen("/proc/self/coredump_filter", "re");
        cr_assert(file && fgets(after, sizeof(after), file));
        fclose(file);
        assert_string(after, before);
}

Test(exec_terms, personality) {
        TERMS(.has_personality = true, .personality = PER_LINUX32);
        FIXTURE("uname -m");

#if defined(__x86_64__)
        expect(&fixture, &terms, "i686");
#endif
}

Test(exec_terms, no_new_privileges) {
        TERMS(.no_new_privileges = true);
        FIXTURE("grep NoNewPrivs /proc/self/status");

        expect(&fixture, &terms, "NoNewPrivs:\t1");
}

Test(exec_terms, bounding_set) {
        TERMS(.has_capabilities = true, .capabilities = 1U << CAP_CHOWN | 1U << CAP_NET_BIND_SERVICE);
        FIXTURE("grep -E 'Cap(Bnd|Eff|Inh)' /proc/self/status");

        if (geteuid() != 0)
                cr_skip_test("not root");
        expect(&fixture, &terms, "CapInh:\t0000000000000000\nCapEff:\t0000000000000401\nCapBnd:\t0000000000000401");
}

Test(exec_terms, a_user_with_ambient_capabilities) {
        need_users();

        TERMS(.ambient_capabilities = 1U << CAP_NET_BIND_SERVICE);
        FIXTURE("id -u; grep -E 'Cap(Eff|Amb)' /proc/self/status");

        fixture.request.user = "65534";
        fixture.request.group = "65534";
        chmod(fixture.folder, 0777);
        expect(&fixture, &terms, "65534\nCapEff:\t0000000000000400\nCapAmb:\t0000000000000400");
}

Test(exec_terms, secure_bits) {
        TERMS(.secure_bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED);
        FIXTURE("grep CapEff /proc/self/status");

        if (geteuid() != 0)
                cr_skip_test("not root");
        expect(&fixture, &terms, "CapEff:\t0000000000000000");
}

Test(exec_terms, text_for_standard_input) {
        char data[] = "one\ntwo\n";
        TERMS(.has_input_data = true, .input_data = data, .input_size = sizeof(data) - 1);
        FIXTURE("cat");

        expect(&fixture, &terms, "one\ntwo");
}

Test(exec_terms, search_path) {
        char *path[] = { NULL, NULL };
        TERMS(.search_path = path);
        FIXTURE("");

        path[0] = fixture.folder;
        fixture_write(&fixture, "my-program", "#!/bin/sh\necho \"mine $PATH\"\n", 0755);
        fixture.request.path = "my-program";
        fixture.request.terms = &terms;
        cr_assert(eq(int, fixture_run(&fixture), 0));
        cr_assert(strstr(fixture_output(&fixture), "mine /tmp/") != NULL);
}

Test(exec_terms, what_is_not_in_the_search_path) {
        char *path[] = { (char *) "/no/such/place", (char *) "/srv", NULL };
        TERMS(.search_path = path);
        FIXTURE("");

        fixture.request.terms = &terms;
        fixture.request.path = "sh";
        fixture_fail(&fixture, EXEC_STEP_EXEC, ENOENT, "cannot find sh in /no/such/place:/srv");
}

/* The number and the owner of the session keyring. */
#define KEYRING "perl -e '$b = chr(0) x 100; syscall(250, 6, -3, $b, 100); print syscall(250, 0, -3, 0), \";$b\"' | cut -d';' -f1,3"

static void expect_keyring(Fixture *fixture, const char *mode, long own, bool is_own, unsigned owner) {
        char inherited[32], ending[32];

        cr_assert(truncate(fixture->output, 0) == 0 || errno == ENOENT);
        cr_assert(eq(int, fixture_run(fixture), 0));
        snprintf(inherited, sizeof(inherited), "%ld;", own);
        snprintf(ending, sizeof(ending), ";%u", owner);
        cr_assert(eq(int, text_starts_with(fixture_output(fixture), inherited), !is_own), "%s", mode);
        cr_assert(is_own <= text_ends_with(fixture_output(fixture), ending), "%s: %s", mode, fixture_output(fixture));
}

Test(exec_terms, session_keyring) {
        need_users();

        static const struct {
                ExecKeyring mode;
                bool is_own, is_users_own;
        } cases[] = {
                { EXEC_KEYRING_DEFAULT, true, false },
                { EXEC_KEYRING_INHERIT, false, false },
                { EXEC_KEYRING_PRIVATE, true, true },
                { EXEC_KEYRING_SHARED, true, true },
        };
        long own = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
        FIXTURE(KEYRING);

#ifndef __x86_64__
        cr_skip_test("the script knows the number of the system call of another machine");
#endif
        if (own <= 0)
                cr_skip_test("there are no keyrings here");
        cr_assert(eq(int, chmod(fixture.folder, 0777), 0));
        /* A request without any terms. */
        expect_keyring(&fixture, "nothing said", own, true, 0);
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                ExecTerms terms = { .keyring = cases[i].mode };
                const char *mode = exec_keyring_to_string(cases[i].mode) ?: "default";

                fixture.request.terms = &terms;
                fixture.request.unit = "test.service";
                fixture.request.is_user_manager = true;
                expect_keyring(&fixture, mode, own, cases[i].is_users_own, 0);
                fixture.request.is_user_manager = false;
                expect_keyring(&fixture, mode, own, cases[i].is_own, 0);
                fixture.request.user = "65534";
                expect_keyring(&fixture, mode, own, cases[i].is_own, 65534);
                fixture.request.user = NULL;
        }
}
