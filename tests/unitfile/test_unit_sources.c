/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which files make a unit: precedence, drop-ins, masks, aliases, templates, links.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "file_world.h"

#define TARGET(description) "[Unit]\nDescription=" description "\n"

Test(unit_sources, the_first_folder_wins) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x.target", TARGET("a"));
        file_write(world, "b/x.target", TARGET("b"));
        file_write(world, "b/y.target", TARGET("b"));
        assert_string(file_load(world, "x.target")->settings.description, "a");
        assert_string(file_load(world, "y.target")->settings.description, "b");
}

Test(unit_sources, drop_ins_apply_in_the_order_of_their_names) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "b/x-y-z.target", TARGET("main"));
        file_write(world, "b/x-y-z.target.d/20.conf", "[Unit]\nDescription=20 special\n");
        file_write(world, "a/x-y-z.target.d/10.conf", "[Unit]\nDescription=10\nDocumentation=man:10\n");
        file_write(world, "b/x-y-z.target.d/10.conf", "[Unit]\nDocumentation=man:hidden\n");
        file_write(world, "a/x-y-.target.d/20.conf", "[Unit]\nDescription=hidden by the more special folder\n");
        file_write(world, "b/x-.target.d/05.conf", "[Unit]\nDocumentation=man:05\n");
        file_write(world, "b/target.d/30.conf", "[Unit]\nDocumentation=man:30\n");
        file_write(world, "b/target.d/README", "no drop-in");
        file_write(world, "b/x-y-z.target.d/40.conf", "[Unit]\nDescription=masked\n");
        file_link(world, "a/x-y-z.target.d/40.conf", "/dev/null");
        file_write(world, "b/x-y-z.target.d/50.conf", "[Unit]\nDescription=masked\n");
        file_write(world, "a/x-y-z.target.d/50.conf", "");
        unit = file_load(world, "x-y-z.target");
        assert_string(unit->settings.description, "20 special");
        assert_string(unit->settings.rare->documentation[0], "man:05");
        assert_string(unit->settings.rare->documentation[1], "man:10");
        assert_string(unit->settings.rare->documentation[2], "man:30");
        assert_null(unit->settings.rare->documentation[3]);
        cr_assert(eq(sz, strv_length(unit->settings.rare->dropin_paths), 4));
}

Test(unit_sources, a_relation_from_a_drop_in_has_its_place_there) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "b/x.target", TARGET("x"));
        file_write(world, "a/x.target.d/more.conf", "[Unit]\n\nWants=y.target\n");
        assert_string(file_origin(world, file_load(world, "x.target"), UNIT_WANTS, "y.target"),
                      "a/x.target.d/more.conf:3");
}

Test(unit_sources, masks_are_links_to_dev_null_and_empty_files) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_link(world, "a/x.target", "/dev/null");
        file_write(world, "b/x.target", TARGET("b"));
        file_write(world, "a/y.target", "");
        unit = file_load(world, "x.target");
        cr_assert(eq(int, unit->load_state, UNIT_MASKED));
        assert_string(unit->load_failure.name, "UnitMasked");
        cr_assert(eq(int, file_load(world, "y.target")->load_state, UNIT_MASKED));
}

Test(unit_sources, an_alias_is_another_name_whichever_is_loaded_first) {
        static const char *const orders[][2] = { { "x.target", "y.target" }, { "y.target", "x.target" } };

        for (size_t i = 0; i < 2; i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                Unit *first, *second;

                file_write(world, "b/x.target", TARGET("x"));
                file_link(world, "a/y.target", "../b/x.target");
                file_link(world, "a/z.target", "y.target");
                first = file_load(world, orders[i][0]);
                second = file_load(world, orders[i][1]);
                cr_assert(eq(ptr, first, second));
                assert_string(first->id, "x.target");
                cr_assert(unit_has_name(first, "y.target"));
                cr_assert(unit_has_name(first, "z.target"));
                assert_string(first->settings.description, "x");
        }
}

Test(unit_sources, relations_to_an_alias_are_relations_to_the_unit) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/x.target", TARGET("x"));
        file_link(world, "a/y.target", "x.target");
        file_write(world, "a/user.target", "[Unit]\nRequires=y.target\n");
        unit = file_load(world, "user.target");
        assert_string(file_relations(unit, UNIT_REQUIRES), "x.target");
        assert_string(file_relations(file_load(world, "x.target"), UNIT_REQUIRED_BY), "user.target");
}

