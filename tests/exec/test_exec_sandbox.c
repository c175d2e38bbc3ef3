/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandboxes: each directive, as seen by a process inside
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "double/double_rights.h"
#include "exec/exec_remove.h"
#include "sandbox_trial.h"
#include "unit/exec_terms.h"

TestSuite(exec_sandbox, .init = trial_make_world);

Test(exec_sandbox, nothing_is_said_of_the_machine) {
        TRIAL("test $(readlink /proc/self/ns/mnt) = $(readlink /proc/$PPID/ns/mnt) && echo same");

        trial_expect(&trial, "same");
}

Test(exec_sandbox, private_mounts_are_seen_by_nobody_else) {
        TRIAL("mount -t tmpfs none /mnt && touch /mnt/inside && ls /mnt");

        trial.settings.private_mounts = true;
        trial_expect(&trial, "inside");
        cr_assert(access("/mnt/inside", F_OK) < 0);
}

Test(exec_sandbox, protect_system) {
        static const struct {
                ProtectSystem how;
                const char *output;
        } rows[] = {
                { PROTECT_SYSTEM_NO, "usr etc srv" },
                { PROTECT_SYSTEM_YES, "etc srv" },
                { PROTECT_SYSTEM_FULL, "srv" },
                { PROTECT_SYSTEM_STRICT, "" },
        };

        trial_need_root();
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                TRIAL("for i in usr etc srv; do test -w /$i && w=\"$w${w:+ }$i\"; done; echo \"$w\"; : >/dev/null");

                trial.settings.protect_system = rows[i].how;
                trial_expect(&trial, rows[i].output);
        }
}

Test(exec_sandbox, strict_but_for_what_is_said) {
        TRIAL("touch /srv/no /var/tmp/yes && echo both; test -e /var/tmp/yes && echo yes; rm /var/tmp/yes");

        trial.settings.protect_system = PROTECT_SYSTEM_STRICT;
        trial_add(&trial, SANDBOX_READ_WRITE, "/var/tmp");
        cr_assert(eq(int, fixture_run(&trial.fixture), 0));
        cr_assert(strstr(fixture_output(&trial.fixture), "/srv/no") != NULL);
        cr_assert(strstr(fixture_output(&trial.fixture), "Read-only file system\nyes") != NULL, "%s",
                  fixture_output(&trial.fixture));
}

Test(exec_sandbox, protect_home) {
        static const char *const outputs[] = {
                [PROTECT_HOME_NO] = "there\nwritten",
                [PROTECT_HOME_YES] = "absent\nrefused",
                [PROTECT_HOME_READ_ONLY] = "there\nrefused",
                [PROTECT_HOME_TMPFS] = "absent\nrefused",
        };

        cr_assert(mkdir("/root/.jobd-trial", 0700) == 0);
        for (ProtectHome how = 0; how < _PROTECT_HOME_MAX; how++) {
                TRIAL("test -e /root/.jobd-trial && echo there || echo absent\n"
                      "touch /root/.jobd-x 2>/dev/null && echo written && rm /root/.jobd-x || echo refused");

                trial.settings.protect_home = how;
                trial_expect(&trial, outputs[how]);
        }
}

Test(exec_sandbox, paths_within_paths) {
        TRIAL("cd \"$1\"; for i in . a a/b a/b/c; do touch $i/x 2>/dev/null && echo $i; done");
        cleanup_free_ char *a = strdup(fixture_path(&trial.fixture, "a"));
        cleanup_free_ char *b = strdup(fixture_path(&trial.fixture, "a/b"));
        cleanup_free_ char *c = strdup(fixture_path(&trial.fixture, "a/b/c"));

        cr_assert(mkdir(a, 0755) == 0 && mkdir(b, 0755) == 0 && mkdir(c, 0755) == 0);
        trial.fixture.request.working_directory = trial.fixture.folder;
        trial.fixture.argv[2] = (char *) "for i in . a a/b a/b/c; do touch $i/x 2>/dev/null && echo $i; done; true";
        trial_add(&trial, SANDBOX_READ_ONLY, c);
        trial_add(&trial, SANDBOX_READ_WRITE, b);
        trial_add(&trial, SANDBOX_READ_ONLY, a);
        trial_expect(&trial, ".\na/b");
}

