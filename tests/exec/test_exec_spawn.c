/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Real processes: each step that can fail, and what the new program finds
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec_fixture.h"

Test(exec_spawn, missing_program_is_step_exec) {
        FIXTURE("");

        fixture.request.path = "/no/such/program";
        fixture_fail(&fixture, EXEC_STEP_EXEC, ENOENT, "program: cannot execute /no/such/program: No such file");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_EXEC), 203));
}

Test(exec_spawn, name_that_is_nowhere_in_the_path) {
        FIXTURE("");

        fixture.request.path = "no-such-program";
        fixture_fail(&fixture, EXEC_STEP_EXEC, ENOENT, "cannot find no-such-program in /usr/local/sbin:");
}

Test(exec_spawn, name_is_looked_up_in_the_fixed_path) {
        char *const environment[] = { (char *) "PATH=/nowhere", NULL };
        FIXTURE("echo \"$PATH\"");

        fixture.request.path = "sh";
        fixture.request.environment = environment;
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "/nowhere");
}

Test(exec_spawn, file_that_is_not_executable) {
        FIXTURE("");

        fixture_write(&fixture, "plain", "#!/bin/sh\n", 0644);
        fixture.request.path = fixture_path(&fixture, "plain");
        fixture_fail(&fixture, EXEC_STEP_EXEC, EACCES, "plain: Permission denied");
}

Test(exec_spawn, file_of_unknown_format) {
        FIXTURE("");

        fixture_write(&fixture, "text", "just text\n", 0755);
        fixture.request.path = fixture_path(&fixture, "text");
        fixture_fail(&fixture, EXEC_STEP_EXEC, ENOEXEC, "text: Exec format error");
}

Test(exec_spawn, missing_interpreter_is_named_as_the_cause) {
        FIXTURE("");

        fixture_write(&fixture, "script", "#!/no/such/shell\n", 0755);
        fixture.request.path = fixture_path(&fixture, "script");
        fixture_fail(&fixture, EXEC_STEP_EXEC, ENOENT, "script, which is there, but not its interpreter");
}

Test(exec_spawn, user_without_a_home_has_services) {
        char *const environment[] = { (char *) "HOME=/no/such/home", NULL };
        FIXTURE("pwd");

        fixture.request.is_user_manager = true;
        fixture.request.manager_environment = environment;
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "/");
}

Test(exec_spawn, working_directory_must_exist) {
        FIXTURE("pwd");

        fixture.request.working_directory = "/no/such/folder";
        fixture_fail(&fixture, EXEC_STEP_CHDIR, ENOENT, "working directory: cannot enter /no/such/folder: No such file");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_CHDIR), 200));

        fixture.request.flags |= EXEC_REQUEST_DIRECTORY_OPTIONAL;
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "/");
}

Test(exec_spawn, unknown_user_and_group) {
        FIXTURE("");

        fixture.request.user = "no-such-user";
        fixture_fail(&fixture, EXEC_STEP_USER, ESRCH, "user: there is no user no-such-user in /etc/passwd");
        fixture.request.user = NULL;
        fixture.request.group = "no-such-group";
        fixture_fail(&fixture, EXEC_STEP_GROUP, ESRCH, "group: there is no group no-such-group in /etc/group");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_USER), 217));
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_GROUP), 216));
}

Test(exec_spawn, root_directory_must_exist) {
        FIXTURE("");

        fixture.request.root_directory = "/no/such/root";
        fixture_fail(&fixture, EXEC_STEP_CHROOT, ENOENT, "root directory: cannot enter /no/such/root: No such file");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_CHROOT), 210));
}

Test(exec_spawn, missing_environment_file_makes_no_process) {
        char *const files[] = { (char *) "/no/such/environment", NULL };
        char *const optional[] = { (char *) "-/no/such/environment", (char *) "-/proc", NULL };
        FIXTURE("true");

        fixture.request.environment_files = files;
        fixture_fail(&fixture, EXEC_STEP_ENVIRONMENT, ENOENT, "environment file: cannot read /no/such/environment");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_ENVIRONMENT), 0));
        fixture.request.environment_files = optional;
        cr_assert(eq(int, fixture_run(&fixture), 0));
}

