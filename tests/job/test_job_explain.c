/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Why: what is said of jobs, units and transactions
 */

#include <stdio.h>

#include "job/job_reason.h"
#include "job_world.h"

static JobWorld *world_with_chain(void) {
        JobWorld *w = job_world_new();

        double_relate_at(w->units, "t.target", UNIT_WANTS, "c.service", 1);
        double_relate_at(w->units, "c.service", UNIT_REQUIRES, "b.service", 2);
        double_relate_at(w->units, "c.service", UNIT_AFTER, "b.service", 3);
        double_relate_at(w->units, "b.service", UNIT_REQUIRES, "a.service", 4);
        double_relate_at(w->units, "a.service", UNIT_BEFORE, "b.service", 5);
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        return w;
}

Test(job_explain, waiting_job_names_what_it_waits_for_down_to_what_runs) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain();
        const char *text;

        job_world_run(w);
        w->units->clock.now += 3 * USEC_PER_SEC;
        text = job_world_explain(w, "c.service");
        assert_contains(text, "{kind=waiting,");
        assert_contains(text, "summary=start c.service waits: job 3 (start b.service) goes first and waits itself.");
        assert_contains(text, "blockers=[{id=3,unit=b.service,type=start,run=start,state=waiting,relation=After,"
                              "declared=test:3,");
        assert_contains(text, "{id=2,unit=a.service,type=start,run=start,state=running,relation=After,declared=test:5,"
                              "running=3000000,");
        assert_contains(text, "has been running for 3s");
        assert_contains(text, "ends-when=a.service: the unit becomes active, or fails; or job 4 is canceled}");
        assert_contains(text, "age=3000000");
}

Test(job_explain, causes_lead_to_who_asked_with_file_and_line) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain();
        const char *text = job_world_explain(w, "2");

        assert_contains(text, "causes=[{unit=a.service,type=start,needed=false,relation=Requires,declared=test:4,");
        assert_contains(text, "{unit=b.service,type=start,needed=false,relation=Requires,declared=test:2,");
        assert_contains(text, "{unit=c.service,type=start,needed=false,relation=Wants,declared=test:1,");
        assert_contains(text, "start t.target was requested");
        assert_contains(text, "requester=:1.7,uid=1000,pid=42,");
        assert_contains(text, "requested by :1.7 (pid 42, uid 1000)");
}

Test(job_explain, causes_are_told_after_the_jobs_between_have_ended) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain();

        cr_assert(eq(int, job_manager_cancel(w->jobs, 1, NULL, 0, NULL), 0));
        job_manager_cancel(w->jobs, 4, NULL, 0, NULL);
        assert_contains(job_world_explain(w, "2"), "start t.target was requested");
}

Test(job_explain, running_job_says_how_long_and_until_when) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *text;

        double_unit(w->units, "a.service", UNIT_ACTIVE)->settings.job_timeout = 10 * USEC_PER_SEC;
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        job_world_run(w);
        w->units->clock.now += 4 * USEC_PER_SEC;
        text = job_world_explain(w, "a.service");
        assert_contains(text, "{kind=running,summary=stop a.service has been running for 4s.");
        assert_contains(text, "running=4000000,deadline-in=6000000");
        assert_contains(text, "ends-when=a.service: the unit has stopped; or job 1 (stop a.service) times out, in 6s}");
        assert_contains_not(text, "blockers");
}

static int activity(const Unit *unit, char **ret_activity, usec_t *ret_since) {
        *ret_activity = strdup("ExecStart: /bin/sleep 60 (pid 12)");
        *ret_since = DOUBLE_CLOCK_START;
        return *ret_activity ? 0 : -ENOMEM;
}

static usec_t limit(const Unit *unit) {
        return DOUBLE_CLOCK_START + 90 * USEC_PER_SEC;
}