Test(exec_sandbox, paths_that_are_not_there) {
        TRIAL("echo ran");

        trial_add(&trial, SANDBOX_READ_ONLY, "/no/such/folder");
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, ENOENT, "namespace: ReadOnlyPaths=/no/such/folder: No such");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_NAMESPACE), 226));
        trial.settings.paths.items[0].is_optional = true;
        trial_expect(&trial, "ran");
}

Test(exec_sandbox, paths_longer_than_the_kernel_takes) {
        TRIAL("echo ran");
        char path[5000] = "";
        char *own[] = { path, NULL };

        for (size_t i = 0; i < sizeof(path) - 1; i++)
                path[i] = i % 100 == 0 ? '/' : 'a';
        trial.fixture.request.writable_paths = own;
        trial.settings.protect_system = PROTECT_SYSTEM_STRICT;
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, ENAMETOOLONG, "directories=/aaaa");
}

Test(exec_sandbox, inaccessible_paths) {
        TRIAL("ls -A /srv; stat -c %a /srv /etc/hostname; cat /etc/hostname; echo >/etc/hostname");

        trial_add(&trial, SANDBOX_INACCESSIBLE, "/srv");
        trial_add(&trial, SANDBOX_INACCESSIBLE, "/etc/hostname");
        trial_add(&trial, SANDBOX_READ_ONLY, "/srv/below/does/not/matter");
        cr_assert(fixture_run(&trial.fixture) != 0);
        cr_assert(strstr(fixture_output(&trial.fixture), "0\n0\n") == fixture_output(&trial.fixture), "%s",
                  fixture_output(&trial.fixture));
        cr_assert(strstr(fixture_output(&trial.fixture), "Read-only file system") != NULL);
}

Test(exec_sandbox, programs_run_only_where_they_may) {
        TRIAL("/srv/true 2>/dev/null || echo refused; true && echo ran");

        trial_add(&trial, SANDBOX_NO_EXEC, "/");
        trial_add(&trial, SANDBOX_EXEC, "/usr");
        cr_assert(eq(int, system("cp /bin/true /srv/true"), 0));
        trial_expect(&trial, "refused\nran");
}

Test(exec_sandbox, symlinks_lead_where_they_lead) {
        TRIAL("touch /var/run/x && rm /run/x && echo written; touch /run/ro/x 2>/dev/null || echo refused");

        cr_assert(eq(int, mkdir("/run/ro", 0755), 0));
        trial.settings.protect_system = PROTECT_SYSTEM_STRICT;
        trial_add(&trial, SANDBOX_READ_ONLY, "/run/ro");
        trial_add(&trial, SANDBOX_READ_WRITE, "/var/run");
        trial_expect(&trial, "written\nrefused");
}

Test(exec_sandbox, temporary_file_systems) {
        TRIAL("ls /opt; stat -f -c %T /opt; touch /opt/x 2>/dev/null || echo refused; ls /opt/deep/down");
        const SandboxPath row = {
                .kind = SANDBOX_TEMPORARY, .path = (char *) "/opt", .options = (char *) "ro,mode=0711,size=1M",
        };

        cr_assert(eq(int, sandbox_settings_add_path(&trial.settings, &row), 0));
        fixture_write(&trial.fixture, "file", "", 0644);
        trial_add_bind(&trial, SANDBOX_BIND_READ_ONLY, trial.fixture.folder, "/opt/deep/down");
        trial_expect(&trial, "deep\ntmpfs\nrefused\nfile\noutput");
}

