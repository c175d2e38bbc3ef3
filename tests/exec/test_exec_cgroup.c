/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control groups: made, entered, signalled, removed
 *
 * On the real hierarchy where it can be written, in a folder of each test's own; what needs controllers, on plain files
 * that play it.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/cgroup.h"
#include "exec/cgroup_control.h"
#include "exec/cgroup_find.h"
#include "exec/cgroup_process.h"
#include "exec_fixture.h"

typedef struct Ground {
        Fixture fixture;
        char folder[64];                /* where the tree begins */
        CgroupTree *tree;
        Cgroup *slice, *group;          /* system.slice, and x.service in it */
} Ground;

/* Makes a hierarchy. Returns false, with the reason in the log of the test, if that is impossible. */
static bool has_hierarchy(Ground *ground) {
        static const char *const mounts[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
        const char *number = getenv("IN_NAMESPACE_PID");

        for (size_t i = 0; i < ELEMENTSOF(mounts); i++) {
                char events[128];

                snprintf(ground->folder, sizeof(ground->folder), "%s/jobd-test-%s-%d", mounts[i],
                         number ? number : "0", (int) getpid());
                if (mkdir(ground->folder, 0755) < 0)
                        continue;
                snprintf(events, sizeof(events), "%s/cgroup.events", ground->folder);
                if (access(events, R_OK) == 0)
                        return true;
                rmdir(ground->folder);
        }
        return false;
}

static void ground_init(Ground *ground, const char *script) {
        const char *path;

        if (!has_hierarchy(ground))
                cr_skip_test("there is no version 2 hierarchy of control groups that can be written");
        fixture_init(&ground->fixture, script);
        path = strstr(ground->folder, "/jobd-test-");
        cr_assert(cgroup_tree_new(ground->folder, path, &ground->tree) == 0);
        cr_assert(cgroup_tree_slice(ground->tree, "system.slice", &ground->slice) == 0);
        cr_assert(cgroup_make(ground->slice, "x.service", &ground->group) == 0);
        ground->fixture.request.cgroup = ground->group;
}

static void ground_deinit(Ground *ground) {
        if (!ground->tree)
                return;
        cgroup_signal(ground->group, SIGKILL, &(CgroupSpared) {});
        while (waitpid(-1, NULL, 0) > 0)
                ;
        cr_assert(cgroup_remove(ground->group) == 0);
        cgroup_free(ground->group);
        cgroup_tree_remove_slices(ground->tree);
        cgroup_tree_free(ground->tree);
        cr_assert(rmdir(ground->folder) == 0, "%s: %s", ground->folder, strerror(errno));
        fixture_deinit(&ground->fixture);
}

#define GROUND(script)                                       \
        cleanup_(ground_deinit) Ground ground = {};          \
        ground_init(&ground, script)

/* Starts the script, and waits until @n of its processes have written an "x". */
static pid_t start(Ground *ground, size_t n) {
        Fixture *fixture = &ground->fixture;
        int fd, pidfd = -1, r;
        pid_t pid = 0;

        cr_assert(mkfifo(fixture->output, 0600) == 0 || errno == EEXIST);
        fd = open(fixture->output, O_RDWR | O_CLOEXEC);
        cr_assert(fd >= 0);
        r = exec_spawn(&fixture->request, &pid, &pidfd, &fixture->result);
        cr_assert(r == 0, "%s", fixture->result.message);
        while (n > 0) {
                char c;

                cr_assert(read(fd, &c, 1) == 1);
                n -= c == 'x';
        }
        close(fd);
        close(pidfd);
        return pid;
}

static void wait_until_empty(const Cgroup *group) {
        struct pollfd events = { .fd = cgroup_open_events(group), .events = POLLPRI };

        cr_assert(events.fd >= 0);
        while (cgroup_is_populated(events.fd) > 0)
                cr_assert(poll(&events, 1, 30000) == 1);
        close(events.fd);
}

Test(cgroup, names) {
        static const struct {
                const char *unit, *folder;
        } cases[] = {
                { "x.service", "x.service" },
                { "memory.service", "_memory.service" },
                { "cpuset.slice", "_cpuset.slice" },
                { "cpufreq.service", "cpufreq.service" },
                { "cgroup.procs", "_cgroup.procs" },
                { "_x.service", "__x.service" },
                { ".x.service", "_.x.service" },
                { "tasks", "_tasks" },
                { "hugetlb.2MB.service", "_hugetlb.2MB.service" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *folder = NULL;

                cr_assert(cgroup_name_escape(cases[i].unit, &folder) == 0);
                cr_assert(eq(str, folder, (char *) cases[i].folder));
                cr_assert(eq(str, (char *) cgroup_name_unescape(folder), (char *) cases[i].unit));
        }
}

Test(cgroup, slices_are_in_each_other) {
        GROUND("true");
        cleanup_free_ char *path = NULL;
        Cgroup *slice = NULL, *root = NULL;

        cr_assert(cgroup_tree_slice(ground.tree, "a-b-c.slice", &slice) == 0);
        cr_assert(cgroup_path(slice, &path) == 0);
        cr_assert(text_ends_with(path, "/a.slice/a-b.slice/a-b-c.slice"), "%s", path);
        cr_assert(cgroup_tree_find_slice(ground.tree, "a-b.slice") != NULL);
        cr_assert(cgroup_tree_slice(ground.tree, "-.slice", &root) == 0);
        cr_assert(cgroup_tree_slice(ground.tree, "a--b.slice", &slice) == -EINVAL);
        cr_assert(cgroup_tree_slice(ground.tree, "-a.slice", &slice) == -EINVAL);
        cr_assert(cgroup_tree_slice(ground.tree, "../a.slice", &slice) == -EINVAL);
        cr_assert(cgroup_tree_remove_slice(ground.tree, "a.slice") == -EBUSY);
}

Test(cgroup, process_begins_there) {
        GROUND("cat /proc/self/cgroup");
        cleanup_free_ char *path = NULL;

        cr_assert(fixture_run(&ground.fixture) == 0);
        cr_assert(cgroup_path(ground.group, &path) == 0);
        cr_assert(strstr(fixture_output(&ground.fixture), path) != NULL, "%s", fixture_output(&ground.fixture));
        cr_assert(eq(int, cgroup_count(ground.group, &(CgroupSpared) {}), 0));
}

Test(cgroup, process_moves_by_itself) {
        FIXTURE("true");
        CgroupTree *tree = NULL;
        Cgroup *group = NULL;

        /* The folder is not a hierarchy, so clone3() fails, and a regular file gets what the child writes. */
        cr_assert(cgroup_tree_new(fixture.folder, "", &tree) == 0);
        cr_assert(cgroup_make(cgroup_tree_find_slice(tree, "-.slice"), "x.service", &group) == 0);
        fixture.request.cgroup = group;
        cr_assert(exec_spawn(&fixture.request, &(pid_t) { 0 }, &(int) { -1 }, &fixture.result) == -ENOENT);
        cr_assert(eq(int, fixture.result.step, EXEC_STEP_CGROUP));
        cr_assert(eq(int, exec_step_exit_status(fixture.result.step), 219));
        cr_assert(eq(str, fixture.result.message, (char *) "control group: cannot enter it: No such file or directory"));

        fixture_write(&fixture, "x.service/cgroup.procs", "", 0644);
        cr_assert(fixture_run(&fixture) == 0);
        cr_assert(eq(int, cgroup_count(group, &(CgroupSpared) {}), 0));
        cgroup_free(group);
        cgroup_tree_free(tree);
}

Test(cgroup, unit_of_a_process) {
        GROUND("echo x; exec sleep 1000");
        cleanup_free_ char *unit = NULL, *slice = NULL;
        pid_t pid = start(&ground, 1);

        cr_assert(cgroup_tree_find_unit(ground.tree, pid, &unit) == 0);
        cr_assert(eq(str, unit, (char *) "x.service"));
        cr_assert(cgroup_tree_find_unit(ground.tree, getpid(), &unit) == -ENOENT);
        cr_assert(cgroup_tree_find_slice_of(ground.tree, pid, "y.service", &slice) == -ENOENT);
        cr_assert(cgroup_tree_find_slice_of(ground.tree, pid, "x.service", &slice) == 0);
        cr_assert(eq(str, slice, (char *) "system.slice"));
}

Test(cgroup, kill_reaches_all_whatever_they_did) {
        GROUND("trap '' TERM; setsid sh -c 'trap \"\" TERM; unset INVOCATION_ID; echo x; exec sleep 1000' & echo x; wait");
        pid_t pid = start(&ground, 2);
        siginfo_t info = {};

        cr_assert(eq(int, cgroup_count(ground.group, &(CgroupSpared) { .main_pid = pid }), 1));
        cr_assert(cgroup_remove(ground.group) == -EBUSY);
        cr_assert(cgroup_signal(ground.group, SIGKILL, &(CgroupSpared) {}) == 0);
        cr_assert(waitid(P_PID, (id_t) pid, &info, WEXITED) == 0);
        cr_assert(eq(int, info.si_status, SIGKILL));
        wait_until_empty(ground.group);
        cr_assert(cgroup_remove(ground.group) == 0);
}

Test(cgroup, signal_spares_who_had_it) {
        GROUND("trap 'exit 7' TERM; setsid sh -c 'echo x; exec sleep 1000' & echo x; while :; do wait; done");
        pid_t pid = start(&ground, 2);
        siginfo_t info = {};

        cr_assert(cgroup_signal(ground.group, SIGTERM, &(CgroupSpared) { .main_pid = pid, .with_groups = true }) == 0);
        while (cgroup_count(ground.group, &(CgroupSpared) { .main_pid = pid }) > 0)
                waitpid(-1, NULL, WNOHANG);
        cr_assert(waitid(P_PID, (id_t) pid, &info, WEXITED | WNOHANG) == 0 && info.si_pid == 0);
        cr_assert(cgroup_signal(ground.group, SIGTERM, &(CgroupSpared) {}) == 0);
        cr_assert(waitid(P_PID, (id_t) pid, &info, WEXITED) == 0);
        cr_assert(eq(int, info.si_status, 7));
}

Test(cgroup, frozen_one_hears_a_signal) {
        GROUND("echo x; exec sleep 1000");
        pid_t pid = start(&ground, 1);
        siginfo_t info = {};

        cr_assert(cgroup_write(ground.group, "cgroup.freeze", "1") == 0);
        cr_assert(cgroup_signal(ground.group, SIGTERM, &(CgroupSpared) {}) == 0);
        cr_assert(waitid(P_PID, (id_t) pid, &info, WEXITED) == 0);
        cr_assert(eq(int, info.si_status, SIGTERM));
}

Test(cgroup, groups_that_the_unit_made) {
        GROUND("true");
        ExecPids pids = {};
        char path[160];

        static const char *const inner[] = { "a", "a/b", "a/b/c", "d" };

        for (size_t i = 0; i < ELEMENTSOF(inner); i++) {
                snprintf(path, sizeof(path), "%s/system.slice/x.service/%s", ground.folder, inner[i]);
                cr_assert(mkdir(path, 0755) == 0);
        }
        ground.fixture.argv[2] = (char *) "echo $$ >\"$D/a/b/c/cgroup.procs\"; echo x; exec sleep 1000";
        snprintf(path, sizeof(path), "D=%s/system.slice/x.service", ground.folder);
        ground.fixture.request.own_environment = calloc(2, sizeof(char *));
        ground.fixture.request.own_environment[0] = strdup(path);
        start(&ground, 1);
        cr_assert(cgroup_list_processes(ground.group, &pids) == 0);
        cr_assert(eq(sz, pids.n, 1));
        vector_deinit(&pids);
        cr_assert(cgroup_signal(ground.group, SIGTERM, &(CgroupSpared) {}) == 0);
        wait_until_empty(ground.group);
        cr_assert(cgroup_remove(ground.group) == 0);
}

Test(cgroup, sweeps_what_is_empty_and_ours) {
        GROUND("true");
        static const char *const folders[] = {
                "init.scope", "other.service", "a.slice", "a.slice/y.service", "system.slice/z.service",
                "system.slice/z.service/b.slice", "system.slice/z.service/b.slice/w.service",
        };
        static const bool stays[] = { true, true, false, false, true, true, true };
        char path[192];

        for (size_t i = 0; i < ELEMENTSOF(folders); i++) {
                snprintf(path, sizeof(path), "%s/%s", ground.folder, folders[i]);
                cr_assert(mkdir(path, 0755) == 0);
        }
        cgroup_tree_sweep(ground.tree);
        for (size_t i = ELEMENTSOF(folders); i-- > 0;) {
                snprintf(path, sizeof(path), "%s/%s", ground.folder, folders[i]);
                cr_assert(eq(int, rmdir(path) == 0, stays[i]), "%s", folders[i]);
        }
        /* The group where the tree begins was empty, too. */
        cr_assert(access(path, F_OK) < 0);
}

Test(cgroup, one_that_was_there) {
        GROUND("true");
        Cgroup *again = NULL;

        cr_assert(cgroup_make(ground.slice, "x.service", &again) == 1);
        cgroup_free(again);
        again = NULL;
        cr_assert(cgroup_open(ground.slice, "x.service", &again) == 0);
        cgroup_free(again);
        cr_assert(cgroup_open(ground.slice, "y.service", &again) == -ENOENT);
}

/* — on plain files — */

static const char *read_file(const Fixture *fixture, const char *name) {
        static char text[256];
        int fd = open(fixture_path(fixture, name), O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

        if (fd >= 0)
                close(fd);
        text[MAX(n, 0)] = '\0';
        return text;
}

Test(cgroup, controllers_are_passed_on_where_needed) {
        FIXTURE("true");
        const CgroupAttribute most = { .controller = CGROUP_MEMORY, .file = "memory.max", .value = "1048576" };
        const CgroupAttribute weight = { .controller = CGROUP_IO, .file = "io.weight", .value = "10" };
        CgroupTree *tree = NULL;
        Cgroup *slice = NULL, *group = NULL;
        uint64_t value = 0;

        fixture_write(&fixture, "cgroup.controllers", "cpuset cpu memory pids misc\n", 0644);
        fixture_write(&fixture, "cgroup.subtree_control", "", 0644);
        cr_assert(cgroup_tree_new(fixture.folder, "", &tree) == 0);
        cr_assert(cgroup_tree_has(tree, CGROUP_MEMORY) && !cgroup_tree_has(tree, CGROUP_IO));
        cr_assert(cgroup_tree_slice(tree, "a.slice", &slice) == 0);
        fixture_write(&fixture, "a.slice/cgroup.subtree_control", "", 0644);
        cr_assert(cgroup_make(slice, "x.service", &group) == 0);
        fixture_write(&fixture, "a.slice/x.service/memory.max", "max\n", 0644);

        cr_assert(cgroup_read(group, "memory.max", NULL, &value) == 0 && value == UINT64_MAX);
        cr_assert(cgroup_set(group, &weight) == -EOPNOTSUPP);
        cr_assert(eq(str, (char *) read_file(&fixture, "cgroup.subtree_control"), (char *) ""));
        cr_assert(cgroup_set(group, &most) == 0);
        cr_assert(eq(str, (char *) read_file(&fixture, "cgroup.subtree_control"), (char *) "+memory"));
        cr_assert(eq(str, (char *) read_file(&fixture, "a.slice/cgroup.subtree_control"), (char *) "+memory"));
        cr_assert(cgroup_read(group, "memory.max", NULL, &value) == 0 && value == 1048576);
        cr_assert(cgroup_is_enabled(group, CGROUP_MEMORY) && !cgroup_is_enabled(group, CGROUP_PIDS));

        fixture_write(&fixture, "a.slice/x.service/cpu.stat", "usage_usec 17\nuser_usec 12\n", 0644);
        cr_assert(cgroup_read(group, "cpu.stat", "user_usec", &value) == 0 && value == 12);
        cr_assert(cgroup_read(group, "cpu.stat", "user", &value) == -ENODATA);
        cr_assert(cgroup_read(group, "cpu.other", NULL, &value) == -ENODATA);
        cgroup_free(group);
        cgroup_tree_free(tree);
}

Test(cgroup, place_that_others_share_is_not_ours) {
        CgroupPlace place = {};
        cleanup_(failure_deinit) Failure failure = {};

        /* The parent of the test process is in that group, too. */
        cr_assert(cgroup_find(false, true, 0, &place, &failure) < 0);
        cr_assert(failure.message != NULL && failure.message[0] != '\0');
        cgroup_place_deinit(&place);
}

Test(cgroup, what_is_set_of_devices_is_taken_back) {
        FIXTURE("true");
        const CgroupAttribute target = { .controller = CGROUP_IO, .file = "io.latency", .value = "8:0 target=25000" };
        CgroupTree *tree = NULL;
        Cgroup *slice = NULL, *group = NULL;

        fixture_write(&fixture, "cgroup.controllers", "io\n", 0644);
        fixture_write(&fixture, "cgroup.subtree_control", "", 0644);
        cr_assert(cgroup_tree_new(fixture.folder, "", &tree) == 0);
        cr_assert(cgroup_tree_slice(tree, "a.slice", &slice) == 0);
        fixture_write(&fixture, "a.slice/cgroup.subtree_control", "", 0644);
        cr_assert(cgroup_make(slice, "x.service", &group) == 0);
        fixture_write(&fixture, "a.slice/x.service/io.latency", "", 0644);
        cr_assert(cgroup_set(group, &target) == 0);
        cr_assert(eq(str, (char *) read_file(&fixture, "a.slice/x.service/io.latency"), (char *) target.value));
        cgroup_reset_devices(group, "io.latency");
        cr_assert(eq(str, (char *) read_file(&fixture, "a.slice/x.service/io.latency"), (char *) "8:0 target=max"));
        cgroup_free(group);
        cgroup_tree_free(tree);
}