Test(job_explain, all_that_ends_a_wait_is_told) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain();
        UnitVTable vtable = *job_world_unit(w, "a.service")->vtable;

        vtable.limit = limit;
        job_world_unit(w, "a.service")->vtable = &vtable;
        job_world_run(w);
        w->units->clock.now += 30 * USEC_PER_SEC;
        assert_contains(job_world_explain(w, "3"), "ends-when=a.service: the unit becomes active, or fails (its own "
                                                   "time limit: in 1min); or job 3 is canceled}");
        assert_contains(job_world_explain(w, "3"), "limit-in=60000000");
        assert_contains(job_world_explain(w, "2"), "or fails (its own time limit: in 1min)}");
        assert_contains(job_world_explain(w, "2"), "limit-in=60000000");
}

Test(job_explain, the_first_time_limit_on_the_way_is_told) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "c.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "b.service");
        double_unit(w->units, "c.service", UNIT_INACTIVE)->settings.job_timeout = 20 * USEC_PER_SEC;
        double_unit(w->units, "b.service", UNIT_INACTIVE)->settings.job_timeout = 10 * USEC_PER_SEC;
        job_world_accept(w, JOB_REPLACE, "start:c.service");
        job_world_run(w);
        assert_contains(job_world_explain(w, "c.service"), "; or job 2 (start b.service) times out, in 10s; or job 1 is "
                                                           "canceled}");
}

Test(job_explain, what_became_of_a_unit_since_its_last_job_is_told) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain();
        UnitVTable vtable = *job_world_unit(w, "a.service")->vtable;

        vtable.activity = activity;
        job_world_unit(w, "a.service")->vtable = &vtable;
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_state(w, "a.service", UNIT_FAILED);
        assert_contains(job_world_explain(w, "a.service"), "{kind=idle,");
        assert_contains(job_world_explain(w, "a.service"), "a.service is failed now: ExecStart: /bin/sleep 60 (pid 12).");
        assert_contains_not(job_world_explain(w, "4"), "now");
}

Test(job_explain, what_a_unit_does_is_told_of_the_job_and_of_those_that_wait) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain();
        UnitVTable vtable = *job_world_unit(w, "a.service")->vtable;

        vtable.activity = activity;
        job_world_unit(w, "a.service")->vtable = &vtable;
        job_world_run(w);
        w->units->clock.now += USEC_PER_SEC;
        assert_contains(job_world_explain(w, "2"), "activity=ExecStart: /bin/sleep 60 (pid 12),activity-for=1000000");
        assert_contains(job_world_explain(w, "3"), "activity=ExecStart: /bin/sleep 60 (pid 12),activity-for=1000000");
        assert_contains(job_world_explain(w, "3"), "has been running for 1s: ExecStart: /bin/sleep 60 (pid 12)");
        assert_contains(job_world_explain(w, "2"),
                        "summary=start a.service has been running for 1s: ExecStart: /bin/sleep 60 (pid 12).");
}

Test(job_explain, job_behind_another_of_its_unit_says_so) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        /* Of the two jobs, the waiting one is explained. */
        assert_contains(job_world_explain(w, "a.service"), "reload a.service waits: job 1 (start a.service) of the same unit");
        assert_contains_not(job_world_explain(w, "a.service"), "declared");
}

Test(job_explain, paused_and_ready_jobs_say_so) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit_answer(double_unit(w->units, "a.service", UNIT_MAINTENANCE), DOUBLE_START, UNIT_NOT_NOW);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_contains(job_world_explain(w, "1"), "start a.service is ready");
        assert_contains(job_world_explain(w, "1"), "ends-when=a.service: the manager's next turn");
        job_world_run(w);
        assert_contains(job_world_explain(w, "1"), "waits: the unit is maintenance and answered \"not now\"");
        assert_contains(job_world_explain(w, "1"), "pause=");
        assert_contains(job_world_explain(w, "1"), "ends-when=a.service: the unit changes its state");
}

Test(job_explain, what_was_merged_in_is_told_up_to_eight_causes) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *text;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        for (int i = 0; i < 12; i++)
                job_world_accept(w, JOB_REPLACE, "start:a.service");
        text = job_world_explain(w, "1");
        assert_contains(text, "also=[start a.service was requested; requested by :1.7 (pid 42, uid 1000) "
                              "(transaction 2)");
        assert_contains(text, "(transaction 8),and 4 more]");
}