/* Lets a new child run only when the test waits: by one processor, and a policy that keeps it. */
static bool keep_the_processor(void) {
        const struct sched_param parameters = { .sched_priority = 1 };
        cpu_set_t all, one;

        CPU_ZERO(&one);
        if (sched_getaffinity(0, sizeof(all), &all) < 0)
                return false;
        for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
                if (CPU_ISSET(i, &all))
                        CPU_SET(i, &one);
        return sched_setaffinity(0, sizeof(one), &one) == 0 && sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
}

/* As soon as the child is made, the request may change, and the number of a descriptor may become another file. */
Test(exec_spawn, child_reads_nothing_of_the_request) {
        FIXTURE("pwd; cat <&3; cat");
        char directory[] = "/usr", path[] = "/bin/sh", input[96], output[96];
        int meant[2], other[2], pidfd = -1, passed;
        ExecSpawn *spawn = NULL;
        pid_t pid = 0;

        cr_assert(eq(int, pipe2(meant, O_CLOEXEC), 0));
        cr_assert(eq(int, pipe2(other, O_CLOEXEC), 0));
        cr_assert(write(meant[1], "meant\n", 6) == 6 && write(other[1], "other\n", 6) == 6);
        passed = fcntl(meant[0], F_DUPFD_CLOEXEC, 50);
        fixture_write(&fixture, "input", "input\n", 0644);
        snprintf(input, sizeof(input), "%s", fixture_path(&fixture, "input"));
        snprintf(output, sizeof(output), "%s", fixture.output);
        fixture.request.path = path;
        fixture.request.working_directory = directory;
        fixture.request.standard_input_file = input;
        fixture.request.standard_output.path = output;
        cr_assert(eq(int, exec_request_add_descriptor(&fixture.request, (ExecDescriptor) { .fd = passed }), 0));
        if (!keep_the_processor())
                cr_skip("needs a scheduling policy of the real time");

        cr_assert(eq(int, exec_spawn_begin(&fixture.request, &spawn, &fixture.result), 0));
        cr_assert(dup2(other[0], passed) == passed);
        exec_request_deinit(&fixture.request);
        memset(directory, 'x', strlen(directory));
        memset(path, 'x', strlen(path));
        memset(input, 'x', strlen(input));
        memset(output, 'x', strlen(output));
        close(meant[1]);
        close(other[1]);
        cr_assert(eq(int, exec_spawn_finish(spawn, &pid, &pidfd, &fixture.result), 0), "%s", fixture.result.message);
        cr_assert(waitpid(pid, NULL, 0) == pid);
        assert_string(fixture_output(&fixture), "/usr\nmeant\ninput");
        close(pidfd);
}

Test(exec_spawn, descriptors_do_not_leak) {
        FIXTURE("for fd in 3 50 99 200; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; echo end");

        cr_assert(dup2(STDIN_FILENO, 50) == 50);
        cr_assert(dup2(STDIN_FILENO, 99) == 99);
        cr_assert(dup2(STDIN_FILENO, 200) == 200);
        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "end");
}

Test(exec_spawn, signals_are_as_new) {
        sigset_t set, after;
        FIXTURE("grep -E 'SigBlk|SigIgn' /proc/self/status");

        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, NULL);
        signal(SIGHUP, SIG_IGN);
        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000");

        sigprocmask(SIG_SETMASK, NULL, &after);
        cr_assert(sigismember(&after, SIGUSR1) && !sigismember(&after, SIGTERM), "our own mask is as before");
}

Test(exec_spawn, sigpipe_is_ignored_if_asked_for) {
        FIXTURE("grep SigIgn /proc/self/status");

        fixture.request.flags |= EXEC_REQUEST_IGNORE_SIGPIPE;
        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "SigIgn:\t0000000000001000");
}

Test(exec_spawn, signals_are_blocked_if_asked_for) {
        FIXTURE("while read -r name value; do [ $name != SigBlk: ] || echo $value; done </proc/$$/status");

        fixture.request.flags |= EXEC_REQUEST_BLOCK_SIGNALS;
        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "fffffffffffbfeff");
}

Test(exec_spawn, leads_a_session_of_its_own) {
        FIXTURE("read pid name state parent group session rest < /proc/self/stat\n"
                "[ $pid = $group ] && [ $pid = $session ] && echo leader");

        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "leader");
}

Test(exec_spawn, umask_nice_and_oom_score) {
        FIXTURE("umask; nice; cat /proc/self/oom_score_adj");

        fixture.request.umask = 0077;
        fixture.request.nice = 7;
        fixture.request.oom_score_adjust = 321;
        fixture.request.flags |= EXEC_REQUEST_HAS_NICE | EXEC_REQUEST_HAS_OOM_SCORE_ADJUST;
        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "0077\n7\n321");
}