Test(exec_sandbox, directories_of_its_own_are_seen_in_what_is_empty) {
        TRIAL("ls /srv; touch /srv/own/x && echo written; touch /srv/y 2>&- || echo refused");
        const SandboxPath row = { .kind = SANDBOX_TEMPORARY, .path = (char *) "/srv", .options = (char *) "ro" };
        char *own[] = { (char *) "/srv/own", NULL };

        cr_assert(eq(int, sandbox_settings_add_path(&trial.settings, &row), 0));
        cr_assert(eq(int, mkdir("/srv/own", 0755), 0));
        trial.fixture.request.writable_paths = own;
        trial_expect(&trial, "own\nwritten\nrefused");
        cr_assert(access("/srv/own/x", F_OK) == 0);
}

Test(exec_sandbox, bad_options_of_a_file_system) {
        TRIAL("echo ran");
        const SandboxPath row = { .kind = SANDBOX_TEMPORARY, .path = (char *) "/opt", .options = (char *) "size=x" };

        cr_assert(eq(int, sandbox_settings_add_path(&trial.settings, &row), 0));
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, EINVAL, "TemporaryFileSystem=/opt");
}

Test(exec_sandbox, everything_is_empty_but_for_a_few) {
        TRIAL("echo *; touch /x 2>&- || echo refused");
        const SandboxPath row = { .kind = SANDBOX_TEMPORARY, .path = (char *) "/", .options = (char *) "ro" };
        static const char *const kept[] = { "/usr", "/bin", "/lib", "/lib64" };

        cr_assert(eq(int, sandbox_settings_add_path(&trial.settings, &row), 0));
        for (size_t i = 0; i < ELEMENTSOF(kept); i++)
                trial_add_bind(&trial, SANDBOX_BIND_READ_ONLY, kept[i], kept[i]);
        trial_expect(&trial, "bin lib lib64 usr\nrefused");
}

Test(exec_sandbox, bind_mounts) {
        TRIAL("cat /opt/bound/file /srv/seen/file; touch /srv/seen/new && echo written; touch /srv/ro/x 2>/dev/null || "
              "echo refused");
        cleanup_free_ char *file = strdup(fixture_path(&trial.fixture, "file"));

        fixture_write(&trial.fixture, "file", "text\n", 0644);
        trial.settings.protect_system = PROTECT_SYSTEM_STRICT;
        trial_add_bind(&trial, SANDBOX_BIND, file, "/opt/bound/file");
        trial_add_bind(&trial, SANDBOX_BIND, trial.fixture.folder, "/srv/seen");
        trial_add_bind(&trial, SANDBOX_BIND_READ_ONLY, trial.fixture.folder, "/srv/ro");
        trial_expect(&trial, "text\ntext\nwritten\nrefused");
        cr_assert(access(fixture_path(&trial.fixture, "new"), F_OK) == 0);
}

Test(exec_sandbox, bind_mount_of_nothing) {
        TRIAL("echo ran");

        trial_add_bind(&trial, SANDBOX_BIND, "/no/such/source", "/srv");
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, ENOENT, "BindPaths=/no/such/source:/srv: cannot find what");
        trial.settings.paths.items[0].is_optional = true;
        trial_expect(&trial, "ran");
}

Test(exec_sandbox, private_tmp_is_the_units_own) {
        TRIAL("ls -A /tmp /var/tmp; stat -c %a /tmp /var/tmp; touch /tmp/one /var/tmp/two; ls /tmp");
        cleanup_free_ char *tmp = NULL;
        struct stat status;

        trial.settings.private_tmp = true;
        trial_expect(&trial, "/tmp:\n\n/var/tmp:\n1777\n1777\none");
        cr_assert(stat(trial.shared->tmp, &status) == 0);
        cr_assert(eq(int, status.st_mode & 07777, 0700));
        cr_assert(strncmp(trial.shared->tmp, "/tmp/jobd-private-trial.service-", 32) == 0);
        trial.fixture.argv[2] = (char *) "ls /tmp";
        trial_expect(&trial, "/tmp:\n\n/var/tmp:\n1777\n1777\none\none");
        tmp = strdup(trial.shared->tmp);
        trial.shared = sandbox_shared_unref(trial.shared);
        for (unsigned i = 0; access(tmp, F_OK) == 0 && i < 2000; i++)
                usleep(1000);
        cr_assert(access(tmp, F_OK) < 0);
}

