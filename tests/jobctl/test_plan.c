/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The text of a plan.
 */

#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "jobctl/plan_action.h"
#include "jobctl/plan_tree.h"
#include "jobctl/value.h"

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

/* A job that another one pulled in, by a line of the file @declared. */
static void add_job(json_t *jobs, const char *unit, const char *type, const char *puller, const char *declared) {
        cleanup_free_ char *why = NULL;

        cr_assert(eq(int, text_format(&why, "start %s: Wants=%s (%s)", puller, unit, declared), 0));
        json_array_append_new(jobs, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "unit", unit, "type", type,
                                              "action", "new", "puller", puller, "puller-type", "start", "declared",
                                              declared, "why", why));
}

static void add_anchor(json_t *jobs, const char *unit) {
        json_array_append_new(jobs, json_pack("{s:s, s:s, s:s, s:b, s:s}", "unit", unit, "type", "start", "action",
                                              "new", "anchor", 1, "why", "asked for"));
}

/* "a.target(b.service)": depth by brackets, basic targets with a star. */
static void assert_tree(const json_t *jobs, const char *expected) {
        PlanRows rows = {};
        cleanup_(text_deinit) Text text = {};

        cr_assert(eq(int, plan_tree_rows(jobs, &rows), 0));
        for (size_t i = 0; i < rows.n; i++)
                text_addf(&text, "%zu%s%s ", rows.items[i].depth, rows.items[i].is_basic ? "*" : ":",
                          value_string(rows.items[i].job, "unit"));
        assert_string(text.string, expected);
        vector_deinit(&rows);
}

Test(plan, jobs_are_below_those_that_pull_them_in) {
        cleanup_json_ json_t *jobs = json_array();

        add_job(jobs, "c.service", "start", "b.service", "b.service:2");
        add_job(jobs, "b.service", "start", "a.target", "a.target:2");
        add_anchor(jobs, "a.target");
        add_job(jobs, "d.service", "start", "a.target", "a.target:3");
        add_job(jobs, "e.service", "stop", "gone.service", "gone.service:2");
        assert_tree(jobs, "0:a.target 1:b.service 2:c.service 1:d.service 0:e.service ");
}

Test(plan, jobs_that_pull_in_each_other_are_all_there) {
        cleanup_json_ json_t *jobs = json_array();

        add_anchor(jobs, "z.target");
        add_job(jobs, "a.service", "restart", "b.service", "b.service:2");
        add_job(jobs, "b.service", "start", "a.service", "a.service:2");
        assert_tree(jobs, "0:z.target 0:a.service 1:b.service ");
}

Test(plan, targets_of_each_service_are_told_from_others) {
        cleanup_json_ json_t *jobs = json_array();

        add_anchor(jobs, "a.service");
        add_job(jobs, "basic.target", "start", "a.service", "default dependency of a.service");
        add_job(jobs, "sockets.target", "start", "basic.target", "builtin:basic.target:5");
        add_job(jobs, "paths.target", "start", "basic.target", "builtin:basic.target:5");
        add_job(jobs, "own.socket", "start", "paths.target", "/etc/jobd/system/paths.target.d/own.conf:2");
        assert_tree(jobs, "0:a.service 1:basic.target 2*sockets.target 2:paths.target 3:own.socket ");
}

Test(plan, reason_leaves_out_the_row_above) {
        cleanup_json_ json_t *jobs = json_array();
        PlanRows rows = {};

        add_anchor(jobs, "a.target");
        add_job(jobs, "b.service", "start", "a.target", "a.target:2");
        add_job(jobs, "c.service", "start", "gone.target", "gone.target:2");
        cr_assert(eq(int, plan_tree_rows(jobs, &rows), 0));
        assert_string(plan_tree_reason(&rows.items[0]), "asked for");
        assert_string(plan_tree_reason(&rows.items[1]), "Wants=b.service (a.target:2)");
        assert_string(plan_tree_reason(&rows.items[2]), "start gone.target: Wants=c.service (gone.target:2)");
        vector_deinit(&rows);
}
