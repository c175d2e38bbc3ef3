/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The text of a plan.
 */

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/plan_action.h"

static void assert_action(json_t *job, const char *expected) {
        cleanup_free_ char *action = NULL;

        cr_assert(eq(int, plan_format_action(job, &action), 0));
        assert_string(action, expected);
        json_decref(job);
}

Test(plan, actions_name_the_jobs_that_they_touch) {
        assert_action(json_pack("{s:s}", "action", "new"), "new");
        assert_action(json_pack("{s:s, s:i}", "action", "merge", "id", 5), "merge into job 5");
        assert_action(json_pack("{s:s, s:i}", "action", "cover", "id", 5), "done by job 5");
        assert_action(json_pack("{s:s, s:i}", "action", "turn", "id", 5), "turn job 5");
        assert_action(json_pack("{s:s, s:b, s:[ii]}", "action", "new", "interrupts", 1, "cancels", 3, 4),
                      "new, interrupts, cancels job 3 and 4");
}