/* As after a restart of the manager, which does not know whether a process has made the folders. */
Test(exec_sandbox, private_tmp_is_made_if_it_is_missing) {
        TRIAL("touch /tmp/one; ls /tmp");

        trial.settings.private_tmp = true;
        trial_expect(&trial, "one");
        cr_assert(eq(int, exec_remove_tree(trial.shared->tmp), 0));
        trial_expect(&trial, "one\none");
        cr_assert(eq(int, exec_remove_tree(trial.shared->tmp), 0));
        cr_assert(mkdir(trial.shared->tmp, 0700) == 0);
        trial_expect(&trial, "one\none\none");
}

/* When a cleaner has removed the folder, another user can make one of that name. */
Test(exec_sandbox, private_tmp_is_nobody_elses) {
        TRIAL("echo ran");

        trial.settings.private_tmp = true;
        trial_expect(&trial, "ran");
        cr_assert(eq(int, exec_remove_tree(trial.shared->tmp), 0));
        cr_assert(symlink("/srv", trial.shared->tmp) == 0);
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, ENOTDIR, "PrivateTmp=: cannot make a folder");
        cr_assert(unlink(trial.shared->tmp) == 0);
        cr_assert(mkdir(trial.shared->tmp, 0700) == 0 && chmod(trial.shared->tmp, 0777) == 0);
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, EEXIST, "PrivateTmp=: cannot make a folder");
        cr_assert(eq(int, chmod(trial.shared->tmp, 0700), 0));
        if (chown(trial.shared->tmp, 1, 1) < 0)
                return;         /* there is no other user */
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, EEXIST, "PrivateTmp=: cannot make a folder");
}

Test(exec_sandbox, limits_hold_for_the_program_only) {
        const ExecTerms terms = {
                .limits = 1U << RLIMIT_NOFILE,
                .limit = { [RLIMIT_NOFILE] = { 4, 4 } },
        };
        TRIAL("ulimit -n");

        trial.fixture.request.terms = &terms;
        trial.settings.protect_system = PROTECT_SYSTEM_STRICT;
        trial.settings.private_devices = true;
        trial_expect(&trial, "4");
}

/* — devices, processes, kernel — */

Test(exec_sandbox, private_devices) {
        TRIAL("cd /dev; ls -d null zero full random urandom tty ptmx pts shm stdin; ls -d kmsg mem sda vda 2>/dev/null; "
              "echo x >null && head -c 2 zero | od -An -tx1; touch new 2>&- || echo refused; touch shm/x-$$ && rm shm/x-$$ && "
              "echo shared");

        trial.settings.private_devices = true;
        cr_assert(eq(int, fixture_run(&trial.fixture), 0));
        assert_string(fixture_output(&trial.fixture),
                      "full\nnull\nptmx\npts\nrandom\nshm\nstdin\ntty\nurandom\nzero\n 00 00\nrefused\nshared");
}

Test(exec_sandbox, protect_proc) {
        char *const groups[] = { NULL };
        TRIAL("ls -d /proc/1 2>/dev/null || echo hidden; ls -d /proc/meminfo /proc/self");

        trial_need_root();
        trial.fixture.request.user = "nobody";
        trial.fixture.request.supplementary_groups = groups;
        trial.settings.protect_proc = PROTECT_PROC_INVISIBLE;
        trial_expect(&trial, "hidden\n/proc/meminfo\n/proc/self");
        trial.settings.protect_proc = PROTECT_PROC_DEFAULT;
        trial.settings.proc_subset = PROC_SUBSET_PID;
        trial.fixture.argv[2] = (char *) "ls -d /proc/meminfo 2>/dev/null || echo absent; ls -d /proc/1";
        trial_expect(&trial, "hidden\n/proc/meminfo\n/proc/self\nabsent\n/proc/1");
}

