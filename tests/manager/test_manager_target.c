/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

#include "basic/strv.h"
#include "manager/manager_target.h"

static void assert_text(const FlowTarget *target, uint32_t uid, const char *expected) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, manager_target_write(target, uid, &text), 0));
        cr_assert(eq(str, text, (char *) expected));
}

Test(manager_target, commands_are_their_words) {
        char *argv[] = { (char *) "/bin/tell", (char *) "a \"b\"", NULL };
        ExecCommand command = { .path = (char *) "/bin/tell", .argv = argv, .flags = EXEC_IGNORE_FAILURE };
        const FlowTarget target = { .kind = FLOW_TARGET_EXEC, .command = &command };
        cleanup_free_ char *text = NULL;
        ManagerTarget read;

        cr_assert(eq(int, manager_target_write(&target, 7, &text), 0));
        cr_assert(eq(int, manager_target_read(text, &read), 0));
        cr_assert(eq(int, read.kind, FLOW_TARGET_EXEC));
        cr_assert(eq(str, read.command->path, (char *) "/bin/tell"));
        cr_assert(eq(sz, strv_length(read.command->argv), 2));
        cr_assert(eq(str, read.command->argv[1], (char *) "a \"b\""));
        cr_assert(eq(int, read.command->flags, EXEC_IGNORE_FAILURE));
        manager_target_deinit(&read);
        cr_assert(read.command == NULL);
}

Test(manager_target, signals_have_a_name_and_a_reader) {
        const FlowTarget target = { .kind = FLOW_TARGET_SIGNAL, .name = (char *) "done" };
        ManagerTarget read;

        assert_text(&target, 4294967294, "[\"signal\",\"done\",4294967294]");
        cr_assert(eq(int, manager_target_read("[\"signal\",\"\",4294967294]", &read), 0));
        cr_assert(eq(int, read.kind, FLOW_TARGET_SIGNAL));
        cr_assert(eq(str, read.name, (char *) ""));
        cr_assert(eq(u32, read.uid, 4294967294));
        cr_assert(read.command == NULL);
        manager_target_deinit(&read);
}

Test(manager_target, units_have_a_mode) {
        const FlowTarget target = { .kind = FLOW_TARGET_UNIT, .name = (char *) "a.service", .mode = JOB_FAIL };
        ManagerTarget read;

        assert_text(&target, 0, "[\"unit\",\"a.service\",\"fail\"]");
        cr_assert(eq(int, manager_target_read("[\"unit\",\"a.service\",\"replace\"]", &read), 0));
        cr_assert(eq(int, read.kind, FLOW_TARGET_UNIT));
        cr_assert(eq(str, read.name, (char *) "a.service"));
        cr_assert(eq(int, read.mode, JOB_REPLACE));
        manager_target_deinit(&read);
}

Test(manager_target, what_nobody_has_written_is_refused) {
        static const char *const wrong[] = {
                "", "x", "{}", "[]", "null", "[0]", "[0,\"/bin/tell\"]", "[0,\"/bin/tell\",1]", "[-1,\"/bin/tell\",\"a\"]",
                "[true,\"a\",\"b\"]", "[\"signal\"]", "[\"signal\",\"x\"]", "[\"signal\",1,2]", "[\"signal\",\"x\",\"y\"]",
                "[\"signal\",\"x\",4294967296]", "[\"signal\",\"x\",1,2]", "[\"unit\",\"a.service\",\"often\"]",
                "[\"unit\",\"a.service\",1]", "[\"mail\",\"root\",\"fail\"]",
        };

        for (size_t i = 0; i < ELEMENTSOF(wrong); i++) {
                ManagerTarget read;

                cr_assert(eq(int, manager_target_read(wrong[i], &read), -EINVAL), "%s", wrong[i]);
                cr_assert(read.name == NULL && read.command == NULL, "%s", wrong[i]);
        }
}
