/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dependencies that no line says, and who says them then.
 */

#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "file_world.h"

Test(unit_implied, a_system_service_comes_after_the_basic_system) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = file_load_service(world, "x.service", "");

        assert_string(file_relations(unit, UNIT_REQUIRES), "sysinit.target");
        assert_string(file_relations(unit, UNIT_AFTER), "sysinit.target basic.target");
        assert_string(file_relations(unit, UNIT_CONFLICTS), "shutdown.target");
        assert_string(file_relations(unit, UNIT_BEFORE), "shutdown.target");
        assert_string(file_origin(world, unit, UNIT_REQUIRES, "sysinit.target"), "default dependency of x.service");
}

Test(unit_implied, a_users_service_needs_the_basic_target) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        world->options.is_user = true;
        file_world_restart(world);
        unit = file_load_service(world, "x.service", "");
        assert_string(file_relations(unit, UNIT_REQUIRES), "basic.target");
        assert_string(file_relations(unit, UNIT_AFTER), "basic.target");
}

Test(unit_implied, none_if_the_unit_or_the_options_say_so) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x.service", "[Unit]\nDefaultDependencies=no\n[Service]\nExecStart=/bin/x\n");
        assert_string(file_relations(file_load(world, "x.service"), UNIT_AFTER), "");
        world->options.no_default_dependencies = true;
        file_world_restart(world);
        assert_string(file_relations(file_load_service(world, "y.service", ""), UNIT_AFTER), "");
}

Test(unit_implied, a_target_comes_after_what_it_pulls_in_whichever_is_loaded_first) {
        static const char *const first[] = { "x.target", "w.target" };

        for (size_t i = 0; i < ELEMENTSOF(first); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                Unit *unit;

                file_write(world, "a/x.target", "[Unit]\nRequires=r.target\nWants=w.target before.target alone.target gone.target\n"
                                                "Before=before.target\n");
                file_write(world, "a/r.target", "[Unit]\n");
                file_write(world, "a/w.target", "[Unit]\n");
                file_write(world, "a/before.target", "[Unit]\n");
                file_write(world, "a/alone.target", "[Unit]\nDefaultDependencies=no\n");
                file_load(world, first[i]);
                unit = file_load(world, "x.target");
                cr_assert(unit_has_relation(unit, UNIT_AFTER, unit_table_find(world->table, "r.target")));
                cr_assert(unit_has_relation(unit, UNIT_AFTER, unit_table_find(world->table, "w.target")));
                cr_assert(eq(sz, unit_relations(unit, UNIT_AFTER).n, 2));
                assert_string(file_origin(world, unit, UNIT_AFTER, "w.target"), "order implied by a/x.target:3");
        }
}

Test(unit_implied, a_target_is_not_after_what_says_it_comes_later) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/x.target", "[Unit]\nWants=w.target\n");
        file_write(world, "a/w.target", "[Unit]\nAfter=x.target\n");
        unit = file_load(world, "x.target");
        assert_string(file_relations(unit, UNIT_AFTER), "");
}

Test(unit_implied, a_missing_unit_is_ordered_once_it_is_there) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/x.target", "[Unit]\nWants=w.target\n");
        unit = file_load(world, "x.target");
        assert_string(file_relations(unit, UNIT_AFTER), "");
        file_write(world, "a/w.target", "[Unit]\n");
        file_load(world, "w.target");
        assert_string(file_relations(unit, UNIT_AFTER), "w.target");
}

Test(unit_implied, mounts_are_needed_if_they_have_a_file) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/srv.mount", "[Mount]\nWhat=/dev/x\nWhere=/srv\n");
        file_write(world, "a/-.mount", "[Mount]\nWhat=/dev/x\nWhere=/\n");
        file_write(world, "a/x.target", "[Unit]\nRequiresMountsFor=/srv/data /var\nDefaultDependencies=no\n");
        unit = file_load(world, "x.target");
        assert_string(file_relations(unit, UNIT_REQUIRES), "srv.mount -.mount");
        assert_string(file_relations(unit, UNIT_AFTER), "srv.mount -.mount");
}

Test(unit_implied, shipped_targets_are_complete_and_without_a_complaint) {
        static const char *const names[] = { "default.target", "multi-user.target", "graphical.target", "rescue.target",
                                             "emergency.target", "exit.target", "poweroff.target", "reboot.target",
                                             "halt.target", "shutdown.target", "network-online.target" };
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                cr_expect(eq(int, file_load(world, names[i])->load_state, UNIT_LOADED), "%s", names[i]);
        unit_table_foreach(world->table, unit)
                cr_expect(eq(int, unit->load_state, UNIT_LOADED), "%s", unit->id);
        assert_string(file_said(world), "");
        assert_string(file_relations(unit_table_find(world->table, "shutdown.target"), UNIT_CONFLICTS), "");
}

Test(unit_implied, the_examples_are_complete_and_without_a_complaint) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        char *path[] = { (char *) UNITS "/examples", NULL };
        Unit *front;

        world->options.search_path = path;
        file_world_restart(world);
        file_load(world, "shop.target");
        file_load(world, "shop-mail.service");
        file_load(world, "shop-import.service");
        front = file_load(world, "shop-front.service");
        unit_table_foreach(world->table, unit)
                cr_expect(eq(int, unit->load_state, UNIT_LOADED), "%s", unit->id);
        assert_string(file_said(world), "");
        cr_assert(unit_has_relation(front, UNIT_AFTER, unit_table_find(world->table, "shop-migration.service")));
        cr_assert(eq(int, unit_file_verify(UNITS "/examples", &world->options), 0));
        cr_assert(eq(int, unit_file_verify(UNITS, &world->options), 0));
        assert_string(file_said(world), "");
}

