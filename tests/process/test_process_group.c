/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Control groups of owners that are no units
 *
 * On the real hierarchy where it can be written, in a folder of each test's own.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "exec/cgroup.h"
#include "process/group_refusal.h"
#include "process/process_adopt.h"
#include "process/process_group.h"
#include "unitfile/resource_count.h"

typedef struct World {
        ProcessHost host;
        char folder[64];                /* where the tree begins; "": there is none */
        ProcessGroups *groups;
        Text calls;
} World;

typedef struct Attempt {
        ProcessOwner owner;
        World *world;
        ResourceSettings resources;
        bool is_begun, is_over, keeps_leftovers;
} Attempt;

static const ProcessKeeper no_keeper;

static void host_slices_made(void *userdata) {
        text_addf(&((World *) userdata)->calls, "slices made\n");
}

static const ProcessHostOps host_ops = { .slices_made = host_slices_made };

static Attempt *of(ProcessOwner *owner) {
        return container_of(owner, Attempt, owner);
}

static bool attempt_describe(ProcessOwner *owner, ProcessGroupTerms *terms) {
        const Attempt *attempt = of(owner);

        *terms = (ProcessGroupTerms) {
                .resources = &attempt->resources,
                .is_begun = attempt->is_begun,
                .is_over = attempt->is_over,
                .keeps_leftovers = attempt->keeps_leftovers,
        };
        return true;
}

static void attempt_emptied(ProcessOwner *owner) {
        text_addf(&of(owner)->world->calls, "emptied %s\n", owner->name);
}

static void attempt_freezer(ProcessOwner *owner) {
        text_addf(&of(owner)->world->calls, "freezer %s\n", owner->name);
}

static void attempt_released(ProcessOwner *owner) {
        text_addf(&of(owner)->world->calls, "released %s\n", owner->name);
}

static const ProcessOwnerOps attempt_ops = {
        .describe_group = attempt_describe,
        .group_emptied = attempt_emptied,
        .freezer_changed = attempt_freezer,
        .released = attempt_released,
};

static Attempt attempt_of(World *world, const char *name) {
        return (Attempt) {
                .owner = { .ops = &attempt_ops, .name = name },
                .world = world,
                .resources = { .slice = (char *) "flow.slice" },
        };
}

/* A process that waits to be killed. */
static pid_t start_process(void) {
        pid_t pid = fork();

        cr_assert(pid >= 0);
        if (pid == 0) {
                for (;;)
                        pause();
        }
        return pid;
}

