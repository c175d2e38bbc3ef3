/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading again: what changed and nothing else, all or nothing, state kept.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "basic/macro.h"
#include "file_world.h"

Test(unit_file_reload, nothing_is_read_if_nothing_changed) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = file_load_service(world, "x.service", "");
        const void *settings = unit->type_settings;

        cr_assert(not(unit_file_has_changed(world->loader, unit)));
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        cr_assert(eq(ptr, (void *) settings, unit->type_settings));
        cr_assert(eq(sz, world->changed.n, 0));
}

Test(unit_file_reload, a_change_is_read_in_place_and_said) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = file_load_service(world, "x.service", "Restart=no\nUser=a"), *other;

        other = file_load_service(world, "y.service", "");
        unit->active_state = UNIT_ACTIVE;
        file_write(world, "a/x.service", "[Service]\nExecStart=/bin/true\nRestart=always\nNice=3\n");
        cr_assert(unit_file_has_changed(world->loader, unit));
        cr_assert(not(unit_file_has_changed(world->loader, other)));
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        cr_assert(eq(int, unit->active_state, UNIT_ACTIVE));
        cr_assert(eq(int, file_service(unit)->restart, SERVICE_RESTART_ALWAYS));
        assert_string(world->changed.string, "x.service: Restart=no → always, -User=a, +Nice=3\n");
        cr_assert(not(unit_file_has_changed(world->loader, unit)));
}

Test(unit_file_reload, a_change_of_the_same_size_is_seen) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/x.target", "[Unit]\nDescription=1\n");
        unit = file_load(world, "x.target");
        file_write(world, "a/x.target", "[Unit]\nDescription=2\n");
        cr_assert(unit_file_has_changed(world->loader, unit));
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        assert_string(unit->settings.description, "2");
}

Test(unit_file_reload, relations_of_others_stay) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *x;

        file_write(world, "a/x.target", "[Unit]\nWants=y.target\nDefaultDependencies=no\n");
        file_write(world, "a/y.target", "[Unit]\nAfter=x.target\n");
        x = file_load(world, "x.target");
        file_write(world, "a/x.target", "[Unit]\nWants=z.target\nDefaultDependencies=no\n");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        assert_string(file_relations(x, UNIT_WANTS), "z.target");
        assert_string(file_relations(x, UNIT_BEFORE), "y.target");
        cr_assert(eq(int, unit_table_find(world->table, "z.target")->load_state, UNIT_NOT_FOUND));
}

Test(unit_file_reload, a_broken_file_leaves_everything_as_it_was) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *x = file_load_service(world, "x.service", "Nice=1"), *y = file_load_service(world, "y.service", "Nice=1");
        cleanup_(failure_deinit) Failure failure = {};

        file_write(world, "a/x.service", "[Service]\nExecStart=/bin/true\nNice=2\n");
        file_write(world, "a/y.service", "[Service]\nExecStart=/bin/true\nNice=many\n");
        cr_assert(eq(int, file_reload(world, false, &failure), -EBADMSG));
        file_assert_contains(failure_message(&failure), "a/y.service:3: Nice=: 'many'");
        file_assert_contains(failure_message(&failure), "--force");
        cr_assert(eq(int, file_service(x)->exec.nice, 1));
        cr_assert(eq(int, file_service(y)->exec.nice, 1));

        cr_assert(eq(int, file_reload(world, true, &failure), 0));
        cr_assert(eq(int, file_service(x)->exec.nice, 2));
        cr_assert(eq(int, y->load_state, UNIT_BAD_SETTING));
        cr_assert(eq(int, ((ServiceSettings *) y->type_settings)->exec.nice, 1));

        file_write(world, "a/y.service", "[Service]\nExecStart=/bin/true\nNice=4\n");
        cr_assert(eq(int, file_reload(world, false, &failure), 0));
        cr_assert(eq(int, file_service(y)->exec.nice, 4));
}

