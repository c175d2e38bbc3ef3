/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Plans as they are written
 */

#include "job_world.h"

static const char *write_plan(JobWorld *w) {
        DoubleSink sink;

        double_sink_init(&sink);
        job_plan_write(w->plan, &sink.sink);
        free(w->text);
        w->text = strdup(double_sink_string(&sink));
        double_sink_deinit(&sink);
        return w->text;
}

static JobWorld *world_with_all(void) {
        JobWorld *w = job_world_new();

        double_unit(w->units, "active.service", UNIT_ACTIVE);
        double_unit(w->units, "other.service", UNIT_INACTIVE);
        double_unit(w->units, "run.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:run.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:run.service start:other.service");
        double_relate_at(w->units, "t.target", UNIT_WANTS, "active.service", 1);
        double_relate_at(w->units, "t.target", UNIT_WANTS, "a.service", 2);
        double_relate_at(w->units, "t.target", UNIT_WANTS, "b.service", 3);
        double_relate_at(w->units, "a.service", UNIT_BEFORE, "b.service", 4);
        double_relate_at(w->units, "b.service", UNIT_BEFORE, "a.service", 5);
        return w;
}

Test(job_plan, accepted_plan_is_written_whole) {
        cleanup_(job_world_freep) JobWorld *w = world_with_all();

        job_world_accept(w, JOB_FLUSH, "start:t.target stop:run.service");
        assert_string(write_plan(w),
                      "{ok=true,transaction=3,jobs=["
                      "{id=4,unit=t.target,type=start,action=new,anchor=true,needed=true,state=inactive,interrupts=false,"
                      "cancels=[],why=asked for},"
                      "{id=5,unit=run.service,type=stop,action=new,anchor=true,needed=true,state=activating,"
                      "interrupts=true,cancels=[2,1],why=asked for},"
                      "{id=6,unit=b.service,type=start,action=new,anchor=false,needed=false,state=inactive,"
                      "interrupts=false,cancels=[],puller=t.target,puller-type=start,relation=Wants,declared=test:3,"
                      "why=start t.target: Wants=b.service (test:3)}],"
                      "dropped=[{unit=active.service,type=start,rule=redundant,why=active.service is active already},"
                      "{unit=a.service,type=start,rule=cycle,why=to break an ordering cycle: start a.service → "
                      "start b.service (Before=b.service at test:4) → start a.service (Before=a.service at test:5); "
                      "start a.service is left out}],"
                      "canceled=[{id=3,unit=other.service,type=start}],"
                      "cycles=[start a.service → start b.service (Before=b.service at test:4) → "
                      "start a.service (Before=a.service at test:5); start a.service is left out]}");
}

Test(job_plan, plan_says_the_same_before_as_after_but_for_ids) {
        cleanup_(job_world_freep) JobWorld *w = world_with_all();
        cleanup_free_ char *planned = NULL;

        job_world_plan(w, JOB_REPLACE, "start:t.target");
        planned = strdup(write_plan(w));
        assert_contains(planned, "transaction=0,jobs=[{id=0,");
        assert_jobs(w, "1 start run.service running, 2 reload run.service waiting, 3 start other.service waiting");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_contains(write_plan(w), "transaction=3,jobs=[{id=4,");
        assert_contains(write_plan(w), strstr(planned, ",type=start,action=new,anchor=false"));
}

Test(job_plan, refused_plan_says_why) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        job_world_plan(w, JOB_REPLACE, "start:missing.service");
        assert_string(write_plan(w), "{ok=false,error=NoSuchUnit,message=Unit missing.service not found.,transaction=0,"
                                     "jobs=[],dropped=[],canceled=[],cycles=[]}");
}

Test(job_plan, job_of_a_mode_names_the_mode) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "rescue.target", UNIT_INACTIVE)->settings.allow_isolate = true;
        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_plan(w, JOB_ISOLATE, "start:rescue.target");
        assert_contains(write_plan(w), "unit=a.service,type=stop,action=new,anchor=false,needed=true,state=active,"
                                       "interrupts=false,cancels=[],puller=rescue.target,puller-type=start,"
                                       "relation=Conflicts,why=mode isolate of start rescue.target");
}

static const char *write_edges(JobWorld *w, const char *unit, JobType type, JobMode mode) {
        const JobRequest request = { .unit = unit, .type = type };
        const JobOptions options = { .mode = mode, .wants_edges = true };

        w->plan = job_plan_free(w->plan);
        cr_assert(ge(int, job_manager_plan(w->jobs, &request, 1, &options, &w->plan), 0));
        return strstr(write_plan(w), "edges=") ?: "none";
}

static JobWorld *world_with_edges(void) {
        JobWorld *w = job_world_new();

        double_relate(w->units, "t.target", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "b.service");
        double_relate(w->units, "t.target", UNIT_AFTER, "a.service");
        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_BEFORE, "a.service");
        return w;
}

Test(job_plan, edges_are_all_that_pulls_in_and_all_order) {
        cleanup_(job_world_freep) JobWorld *w = world_with_edges();

        assert_string(write_edges(w, "t.target", JOB_START, JOB_REPLACE),
                      "edges=[(0,2,After,false),(0,2,Requires,true),(1,2,Requires,true),(2,1,After,false),"
                      "(0,1,Wants,false)]}");
        assert_string(write_edges(w, "t.target", JOB_START, JOB_IGNORE_DEPENDENCIES), "edges=[]}");
}

Test(job_plan, everything_waits_for_a_stop) {
        cleanup_(job_world_freep) JobWorld *w = world_with_edges();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "t.target", UNIT_ACTIVE);
        assert_contains(write_edges(w, "a.service", JOB_STOP, JOB_REPLACE), "(0,1,RequiredBy,");
        assert_contains(write_edges(w, "a.service", JOB_STOP, JOB_REPLACE), "(0,1,After,false)");
}

Test(job_plan, edges_are_written_only_if_wanted_and_none_of_a_refusal) {
        cleanup_(job_world_freep) JobWorld *w = world_with_edges();

        job_world_plan(w, JOB_REPLACE, "start:t.target");
        cr_assert(eq(ptr, strstr((char *) write_plan(w), "edges="), NULL));
        assert_string(write_edges(w, "missing.service", JOB_START, JOB_REPLACE), "edges=[]}");
}

Test(job_plan, no_plan_is_none_to_free) {
        cr_assert(job_plan_free(NULL) == NULL);
}