Test(unit_sources, links_in_a_circle_or_to_another_type_are_errors) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_link(world, "a/x.target", "y.target");
        file_link(world, "a/y.target", "x.target");
        file_write(world, "a/s.service", "[Service]\nExecStart=/bin/true\n");
        file_link(world, "a/t.target", "s.service");
        unit = file_load(world, "x.target");
        cr_assert(eq(int, unit->load_state, UNIT_ERROR));
        file_assert_contains(failure_message(&unit->load_failure), "circle");
        unit = file_load(world, "t.target");
        cr_assert(eq(int, unit->load_state, UNIT_ERROR));
        file_assert_contains(failure_message(&unit->load_failure), "another type");
}

Test(unit_sources, a_link_out_of_the_search_path_is_a_unit_of_its_own) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "elsewhere/x.target", TARGET("x"));
        file_link(world, "a/y.target", "../elsewhere/x.target");
        assert_string(file_load(world, "y.target")->id, "y.target");
        assert_string(file_load(world, "y.target")->settings.description, "x");
        cr_assert(eq(int, file_load(world, "x.target")->load_state, UNIT_NOT_FOUND));
}

Test(unit_sources, a_link_to_nowhere_is_not_found_until_it_leads_somewhere) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_link(world, "a/y.target", "../elsewhere/x.target");
        unit = file_load(world, "y.target");
        cr_assert(eq(int, unit->load_state, UNIT_NOT_FOUND));
        cr_assert(not(unit_file_has_changed(world->loader, unit)));
        file_write(world, "elsewhere/x.target", TARGET("x"));
        cr_assert(unit_file_has_changed(world->loader, unit));
        cr_assert(eq(int, file_load(world, "y.target")->load_state, UNIT_LOADED));
}

Test(unit_sources, an_instance_is_made_from_its_template) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/x@.target", "[Unit]\nDescription=x of %i\nWants=y@.target y@%i-more.target\n");
        file_write(world, "a/x@.target.d/all.conf", "[Unit]\nDocumentation=man:all\n");
        file_write(world, "a/x@1.target.d/one.conf", "[Unit]\nDocumentation=man:one\n");
        file_write(world, "a/x@own.target", TARGET("its own"));
        unit = file_load(world, "x@1.target");
        assert_string(unit->settings.description, "x of 1");
        assert_string(file_relations(unit, UNIT_WANTS), "y@1.target y@1-more.target");
        cr_assert(eq(sz, strv_length(unit->settings.rare->documentation), 2));
        assert_string(file_load(world, "x@2.target")->settings.rare->documentation[0], "man:all");
        assert_string(file_load(world, "x@own.target")->settings.description, "its own");
        cr_assert(eq(int, unit_table_load(world->table, "x@.target", &unit), -EINVAL));
}

Test(unit_sources, aliases_of_templates_keep_the_instance) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/x@.target", TARGET("%i"));
        file_link(world, "a/y@.target", "x@.target");
        file_link(world, "a/z@7.target", "x@.target");
        file_link(world, "a/plain.target", "x@9.target");
        file_link(world, "a/x@5.target", "x@.target");
        unit = file_load(world, "y@1.target");
        assert_string(unit->id, "x@1.target");
        assert_string(file_load(world, "z@7.target")->id, "x@7.target");
        assert_string(file_load(world, "plain.target")->id, "x@9.target");
        assert_string(file_load(world, "x@5.target")->settings.description, "5");
        cr_assert(unit_has_name(file_load(world, "x@7.target"), "z@7.target"));
}

Test(unit_sources, an_instance_with_a_file_is_not_what_its_template_is_a_link_to) {
        static const char *const orders[][2] = { { "t@1.service", "u@1.service" }, { "u@1.service", "t@1.service" } };
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *named;

        file_write(world, "a/t@.service", "[Service]\nExecStart=/bin/true\n");
        file_link(world, "a/u@.service", "t@.service");
        file_write(world, "b/u@1.service", "[Service]\nExecStart=/bin/false\n");
        for (size_t i = 0; i < ELEMENTSOF(orders); i++) {
                file_world_restart(world);
                cr_assert(eq(int, unit_table_name(world->table, "u@1.service", &named), 0));
                for (size_t j = 0; j < 2; j++)
                        assert_string(file_load(world, orders[i][j])->id, orders[i][j]);
                assert_string(file_load(world, "u@2.service")->id, "t@2.service");
        }
}

