/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The book-keeping of a wait.
 */

#include "double/double_assert.h"
#include "jobctl/wait.h"

static void wait_init(JobWait *wait) {
        cr_assert(eq(int, job_wait_add(wait, 1, "a.service", "start", true), 0));
        cr_assert(eq(int, job_wait_add(wait, 2, "b.service", "start", false), 0));
}

Test(wait, only_anchors_are_waited_for) {
        cleanup_(job_wait_deinit) JobWait wait = {};

        wait_init(&wait);
        cr_assert(eq(sz, wait.n_anchors_left, 1));
        cr_assert(eq(int, job_wait_ended(&wait, 2, "done"), 0));
        cr_assert(eq(sz, wait.n_anchors_left, 1));
        cr_assert(eq(int, job_wait_ended(&wait, 1, "failed"), 0));
        cr_assert(eq(sz, wait.n_anchors_left, 0));
        cr_assert(eq(sz, wait.n_ended, 2));
}

Test(wait, anchors_that_share_a_job_are_one) {
        cleanup_(job_wait_deinit) JobWait wait = {};

        wait_init(&wait);
        cr_assert(eq(int, job_wait_add(&wait, 1, "a.service", "start", true), 0));
        cr_assert(eq(sz, wait.jobs.n, 2));
        cr_assert(eq(sz, wait.n_anchors_left, 1));
}

Test(wait, foreign_jobs_and_second_ends_change_nothing) {
        cleanup_(job_wait_deinit) JobWait wait = {};

        wait_init(&wait);
        cr_assert(eq(int, job_wait_ended(&wait, 77, "done"), 0));
        cr_assert(eq(int, job_wait_ended(&wait, 1, "done"), 0));
        cr_assert(eq(int, job_wait_ended(&wait, 1, "failed"), 0));
        cr_assert(eq(sz, wait.n_ended, 1));
        assert_string(wait.jobs.items[0].result, "done");
}

Test(wait, progress_names_running_jobs_of_ours) {
        cleanup_(job_wait_deinit) JobWait wait = { .since = 1000000 };
        cleanup_json_ json_t *jobs = json_pack(
                "[{s:i,s:s,s:s,s:s,s:i}, {s:i,s:s,s:s,s:s}, {s:i,s:s,s:s,s:s,s:i}]",
                "id", 1, "unit", "a.service", "run", "start", "state", "running", "triggered-at", 2000000,
                "id", 2, "unit", "b.service", "run", "start", "state", "waiting",
                "id", 9, "unit", "z.service", "run", "start", "state", "running", "triggered-at", 0);
        cleanup_free_ char *line = NULL;

        wait_init(&wait);
        cr_assert(eq(int, job_wait_format_progress(&wait, jobs, 5500000, &line), 0));
        assert_string(line, "[0/2] 4s  start a.service (3s)");
}

Test(wait, json_has_null_for_what_has_not_ended) {
        cleanup_(job_wait_deinit) JobWait wait = {};
        cleanup_json_ json_t *json = NULL;
        cleanup_free_ char *text = NULL;

        wait_init(&wait);
        cr_assert(eq(int, job_wait_ended(&wait, 1, "done"), 0));
        json = job_wait_to_json(&wait);
        text = json_dumps(json, JSON_COMPACT);
        assert_string(text,
                     "[{\"id\":1,\"unit\":\"a.service\",\"type\":\"start\",\"anchor\":true,\"result\":\"done\"},"
                     "{\"id\":2,\"unit\":\"b.service\",\"type\":\"start\",\"anchor\":false,\"result\":null}]");
}