static int own_oom_score(void) {
        FILE *file = fopen("/proc/self/oom_score_adj", "re");
        int score = 0;

        cr_assert(file && fscanf(file, "%d", &score) == 1);
        fclose(file);
        return score;
}

/* The kernel keeps one score for all processes that share a memory: the manager and its children on their way. */
Test(exec_spawn, oom_score_is_the_child_s_alone) {
        int before = own_oom_score(), scores[3] = {};
        FIXTURE("cat /proc/self/oom_score_adj");
        ExecRequest requests[3] = { fixture.request, fixture.request, fixture.request };
        ExecSpawn *spawns[3];

        requests[1].oom_score_adjust = before + 21;
        requests[1].flags |= EXEC_REQUEST_HAS_OOM_SCORE_ADJUST;
        for (unsigned i = 0; i < 3; i++)
                cr_assert(eq(int, exec_spawn_begin(&requests[i], &spawns[i], &fixture.result), 0));
        for (unsigned i = 0; i < 3; i++) {
                int pidfd = -1;
                pid_t pid = 0;

                cr_assert(eq(int, exec_spawn_finish(spawns[i], &pid, &pidfd, &fixture.result), 0));
                cr_assert(waitpid(pid, NULL, 0) == pid);
                close(pidfd);
        }
        cr_assert(eq(int, own_oom_score(), before));
        cr_assert(sscanf(fixture_output(&fixture), "%d %d %d", &scores[0], &scores[1], &scores[2]) == 3);
        cr_assert(eq(int, scores[0] + scores[1] + scores[2], 3 * before + 21));
        cr_assert(scores[0] != scores[1] || scores[1] != scores[2]);
}

Test(exec_spawn, environment_has_its_layers_in_order) {
        char *const manager[] = { (char *) "A=manager", (char *) "B=manager", (char *) "C=manager", (char *) "D=manager", NULL };
        char *const settings[] = { (char *) "B=setting", (char *) "C=setting", NULL };
        char *const unset[] = { (char *) "D", NULL };
        char *files[2] = {};
        FIXTURE("echo $A $B $C ${D-unset} $OWN");

        fixture_write(&fixture, "environment", "C=file\n", 0644);
        files[0] = (char *) fixture_path(&fixture, "environment");
        fixture.request.manager_environment = manager;
        fixture.request.environment = settings;
        fixture.request.environment_files = files;
        fixture.request.unset_environment = unset;
        fixture.request.own_environment = calloc(2, sizeof(char *));
        fixture.request.own_environment[0] = strdup("OWN=own");
        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "manager setting file unset own");
}

Test(exec_spawn, user_is_changed_before_the_directory_and_after_the_output) {
        int before = prctl(PR_GET_DUMPABLE);
        FIXTURE("id -u; id -g; id -G; echo $USER $LOGNAME");
        ExecResult result;
        int pidfd = -1, status;
        pid_t pid;

        cr_assert(chmod(fixture.folder, 0711) == 0);
        fixture.request.user = "nobody";
        if (exec_spawn(&fixture.request, &pid, &pidfd, &result) < 0) {
                cr_assert(result.error == EINVAL || result.error == EPERM, "%s", result.message);
                cr_skip("no such user in this user namespace");
        }
        cr_assert(waitpid(pid, &status, 0) == pid);
        close(pidfd);
        assert_string(fixture_output(&fixture), "65534\n65534\n65534\nnobody nobody");
        cr_assert(eq(int, prctl(PR_GET_DUMPABLE), before));
}

typedef struct Batch {
        ExecRequest requests[EXEC_SPAWNS_MAX];
        ExecSpawn *spawns[EXEC_SPAWNS_MAX];
} Batch;

/* One third has a missing working directory, and one third a missing program. */
static void begin_batch(const Fixture *fixture, Batch *batch) {
        ExecResult result;

        for (unsigned i = 0; i < EXEC_SPAWNS_MAX; i++) {
                batch->requests[i] = fixture->request;
                if (i % 3 == 1)
                        batch->requests[i].working_directory = "/no/such/folder";
                if (i % 3 == 2)
                        batch->requests[i].path = "/no/such/program";
                cr_assert(eq(int, exec_spawn_begin(&batch->requests[i], &batch->spawns[i], &result), 0));
                cr_assert(lt(int, 0, exec_spawn_pid(batch->spawns[i])));
        }
}