Test(unit_file_reload, files_come_and_go) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *x, *y;

        file_write(world, "b/x.target", "[Unit]\nDescription=b\n");
        x = file_load(world, "x.target");
        y = file_load(world, "y.target");
        file_write(world, "a/x.target", "[Unit]\nDescription=a\n");
        file_write(world, "a/y.target", "[Unit]\nDescription=new\n");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        assert_string(x->settings.description, "a");
        assert_string(y->settings.description, "new");
        file_assert_contains(world->changed.string, "x.target: now read from a/x.target, Description=b → a");
        file_assert_contains(world->changed.string, "y.target: new file a/y.target");

        file_remove(world, "a/x.target");
        file_remove(world, "b/x.target");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        cr_assert(eq(int, x->load_state, UNIT_NOT_FOUND));
        file_assert_contains(world->changed.string, "x.target: a/x.target is gone");
}

Test(unit_file_reload, drop_ins_links_and_masks_come_and_go) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *x;

        file_write(world, "b/x.target", "[Unit]\n");
        x = file_load(world, "x.target");
        file_write(world, "a/x.target.d/1.conf", "[Unit]\nDescription=drop\n");
        file_link(world, "a/x.target.wants/w.target", "../w.target");
        cr_assert(unit_file_has_changed(world->loader, x));
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        assert_string(x->settings.description, "drop");
        assert_string(file_relations(x, UNIT_WANTS), "w.target");
        file_assert_contains(world->changed.string, "+a/x.target.d/1.conf");
        file_assert_contains(world->changed.string, "+a/x.target.wants/w.target");

        file_link(world, "a/x.target.wants/v.target", "../v.target");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        assert_string(file_relations(x, UNIT_WANTS), "v.target w.target");

        file_link(world, "a/x.target", "/dev/null");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        cr_assert(eq(int, x->load_state, UNIT_MASKED));
}

Test(unit_file_reload, a_targets_order_follows_what_its_members_say) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *x;

        file_write(world, "a/x.target", "[Unit]\nWants=y.target\n");
        file_write(world, "a/y.target", "[Unit]\n");
        x = file_load(world, "x.target");
        assert_string(file_relations(x, UNIT_AFTER), "y.target");
        file_write(world, "a/y.target", "[Unit]\nAfter=x.target\n");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        assert_string(file_relations(x, UNIT_AFTER), "");
        file_assert_contains(file_relations(x, UNIT_BEFORE), "y.target");
        assert_string(world->changed.string, "y.target: +After=x.target\n");
}

Test(unit_file_reload, a_new_alias_is_a_new_name) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *x;

        file_write(world, "a/x.target", "[Unit]\n");
        x = file_load(world, "x.target");
        file_load(world, "y.target");
        file_link(world, "a/y.target", "x.target");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        cr_assert(eq(ptr, unit_table_find(world->table, "y.target"), x));
        cr_assert(eq(int, x->load_state, UNIT_LOADED));
}

Test(unit_file_reload, a_running_unit_that_became_an_alias_is_kept) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *y;

        file_write(world, "a/x.target", "[Unit]\n");
        file_write(world, "a/y.target", "[Unit]\n");
        file_load(world, "x.target");
        y = file_load(world, "y.target");
        y->active_state = UNIT_ACTIVE;
        file_remove(world, "a/y.target");
        file_link(world, "a/y.target", "x.target");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        cr_assert(eq(ptr, unit_table_find(world->table, "y.target"), y));
        cr_assert(eq(int, y->load_state, UNIT_ERROR));
        file_assert_contains(failure_message(&y->load_failure), "another name of x.target");
}

/* Writes what nobody can read, and later what everybody can. */
static void check_correction(FileWorld *world, const char *name, const char *path, const char *bytes, size_t n) {
        cleanup_(failure_deinit) Failure failure = {};
        Unit *unit;

        file_write_bytes(world, path, bytes, n);
        unit = file_load(world, name);
        cr_assert(eq(int, unit->load_state, UNIT_BAD_SETTING));
        cr_assert(not(unit_file_has_changed(world->loader, unit)));
        cr_assert(eq(int, file_reload(world, false, &failure), 0), "a file that stays broken is in nobody's way");

        file_write(world, path, "[Unit]\nDescription=correct\n");
        cr_assert(unit_file_has_changed(world->loader, unit));
        cr_assert(eq(int, file_reload(world, false, &failure), 0));
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        assert_string(unit->settings.description, "correct");
}

