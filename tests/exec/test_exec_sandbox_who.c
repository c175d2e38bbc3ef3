/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandboxes of unprivileged processes, and the propagation of later mounts
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "double/double_rights.h"
#include "sandbox_trial.h"

TestSuite(exec_sandbox_who, .init = trial_make_world);

/* As root in a container with few capabilities. */
static void drop_capabilities(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct data[2] = {};

        cr_assert(eq(int, (int) syscall(SYS_capget, &header, data), 0));
        data[CAP_SYS_ADMIN / 32].effective &= ~(1U << CAP_SYS_ADMIN % 32);
        data[CAP_SYS_ADMIN / 32].permitted &= ~(1U << CAP_SYS_ADMIN % 32);
        cr_assert(eq(int, (int) syscall(SYS_capset, &header, data), 0));
}

Test(exec_sandbox_who, without_a_privilege_it_fails) {
        TRIAL("echo ran");

        trial.settings.protect_system = PROTECT_SYSTEM_FULL;
        drop_capabilities();
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, EPERM, "namespace: cannot make a namespace: Operation not");
}

Test(exec_sandbox_who, without_a_privilege_networks_fail_too) {
        TRIAL("echo ran");

        trial.settings.private_network = true;
        drop_capabilities();
        fixture_fail(&trial.fixture, EXEC_STEP_NETWORK, EPERM, "PrivateNetwork=: cannot make a network namespace");
}

Test(exec_sandbox_who, a_lenient_one_runs_without) {
        TRIAL("echo ran");

        trial.settings.protect_system = PROTECT_SYSTEM_FULL;
        trial.settings.private_tmp = trial.settings.private_network = true;
        trial.settings.is_lenient = true;
        drop_capabilities();
        trial_expect(&trial, "ran");
}

Test(exec_sandbox_who, a_lenient_one_says_so) {
        TRIAL("echo ran");
        int pidfd = -1, status = -1;
        pid_t pid = 0;

        trial.settings.protect_system = PROTECT_SYSTEM_FULL;
        trial.settings.is_lenient = true;
        drop_capabilities();
        cr_assert(eq(int, exec_spawn(&trial.fixture.request, &pid, &pidfd, &trial.fixture.result), 0));
        cr_assert(eq(int, trial.fixture.result.sandbox_error, EPERM));
        cr_assert(waitpid(pid, &status, 0) == pid);
        close(pidfd);
}

Test(exec_sandbox_who, a_lenient_one_does_not_do_something_else) {
        TRIAL("echo ran");

        trial.settings.is_lenient = true;
        trial_add_bind(&trial, SANDBOX_BIND, "/usr", "/srv");
        drop_capabilities();
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, EPERM, "cannot make a namespace");
}

Test(exec_sandbox_who, a_users_manager_makes_a_user_namespace_first) {
        need_user_namespaces();

        const uid_t nobody = 65534;
        TRIAL("id -u; touch /usr/x 2>&- || echo refused; ls -A /tmp /var/tmp; cut -d: -f1 /proc/net/dev | tail -n +3; "
              "stat -c %u /etc/hostname; tr -s ' ' </proc/self/uid_map; touch /tmp/mine && echo written");

        trial_need_root();
        cr_assert(eq(int, chown(trial.fixture.folder, nobody, nobody), 0));
        cr_assert(setresgid(nobody, nobody, nobody) == 0 && setresuid(nobody, nobody, nobody) == 0);
        /* A process that has changed its user cannot write its own files in /proc; the manager of a user has not changed it. */
        cr_assert(eq(int, prctl(PR_SET_DUMPABLE, 1), 0));
        trial.fixture.request.is_user_manager = true;
        trial.settings.protect_system = PROTECT_SYSTEM_STRICT;
        trial.settings.private_tmp = trial.settings.private_network = true;
        trial_add(&trial, SANDBOX_INACCESSIBLE, "/srv");
        trial.settings.private_devices = true;
        trial_expect(&trial, "65534\nrefused\n/tmp:\n\n/var/tmp:\n    lo\n65534\n 65534 65534 1\nwritten");
}

static void touch(const char *path) {
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

        cr_assert(fd >= 0);
        close(fd);
}

