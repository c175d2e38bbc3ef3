/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names as people write them.
 */

#include "double/double_assert.h"
#include "jobctl/names.h"

static void assert_mangled(const char *word, const char *suffix, const char *expected) {
        cleanup_free_ char *name = NULL;

        cr_assert(eq(int, name_mangle(word, suffix, &name), 0), "%s", word);
        assert_string(name, expected);
}

Test(names, a_missing_type_is_added) {
        assert_mangled("foo", ".service", "foo.service");
        assert_mangled("foo.target", ".service", "foo.target");
        assert_mangled("rescue", ".target", "rescue.target");
        assert_mangled("foo@bar", ".service", "foo@bar.service");
}

Test(names, patterns_stay_as_they_are) {
        assert_mangled("foo*", ".service", "foo*");
        assert_mangled("[ab].service", ".service", "[ab].service");
        cr_assert(name_is_pattern("a?b"));
        cr_assert(not(name_is_pattern("a.b")));
}

Test(names, paths_become_mounts_and_devices) {
        assert_mangled("/home", ".service", "home.mount");
        assert_mangled("/dev/sda", ".service", "dev-sda.device");
}

Test(names, numbers_are_job_ids) {
        uint32_t id;

        cr_assert(name_is_number("12", &id));
        cr_assert(eq(u32, id, 12));
        cr_assert(not(name_is_number("12x", &id)));
        cr_assert(not(name_is_number("-1", &id)));
        cr_assert(not(name_is_number("", &id)));
        cr_assert(not(name_is_number("99999999999", &id)));
}

Test(names, verbs_are_types_of_requests) {
        assert_string(name_request_type("try-reload-or-restart"), "reload-or-try-restart");
        assert_string(name_request_type("isolate"), "start");
        assert_null(name_request_type("strat"));
        assert_string(name_request_type_nearest("restar"), "restart");
}

Test(names, unit_paths_are_escaped_byte_by_byte) {
        cleanup_free_ char *path = NULL;
        cleanup_free_ char *digit = NULL;

        cr_assert(eq(int, bus_unit_path("a-b@c.service", &path), 0));
        assert_string(path, "/org/jobd1/unit/a_2db_40c_2eservice");
        cr_assert(eq(int, bus_unit_path("1x.target", &digit), 0));
        assert_string(digit, "/org/jobd1/unit/_31x_2etarget");
}