Test(unit_file_reload, what_could_not_be_read_is_tried_again) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        static const char invalid[] = "[Unit]\nDescription=\xff\n", nul[] = "[Unit]\nDescription=a\0b\n";
        static char big[1024 * 1024 + 1];
        Unit *unit;

        memset(big, '\n', sizeof(big));
        file_write(world, "b/d.target", "[Unit]\n");
        check_correction(world, "a.target", "a/a.target", invalid, sizeof(invalid) - 1);
        check_correction(world, "b.target", "a/b.target", nul, sizeof(nul) - 1);
        check_correction(world, "c.target", "a/c.target", big, sizeof(big));
        check_correction(world, "d.target", "a/d.target.d/1.conf", invalid, sizeof(invalid) - 1);

        file_link(world, "a/e.target", "e.target");
        unit = file_load(world, "e.target");
        cr_assert(eq(int, unit->load_state, UNIT_ERROR));
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        file_remove(world, "a/e.target");
        file_write(world, "a/e.target", "[Unit]\n");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        cr_assert(eq(int, unit->load_state, UNIT_LOADED));
}

/* Sets the times of a file or folder to the oldest possible. */
static void make_old(FileWorld *world, const char *path) {
        static const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
        char full[128];

        snprintf(full, sizeof(full), "%s/%s", world->root, path);
        cr_assert(eq(int, utimensat(AT_FDCWD, full, times, 0), 0));
}

Test(unit_file_reload, an_old_date_hides_no_change) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *x, *y;

        file_write(world, "a/x.target", "[Unit]\nDescription=1\n");
        make_old(world, "a/x.target");
        make_old(world, "a");
        x = file_load(world, "x.target");
        y = file_load(world, "y.target");
        cr_assert(eq(int, y->load_state, UNIT_NOT_FOUND));

        file_write(world, "a/x.target", "[Unit]\nDescription=2\n");
        make_old(world, "a/x.target");
        file_write(world, "a/y.target", "[Unit]\n");
        make_old(world, "a");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        assert_string(x->settings.description, "2");
        cr_assert(eq(int, y->load_state, UNIT_LOADED));
}

Test(unit_file_reload, a_folder_may_come_to_its_link) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *x;

        file_write(world, "a/x.target", "[Unit]\n");
        file_link(world, "a/x.target.d", "../later");
        x = file_load(world, "x.target");
        cr_assert(not(unit_file_has_changed(world->loader, x)));
        file_write(world, "later/1.conf", "[Unit]\nDescription=late\n");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        assert_string(x->settings.description, "late");
}

Test(unit_file_reload, a_name_that_is_no_link_any_more_is_a_unit_of_its_own) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *real, *user, *own;

        file_write(world, "a/real.target", "[Unit]\n");
        file_link(world, "a/alias.target", "real.target");
        file_write(world, "a/user.target", "[Unit]\nWants=alias.target\n");
        user = file_load(world, "user.target");
        real = file_load(world, "alias.target");
        assert_string(real->id, "real.target");

        file_remove(world, "a/alias.target");
        file_write(world, "a/alias.target", "[Unit]\nDescription=own\n");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        own = file_load(world, "alias.target");
        cr_assert(own != real);
        assert_string(own->settings.description, "own");
        assert_string(file_relations(user, UNIT_WANTS), "alias.target");
        assert_string(file_relations(real, UNIT_WANTED_BY), "");
}

Test(unit_file_reload, a_name_of_a_unit_that_is_not_there_is_given_up) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_link(world, "a/alias.target", "real.target");
        unit = file_load(world, "alias.target");
        cr_assert(eq(int, unit->load_state, UNIT_NOT_FOUND));
        file_remove(world, "a/alias.target");
        file_write(world, "a/alias.target", "[Unit]\nDescription=own\n");
        cr_assert(eq(int, file_reload(world, false, NULL), 0));
        assert_string(file_load(world, "alias.target")->settings.description, "own");
        assert_string(file_load(world, "alias.target")->id, "alias.target");
}