Test(job_explain, absorbed_job_tells_of_its_survivor_and_of_its_own_request) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *text;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_manager_cancel(w->jobs, 1, NULL, w->units->clock.now, NULL);
        text = job_world_explain(w, "2");
        assert_contains(text, "summary=Job 2 was merged into another. Job 1 (restart a.service) ended canceled ");
        assert_contains(text, "transaction=2,");
        assert_contains(text, "causes=[{unit=a.service,type=reload,");
}

Test(job_explain, requests_without_a_process_or_a_name_are_told) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobRequester nobody = { .name = ":1.2", .uid = 5 };
        JobRequest request = { .unit = "a.service", .type = JOB_START };
        JobOptions options = { .requester = &nobody };

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_unit(w->units, "b.service", UNIT_INACTIVE);
        cr_assert(eq(int, job_manager_exec(w->jobs, &request, 1, &options, NULL), 0));
        assert_contains(job_world_explain(w, "a.service"), "requested by :1.2 (uid 5)");
        request.unit = "b.service";
        options.requester = NULL;
        cr_assert(eq(int, job_manager_exec(w->jobs, &request, 1, &options, NULL), 0));
        assert_contains(job_world_explain(w, "b.service"), "because the manager started");
}

Test(job_explain, client_is_called_by_the_name_of_its_process) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobRequester jobctl = { .name = ":1.2", .command = "jobctl", .uid = 5, .pid = 12 };
        JobRequest request = { .unit = "a.service", .type = JOB_START };
        JobOptions options = { .requester = &jobctl };
        const char *text;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        cr_assert(eq(int, job_manager_exec(w->jobs, &request, 1, &options, NULL), 0));
        text = job_world_explain(w, "a.service");
        assert_contains(text, "{requester=:1.2,command=jobctl,uid=5,pid=12,text=requested by jobctl (pid 12, uid 5)}");
}

Test(job_explain, ended_job_says_how_and_why) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *text;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_FAILED);
        w->units->clock.now += 2 * USEC_PER_SEC;
        text = job_world_explain(w, "1");
        assert_contains(text, "{kind=ended,summary=Job 1 (start a.service) ended failed 2s ago: the unit is failed.");
        assert_contains(text, "result=failed,transaction=1,");
        assert_contains(text, "start a.service was requested");
        assert_contains(job_world_explain(w, "a.service"), "{kind=idle,summary=Job 1");
}

Test(job_explain, each_way_to_end_has_its_words) {
        cleanup_(job_name_unrefp) JobName *told = job_name_new("what was told");
        const struct {
                JobEndReason reason;
                const char *text;
        } rows[] = {
                { { JOB_END_UNSAID, 0, NULL }, NULL },
                { { JOB_END_ANSWER, UNIT_ALREADY, NULL }, "the unit was in that state already" },
                { { JOB_END_ANSWER, UNIT_CONDITION_UNMET, NULL }, "a condition is not met" },
                { { JOB_END_ANSWER, UNIT_ASSERT_UNMET, NULL }, "an assertion is not met" },
                { { JOB_END_ANSWER, UNIT_CANNOT, NULL }, "the unit has no such operation" },
                { { JOB_END_ANSWER, UNIT_UNSUPPORTED, NULL }, "units of this type are not supported here" },
                { { JOB_END_ANSWER, UNIT_WRONG_STATE, NULL }, "the unit is not active" },
                { { JOB_END_ANSWER, UNIT_DEPENDENCY_UNMET, NULL }, "a unit that it binds to is not active" },
                { { JOB_END_ANSWER, UNIT_ONCE, NULL }, "the unit can't be started a second time" },
                { { JOB_END_ANSWER, UNIT_OPERATION_FAILED, NULL }, "the operation failed" },
                { { JOB_END_UNIT_CHANGED, UNIT_FAILED, NULL }, "the unit is failed" },
                { { JOB_END_UNIT_ACTIVE, 0, NULL }, "the unit is active" },
                { { JOB_END_UNIT_NOT_ACTIVE, 0, NULL }, "the unit is not active" },
                { { JOB_END_UNIT_GONE, 0, NULL }, "the unit was unloaded" },
                { { JOB_END_UNIT_UNUSABLE, 0, NULL }, "its unit cannot be used since a restart of the manager" },
                { { JOB_END_DEPENDENCY, 0, NULL }, "dependency on somebody failed" },
                { { JOB_END_REPLACED, 7, NULL }, "replaced in transaction 7" },
                { { JOB_END_CLEARED, 7, NULL }, "cleared by transaction 7" },
                { { JOB_END_INTERRUPTED, 7, NULL }, "interrupted by job 7" },
                { { JOB_END_STOPPED, 7, NULL }, "job 7 stops the unit" },
                { { JOB_END_CANCELED, 0, NULL }, "canceled by somebody" },
                { { JOB_END_TIME_LIMIT, 0, NULL }, "its time limit has elapsed" },
                { { JOB_END_CYCLE, 0, NULL }, "new unit files closed an ordering cycle" },
                { { JOB_END_ANSWER, UNIT_CONDITION_UNMET, told }, "a condition is not met: what was told" },
                { { JOB_END_UNIT_CHANGED, UNIT_FAILED, told }, "what was told" },
                { { JOB_END_ANSWER, UNIT_DEPENDENCY_UNMET, told }, "a unit that it binds to is not active: what was told" },
                { { JOB_END_DEPENDENCY_OF, 0, told }, "dependency on what was told" },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                char buffer[JOB_END_REASON_TEXT_MAX];
                const char *text = job_end_reason_format(&rows[i].reason, buffer);

                if (rows[i].text)
                        assert_string(text, rows[i].text);
                else
                        assert_null(text);
        }
}

