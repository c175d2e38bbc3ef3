/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In which order mounts are made, and what each of them may
 */

#include "basic/macro.h"
#include "double/double_assert.h"
#include "exec/sandbox_order.h"

static size_t settle(SandboxMount *mounts, size_t n) {
        sandbox_order_sort(mounts, n);
        return sandbox_order_settle(mounts, n);
}

#define ROOT { .path = "/", .kind = SANDBOX_MOUNT_IMPLICIT }
#define READ_ONLY(path_) { .path = path_, .kind = SANDBOX_MOUNT_SELF, .is_read_only = true }
#define WRITABLE(path_) { .path = path_, .kind = SANDBOX_MOUNT_SELF, .stays_writable = true }
#define HIDDEN(path_) { .path = path_, .kind = SANDBOX_MOUNT_INACCESSIBLE }

Test(sandbox_order, what_is_below_what) {
        cr_assert(sandbox_is_below("/a", "/"));
        cr_assert(sandbox_is_below("/", "/"));
        cr_assert(sandbox_is_below("/a/b", "/a"));
        cr_assert(sandbox_is_below("/a", "/a"));
        cr_assert(eq(int, sandbox_is_below("/ab", "/a"), false));
        cr_assert(eq(int, sandbox_is_below("/a", "/a/b"), false));
}

Test(sandbox_order, outer_ones_first_and_the_root_before_all) {
        SandboxMount mounts[] = { READ_ONLY("/a/b/c"), WRITABLE("/a/b"), READ_ONLY("/a"), ROOT, READ_ONLY("/a-b") };
        const char *const wanted[] = { "/", "/a", "/a-b", "/a/b", "/a/b/c" };
        const size_t outer[] = { 0, 0, 0, 1, 3 };

        cr_assert(eq(sz, settle(mounts, ELEMENTSOF(mounts)), 5));
        for (size_t i = 0; i < ELEMENTSOF(wanted); i++) {
                assert_string(mounts[i].path, wanted[i]);
                cr_assert(eq(sz, mounts[i].outer, outer[i]));
        }
}

Test(sandbox_order, what_changes_nothing_is_left_out) {
        SandboxMount mounts[] = { ROOT, WRITABLE("/a"), READ_ONLY("/b"), READ_ONLY("/b/c"), WRITABLE("/b/c/d"),
                                  WRITABLE("/b/c/d/e") };

        cr_assert(eq(sz, settle(mounts, ELEMENTSOF(mounts)), 3));
        assert_string(mounts[1].path, "/b");
        assert_string(mounts[2].path, "/b/c/d");
        cr_assert(eq(int, mounts[2].is_read_only, false));
}

Test(sandbox_order, nothing_is_made_in_what_is_hidden) {
        SandboxMount mounts[] = { ROOT, HIDDEN("/a"), READ_ONLY("/a/b"), WRITABLE("/a/b/c"), READ_ONLY("/ab") };

        cr_assert(eq(sz, settle(mounts, ELEMENTSOF(mounts)), 3));
        assert_string(mounts[2].path, "/ab");
}

Test(sandbox_order, the_stricter_one_at_one_path) {
        SandboxMount mounts[] = { ROOT, WRITABLE("/a"), READ_ONLY("/a"), READ_ONLY("/b"), HIDDEN("/b") };

        cr_assert(eq(sz, settle(mounts, ELEMENTSOF(mounts)), 3));
        cr_assert(mounts[1].is_read_only);
        cr_assert(eq(int, mounts[2].kind, SANDBOX_MOUNT_INACCESSIBLE));
}

Test(sandbox_order, no_programs_below_unless_it_is_said) {
        SandboxMount mounts[] = {
                { .path = "/", .kind = SANDBOX_MOUNT_SELF, .is_no_exec = true },
                { .path = "/a", .kind = SANDBOX_MOUNT_SELF, .stays_executable = true },
                { .path = "/b", .kind = SANDBOX_MOUNT_BIND, .source = "/x" },
                { .path = "/c", .kind = SANDBOX_MOUNT_TMPFS },
        };

        cr_assert(eq(sz, settle(mounts, ELEMENTSOF(mounts)), 4));
        cr_assert(eq(int, mounts[1].is_no_exec, false));
        cr_assert(mounts[2].is_no_exec);
        cr_assert(mounts[3].is_no_exec);
        cr_assert(eq(int, mounts[2].is_read_only, false));
}