Test(exec_sandbox_who, what_is_mounted_later_comes_in_unless_it_is_private) {
        static const struct {
                SandboxPropagation how;
                const char *output;
        } rows[] = {
                { SANDBOX_PROPAGATION_DEFAULT, "seen" },
                { SANDBOX_PROPAGATION_SHARED, "seen" },
                { SANDBOX_PROPAGATION_SLAVE, "seen" },
                { SANDBOX_PROPAGATION_PRIVATE, "hidden" },
        };

        cr_assert(eq(int, mount(NULL, "/mnt", NULL, MS_SHARED, NULL), 0));
        cr_assert(eq(int, mkdir("/mnt/later", 0755), 0));
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                TRIAL("until test -e /srv/go; do sleep 0.01; done; test -e /mnt/later/file && echo seen || echo hidden");
                int pidfd = -1, status = -1;
                pid_t pid = 0;

                trial.settings.private_mounts = true;
                trial.settings.mount_flags = rows[i].how;
                cr_assert(eq(int, exec_spawn(&trial.fixture.request, &pid, &pidfd, &trial.fixture.result), 0));
                cr_assert(eq(int, mount("tmpfs", "/mnt/later", "tmpfs", 0, NULL), 0));
                touch("/mnt/later/file");
                touch("/srv/go");
                cr_assert(waitpid(pid, &status, 0) == pid);
                close(pidfd);
                assert_string(fixture_output(&trial.fixture), rows[i].output);
                cr_assert(eq(int, umount("/mnt/later"), 0));
                cr_assert(eq(int, unlink("/srv/go"), 0));
        }
}

Test(exec_sandbox_who, what_it_mounts_does_not_get_out) {
        TRIAL("mount -t tmpfs tmpfs /mnt/inner && touch /mnt/inner/file && echo mounted");

        cr_assert(eq(int, mount(NULL, "/mnt", NULL, MS_SHARED, NULL), 0));
        cr_assert(eq(int, mkdir("/mnt/inner", 0755), 0));
        trial.settings.mount_flags = SANDBOX_PROPAGATION_SHARED;
        trial.settings.private_mounts = true;
        trial_expect(&trial, "mounted");
        cr_assert(access("/mnt/inner/file", F_OK) < 0);
}

