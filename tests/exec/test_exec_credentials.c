/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Users and groups from the files alone
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "exec/exec_credentials.h"
#include "exec/exec_user.h"

Test(exec_credentials, users_by_name_and_number) {
        uid_t uid = 77;
        gid_t gid = 77;

        cr_assert(eq(int, exec_user_find("root", &uid), 0));
        cr_assert(eq(u32, uid, 0));
        cr_assert(eq(int, exec_user_find("4711471", &uid), 0));
        cr_assert(eq(u32, uid, 4711471));
        cr_assert(eq(int, exec_user_find("no-such-user", &uid), -ESRCH));
        cr_assert(eq(int, exec_user_find("4294967295", &uid), -ESRCH), "-1 is no user");
        cr_assert(eq(int, exec_group_find("root", &gid), 0));
        cr_assert(eq(u32, gid, 0));
        cr_assert(eq(int, exec_group_find("no-such-group", &gid), -ESRCH));
}

Test(exec_credentials, lists_of_users_and_groups) {
        static const struct {
                const char *words[3];
                uid_t uid;
                bool is_listed;
        } cases[] = {
                { {}, 0, false },
                { { "root" }, 0, true },
                { { "root" }, 1, false },
                { { "0" }, 0, true },
                { { "no-such-user", "4711471" }, 4711471, true },
                { { "@root" }, 0, true },
                { { "@0" }, 0, true },
                { { "@root" }, 4711471, false },
                { { "@no-such-group", "@" }, 0, false },
                { { "rootless", "roo" }, 0, false },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                cr_expect(exec_user_is_listed((char *const *) cases[i].words, cases[i].uid) == cases[i].is_listed,
                          "case %zu", i);
        cr_assert(not(exec_user_is_listed(NULL, 0)));
}

static int resolve(ExecRequest request, ExecCredentials *credentials, ExecResult *result) {
        *result = (ExecResult) {};
        return exec_credentials_resolve(&request, credentials, result);
}

Test(exec_credentials, user_brings_group_home_and_name) {
        cleanup_(exec_credentials_deinit) ExecCredentials credentials = {};
        ExecResult result;

        if (geteuid() != 0)
                cr_skip("needs root");
        cr_assert(eq(int, resolve((ExecRequest) { .user = "root" }, &credentials, &result), 0));
        cr_assert(credentials.has_uid && credentials.has_gid && credentials.has_groups);
        assert_string(credentials.home, "/root");
        assert_string(credentials.user_name, "root");
}

Test(exec_credentials, group_of_the_setting_wins) {
        cleanup_(exec_credentials_deinit) ExecCredentials credentials = {};
        ExecResult result;

        cr_assert(eq(int, resolve((ExecRequest) { .user = "root", .group = "4242" }, &credentials, &result), 0));
        cr_assert(eq(u32, credentials.gid, 4242));
}

Test(exec_credentials, number_without_an_entry_needs_a_group) {
        cleanup_(exec_credentials_deinit) ExecCredentials credentials = {}, with_group = {};
        ExecResult result;

        cr_assert(eq(int, resolve((ExecRequest) { .user = "4711471" }, &credentials, &result), -ESRCH));
        cr_assert(eq(int, result.step, EXEC_STEP_USER));
        cr_assert(eq(int, resolve((ExecRequest) { .user = "4711471", .group = "1" }, &with_group, &result), 0));
        cr_assert(eq(u32, with_group.uid, 4711471));
        assert_null(with_group.user_name);
}

Test(exec_credentials, privileges_can_be_kept_with_the_users_name) {
        cleanup_(exec_credentials_deinit) ExecCredentials credentials = {};
        ExecResult result;

        cr_assert(eq(int, resolve((ExecRequest) { .user = "nobody", .flags = EXEC_REQUEST_KEEP_PRIVILEGES }, &credentials,
                                  &result), 0));
        cr_assert(not(credentials.has_uid || credentials.has_gid || credentials.has_groups));
        assert_string(credentials.user_name, "nobody");
}
