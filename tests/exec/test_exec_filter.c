/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System call filters, as the process itself finds them
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/exec_filter.h"
#include "double/double_rights.h"
#include "exec_fixture.h"
#include "unit/exec_terms.h"

static void allow(ExecTerms *terms, const char *group) {
        terms->filter.has_calls = terms->filter.allows_calls = true;
        cr_assert(system_call_group_add("@default", &terms->filter.calls) == 0);
        cr_assert(system_call_group_add(group, &terms->filter.calls) == 0);
}

static void deny(ExecTerms *terms, const char *name) {
        terms->filter.has_calls = true;
        if (name[0] == '@')
                cr_assert(system_call_group_add(name, &terms->filter.calls) == 0);
        else
                system_call_set_add(&terms->filter.calls, (size_t) system_call_find(name));
}

static void expect(Fixture *fixture, ExecTerms *terms, const char *output) {
        fixture->request.terms = terms;
        cr_assert(eq(int, fixture_run(fixture), 0));
        assert_string(fixture_output(fixture), output);
}

/* Runs Python code, because a shell cannot make arbitrary system calls. */
#define PYTHON(code) FIXTURE("exec /usr/bin/python3 -c '" code "'")

Test(exec_filter, what_services_need_is_allowed_and_the_rest_is_not) {
        ExecTerms terms = { .filter.error = EACCES };
        PYTHON("import os\n"
               "print(os.getuid() >= 0)\n"
               "try: os.chroot(\"/\")\n"
               "except OSError as e: print(e.errno)");

        allow(&terms, "@system-service");
        expect(&fixture, &terms, "True\n13");
}

Test(exec_filter, without_an_errno_it_ends_the_process) {
        ExecTerms terms = {};
        FIXTURE("exec mkdir /tmp/never-made-by-this-test");

        deny(&terms, "mkdir");
        deny(&terms, "mkdirat");
        fixture.request.terms = &terms;
        cr_assert(eq(int, fixture_run(&fixture) & 0x7f, SIGSYS));
        cr_assert(access("/tmp/never-made-by-this-test", F_OK) < 0);
}

Test(exec_filter, calls_may_have_errors_of_their_own) {
        ExecTerms terms = { .filter.error = EPERM };
        int16_t errors[SYSTEM_CALLS_MAX] = {};
        PYTHON("import os\n"
               "for f, a in ((os.mkdir, (\"/tmp/x-y\",)), (os.link, (\"/tmp/a\", \"/tmp/b\"))):\n"
               "    try: f(*a)\n"
               "    except OSError as e: print(e.errno)");

        deny(&terms, "mkdir");
        deny(&terms, "link");
        deny(&terms, "linkat");
        errors[system_call_find("mkdir")] = ENOSPC;
        terms.filter.errors = errors;
        expect(&fixture, &terms, "28\n1");
}

/* — the audit log — */

/* Tries to make a folder, as a program of this name. */
static void try_as(const char *name, ExecTerms *terms, const char *output) {
        cleanup_free_ char *script = NULL;
        char link[64];

        snprintf(link, sizeof(link), "/tmp/%s", name);
        cr_assert(eq(int, symlink("/usr/bin/python3", link), 0));
        cr_assert(eq(int, text_format(&script, "exec %s -c 'import os\n"
                                               "try: os.mkdir(\"/tmp\")\n"
                                               "except OSError as e: print(e.errno)'", link), 0));
        FIXTURE(script);
        expect(&fixture, terms, output);
        cr_assert(eq(int, unlink(link), 0));
}

/* Whether the kernel's log has a line about @name when one about @awaited comes. */
static bool is_logged(int log, const char *name, const char *awaited) {
        bool is_found = false;
        char line[8192];

        for (;;) {
                struct pollfd ready = { .fd = log, .events = POLLIN };
                ssize_t n = read(log, line, sizeof(line) - 1);

                if (n < 0 && errno == EAGAIN && poll(&ready, 1, 10000) <= 0)
                        cr_skip_test("the kernel's audit log can't be seen here");
                if (n < 0)
                        continue;
                line[n] = '\0';
                is_found |= strstr(line, "type=1326") && strstr(line, name);
                if (strstr(line, "type=1326") && strstr(line, awaited))
                        return is_found;
        }
}

