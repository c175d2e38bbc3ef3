/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Enabled or not, the list of files, and verify.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "file_world.h"

#define INSTALL "[Unit]\n[Install]\nWantedBy=multi-user.target\n"

static const char *state_of(FileWorld *world, const char *name) {
        const char *state = NULL;
        int r = unit_file_state(world->loader, name, &state);

        return r == -ENOENT ? "none" : r < 0 ? "error" : state;
}

/* As systemd-machined.service has one for its name on the bus: nothing about it was enabled. */
Test(unit_file_state, an_alias_in_a_package_says_nothing_of_a_unit_without_install) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        cleanup_free_ char *own = NULL, *packaged = NULL;
        char *path[3] = {};

        cr_assert(text_join_path(world->root, "etc/jobd/system", &own) == 0);
        cr_assert(text_join_path(world->root, "usr/lib/jobd/system", &packaged) == 0);
        path[0] = own;
        path[1] = packaged;
        file_write(world, "usr/lib/jobd/system/static.target", "[Unit]\n");
        file_link(world, "usr/lib/jobd/system/other.target", "static.target");
        file_write(world, "usr/lib/jobd/system/wanted.target", INSTALL);
        file_link(world, "usr/lib/jobd/system/name.target", "wanted.target");
        file_write(world, "usr/lib/jobd/system/linked.target", "[Unit]\n");
        file_link(world, "etc/jobd/system/by-hand.target", "/usr/lib/jobd/system/linked.target");
        world->options.search_path = path;
        world->options.root = world->root;
        file_world_restart(world);
        assert_string(state_of(world, "static.target"), "static");
        assert_string(state_of(world, "wanted.target"), "indirect");
        assert_string(state_of(world, "linked.target"), "indirect");
}

Test(unit_file_state, tables_of_files_and_states) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "b/static.target", "[Unit]\n");
        file_write(world, "b/disabled.target", INSTALL);
        file_write(world, "b/enabled.target", INSTALL);
        file_link(world, "a/multi-user.target.wants/enabled.target", "../../b/enabled.target");
        file_write(world, "b/t@.target", INSTALL);
        file_link(world, "a/multi-user.target.wants/t@1.target", "../../b/t@.target");
        file_write(world, "b/aliased.target", "[Unit]\n[Install]\nAlias=alias.target\n");
        file_link(world, "a/alias.target", "../b/aliased.target");
        file_link(world, "a/masked.target", "/dev/null");
        file_write(world, "a/empty.target", "");
        file_write(world, "b/also.target", "[Install]\nAlso=static.target\n");
        file_write(world, "elsewhere/linked.target", INSTALL);
        file_link(world, "a/linked.target", "../elsewhere/linked.target");
        file_write(world, "b/wrong.service", "[Service]\nType=nonsense\n" INSTALL);
        file_write(world, "b/wrong-static.service", "[Service]\nType=nonsense\n");

        assert_string(state_of(world, "static.target"), "static");
        assert_string(state_of(world, "disabled.target"), "disabled");
        assert_string(state_of(world, "enabled.target"), "enabled");
        assert_string(state_of(world, "t@.target"), "enabled");
        assert_string(state_of(world, "t@1.target"), "enabled");
        assert_string(state_of(world, "t@2.target"), "disabled");
        assert_string(state_of(world, "aliased.target"), "enabled");
        assert_string(state_of(world, "alias.target"), "alias");
        assert_string(state_of(world, "masked.target"), "masked");
        assert_string(state_of(world, "empty.target"), "masked");
        assert_string(state_of(world, "also.target"), "indirect");
        assert_string(state_of(world, "linked.target"), "linked");
        assert_string(state_of(world, "wrong.service"), "disabled");
        assert_string(state_of(world, "wrong-static.service"), "static");
        assert_string(state_of(world, "basic.target"), "static");
        assert_string(state_of(world, "gone.target"), "none");
        assert_string(state_of(world, "no name"), "error");
}

Test(unit_file_list, each_name_is_there_once_sorted) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        cleanup_(strv_freep) char **names = NULL;
        cleanup_free_ char *joined = NULL;

        file_write(world, "b/x.target", "");
        file_write(world, "a/x.target", "");
        file_write(world, "a/t@.service", "");
        file_write(world, "a/README", "");
        file_write(world, "a/x.target.d/x.conf", "");
        cr_assert(eq(int, unit_file_list(world->loader, &names), 0));
        cr_assert(eq(int, strv_join(names, " ", &joined), 0));
        assert_string(joined, "t@.service x.target");
}

static int verify(FileWorld *world, const char *path) {
        cleanup_free_ char *full = NULL;

        cr_assert(eq(int, text_format(&full, "%s/%s", world->root, path), 0));
        return unit_file_verify(full, &world->options);
}

Test(unit_file_verify, a_good_file_has_no_errors) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "elsewhere/x@.service", "[Unit]\nRequires=y.target\n[Service]\nExecStart=/bin/sh -c %i\n");
        file_write(world, "elsewhere/y.target", "[Unit]\n");
        cr_assert(eq(int, verify(world, "elsewhere/x@.service"), 0));
        cr_assert(eq(int, verify(world, "elsewhere"), 0));
        assert_string(file_said(world), "");
}

Test(unit_file_verify, errors_are_counted_and_said) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "elsewhere/x.service",
                   "[Unit]\nRequires=gone.service\nWants=lost.service\n[Service]\nExecStart=/nonexistent/x\nUser=a:b\n");
        file_write(world, "elsewhere/y.service", "[Service]\nExecStrat=/bin/true\n");
        file_write(world, "elsewhere/z.swap", "[Swap]\nWhat=/dev/null\n");
        cr_assert(eq(int, verify(world, "elsewhere/x.service"), 2));
        file_assert_contains(world->said.string, "error elsewhere/x.service:2 Requires: Unit gone.service is not found");
        file_assert_contains(world->said.string, "warning elsewhere/x.service:3 Wants: Unit lost.service is not found");
        world->options.is_thorough = true;
        cr_assert(eq(int, verify(world, "elsewhere/x.service"), 2));
        file_assert_contains(world->said.string, "elsewhere/x.service:5 ExecStart: There is no program /nonexistent/x");
        file_assert_contains(world->said.string, "error elsewhere/x.service:6 User");
        cr_assert(eq(int, verify(world, "elsewhere"), 4));
        file_assert_contains(world->said.string, "did you mean ExecStart=?");
        file_assert_contains(world->said.string, "Unit type swap is not supported by this version.");
}

Test(unit_file_verify, a_drop_in_is_looked_at_with_its_unit) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/x.target", "[Unit]\n");
        file_write(world, "elsewhere/x.target.d/1.conf", "[Unit]\nDescripton=1\n");
        cr_assert(eq(int, verify(world, "elsewhere/x.target.d/1.conf"), 0));
        assert_said(world, "elsewhere/x.target.d/1.conf:2 Descripton");
}

Test(unit_file_verify, what_is_no_unit_file_is_an_error) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "elsewhere/notes.txt", "");
        cr_assert(eq(int, verify(world, "elsewhere/notes.txt"), 1));
        assert_said(world, "This is not the name of a unit file");
        cr_assert(eq(int, verify(world, "elsewhere/gone.service"), -ENOENT));
}
