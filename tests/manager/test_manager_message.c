/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The manager's messages in the log
 */

#include <stdio.h>
#include <string.h>

#include "basic/log.h"
#include "manager_world.h"

/* Any client may request instances of a template under any number of names. */
Test(manager_message, a_remark_about_a_template_is_said_once) {
        cleanup_(world_freep) World *world = world_new();
        FILE *log = tmpfile();
        char line[512];
        unsigned n = 0;

        assert_not_null(log);
        world_write(world, "a@.service", "[Service]\nExecStart=/bin/true\nNonsense=1\n");
        log_set_kernel(fileno(log));
        log_set_level(LOG_LEVEL_WARNING);
        for (unsigned i = 0; i < 50; i++) {
                char name[32];

                snprintf(name, sizeof(name), "a@%u.service", i);
                (void) world_load(world, name);
        }
        log_set_kernel(-1);
        rewind(log);
        while (fgets(line, sizeof(line), log))
                n += strstr(line, "Nonsense") != NULL;
        fclose(log);
        cr_assert(n == 1, "%u lines", n);
}

/* A triggering condition is named only if no other condition kept the unit from starting. */
Test(manager_message, only_the_conditions_that_kept_a_unit_from_starting_are_named) {
        cleanup_(world_freep) World *world = world_new();
        FILE *log = tmpfile();
        char line[512];
        unsigned n = 0;

        assert_not_null(log);
        world_write(world, "a.service", "[Unit]\nConditionPathExists=|/absent-one\nConditionPathExists=|/\n"
                                        "ConditionPathExists=/absent-two\n[Service]\nExecStart=/bin/true\n");
        world_write(world, "b.service", "[Unit]\nConditionPathExists=|/absent-one\nConditionPathExists=|/absent-three\n"
                                        "[Service]\nExecStart=/bin/true\n");
        log_set_kernel(fileno(log));
        log_set_level(LOG_LEVEL_INFO);
        world_exec(world, JOB_REPLACE, "start:a.service");
        world_exec(world, JOB_REPLACE, "start:b.service");
        world_settle(world);
        log_set_kernel(-1);
        rewind(log);
        while (fgets(line, sizeof(line), log)) {
                bool is_of_a = strstr(line, "a.service") != NULL;
                const char *reason = is_of_a
                                             ? ": ConditionPathExists=/absent-two\n"
                                             : ": ConditionPathExists=|/absent-one, "
                                               "ConditionPathExists=|/absent-three\n";

                if (!strstr(line, "skipped"))
                        continue;
                n++;
                cr_assert(strstr(line, reason) != NULL, "%s", line);
        }
        fclose(log);
        cr_assert(n == 2, "%u lines", n);
}