static void finish_batch(const Batch *batch) {
        for (unsigned i = 0; i < EXEC_SPAWNS_MAX; i++) {
                int pidfd = -1, r, status;
                ExecResult result;
                pid_t pid = 0;

                r = exec_spawn_finish(batch->spawns[i], &pid, &pidfd, &result);
                cr_assert(eq(int, r, i % 3 == 0 ? 0 : -ENOENT), "%u: %s", i, result.message);
                cr_assert(eq(int, (int) result.step,
                             i % 3 == 0 ? EXEC_STEP_NONE : i % 3 == 1 ? EXEC_STEP_CHDIR : EXEC_STEP_EXEC));
                if (r < 0)
                        continue;
                cr_assert(waitpid(pid, &status, 0) == pid);
                cr_assert(eq(int, status, 0));
                close(pidfd);
        }
        cr_assert(waitpid(-1, NULL, WNOHANG) < 0, "there is something left to reap");
}

Test(exec_spawn, many_are_on_their_way_at_once_and_each_has_its_own_end) {
        FIXTURE("[ $$ -gt 0 ]");
        ExecSpawn *spawn = NULL;
        ExecResult result;
        Batch batch = {};

        for (unsigned i = 0; i < 20; i++) {
                begin_batch(&fixture, &batch);
                cr_assert(eq(int, exec_spawn_begin(&fixture.request, &spawn, &result), -EAGAIN));
                cr_assert(eq(int, (int) result.step, EXEC_STEP_RESOURCES));
                finish_batch(&batch);
        }
}

Test(exec_spawn, memory_may_be_traced_again_when_the_last_has_left_it) {
        int before = prctl(PR_GET_DUMPABLE);
        FIXTURE("exit");
        Batch batch = {};

        fixture.request.user = "nobody";
        fixture.request.group = "65534";
        if (exec_spawn_begin(&fixture.request, &batch.spawns[0], &fixture.result) == 0) {
                int pidfd = -1;
                pid_t pid = 0;

                if (exec_spawn_finish(batch.spawns[0], &pid, &pidfd, &fixture.result) < 0)
                        cr_skip("no such user in this user namespace");
                cr_assert(waitpid(pid, NULL, 0) == pid);
                close(pidfd);
        }
        cr_assert(chmod(fixture.folder, 0711) == 0);
        begin_batch(&fixture, &batch);
        finish_batch(&batch);
        cr_assert(eq(int, prctl(PR_GET_DUMPABLE), before));
}

/* Makes the two calls fail with ENOSYS, as older kernels and old filters do. */
static bool forbid_new_calls(void) {
        struct sock_filter filter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 2, 0),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 1, 0),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        };
        struct sock_fprog program = { .len = ELEMENTSOF(filter), .filter = filter };

        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The process prints the pid that was noted when it began to run; also with the old calls only. */
Test(exec_spawn, pid_is_noted_before_the_process_runs) {
        FIXTURE("echo $$");
        pid_t *note = mmap(NULL, sizeof(*note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        char expected[48] = "";

        cr_assert(note != MAP_FAILED);
        fixture.request.note_pid = note;
        for (unsigned i = 0; i < 2; i++) {
                cr_assert(eq(int, fixture_run(&fixture), 0));
                snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%s%d", i > 0 ? "\n" : "",
                         (int) *note);
                assert_string(fixture_output(&fixture), expected);
                if (!forbid_new_calls())
                        break;
        }
        fixture.request.path = "/no/such/program";
        fixture_fail(&fixture, EXEC_STEP_EXEC, ENOENT, "cannot execute");
        cr_expect(eq(int, *note, 0));
        munmap(note, sizeof(*note));
}

Test(exec_spawn, older_kernels_and_strict_filters_do) {
        FIXTURE("for fd in 3 50; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; grep -E 'SigBlk|SigIgn' /proc/self/status");
        Batch batch = {};
        sigset_t after;

        if (!forbid_new_calls())
                cr_skip("there are no filters");
        cr_assert(dup2(STDIN_FILENO, 50) == 50);
        signal(SIGHUP, SIG_IGN);
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000");
        cr_assert(fcntl(50, F_GETFD) >= 0, "our own descriptors stay");
        sigprocmask(SIG_SETMASK, NULL, &after);
        cr_assert(not(sigismember(&after, SIGTERM)));
        fixture.argv[2] = (char *) "exit";
        begin_batch(&fixture, &batch);
        finish_batch(&batch);
}

Test(exec_spawn, words_are_expanded_unless_told_otherwise) {
        char *const environment[] = { (char *) "NAME=a b", NULL };
        char *argv[] = { (char *) "printf", (char *) "%s,", (char *) "${NAME}", (char *) "$NAME", (char *) "$$NAME", NULL };
        FIXTURE("");

        fixture.request.path = "printf";
        fixture.request.argv = argv;
        fixture.request.environment = environment;
        fixture.request.flags = 0;
        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "a b,a,b,$NAME,");
}