Test(exec_filter, only_calls_that_are_to_be_logged_are) {
        ExecTerms refused = { .filter.error = EPERM }, logged = { .filter.has_log = true };
        int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        char names[2][16];

        if (log < 0 || lseek(log, 0, SEEK_END) < 0)
                cr_skip_test("the kernel's log can't be read here");
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                snprintf(names[i], sizeof(names[i]), "jobd%c%u", (char) ('a' + i), (unsigned) getpid() % 1000000);
        deny(&refused, "mkdir");
        try_as(names[0], &refused, "1");
        system_call_set_add(&logged.filter.logged, (size_t) system_call_find("mkdir"));
        try_as(names[1], &logged, "17");
        cr_assert(not(is_logged(log, names[0], names[1])));
        close(log);
}

Test(exec_filter, address_families) {
        ExecTerms terms = { .filter = { .has_families = true, .allows_families = true, .families = 1U << 1 | 1U << 2 } };
        PYTHON("import socket\n"
               "for family in (1, 2, 10, 16, 17, 77):\n"
               "    try: socket.socket(family, socket.SOCK_DGRAM); print(family)\n"
               "    except OSError as e: print(e.errno)");

        expect(&fixture, &terms, "1\n2\n97\n97\n97\n97");
}

Test(exec_filter, address_families_that_are_denied) {
        ExecTerms terms = { .filter = { .has_families = true, .families = 1U << 2 } };
        PYTHON("import socket\n"
               "for family in (1, 2):\n"
               "    try: socket.socket(family, socket.SOCK_DGRAM); print(family)\n"
               "    except OSError as e: print(e.errno)");

        expect(&fixture, &terms, "1\n97");
}

Test(exec_filter, memory_that_can_be_written_and_executed) {
        ExecTerms terms = { .filter.denies_write_execute = true };
        PYTHON("import mmap\n"
               "mmap.mmap(-1, 4096, prot=3)\n"
               "try: mmap.mmap(-1, 4096, prot=7)\n"
               "except OSError as e: print(e.errno)");

        expect(&fixture, &terms, "1");
}

Test(exec_filter, realtime) {
        ExecTerms terms = { .filter.denies_realtime = true };
        PYTHON("import os\n"
               "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))\n"
               "try: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))\n"
               "except OSError as e: print(e.errno)");

        expect(&fixture, &terms, "1");
}

Test(exec_filter, realtime_by_a_call_that_hides_what_it_asks_for) {
        const struct rlimit some = { 10, 10 };
        ExecTerms terms = {};
        FIXTURE("ulimit -r");

        if (setrlimit(RLIMIT_RTPRIO, &some) < 0)
                cr_skip_test("the limit cannot be raised");
        expect(&fixture, &terms, "10");
        terms.filter.denies_realtime = true;
        expect(&fixture, &terms, "10\n0");
        terms.limits = 1U << RLIMIT_RTPRIO;
        terms.limit[RLIMIT_RTPRIO] = (ExecLimit) { 5, 5 };
        expect(&fixture, &terms, "10\n0\n5");
}

Test(exec_filter, suid_files) {
        ExecTerms terms = { .filter.denies_suid_sgid = true };
        PYTHON("import os, tempfile\n"
               "d = tempfile.mkdtemp(); f = d + \"/f\"; open(f, \"w\").close(); os.chmod(f, 0o755)\n"
               "for call in (lambda: os.chmod(f, 0o4755), lambda: os.mkdir(d + \"/g\", 0o2755), lambda: os.open(d + \"/h\", os.O_CREAT, 0o4700)):\n"
               "    try: call(); print(0)\n"
               "    except OSError as e: print(e.errno)\n"
               "os.unlink(f); os.rmdir(d)");

        expect(&fixture, &terms, "1\n1\n1");
}

Test(exec_filter, namespaces) {
        ExecTerms terms = { .filter = { .has_namespaces = true, .namespaces = CLONE_NEWUTS } };
        FIXTURE("unshare -u true && echo uts; unshare -n true 2>/dev/null || echo no net; unshare -m true 2>/dev/null || echo no mnt");

        if (geteuid() != 0)
                cr_skip_test("not root");
        expect(&fixture, &terms, "uts\nno net\nno mnt");
}

Test(exec_filter, personality_is_locked) {
        ExecTerms terms = { .filter.locks_personality = true };
        FIXTURE("setarch -R true 2>/dev/null || echo locked; setarch --show 2>&1 | head -1 >/dev/null; echo asked");

        expect(&fixture, &terms, "locked\nasked");
}