Test(job_explain, unit_without_a_job_is_idle) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_MAINTENANCE);
        assert_string(job_world_explain(w, "a.service"),
                      "{kind=idle,summary=a.service is maintenance and has no job.,unit=a.service}");
}

Test(job_explain, unit_that_was_left_out_says_by_which_rule) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_WANTS, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_contains(job_world_explain(w, "b.service"),
                        "start b.service was left out of transaction 1 (redundant): b.service is active already.");
}

Test(job_explain, unit_that_was_left_out_names_the_way_to_who_asked) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *text;

        double_relate(w->units, "t.target", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "a.service", UNIT_WANTS, "b.service");
        double_relate(w->units, "b.service", UNIT_REQUIRES, "c.service");
        double_unit(w->units, "c.service", UNIT_INACTIVE)->load_state = UNIT_MASKED;
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        text = job_world_explain(w, "c.service");
        assert_contains(text, "causes=[{unit=c.service,type=start,needed=false,relation=Requires,declared=test:");
        assert_contains(text, "{unit=b.service,type=start,needed=false,relation=Wants,declared=test:");
        assert_contains(text, "{unit=a.service,type=start,needed=true,relation=Requires,declared=test:");
        assert_contains(text, "{unit=t.target,type=start,needed=true,text=start t.target was requested},{requester=");

        /* The same after a refused request. */
        job_world_exec(w, JOB_REPLACE, "start:t.target stop:t.target");
        text = job_world_explain(w, "t.target");
        assert_contains(text, "{kind=waiting");
        text = job_world_explain(w, "c.service");
        assert_contains(text, "A request that would have brought start c.service was refused: ");
        assert_contains(text, "{requester=:1.7,");
}

Test(job_explain, unit_whose_request_was_refused_says_why) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *text;

        double_unit(w->units, "a.service", UNIT_INACTIVE)->load_state = UNIT_MASKED;
        job_world_exec(w, JOB_REPLACE, "start:a.service");
        text = job_world_explain(w, "a.service");
        assert_contains(text, "{kind=refused,summary=A request for a.service was refused: Unit a.service is masked.");
        assert_contains(text, "message=Unit a.service is masked.");
        assert_contains(text, "requests=[start a.service],jobs=[]");
        assert_contains_not(text, "transaction=");

        /* A name without a unit was requested, too. */
        job_world_exec(w, JOB_REPLACE, "start:nothing");
        assert_contains(job_world_explain(w, "nothing"), "not a valid name");
}

Test(job_explain, later_end_counts_more_than_an_earlier_refusal) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_exec(w, JOB_REPLACE, "start:a.service start:missing.service");
        w->units->clock.now += 1;
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_manager_cancel(w->jobs, 1, NULL, w->units->clock.now, NULL);
        assert_contains(job_world_explain(w, "a.service"), "ended canceled");
}

