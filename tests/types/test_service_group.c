/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service, and events of its control group
 */

#include <signal.h>

#include "service_world.h"
#include "unitfile/resource_settings.h"

static uint64_t n_oom_kills;

static int group_value(UnitHost *host, const Unit *unit, UnitGroupValue what, uint64_t *ret_value) {
        *ret_value = n_oom_kills;
        return what == UNIT_GROUP_OOM_KILLS ? 0 : -ENODATA;
}

/* The operations of the world, and one more. */
static void tell_oom_kills(World *world, uint64_t n) {
        static UnitHostOps ops;

        ops = *world->host.ops;
        ops.group_value = group_value;
        world->host.ops = &ops;
        n_oom_kills = n;
}

static UnitGroup group_of(const World *world) {
        UnitGroup group = {};

        world->unit->vtable->group(world->unit, &group);
        return group;
}

Test(service_group, sigkill_of_the_kernel_is_told_from_that_of_others) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_START, "/bin/a");
        world_start(world);
        tell_oom_kills(world, 1);
        world_die(world, world_main(world), SIGKILL, false);
        assert_string(world_property(world, "Result"), "oom-kill");

        world_start(world);
        tell_oom_kills(world, 0);
        world_die(world, world_main(world), SIGKILL, false);
        assert_string(world_property(world, "Result"), "signal");
}

Test(service_group, lack_of_memory_stops_it_unless_told_otherwise) {
        WORLD(SERVICE_SIMPLE);
        ResourceSettings resources = { .oom_policy = RESOURCE_OOM_CONTINUE };

        world_command(world, SERVICE_EXEC_START, "/bin/a");
        world->settings->resources = &resources;
        world_start(world);
        world->unit->vtable->group_out_of_memory(world->unit);
        assert_string(unit_sub_state(world->unit), "running");

        resources.oom_policy = RESOURCE_OOM_STOP;
        world->unit->vtable->group_out_of_memory(world->unit);
        assert_string(unit_sub_state(world->unit), "stop-sigterm");
        world_die(world, world_main(world), SIGTERM, false);
        assert_string(unit_sub_state(world->unit), "failed");
        assert_string(world_property(world, "Result"), "oom-kill");
        world->settings->resources = NULL;
}

/* Its payload has groups of its own: one that is killed there is not the service. */
Test(service_group, a_service_that_manages_its_group_goes_on) {
        WORLD(SERVICE_SIMPLE);
        ResourceSettings resources = { .delegate = true };

        world_command(world, SERVICE_EXEC_START, "/bin/a");
        world->settings->resources = &resources;
        assert_string(world_property(world, "OOMPolicy"), "continue");
        world_start(world);
        world->unit->vtable->group_out_of_memory(world->unit);
        assert_string(unit_sub_state(world->unit), "running");

        resources.oom_policy = RESOURCE_OOM_STOP;
        assert_string(world_property(world, "OOMPolicy"), "stop");
        world->unit->vtable->group_out_of_memory(world->unit);
        assert_string(unit_sub_state(world->unit), "stop-sigterm");
        world_die(world, world_main(world), SIGTERM, false);
        world->settings->resources = NULL;
}

Test(service_group, the_last_process_ends_a_stop) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_START, "/bin/a");
        world_start(world);
        world->rest = 1;
        world_stop(world);
        world_die(world, world_main(world), SIGTERM, false);
        assert_string(unit_sub_state(world->unit), "final-sigterm");
        world->rest = 0;
        world->unit->vtable->group_emptied(world->unit);
        assert_string(unit_sub_state(world->unit), "dead");
}

Test(service_group, exit_type_cgroup_lasts_as_long_as_anybody) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_START, "/bin/a");
        world->settings->exit_type_cgroup = true;
        world_start(world);
        world->rest = 1;
        world_exit(world, world_main(world), 0);
        assert_string(unit_sub_state(world->unit), "running");
        world->rest = 0;
        world->unit->vtable->group_emptied(world->unit);
        assert_string(unit_sub_state(world->unit), "dead");
}

Test(service_group, the_first_command_finds_what_is_left_over) {
        WORLD(SERVICE_SIMPLE);

        world_command(world, SERVICE_EXEC_START, "/bin/a");
        unit_start(world->unit);
        cr_assert(not(group_of(world).is_begun));
        world_start(world);
        cr_assert(group_of(world).is_begun);
        cr_assert(not(group_of(world).keeps_leftovers));
        world->settings->kill.mode = KILL_MODE_PROCESS;
        cr_assert(group_of(world).keeps_leftovers);
}
