/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folders of attempts
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "manager/manager_attempt_folder.h"

TestSuite(manager_attempt_folder, .timeout = 60);

typedef struct Fixture {
        char base[64];
        char folder[128];
} Fixture;

static void set_up(Fixture *fixture) {
        *fixture = (Fixture) { .base = "/tmp/jobd-attempts-XXXXXX" };
        cr_assert(mkdtemp(fixture->base) != NULL);
        snprintf(fixture->folder, sizeof(fixture->folder), "%s/attempts/run-1-2-3-4", fixture->base);
        cr_assert(eq(int, manager_attempt_folder_make(fixture->base, fixture->folder), 0));
        cr_assert(eq(int, manager_attempt_folder_write(fixture->folder, "input", "{}"), 0));
}

static void tear_down(Fixture *fixture) {
        char path[128];

        snprintf(path, sizeof(path), "%s/attempts", fixture->base);
        cr_expect(eq(int, rmdir(path), 0));
        snprintf(path, sizeof(path), "%s/results", fixture->base);
        cr_expect(eq(int, rmdir(path), 0));
        cr_expect(eq(int, rmdir(fixture->base), 0));
}

static bool is_there(const char *folder, const char *name) {
        struct stat status;
        char path[256];

        snprintf(path, sizeof(path), "%s/%s", folder, name);
        return lstat(path, &status) == 0;
}

Test(manager_attempt_folder, of_a_command_that_has_left_nothing_it_is_removed) {
        Fixture fixture;

        set_up(&fixture);
        cr_assert(manager_attempt_folder_remove_unused(fixture.folder));
        cr_assert(not(is_there(fixture.folder, "")));
        cr_assert(manager_attempt_folder_remove_unused(fixture.folder), "a missing one is gone, too");
        tear_down(&fixture);
}

Test(manager_attempt_folder, what_a_command_has_left_stays_until_all_is_removed) {
        static const char *const names[] = { "result", "control", "other" };

        for (size_t i = 0; i < 3; i++) {
                Fixture fixture;

                set_up(&fixture);
                cr_assert(eq(int, manager_attempt_folder_write(fixture.folder, names[i], "1"), 0));
                cr_assert(not(manager_attempt_folder_remove_unused(fixture.folder)));
                cr_assert(is_there(fixture.folder, names[i]));
                manager_attempt_folder_remove(fixture.folder);
                cr_assert(not(is_there(fixture.folder, "")));
                tear_down(&fixture);
        }
}

Test(manager_attempt_folder, a_command_that_has_put_a_folder_or_a_link_in_place_of_its_input_changes_nothing_else) {
        Fixture fixture;
        char input[256], kept[128];

        set_up(&fixture);
        snprintf(input, sizeof(input), "%s/input", fixture.folder);
        cr_assert(eq(int, unlink(input), 0));
        cr_assert(eq(int, mkdir(input, 0700), 0));
        cr_assert(not(manager_attempt_folder_remove_unused(fixture.folder)));
        cr_assert(is_there(fixture.folder, "input"));

        snprintf(kept, sizeof(kept), "%s/kept", fixture.base);
        cr_assert(eq(int, manager_attempt_folder_write(fixture.base, "kept", "1"), 0));
        cr_assert(eq(int, rmdir(input), 0));
        cr_assert(eq(int, symlink(kept, input), 0));
        cr_assert(manager_attempt_folder_remove_unused(fixture.folder));
        cr_assert(is_there(fixture.base, "kept"));
        cr_assert(eq(int, unlink(kept), 0));
        tear_down(&fixture);
}