Test(exec_sandbox, protect_kernel) {
        char script[512];

        /* A container may be without /dev/kmsg. */
        snprintf(script, sizeof(script), "for i in /proc/sys/vm/swappiness /sys/kernel/profiling; do "
                 "test ! -e $i || test ! -w $i || echo $i; done; ls -A /usr/lib/modules 2>/dev/null; cat /proc/kmsg; "
                 "cat /proc/kallsyms; %s; stat -c %%a /proc/kmsg; test -w /sys/fs/cgroup || echo read-only; "
                 "stat -c %%a /usr/lib/modules 2>/dev/null || echo 0",
                 access("/dev/kmsg", F_OK) == 0 ? "stat -c %a /dev/kmsg" : "echo 0");
        TRIAL(script);

        trial.settings.protect_kernel_tunables = true;
        trial.settings.protect_kernel_modules = true;
        trial.settings.protect_kernel_logs = true;
        trial.settings.protect_control_groups = true;
        trial.settings.protect_clock = true;
        trial_expect(&trial, "0\n0\nread-only\n0");
}

/* — other namespaces — */

Test(exec_sandbox, private_network_has_a_loopback_that_is_up) {
        const char *script = "readlink /proc/self/ns/net; cat /proc/net/dev | tail -n +3 | cut -d: -f1; "
                             "cat /proc/net/fib_trie | grep -c 127.0.0.1";
        char own[64] = "", first[64] = "";
        TRIAL(script);

        trial.settings.private_network = true;
        cr_assert(eq(int, fixture_run(&trial.fixture), 0));
        snprintf(first, sizeof(first), "%.40s", fixture_output(&trial.fixture));
        cr_assert(readlink("/proc/self/ns/net", own, sizeof(own) - 1) > 0);
        cr_assert(strncmp(own, first, strlen(own)) != 0);
        cr_assert(strstr(fixture_output(&trial.fixture), "\n    lo\n2") != NULL, "%s", fixture_output(&trial.fixture));
        /* The next process is in the same namespace. */
        cr_assert(eq(int, truncate(trial.fixture.output, 0), 0));
        cr_assert(eq(int, fixture_run(&trial.fixture), 0));
        cr_assert(strncmp(fixture_output(&trial.fixture), first, strchr(first, ']') - first) == 0);
}

/* The first process makes the network namespace, and the second one waits for it. */
Test(exec_sandbox, those_that_begin_at_once_share_a_network) {
        TRIAL("readlink /proc/self/ns/net");
        ExecSpawn *spawns[2];
        char path[64], name[64] = "", wanted[160];

        trial.settings.private_network = true;
        for (size_t i = 0; i < ELEMENTSOF(spawns); i++) {
                cr_assert(eq(int, exec_spawn_begin(&trial.fixture.request, &spawns[i], &trial.fixture.result), 0));
                cr_assert(eq(int, trial.shared->network_fd >= 0, i > 0));
        }
        for (size_t i = 0; i < ELEMENTSOF(spawns); i++) {
                int pidfd = -1, status = -1;
                pid_t pid = 0;

                cr_assert(eq(int, exec_spawn_finish(spawns[i], &pid, &pidfd, &trial.fixture.result), 0));
                cr_assert(waitpid(pid, &status, 0) == pid && status == 0);
                close(pidfd);
        }
        snprintf(path, sizeof(path), "/proc/self/fd/%i", trial.shared->network_fd);
        cr_assert(readlink(path, name, sizeof(name) - 1) > 0);
        snprintf(wanted, sizeof(wanted), "%s\n%s", name, name);
        assert_string(fixture_output(&trial.fixture), wanted);
}