static bool find_place(World *world) {
        static const char *const mounts[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
        const char *number = getenv("IN_NAMESPACE_PID");

        for (size_t i = 0; i < ELEMENTSOF(mounts); i++) {
                char events[128];

                snprintf(world->folder, sizeof(world->folder), "%s/jobd-test-%s-%d", mounts[i], number ? number : "0",
                         (int) getpid());
                if (mkdir(world->folder, 0755) < 0)
                        continue;
                snprintf(events, sizeof(events), "%s/cgroup.events", world->folder);
                if (access(events, R_OK) == 0)
                        return true;
                rmdir(world->folder);
        }
        world->folder[0] = '\0';
        return false;
}

static void world_init(World *world, bool with_groups) {
        CgroupTree *tree = NULL;

        *world = (World) { .host = { .ops = &host_ops, .userdata = world, .keeper = &no_keeper } };
        if (with_groups) {
                if (!find_place(world))
                        cr_skip_test("there is no version 2 hierarchy of control groups that can be written");
                cr_assert(eq(int, cgroup_tree_new(world->folder, strstr(world->folder, "/jobd-test-"), &tree), 0));
        }
        cr_assert(ge(int, sd_event_new(&world->host.event), 0));
        cr_assert(eq(int, process_groups_new(&world->groups, &world->host, false, NULL, tree, "not here"), 0));
}

static void world_deinit(World *world) {
        world->groups = process_groups_free(world->groups);
        sd_event_unref(world->host.event);
        text_deinit(&world->calls);
        if (*world->folder)
                cr_assert(rmdir(world->folder) == 0, "%s: %s", world->folder, strerror(errno));
}

static void assert_calls(World *world, const char *calls) {
        assert_string(world->calls.string ? world->calls.string : "", calls);
}

static void wait_for_calls(World *world, const char *calls) {
        while (strcmp(world->calls.string ? world->calls.string : "", calls) != 0)
                cr_assert(sd_event_run(world->host.event, 30 * USEC_PER_SEC) > 0, "%s", world->calls.string);
}

/* A folder that looks like a hierarchy with these controllers. */
static ResourceLimit default_limit_with(const char *controllers) {
        char folder[] = "/tmp/jobd-groups-XXXXXX", file[64];
        ProcessGroups *groups = NULL;
        CgroupTree *tree = NULL;
        ResourceLimit limit;
        FILE *stream;

        cr_assert(mkdtemp(folder) != NULL);
        snprintf(file, sizeof(file), "%s/cgroup.controllers", folder);
        stream = fopen(file, "we");
        cr_assert(stream && fputs(controllers, stream) >= 0 && fclose(stream) == 0);
        cr_assert(eq(int, cgroup_tree_new(folder, "/x", &tree), 0));
        cr_assert(eq(int, process_groups_new(&groups, &(ProcessHost) { .ops = &host_ops }, false, NULL, tree, NULL), 0));
        limit = process_groups_defaults(groups)->tasks_max;
        process_groups_free(groups);
        cr_assert(eq(int, unlink(file), 0));
        cr_assert(eq(int, rmdir(folder), 0));
        return limit;
}

Test(process_group, tasks_are_limited_by_default_where_the_kernel_can) {
        const ResourceLimit part = { .is_set = true, .is_part = true, .amount = 1500 };
        ResourceLimit limit = default_limit_with("cpu memory pids\n");

        cr_assert(limit.is_set && !limit.is_part);
        cr_assert(eq(u64, limit.amount, resource_count_tasks(&part)));
        cr_assert(not(default_limit_with("cpu memory\n").is_set));
}

Test(process_group, without_groups_all_of_it_does_nothing) {
        World world;
        Attempt attempt;
        const Cgroup *group = (const Cgroup *) &world;
        ExecResult result = {};
        char **missing = NULL;
        uint64_t value;

        world_init(&world, false);
        attempt = attempt_of(&world, "a.service");
        assert_string(process_groups_reason(world.groups), "not here");
        cr_assert(eq(int, process_groups_defaults(world.groups)->tasks_max.is_set, false));
        cr_assert(eq(int, process_groups_enter(world.groups, &attempt.owner, UNIT_PURPOSE_MAIN, &group, &result), 0));
        assert_null(group);
        cr_assert(eq(int, process_groups_count(world.groups, &attempt.owner, 0, 0), -ENOENT));
        cr_assert(eq(int, process_groups_value(world.groups, &attempt.owner, UNIT_GROUP_TASKS, &value), -ENODATA));
        assert_string(process_groups_freezer_state(world.groups, &attempt.owner), "running");
        process_groups_follow(world.groups, &attempt.owner, false);
        assert_null(attempt.owner.group);

        attempt.resources.cpu_weight = 50;
        attempt.resources.device_policy = RESOURCE_DEVICES_CLOSED;
        cr_assert(eq(int, process_groups_list_missing(world.groups, &attempt.resources, &missing), 0));
        cr_assert(strv_contains(missing, "CPUWeight= (not here)"));
        cr_assert(strv_contains(missing, "DeviceAllow= (not here)"));
        strv_free(missing);
        assert_calls(&world, "");
        world_deinit(&world);
}

Test(process_group, comes_with_a_process_and_goes_with_the_last) {
        World world;
        Attempt attempt;
        ExecPids pids = {};
        cleanup_free_ char *name = NULL, *path = NULL;
        pid_t pid;

        world_init(&world, true);
        attempt = attempt_of(&world, "a.service");
        pid = start_process();
        cr_assert(eq(int, process_adopt(world.groups, &attempt.owner, &pid, 1), 1));
        attempt.is_begun = true;
        cr_assert(eq(int, process_groups_find_name(world.groups, pid, &name), 0));
        assert_string(name, "a.service");
        cr_assert(eq(int, process_groups_path(world.groups, &attempt.owner, &path), 0));
        assert_not_null(strstr(path, "/flow.slice/a.service"));
        cr_assert(eq(int, process_groups_list(world.groups, &attempt.owner, &pids), 1));
        cr_assert(eq(sz, pids.n, 1));
        cr_assert(eq(int, process_groups_guess_main(world.groups, &attempt.owner, 0), pid));
        cr_assert(eq(int, process_groups_guess_main(world.groups, &attempt.owner, pid), 0));
        vector_deinit(&pids);

        cr_assert(eq(int, process_groups_count(world.groups, &attempt.owner, 0, 0), 1));
        cr_assert(eq(int, process_groups_signal(world.groups, &attempt.owner, SIGTERM, 0, 0), 0));
        wait_for_calls(&world, "emptied a.service\n");
        cr_assert(eq(int, waitpid(pid, NULL, 0), pid));
        cr_assert(eq(int, process_groups_count(world.groups, &attempt.owner, 0, 0), 0));

        attempt.is_over = true;
        process_groups_follow(world.groups, &attempt.owner, false);
        assert_null(attempt.owner.group);
        assert_calls(&world, "emptied a.service\nreleased a.service\n");
        world_deinit(&world);
}

Test(process_group, of_an_owner_that_is_over_goes_when_it_is_empty) {
        World world;
        Attempt attempt;
        pid_t pid;

        world_init(&world, true);
        attempt = attempt_of(&world, "a.service");
        pid = start_process();
        cr_assert(eq(int, process_adopt(world.groups, &attempt.owner, &pid, 1), 1));
        attempt.is_begun = attempt.is_over = true;
        process_groups_follow(world.groups, &attempt.owner, false);
        assert_not_null(attempt.owner.group);
        assert_calls(&world, "");
        cr_assert(eq(int, kill(pid, SIGKILL), 0));
        wait_for_calls(&world, "released a.service\n");
        assert_null(attempt.owner.group);
        cr_assert(eq(int, waitpid(pid, NULL, 0), pid));
        world_deinit(&world);
}

/* A program that comes after this one has the same groups, and finds them by the name. */
Test(process_group, is_found_again) {
        World world;
        Attempt before, after;
        pid_t pid;

        world_init(&world, true);
        before = attempt_of(&world, "a.service");
        pid = start_process();
        cr_assert(eq(int, process_adopt(world.groups, &before.owner, &pid, 1), 1));
        process_groups_forget_owner(&before.owner);

        after = attempt_of(&world, "a.service");
        cr_assert(eq(int, process_groups_count(world.groups, &after.owner, 0, 0), -ENOENT), "it has not begun");
        after.is_begun = true;
        cr_assert(eq(int, process_groups_count(world.groups, &after.owner, 0, 0), 1));
        cr_assert(eq(int, process_groups_count(world.groups, &after.owner, pid, 0), 0));
        cr_assert(eq(int, process_groups_signal(world.groups, &after.owner, SIGKILL, 0, 0), 0));
        wait_for_calls(&world, "emptied a.service\n");
        cr_assert(eq(int, waitpid(pid, NULL, 0), pid));
        after.is_over = true;
        process_groups_follow(world.groups, &after.owner, false);
        world_deinit(&world);
}

Test(process_group, is_rid_of_what_an_earlier_run_has_left) {
        World world;
        Attempt attempt;
        const Cgroup *group;
        ExecResult result = {};
        int status;
        pid_t pid;

        world_init(&world, true);
        attempt = attempt_of(&world, "a.service");
        pid = start_process();
        cr_assert(eq(int, process_adopt(world.groups, &attempt.owner, &pid, 1), 1));
        process_groups_forget_owner(&attempt.owner);

        attempt.keeps_leftovers = true;
        cr_assert(eq(int, process_groups_enter(world.groups, &attempt.owner, UNIT_PURPOSE_MAIN, &group, &result), 0));
        cr_assert(eq(int, kill(pid, 0), 0));
        cr_assert(eq(int, waitpid(pid, NULL, WNOHANG), 0));
        attempt.keeps_leftovers = false;
        cr_assert(eq(int, process_groups_enter(world.groups, &attempt.owner, UNIT_PURPOSE_MAIN, &group, &result), 0));
        assert_not_null(group);
        cr_assert(eq(int, waitpid(pid, &status, 0), pid));
        cr_assert(eq(int, WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGKILL));

        attempt.is_over = true;
        process_groups_follow(world.groups, &attempt.owner, false);
        world_deinit(&world);
}

Test(process_group, is_frozen_and_thawed_before_the_owner_goes_on) {
        World world;
        Attempt attempt;
        cleanup_(failure_deinit) Failure failure = {};
        pid_t pid;

        world_init(&world, true);
        attempt = attempt_of(&world, "a.service");
        attempt.is_begun = true;
        cr_assert(eq(int, process_groups_freeze(world.groups, &attempt.owner, true, &failure), -EHOSTDOWN));
        failure_deinit(&failure);
        pid = start_process();
        cr_assert(eq(int, process_adopt(world.groups, &attempt.owner, &pid, 1), 1));
        cr_assert(eq(int, process_groups_freeze(world.groups, &attempt.owner, true, &failure), 0));
        assert_calls(&world, "freezer a.service\n");
        while (strcmp(process_groups_freezer_state(world.groups, &attempt.owner), "frozen") != 0)
                cr_assert(sd_event_run(world.host.event, 30 * USEC_PER_SEC) > 0);

        process_groups_follow(world.groups, &attempt.owner, true);
        assert_string(process_groups_freezer_state(world.groups, &attempt.owner), "frozen");
        process_groups_follow(world.groups, &attempt.owner, false);
        while (strcmp(process_groups_freezer_state(world.groups, &attempt.owner), "running") != 0)
                cr_assert(sd_event_run(world.host.event, 30 * USEC_PER_SEC) > 0);
        cr_assert(eq(int, kill(pid, SIGTERM), 0));
        cr_assert(eq(int, waitpid(pid, NULL, 0), pid));
        attempt.is_over = true;
        process_groups_follow(world.groups, &attempt.owner, false);
        world_deinit(&world);
}

/* Another process has removed the slices: their limits have to be set again. */
Test(process_group, is_made_again_with_its_slices) {
        World world;
        Attempt attempt;
        const Cgroup *group;
        ExecResult result = {};
        char slice[128], own[160];

        world_init(&world, true);
        attempt = attempt_of(&world, "a.service");
        cr_assert(eq(int, process_groups_enter(world.groups, &attempt.owner, UNIT_PURPOSE_MAIN, &group, &result), 0));
        snprintf(slice, sizeof(slice), "%s/flow.slice", world.folder);
        snprintf(own, sizeof(own), "%s/a.service", slice);
        cr_assert(rmdir(own) == 0 && rmdir(slice) == 0);
        cr_assert(eq(int, process_groups_enter(world.groups, &attempt.owner, UNIT_PURPOSE_MAIN, &group, &result), 0),
                  "%s", result.message);
        assert_calls(&world, "slices made\n");
        cr_assert(eq(int, access(own, F_OK), 0));
        attempt.is_over = true;
        process_groups_follow(world.groups, &attempt.owner, false);
        cr_assert(ne(int, access(own, F_OK), 0));
        world_deinit(&world);
}

Test(process_group, refusals_are_told_once_each) {
        GroupRefusals refusals = { .folder = "/here" };

        group_refusals_note(&refusals, "MemoryMax", "memory", -EOPNOTSUPP);
        group_refusals_note(&refusals, "MemoryMax", "memory", -EOPNOTSUPP);
        group_refusals_note(&refusals, "CPUWeight", "cpu.weight", -EINVAL);
        cr_assert(eq(int, group_refusals_add(&refusals, "TasksMax", "why"), 0));
        assert_string(refusals.lines[0], "MemoryMax= (no memory controller in /here)");
        assert_string(refusals.lines[1], "CPUWeight= (cpu.weight: Invalid argument)");
        assert_string(refusals.lines[2], "TasksMax= (why)");
        assert_null(refusals.lines[3]);
        group_refusals_clear(&refusals);
        assert_null(refusals.lines);
}