Test(exec_filter, architectures) {
        char *names[] = { (char *) "native", NULL };
        ExecTerms terms = { .filter.architectures = names };
        FIXTURE("grep Seccomp: /proc/self/status");

        expect(&fixture, &terms, "Seccomp:\t2");
}

#if defined(__x86_64__)

/* mkdir(NULL) as 32-bit programs call it: EFAULT, or what a filter says. */
#define MKDIR_OF_X86                                                                                          \
        "import ctypes, mmap\n"                                                                               \
        "code = mmap.mmap(-1, 4096, prot=7)\n"                                                                \
        "code.write(bytes.fromhex(\"53b827000000bb00000000cd805bc3\"))\n"                                     \
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))(), flush=True)"

Test(exec_filter, calls_of_other_architectures) {
        ExecTerms terms = { .filter.error = EACCES };
        char *names[] = { (char *) "native", NULL };
        PYTHON(MKDIR_OF_X86);

        if (!WIFEXITED(fixture_run(&fixture)))
                cr_skip_test("this kernel has no calls of x86");
        deny(&terms, "mkdir");
        expect(&fixture, &terms, "-14\n-13");
        terms = (ExecTerms) { .filter.architectures = names };
        cr_assert(eq(int, fixture_run(&fixture) & 0x7f, SIGSYS));
}

#endif

Test(exec_filter, a_program_that_may_not_be_started) {
        ExecTerms terms = {};
        FIXTURE("echo ran");

        deny(&terms, "execve");
        fixture.request.terms = &terms;
        fixture_fail(&fixture, EXEC_STEP_SECCOMP, EPERM, "SystemCallFilter= denies execve()");
        fixture.request.flags |= EXEC_REQUEST_NO_RESTRICTIONS;
        expect(&fixture, &terms, "ran");
}

Test(exec_filter, a_user_without_the_kernels_tunables_gets_no_new_privileges) {
        FIXTURE("id -u; grep NoNewPrivs /proc/self/status");

        if (access("/usr", W_OK) < 0)
                cr_skip_test("only root may be others");
        fixture.request.user = "nobody";
        fixture.request.denied = EXEC_DENIED_TUNABLES;
        expect(&fixture, NULL, "65534\nNoNewPrivs:\t1");
}

/* The filter is permitted because of no_new_privs. */
Test(exec_filter, a_user_gets_it_with_no_new_privileges) {
        need_users();

        ExecTerms terms = { .filter.denies_realtime = true };
        FIXTURE("grep -E 'NoNewPrivs|Seccomp:' /proc/self/status");

        expect(&fixture, &terms, "NoNewPrivs:\t0\nSeccomp:\t2");
        fixture_deinit(&fixture);
        fixture_init(&fixture, "grep -E 'NoNewPrivs|Seccomp:' /proc/self/status");
        fixture.request.user = "65534";
        fixture.request.group = "65534";
        expect(&fixture, &terms, "NoNewPrivs:\t1\nSeccomp:\t2");
}

Test(exec_filter, all_at_once_as_units_have_it) {
        char *names[] = { (char *) "native", NULL };
        ExecTerms terms = { .no_new_privileges = true, .filter = {
                .architectures = names, .error = EPERM, .denies_realtime = true, .denies_suid_sgid = true,
                .denies_write_execute = true, .locks_personality = true, .has_namespaces = true, .has_families = true,
                .allows_families = true, .families = 1U << 1 | 1U << 2 | 1U << 10 } };
        FIXTURE("echo fine");

        allow(&terms, "@system-service");
        expect(&fixture, &terms, "fine");
}

Test(exec_filter, programs_are_made_once) {
        ExecFilter filter = { .denies_realtime = true }, other = { .denies_realtime = true, .denies_suid_sgid = true };
        const ExecPrograms *first, *second, *third;

        cr_assert(exec_programs_get(&filter, 0, 0, &first) == 0 && first && first->n > 0);
        cr_assert(exec_programs_get(&filter, 0, 0, &second) == 0 && second == first);
        cr_assert(exec_programs_get(&other, 0, 0, &third) == 0 && third != first);
        exec_programs_give_back(first);
        exec_programs_give_back(second);
        exec_programs_give_back(third);
        cr_assert(exec_programs_get(NULL, 0, 0, &first) == 0 && !first);
        cr_assert(exec_programs_get(NULL, EXEC_DENIED_CLOCK, 0, &first) == 0 && first);
        exec_programs_give_back(first);
}
