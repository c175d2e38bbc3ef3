/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removing the directories of a service
 */

#include <errno.h>
#include <signal.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "service_world.h"
#include "types/unit_types.h"
#include "unit/unit_clean.h"

#define BIT(kind) (1U << UNIT_CLEAN_##kind)

/* The settings that the unit file would have. */
static void give_directories(World *world, const char *cache, const char *state) {
        ExecRareSettings rare = {};
        ExecTerms terms = { .timeout_clean = 5 * USEC_PER_SEC };

        cr_assert(strv_push(&terms.directories[EXEC_DIRECTORY_CACHE].paths, cache) == 0);
        cr_assert(strv_push(&terms.directories[EXEC_DIRECTORY_STATE].paths, state) == 0);
        cr_assert(exec_terms_take(&terms, &rare.terms) == 0);
        cr_assert(exec_settings_take_rare(&world->settings->exec, &rare) == 0);
}

static int clean(World *world, unsigned kinds) {
        cleanup_(failure_deinit) Failure failure = {};
        int r = service_vtable.clean(world->unit, kinds, &failure);

        cr_assert(eq(int, failure.code, r < 0 ? r : 0));
        world_flush(world);
        return r;
}

Test(service_clean, is_in_maintenance_until_the_process_has_ended) {
        WORLD(SERVICE_SIMPLE);

        give_directories(world, "c", "s");
        cr_assert(eq(u32, service_vtable.can_clean(world->unit), BIT(CACHE) | BIT(STATE)));
        cr_assert(eq(int, clean(world, UNIT_CLEAN_ALL), 0));
        cr_assert(eq(int, (int) world->active, UNIT_MAINTENANCE));
        assert_string(world_calls(world), "run /proc/self/exe");
        cr_assert(eq(int, (int) world_start(world), UNIT_NOT_NOW));
        world_exit(world, world_control(world), 0);
        assert_string(world_states(world), "cleaning dead");
        assert_string(world_property(world, "CleanResult"), "success");
        assert_string(world_property(world, "Result"), "success");
}

Test(service_clean, what_goes_wrong_is_no_failure_of_the_service) {
        WORLD(SERVICE_SIMPLE);

        give_directories(world, "c", "s");
        clean(world, BIT(CACHE));
        world_exit(world, world_control(world), 1);
        assert_string(world_states(world), "cleaning dead");
        assert_string(world_property(world, "CleanResult"), "exit-code");
        assert_string(world_property(world, "Result"), "success");
        clean(world, BIT(CACHE));
        assert_string(world_property(world, "CleanResult"), "success");
}

Test(service_clean, what_it_has_not_cannot_be_cleaned) {
        WORLD(SERVICE_SIMPLE);

        cr_assert(eq(int, clean(world, UNIT_CLEAN_ALL), -ENODATA));
        give_directories(world, "c", "s");
        cr_assert(eq(int, clean(world, BIT(LOGS)), -ENODATA));
        cr_assert(eq(int, clean(world, 0), -ENODATA));
        assert_string(world_states(world), "");
}

Test(service_clean, a_stop_kills_it) {
        WORLD(SERVICE_SIMPLE);

        give_directories(world, "c", "s");
        clean(world, BIT(CACHE));
        world_clear(world);
        cr_assert(eq(int, (int) world_stop(world), UNIT_UNDER_WAY));
        assert_string(world_calls(world), "KILL control group");
        world_die(world, world_control(world), SIGKILL, false);
        assert_string(world_states(world), "dead");
        assert_string(world_property(world, "CleanResult"), "signal");
}

Test(service_clean, it_has_a_limit_of_its_own) {
        WORLD(SERVICE_SIMPLE);

        give_directories(world, "c", "s");
        clean(world, BIT(CACHE));
        world_clear(world);
        world_advance(world, 5 * USEC_PER_SEC);
        assert_string(world_calls(world), "KILL control group");
        world_advance(world, 90 * USEC_PER_SEC);
        assert_string(world_states(world), "dead");
        assert_string(world_property(world, "CleanResult"), "timeout");
}

Test(service_clean, a_process_that_could_not_be_made_ends_it) {
        WORLD(SERVICE_SIMPLE);

        give_directories(world, "c", "s");
        world->fail_step = EXEC_STEP_EXEC;
        cr_assert(eq(int, clean(world, BIT(STATE)), 0));
        assert_string(world_states(world), "cleaning dead");
        assert_string(world_property(world, "CleanResult"), "resources");
}
