/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Path]: what is read, what is refused, and what is implied.
 */

#include "basic/macro.h"
#include "file_world.h"
#include "unitfile/path_settings.h"

static Unit *load(FileWorld *world, const char *lines) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, text_format(&text, "[Path]\n%s", lines), 0));
        file_write(world, "a/x.path", text);
        return file_load(world, "x.path");
}

static const PathSettings *settings_of(const Unit *unit) {
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        return unit->type_settings;
}

Test(path_file, paths_are_kept_in_their_order) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const PathSettings *path = settings_of(load(world, "PathExists=/gone\nPathExists=\nPathChanged=/a//b/\n"
                                                           "DirectoryNotEmpty=/%p\nMakeDirectory=yes\nDirectoryMode=0700\n"));

        cr_assert(eq(sz, path->values.n, 2));
        cr_assert(eq(int, path->values.items[0].kind, PATH_CHANGED));
        assert_string(path->values.items[0].path, "/a/b");
        assert_string(path->values.items[1].path, "/x");
        cr_assert(path->make_directory && path->directory_mode == 0700);
        assert_string(path->unit, "x.service");
        cr_assert(eq(u64, path->limit_interval, 2 * USEC_PER_SEC));
        cr_assert(eq(u32, path->limit_burst, 200));
        assert_string(file_said(world), "");
}

Test(path_file, bad_paths_are_left_out_with_a_warning) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(eq(sz, settings_of(load(world, "PathExists=a\nPathExists=/a/../b\nPathExists=/c\n"))->values.n, 1));
        assert_string(file_said(world), "warning a/x.path:2 PathExists: 'a' is not an absolute path; the line is ignored.\n"
                                        "warning a/x.path:3 PathExists: The path '/a/../b' contains '..'; the line is "
                                        "ignored.\n");
}

Test(path_file, without_a_path_or_with_a_bad_mode_it_is_refused) {
        static const char *const lines[] = { "MakeDirectory=yes\n", "PathExists=/a\nDirectoryMode=rwx\n",
                                             "PathExists=/a\nDirectoryMode=99999\n", "PathExists=/a\nUnit=y.path\n" };

        for (size_t i = 0; i < ELEMENTSOF(lines); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();

                cr_assert(eq(int, load(world, lines[i])->load_state, UNIT_BAD_SETTING), "%s", lines[i]);
        }
}

Test(path_file, what_it_triggers_is_after_it) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = load(world, "PathExists=/a/b\n");

        assert_string(file_relations(unit, UNIT_TRIGGERS), "x.service");
        assert_string(file_relations(unit, UNIT_BEFORE), "paths.target shutdown.target x.service");
        assert_string(file_relations(unit, UNIT_AFTER), "sysinit.target");
}

Test(path_file, it_needs_the_mounts_of_its_paths) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit;

        file_write(world, "a/srv.mount", "[Mount]\nWhat=/dev/x\nWhere=/srv\n");
        file_world_restart(world);
        unit = load(world, "PathExistsGlob=/srv/in/*.job\n");
        assert_string(file_relations(unit, UNIT_REQUIRES), "sysinit.target srv.mount");
}