Test(job_explain, transaction_is_told_with_its_requests_jobs_and_drops) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *text;

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_WANTS, "b.service");
        double_relate(w->units, "a.service", UNIT_WANTS, "c.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        text = job_world_explain(w, "t1");
        assert_contains(text, "{kind=transaction,summary=Transaction 1 in mode replace was committed, requested by :1.7");
        assert_contains(text, "requests=[start a.service],jobs=[1,2]");
        assert_contains(text, "causes=[{requester=:1.7,");
        assert_contains(text, "dropped=[{unit=b.service,type=start,rule=redundant,why=b.service is active already,"
                              "puller=a.service,relation=Wants,declared=test:");
}

Test(job_explain, of_what_nobody_knows_there_is_nothing_to_say) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        DoubleSink sink;

        double_sink_init(&sink);
        cr_assert(eq(int, job_manager_explain(w->jobs, "7", 0, &sink.sink), -ENOENT));
        cr_assert(eq(int, job_manager_explain(w->jobs, "t7", 0, &sink.sink), -ENOENT));
        cr_assert(eq(int, job_manager_explain(w->jobs, "no.service", 0, &sink.sink), -ENOENT));
        cr_assert(eq(int, job_manager_explain(w->jobs, "", 0, &sink.sink), -ENOENT));
        assert_string(double_sink_string(&sink), "");
        double_sink_deinit(&sink);
}

Test(job_explain, long_chains_are_cut) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *text;
        char a[32], b[32];

        for (int i = 0; i < 500; i++) {
                snprintf(a, sizeof(a), "u%03d.service", i);
                snprintf(b, sizeof(b), "u%03d.service", i + 1);
                double_relate(w->units, a, UNIT_REQUIRES, b);
                double_relate(w->units, a, UNIT_AFTER, b);
        }
        job_world_accept(w, JOB_REPLACE, "start:u000.service");
        job_world_run(w);
        text = job_world_explain(w, b);
        assert_contains(text, "start u500.service is pulled in by start u499.service");
        assert_contains(text, "… and 437 more in between");
        assert_contains(text, "start u000.service was requested");
        cr_assert(lt(sz, strlen(text), 20000));
        cr_assert(lt(sz, strlen(job_world_explain(w, "u000.service")), 20000));
}

/* — jobs, as they are listed — */

static const char *write_job(JobWorld *w, uint32_t id) {
        JobInfo job;
        DoubleSink sink;

        cr_assert(job_manager_find(w->jobs, id, &job) || job_manager_find_ended(w->jobs, id, &job));
        double_sink_init(&sink);
        job_manager_write_job(w->jobs, &job, &sink.sink);
        free(w->text);
        w->text = strdup(double_sink_string(&sink));
        double_sink_deinit(&sink);
        return w->text;
}

Test(job_explain, job_is_written_with_what_it_waits_for) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain();

        job_world_run(w);
        assert_string(write_job(w, 4), "{id=4,unit=c.service,type=start,run=start,state=waiting,irreversible=false,"
                                       "ignore-order=false,paused=false,blocker=3,transaction=1,requester=:1.7,"
                                       "installed-at=1000000000}");
        assert_string(write_job(w, 2), "{id=2,unit=a.service,type=start,run=start,state=running,irreversible=false,"
                                       "ignore-order=false,paused=false,transaction=1,requester=:1.7,"
                                       "installed-at=1000000000,triggered-at=1000000000}");
}

Test(job_explain, ended_job_is_written_with_its_result) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobInfo job;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE_IRREVERSIBLY, "start:a.service");
        job_manager_cancel(w->jobs, 1, NULL, 0, NULL);
        unit_table_remove(w->units->table, job_world_unit(w, "a.service"));
        assert_string(write_job(w, 1), "{id=1,unit=a.service,type=start,run=start,result=canceled,irreversible=true,"
                                       "ignore-order=false,paused=false,transaction=1,installed-at=1000000000}");
        cr_assert(not(job_manager_find_ended(w->jobs, 2, &job)));
}