Test(exec_spawn, a_thousand_leave_nothing_behind) {
        int first, last;
        FIXTURE("");

        fixture.request.path = "/bin/true";
        first = dup(STDIN_FILENO);
        close(first);
        for (unsigned i = 0; i < 1000; i++) {
                fixture.request.path = i % 2 ? "/bin/true" : "/no/such/program";
                if (i % 2)
                        cr_assert(eq(int, fixture_run(&fixture), 0));
                else
                        fixture_fail(&fixture, EXEC_STEP_EXEC, ENOENT, "program");
        }
        last = dup(STDIN_FILENO);
        close(last);
        cr_assert(eq(int, first, last));
}

#define NOBODY 65534

/* Sends the signal to all processes of user nobody, again and again; 0 if the test cannot change its user. */
static pid_t fork_signaller(int signal_) {
        int gate[2], is_there;
        char byte;
        pid_t pid;

        cr_assert(pipe(gate) == 0);
        pid = fork();
        if (pid == 0) {
                if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0 || write(gate[1], "x", 1) != 1)
                        _exit(1);
                for (;;)
                        kill(-1, signal_);
        }
        close(gate[1]);
        is_there = read(gate[0], &byte, 1) == 1;
        close(gate[0]);
        if (!is_there)
                cr_assert(waitpid(pid, NULL, 0) == pid);
        return is_there ? pid : 0;
}

/* As soon as the child has changed its user, that user may signal it. */
Test(exec_spawn, user_who_stops_his_processes_does_not_stop_us) {
        FIXTURE("exit");
        bool is_stopped = false;
        pid_t stopper = fork_signaller(SIGSTOP);

        if (stopper == 0)
                cr_skip_test("needs users");
        fixture.request.user = "65534";
        fixture.request.group = "65534";
        for (unsigned i = 0; i < 500 && !is_stopped; i++) {
                int pidfd = -1, r;
                pid_t pid = 0;

                r = exec_spawn(&fixture.request, &pid, &pidfd, &fixture.result);
                is_stopped = r == -ECANCELED;
                cr_assert(r == 0 || is_stopped, "%s", fixture.result.message);
                if (r < 0)
                        continue;
                kill(pid, SIGKILL);
                cr_assert(waitpid(pid, NULL, 0) == pid);
                close(pidfd);
        }
        kill(stopper, SIGKILL);
        cr_assert(waitpid(stopper, NULL, 0) == stopper);
        cr_assert(waitpid(-1, NULL, WNOHANG) < 0, "there is something left to reap");
        if (is_stopped)
                cr_assert(strstr(fixture.result.message, "was stopped by a signal before its program ran") != NULL);
}

/* A core dump of a child in the shared memory would contain the memory of the manager; older kernels kill the manager, too. */
Test(exec_spawn, user_who_dumps_his_processes_just_kills_them) {
        FIXTURE("exit");
        bool is_killed = false;
        pid_t dumper = fork_signaller(SIGQUIT);

        if (dumper == 0)
                cr_skip_test("needs users");
        fixture.request.user = "65534";
        fixture.request.group = "65534";
        fixture.request.path = "no-such-program";
        for (unsigned i = 0; i < 500 && !is_killed; i++) {
                int pidfd = -1, status;
                pid_t pid = 0;

                if (exec_spawn(&fixture.request, &pid, &pidfd, &fixture.result) < 0)
                        continue;
                is_killed = true;
                cr_assert(waitpid(pid, &status, 0) == pid);
                close(pidfd);
                cr_assert(eq(int, status, SIGKILL));
        }
        kill(dumper, SIGKILL);
        cr_assert(waitpid(dumper, NULL, 0) == dumper);
}