Test(unit_sources, links_in_folders_are_dependencies) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/x@.target", TARGET("x"));
        file_link(world, "b/x@.target.wants/of-all.target", "../of-all.target");
        file_link(world, "a/x@1.target.wants/t@.target", "../t@.target");
        file_link(world, "a/x@1.target.requires/r.target", "../r.target");
        file_link(world, "a/x@1.target.upholds/u.target", "/nowhere/u.target");
        file_link(world, "b/x@1.target.wants/masked.target", "../masked.target");
        file_link(world, "a/x@1.target.wants/masked.target", "/dev/null");
        unit = file_load(world, "x@1.target");
        assert_string(file_relations(unit, UNIT_WANTS), "of-all.target t@1.target");
        assert_string(file_relations(unit, UNIT_REQUIRES), "r.target");
        assert_string(file_relations(unit, UNIT_UPHOLDS), "u.target");
        assert_string(file_origin(world, unit, UNIT_REQUIRES, "r.target"), "a/x@1.target.requires/r.target");
}

Test(unit_sources, folders_of_an_alias_count_and_those_of_a_built_in_unit) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x.target", TARGET("x"));
        file_link(world, "a/y.target", "x.target");
        file_write(world, "a/y.target.d/y.conf", "[Unit]\nDescription=by y\n");
        file_link(world, "a/y.target.wants/w.target", "../w.target");
        file_link(world, "a/multi-user.target.wants/w.target", "../w.target");
        assert_string(file_load(world, "x.target")->settings.description, "by y");
        assert_string(file_relations(file_load(world, "x.target"), UNIT_WANTS), "w.target");
        assert_string(file_relations(file_load(world, "multi-user.target"), UNIT_WANTS), "w.target");
}

Test(unit_sources, a_missing_folder_is_empty_until_it_is_made) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        char *path[] = { world->search_path[0], world->search_path[1], NULL, NULL };

        cr_assert(eq(int, text_format(&path[2], "%s/c", world->root), 0));
        world->options.search_path = path;
        file_world_restart(world);
        cr_assert(eq(int, file_load(world, "x.target")->load_state, UNIT_NOT_FOUND));
        file_write(world, "c/x.target", TARGET("x"));
        cr_assert(eq(int, file_load(world, "x.target")->load_state, UNIT_LOADED));
        free(path[2]);
}

Test(unit_sources, what_a_folder_boots_can_be_left_out) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const char *const folders[] = { "/nowhere", world->search_path[1], NULL };

        file_write(world, "a/multi-user.target", "[Unit]\nDescription=ours\n");
        file_write(world, "b/sysinit.target", "[Unit]\nDescription=theirs\n");
        file_write(world, "b/own.target", "[Unit]\nDescription=theirs\nWants=c.service\n");
        file_write(world, "b/basic.target.d/more.conf", "[Unit]\nWants=c.service\n");
        file_write(world, "b/own.target.d/more.conf", "[Unit]\nWants=d.service\n");
        file_link(world, "b/own.target.wants/e.service", "../e.service");
        file_link(world, "b/multi-user.target.requires/e.service", "../e.service");
        file_link(world, "a/multi-user.target.wants/f.service", "../f.service");
        file_link(world, "b/x.service.wants/e.service", "../e.service");
        file_write(world, "b/x.service", "[Service]\nExecStart=/bin/true\n");
        world->options.no_boot_folders = folders;
        file_world_restart(world);
        assert_string(file_load(world, "sysinit.target")->settings.fragment_path, "builtin:sysinit.target");
        assert_string(file_relations(file_load(world, "own.target"), UNIT_WANTS), "c.service d.service");
        assert_string(file_relations(file_load(world, "basic.target"), UNIT_WANTS),
                      "sockets.target timers.target paths.target");
        assert_string(file_relations(file_load(world, "multi-user.target"), UNIT_WANTS), "f.service");
        assert_string(file_relations(file_load(world, "multi-user.target"), UNIT_REQUIRES), "");
        assert_string(file_relations(file_load(world, "x.service"), UNIT_WANTS), "e.service");
}