Test(unit_implied, a_service_comes_after_what_prepares_its_log_and_its_folders) {
        static const struct {
                const char *lines, *after;
        } cases[] = {
                { "", "systemd-journald.socket" },
                { "StandardOutput=null", "" },
                { "StandardOutput=inherit\nStandardError=kmsg", "systemd-journald.socket" },
                { "StandardInput=tty", "" },
                { "StandardInput=socket", "" },
                { "StandardInput=socket\nStandardError=journal", "systemd-journald.socket" },
                { "StandardOutput=null\nStateDirectory=x", "systemd-remount-fs.service" },
                { "StandardOutput=null\nCacheDirectory=x\nLogsDirectory=x", "systemd-remount-fs.service" },
                { "StandardOutput=null\nRuntimeDirectory=x", "" },
                { "StandardOutput=null\nPrivateTmp=yes", "systemd-tmpfiles-setup.service" },
                { "StandardOutput=null\nDynamicUser=yes", "systemd-tmpfiles-setup.service" },
        };
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        char name[32];

        world->options.no_default_dependencies = true;
        file_world_restart(world);
        assert_string(file_relations(file_load_service(world, "a.service", "PrivateTmp=yes\nStateDirectory=x"),
                                     UNIT_AFTER), "");
        file_write(world, "a/systemd-journald.socket", "[Socket]\nListenStream=/x\n");
        file_write(world, "a/systemd-remount-fs.service", "[Service]\nExecStart=/bin/x\nStandardOutput=null\n");
        file_write(world, "a/systemd-tmpfiles-setup.service", "[Service]\nExecStart=/bin/x\nStandardOutput=null\n");
        file_world_restart(world);
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                snprintf(name, sizeof(name), "x%zu.service", i);
                cr_expect(eq(str, (char *) file_relations(file_load_service(world, name, cases[i].lines), UNIT_AFTER),
                             (char *) cases[i].after), "%s", cases[i].lines);
        }
        world->options.is_user = true;
        file_world_restart(world);
        assert_string(file_relations(file_load_service(world, "u.service", "StateDirectory=x"), UNIT_AFTER), "");
}

/* /tmp need not be a mount, and its mount unit may be masked. */
Test(unit_implied, a_private_tmp_wants_the_mount_of_tmp) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        world->options.no_default_dependencies = true;
        file_write(world, "a/tmp.mount", "[Mount]\nWhat=tmpfs\nWhere=/tmp\n");
        file_write(world, "a/var-tmp.mount", "[Mount]\nWhat=tmpfs\nWhere=/var/tmp\n");
        file_world_restart(world);
        unit = file_load_service(world, "x.service", "PrivateTmp=yes");
        assert_string(file_relations(unit, UNIT_WANTS), "tmp.mount");
        assert_string(file_relations(unit, UNIT_REQUIRES), "var-tmp.mount");
        assert_string(file_relations(unit, UNIT_AFTER), "var-tmp.mount tmp.mount");
}

Test(unit_implied, an_instance_depends_on_the_slice_of_its_template) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = file_load_service(world, "x@1.service", "");

        assert_string(file_relations(unit, UNIT_IN_SLICE), "system-x.slice");
        assert_string(file_relations(unit, UNIT_REQUIRES), "sysinit.target system-x.slice");
        assert_string(file_relations(unit, UNIT_AFTER), "sysinit.target basic.target system-x.slice");
        assert_string(file_relations(unit_table_find(world->table, "system-x.slice"), UNIT_IN_SLICE), "");
}

Test(unit_implied, a_unit_depends_on_its_slice_if_that_was_named_or_has_a_file) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *named = file_load_service(world, "x.service", "Slice=a-b.slice");
        Unit *other = file_load_service(world, "y.service", "");

        assert_string(file_relations(named, UNIT_IN_SLICE), "a-b.slice");
        assert_string(file_relations(named, UNIT_REQUIRES), "sysinit.target a-b.slice");
        assert_string(file_relations(named, UNIT_AFTER), "sysinit.target basic.target a-b.slice");
        assert_string(file_origin(world, named, UNIT_IN_SLICE, "a-b.slice"), "slice it is in of x.service");
        assert_string(file_relations(other, UNIT_IN_SLICE), "");

        file_write(world, "a/system.slice", "[Slice]\nTasksMax=10\n");
        file_world_restart(world);
        assert_string(file_relations(file_load_service(world, "y.service", ""), UNIT_IN_SLICE), "system.slice");
        assert_string(file_relations(file_load_service(world, "z.service", "Slice=-.slice"), UNIT_IN_SLICE), "");
}

Test(unit_implied, a_unit_depends_on_its_slice_if_that_has_dropins) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/system.slice.d/50-TasksMax.conf", "[Slice]\nTasksMax=10\n");
        file_write(world, "a/system-t.slice.d/50-TasksMax.conf", "[Slice]\nTasksMax=20\n");
        file_world_restart(world);
        assert_string(file_relations(file_load_service(world, "y.service", ""), UNIT_IN_SLICE), "system.slice");
        assert_string(file_relations(file_load_service(world, "t@1.service", ""), UNIT_IN_SLICE), "system-t.slice");
        assert_string(file_said(world), "");
}