Test(exec_sandbox, network_namespace_by_its_path) {
        TRIAL("readlink /proc/self/ns/net");
        char path[64], name[64] = "";

        cr_assert(eq(int, sandbox_shared_make_network(trial.shared, false, &trial.fixture.result), 0));
        snprintf(path, sizeof(path), "/proc/self/fd/%i", trial.shared->network_fd);
        cr_assert(readlink(path, name, sizeof(name) - 1) > 0);
        trial.settings.network_namespace_path = strdup(path);
        trial_expect(&trial, name);
}

Test(exec_sandbox, network_namespace_that_is_none) {
        TRIAL("echo ran");

        trial.settings.network_namespace_path = strdup("/proc/self/ns/ipc");
        fixture_fail(&trial.fixture, EXEC_STEP_NETWORK, EINVAL, "network namespace: NetworkNamespacePath=/proc/self/ns/ipc");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_NETWORK), 225));
}

Test(exec_sandbox, private_ipc) {
        TRIAL("ipcmk -M 64 >/dev/null; cat /proc/sysvipc/shm | wc -l; stat -f -c %T /dev/mqueue 2>/dev/null || echo mqueue");

        trial.settings.private_ipc = true;
        trial_expect(&trial, "2\nmqueue");
        cr_assert(eq(int, truncate(trial.fixture.output, 0), 0));
        trial.settings.private_ipc = false;
        trial.fixture.argv[2] = (char *) "ipcs -m | grep -c ' 64 '; true";
        trial_expect(&trial, "0");
}

Test(exec_sandbox, own_host_name) {
        TRIAL("hostname jobd-trial && hostname");
        char name[128] = "";

        trial.settings.protect_hostname = true;
        trial_expect(&trial, "jobd-trial");
        cr_assert(gethostname(name, sizeof(name) - 1) == 0);
        cr_assert(strcmp(name, "jobd-trial") != 0);
}

Test(exec_sandbox, private_users_are_root_and_the_user) {
        need_user_namespaces();

        TRIAL("id -u; stat -c %u /etc/hostname; tr -s ' ' </proc/self/uid_map; ls /proc/self/fd | wc -l");

        trial_need_root();
        trial.settings.private_users = true;
        trial.settings.protect_system = PROTECT_SYSTEM_FULL;
        trial.fixture.request.user = "nobody";
        trial_expect(&trial, "65534\n0\n 0 0 1\n 65534 65534 1\n4");
}

/* — another root — */

static void make_root(const Fixture *fixture) {
        char command[512];

        snprintf(command, sizeof(command), "mkdir -p %s/root/usr %s/root/etc && cd %s/root && ln -s usr/bin bin && "
                 "ln -s usr/lib lib && ln -s usr/lib64 lib64 && echo inner >etc/hostname",
                 fixture->folder, fixture->folder, fixture->folder);
        cr_assert(eq(int, system(command), 0));
}

Test(exec_sandbox, root_directory_with_what_programs_expect) {
        TRIAL("ls -d /*; cat /etc/hostname; test -c /dev/null && test -d /proc/self && test -d /sys/kernel && echo complete; "
              "touch /etc/x 2>&- || echo refused; touch /var/lib/own/x && echo own; grep -c . /proc/self/mountinfo >/dev/null");
        char *own[] = { NULL, NULL };
        char root[64];

        if (access("/sys/kernel", F_OK) < 0)
                cr_skip_test("/sys is empty here");
        make_root(&trial.fixture);
        snprintf(root, sizeof(root), "%s/root", trial.fixture.folder);
        trial.fixture.request.root_directory = root;
        own[0] = (char *) "/srv/own";
        cr_assert(eq(int, mkdir("/srv/own", 0755), 0));
        trial.fixture.request.writable_paths = own;
        trial.fixture.argv[2] = (char *)
                "echo /*; cat /etc/hostname; test -c /dev/null && test -d /proc/self && test -d /sys/kernel && echo complete; "
                "touch /etc/x 2>&- || echo refused; touch /srv/own/x && echo own";
        trial_add_bind(&trial, SANDBOX_BIND_READ_ONLY, "/usr", "/usr");
        trial.settings.protect_system = PROTECT_SYSTEM_STRICT;
        trial_expect(&trial, "/bin /dev /etc /lib /lib64 /proc /run /srv /sys /usr\ninner\ncomplete\nrefused\nown");
        cr_assert(access("/srv/own/x", F_OK) == 0);
}

