/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Failures: the stored code, name and message.
 */

#include <errno.h>

#include "basic/failure.h"
#include "double/double_assert.h"

Test(failure, set_returns_the_code_and_replaces_what_was_there) {
        cleanup_(failure_deinit) Failure failure = {};

        cr_assert(eq(int, failure_set(&failure, -ENOENT, "NoSuchUnit", "Unit %s not found.", "a.service"), -ENOENT));
        assert_string(failure_message(&failure), "Unit a.service not found.");
        cr_assert(eq(int, failure_set(&failure, -EINVAL, "Bad", "Outer: %s", failure_message(&failure)), -EINVAL));
        assert_string(failure_message(&failure), "Outer: Unit a.service not found.");
        assert_string(failure.name, "Bad");
}

Test(failure, nobody_has_to_listen) {
        cr_assert(eq(int, failure_set(NULL, -EIO, "X", "y"), -EIO));
}

Test(failure, copy_is_its_own) {
        cleanup_(failure_deinit) Failure a = {}, b = {};

        failure_set(&a, -EPERM, "AccessDenied", "No.");
        cr_assert(eq(int, failure_copy(&b, &a), -EPERM));
        failure_deinit(&a);
        assert_string(failure_message(&b), "No.");
        cr_assert(eq(int, failure_copy(&b, &b), -EPERM));
        assert_string(failure_message(&b), "No.");
}

Test(failure, without_a_message_the_code_speaks) {
        assert_string(failure_message(&(Failure) { .code = -ENOMEM }), "Cannot allocate memory");
        assert_string(failure_message(&(Failure) {}), "Success");
}