/* All mounts below are read-only. The exceptions are as they were before, also those that were read-only. */
Test(exec_sandbox_who, exceptions_give_back_what_was_there_and_no_more) {
        TRIAL("for i in /mnt /mnt/a /mnt/a/ro /mnt/b /mnt/b/c; do touch $i/x 2>/dev/null && echo $i; done; true");
        static const char *const mounts[] = { "/mnt/a", "/mnt/a/ro", "/mnt/b", "/mnt/b/c" };

        for (size_t i = 0; i < ELEMENTSOF(mounts); i++) {
                cr_assert(eq(int, mkdir(mounts[i], 0755), 0));
                cr_assert(eq(int, mount("tmpfs", mounts[i], "tmpfs", 0, NULL), 0));
        }
        cr_assert(eq(int, mount(NULL, "/mnt/a/ro", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0));
        trial_add(&trial, SANDBOX_READ_ONLY, "/mnt");
        trial_add(&trial, SANDBOX_READ_WRITE, "/mnt/a");
        trial_expect(&trial, "/mnt/a");
}

/* Many spawns at once: each has a plan of its own. */
Test(exec_sandbox_who, many_at_once) {
        enum { N = 8 };
        Trial trials[N];
        ExecSpawn *spawns[N];

        for (size_t i = 0; i < N; i++) {
                trial_init(&trials[i], "ls -A /srv; touch /usr/x 2>&- || echo refused");
                trials[i].settings.protect_system = PROTECT_SYSTEM_STRICT;
                trial_add(&trials[i], SANDBOX_INACCESSIBLE, "/srv");
                cr_assert(eq(int, exec_spawn_begin(&trials[i].fixture.request, &spawns[i], &trials[i].fixture.result), 0));
        }
        for (size_t i = 0; i < N; i++) {
                int pidfd = -1, status = -1;
                pid_t pid = 0;

                cr_assert(eq(int, exec_spawn_finish(spawns[i], &pid, &pidfd, &trials[i].fixture.result), 0), "%s",
                          trials[i].fixture.result.message);
                cr_assert(waitpid(pid, &status, 0) == pid);
                close(pidfd);
                assert_string(fixture_output(&trials[i].fixture), "refused");
                trial_deinit(&trials[i]);
        }
}

Test(exec_sandbox_who, of_credentials_only_the_units_own_are_seen) {
        TRIAL("ls /run/credentials 2>&1; cat /run/credentials/own/word; touch /run/credentials/own/x 2>&- || echo refused");

        cr_assert(eq(int, system("mkdir -p /run/credentials/own /run/credentials/other && echo secret >/run/credentials/own/word"), 0));
        trial.settings.private_mounts = true;
        trial.fixture.request.secret_folder = "/run/credentials/own";
        trial_expect(&trial, "own\nsecret\nrefused");
        trial.fixture.request.secret_folder = NULL;
        trial.fixture.argv[2] = (char *) "ls -A /run/credentials; stat -c %a /run/credentials";
        trial_expect(&trial, "own\nsecret\nrefused\n0");
}

Test(exec_sandbox_who, the_network_alone) {
        TRIAL("tail -n +3 /proc/net/dev | cut -d: -f1; readlink /proc/self/ns/mnt");
        char wanted[64] = "    lo\n";

        trial.settings.private_network = trial.settings.private_tmp = true;
        trial.settings.protect_hostname = true;
        trial.fixture.request.flags |= EXEC_REQUEST_NETWORK_ONLY;
        cr_assert(readlink("/proc/self/ns/mnt", wanted + 7, sizeof(wanted) - 8) > 0);
        trial_expect(&trial, wanted);
}

/* — what is left of the directives — */

Test(exec_sandbox_who, ipc_namespace_by_its_path) {
        TRIAL("readlink /proc/self/ns/ipc");
        char path[64], name[64] = "";

        cr_assert(eq(int, sandbox_shared_make(trial.shared, &(SandboxSettings) { .private_ipc = true }, false, 0, 0,
                                              &trial.fixture.result), 0));
        snprintf(path, sizeof(path), "/proc/self/fd/%i", trial.shared->ipc_fd);
        cr_assert(readlink(path, name, sizeof(name) - 1) > 0);
        trial.settings.ipc_namespace_path = strdup(path);
        trial_expect(&trial, name);
}

Test(exec_sandbox_who, ipc_namespace_that_is_none) {
        TRIAL("echo ran");

        trial.settings.ipc_namespace_path = strdup("/proc/self/ns/net");
        fixture_fail(&trial.fixture, EXEC_STEP_NAMESPACE, EINVAL, "namespace: IPCNamespacePath=/proc/self/ns/net");
}

Test(exec_sandbox_who, root_directory_without_what_programs_expect) {
        TRIAL("echo /*");
        char root[64], command[256];

        snprintf(root, sizeof(root), "%s/root", trial.fixture.folder);
        snprintf(command, sizeof(command), "mkdir -p %s/usr && cd %s && ln -s usr/bin usr/lib usr/lib64 .", root, root);
        cr_assert(eq(int, system(command), 0));
        trial.fixture.request.root_directory = root;
        trial_add_bind(&trial, SANDBOX_BIND_READ_ONLY, "/usr", "/usr");
        trial.settings.has_mount_api_vfs = true;
        trial_expect(&trial, "/bin /lib /lib64 /usr");
}

/* In a /dev with such a device, even if this machine has none. */
Test(exec_sandbox_who, clocks_are_hidden) {
        TRIAL("stat -c %a /dev/rtc0; cat /dev/rtc0");
        int fd;

        trial_need_root();
        cr_assert(eq(int, mount("tmpfs", "/dev", "tmpfs", 0, "mode=0755"), 0));
        cr_assert(eq(int, mknod("/dev/null", S_IFCHR | 0666, makedev(1, 3)), 0));
        fd = open("/dev/rtc0", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        cr_assert(eq(int, (int) write(fd, "time\n", 5), 5));
        close(fd);
        trial.settings.protect_clock = true;
        trial_expect(&trial, "0");
}