Test(exec_sandbox, root_directory_without_the_machines_devices_and_processes) {
        char *const groups[] = { NULL };
        TRIAL("find /dev -type b -o -name kmsg; test -c /dev/null && ls -d /proc/1 2>&- || echo hidden");
        char root[64];

        trial_need_root();
        make_root(&trial.fixture);
        snprintf(root, sizeof(root), "%s/root", trial.fixture.folder);
        trial.fixture.request.root_directory = root;
        trial.fixture.request.user = "nobody";
        trial.fixture.request.supplementary_groups = groups;
        trial.settings.private_devices = true;
        trial.settings.protect_proc = PROTECT_PROC_INVISIBLE;
        trial_add_bind(&trial, SANDBOX_BIND_READ_ONLY, "/usr", "/usr");
        trial_expect(&trial, "hidden");
}

Test(exec_sandbox, what_is_said_of_a_root_directory_comes_before_what_programs_expect) {
        TRIAL("echo /dev/* /run/*");
        char root[64];

        make_root(&trial.fixture);
        snprintf(root, sizeof(root), "%s/root", trial.fixture.folder);
        trial.fixture.request.root_directory = root;
        cr_assert(eq(int, mkdir("/srv/dev", 0755), 0));
        cr_assert(eq(int, system("touch /srv/dev/own"), 0));
        trial_add_bind(&trial, SANDBOX_BIND_READ_ONLY, "/usr", "/usr");
        trial_add_bind(&trial, SANDBOX_BIND, "/srv/dev", "/dev");
        trial_add_bind(&trial, SANDBOX_BIND, "/srv/dev", "/run");
        trial_expect(&trial, "/dev/own /run/own");
}

Test(exec_sandbox, paths_below_the_root_directory) {
        TRIAL("touch /etc/x 2>&- || echo refused; touch /usr/x 2>&- || echo refused");
        char root[64], inner[80];
        const SandboxPath plus = { .kind = SANDBOX_READ_ONLY, .path = (char *) "/usr", .is_below_root = true };

        make_root(&trial.fixture);
        snprintf(root, sizeof(root), "%s/root", trial.fixture.folder);
        snprintf(inner, sizeof(inner), "%s/etc", root);
        trial.fixture.request.root_directory = root;
        trial_add(&trial, SANDBOX_READ_ONLY, "/nowhere/below/the/root");
        trial_add(&trial, SANDBOX_READ_ONLY, inner);
        cr_assert(eq(int, sandbox_settings_add_path(&trial.settings, &plus), 0));
        trial_add_bind(&trial, SANDBOX_BIND, "/usr", "/usr");
        trial_expect(&trial, "refused\nrefused");
}

Test(exec_sandbox, working_directory_and_user_are_those_inside) {
        TRIAL("pwd; id -un; ls");
        char root[64];

        trial_need_root();
        make_root(&trial.fixture);
        snprintf(root, sizeof(root), "%s/root", trial.fixture.folder);
        trial.fixture.request.root_directory = root;
        trial.fixture.request.working_directory = "/etc";
        trial_add_bind(&trial, SANDBOX_BIND_READ_ONLY, "/usr", "/usr");
        trial_add_bind(&trial, SANDBOX_BIND_READ_ONLY, "/etc/passwd", "/etc/passwd");
        trial.fixture.request.user = "nobody";
        trial_expect(&trial, "/etc\nnobody\nhostname\npasswd");
}
