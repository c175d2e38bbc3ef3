/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The rings of what has been
 */

#include <stdio.h>

#include "job/job_log.h"
#include "job_world.h"

static JobEnded ended(JobNames *names, uint32_t id, const char *unit) {
        return (JobEnded) { .id = id, .unit = job_names_get(names, unit), .type = JOB_START, .step = JOB_STEP_NONE };
}

static JobTransactionRecord *record(uint64_t id) {
        JobTransactionRecord *r = job_transaction_record_new();

        cr_assert(r != NULL);
        r->id = id;
        return r;
}

static void add_step(JobTransactionRecord *r, const char *unit) {
        JobStep step = { .unit = job_name_new(unit), .puller = JOB_STEP_NONE, .is_anchor = true };

        cr_assert(eq(int, vector_push(&r->steps, step), 0));
}

static void add_drop(JobTransactionRecord *r, const char *unit, const char *why) {
        JobDrop drop = { .unit = job_name_new(unit), .why = strdup(why) };

        cr_assert(eq(int, vector_push(&r->drops, drop), 0));
}

typedef struct LogWorld {
        JobNames *names;
        JobLog log;
} LogWorld;

static void log_world_init(LogWorld *w) {
        w->names = job_names_new();
        cr_assert(w->names != NULL);
        cr_assert(eq(int, job_log_init(&w->log), 0));
}

static void log_world_deinit(LogWorld *w) {
        job_log_deinit(&w->log);
        job_names_free(w->names);
}

Test(job_log, last_ten_thousand_are_found_by_id) {
        LogWorld w;

        log_world_init(&w);
        for (uint32_t id = 1; id <= 25000; id++)
                job_log_add_ended(&w.log, ended(w.names, id, "a.service"));
        cr_assert(job_log_find(&w.log, 15000) == NULL);
        cr_assert(eq(u32, job_log_find(&w.log, 15001)->id, 15001));
        cr_assert(eq(u32, job_log_find(&w.log, 25000)->id, 25000));
        cr_assert(job_log_find(&w.log, JOB_ID_NONE) == NULL);
        log_world_deinit(&w);
}

Test(job_log, id_that_was_given_again_is_found_in_its_last_life) {
        LogWorld w;

        log_world_init(&w);
        job_log_add_ended(&w.log, ended(w.names, 7, "old.service"));
        job_log_add_ended(&w.log, ended(w.names, 7, "new.service"));
        assert_string(job_log_find(&w.log, 7)->unit->string, "new.service");
        for (uint32_t id = 100; id < 100 + JOB_LOG_ENDED_MAX - 1; id++)
                job_log_add_ended(&w.log, ended(w.names, id, "a.service"));
        assert_string(job_log_find(&w.log, 7)->unit->string, "new.service");
        job_log_add_ended(&w.log, ended(w.names, 99999, "a.service"));
        cr_assert(job_log_find(&w.log, 7) == NULL);
        log_world_deinit(&w);
}

Test(job_log, last_end_of_a_unit_is_found) {
        LogWorld w;

        log_world_init(&w);
        job_log_add_ended(&w.log, ended(w.names, 1, "a.service"));
        job_log_add_ended(&w.log, ended(w.names, 2, "b.service"));
        job_log_add_ended(&w.log, ended(w.names, 3, "a.service"));
        cr_assert(eq(u32, job_log_find_of_unit(&w.log, "a.service")->id, 3));
        cr_assert(eq(u32, job_log_find_of_unit(&w.log, "b.service")->id, 2));
        cr_assert(job_log_find_of_unit(&w.log, "c.service") == NULL);
        log_world_deinit(&w);
}

static JobEnded unmet(JobNames *names, uint32_t id, const char *unit) {
        JobEnded of = ended(names, id, unit);

        of.run_type = JOB_START;
        of.reason = (JobEndReason) { JOB_END_ANSWER, UNIT_CONDITION_UNMET, job_name_new("ConditionPathExists=/no") };
        return of;
}

Test(job_log, start_that_conditions_prevented_is_found_until_the_next_one) {
        LogWorld w;
        JobEnded started;

        log_world_init(&w);
        cr_assert(job_log_find_unmet(&w.log, "a.service") == NULL);
        job_log_add_ended(&w.log, unmet(w.names, 1, "a.service"));
        job_log_add_ended(&w.log, unmet(w.names, 2, "b.service"));
        job_log_add_ended(&w.log, unmet(w.names, 3, "a.service"));
        started = ended(w.names, 4, "a.service");
        started.run_type = JOB_STOP;
        job_log_add_ended(&w.log, started);
        cr_assert(eq(u32, job_log_find_unmet(&w.log, "a.service")->id, 3));
        started = ended(w.names, 5, "a.service");
        started.run_type = JOB_START;
        job_log_add_ended(&w.log, started);
        cr_assert(job_log_find_unmet(&w.log, "a.service") == NULL);
        cr_assert(eq(u32, job_log_find_unmet(&w.log, "b.service")->id, 2));
        for (uint32_t id = 6; id < 6 + JOB_LOG_ENDED_MAX; id++)
                job_log_add_ended(&w.log, ended(w.names, id, "c.service"));
        cr_assert(job_log_find_unmet(&w.log, "b.service") == NULL);
        log_world_deinit(&w);
}

Test(job_log, last_thousand_transactions_are_found) {
        LogWorld w;

        log_world_init(&w);
        for (uint64_t id = 1; id <= 1200; id++) {
                JobTransactionRecord *r = record(id);

                job_log_add_transaction(&w.log, r);
                job_transaction_record_unref(r);
        }
        cr_assert(job_log_find_transaction(&w.log, 200) == NULL);
        cr_assert(eq(u64, job_log_find_transaction(&w.log, 201)->id, 201));
        cr_assert(eq(u64, job_log_find_transaction(&w.log, 1200)->id, 1200));
        log_world_deinit(&w);
}

Test(job_log, large_transactions_push_out_old_ones_but_the_last_stays) {
        LogWorld w;

        log_world_init(&w);
        for (uint64_t id = 1; id <= 5; id++) {
                JobTransactionRecord *r = record(id);

                for (int i = 0; i < 3000 * (id == 5 ? 10 : 1); i++)
                        add_step(r, "a.service");
                job_log_add_transaction(&w.log, r);
                job_transaction_record_unref(r);
                cr_assert(job_log_find_transaction(&w.log, id) != NULL);
        }
        cr_assert(job_log_find_transaction(&w.log, 4) == NULL);
        cr_assert(eq(sz, w.log.n_transactions, 1));
        log_world_deinit(&w);
}

Test(job_log, drop_and_refusal_of_a_unit_are_found_the_last_first) {
        const JobDrop *drop;
        LogWorld w;

        log_world_init(&w);
        for (uint64_t id = 1; id <= 3; id++) {
                JobTransactionRecord *r = record(id);

                add_step(r, "asked.service");
                if (id == 2)
                        add_drop(r, "dropped.service", "for a reason");
                if (id == 3)
                        failure_set(&r->failure, -EINVAL, "InvalidArgs", "no");
                job_log_add_transaction(&w.log, r);
                job_transaction_record_unref(r);
        }
        cr_assert(eq(u64, job_log_find_drop(&w.log, "asked.service", &drop)->id, 3));
        cr_assert(drop == NULL);
        cr_assert(eq(u64, job_log_find_drop(&w.log, "dropped.service", &drop)->id, 2));
        assert_string(drop->why, "for a reason");
        cr_assert(job_log_find_drop(&w.log, "other.service", &drop) == NULL);
        log_world_deinit(&w);
}

Test(job_log, waiter_that_comes_late_finds_the_result) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobInfo job;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        for (unsigned i = 0; i < JOB_LOG_ENDED_MAX + 10; i++) {
                job_world_accept(w, JOB_REPLACE, "nop:a.service");
                job_world_run(w);
        }
        cr_assert(not(job_manager_find_ended(w->jobs, 10, &job)));
        cr_assert(job_manager_find_ended(w->jobs, 11, &job));
        cr_assert(eq(int, job.result, JOB_DONE));
        cr_assert(job.unit == job_world_unit(w, "a.service"));
}

/* — names — */

Test(job_log, names_of_one_pool_are_shared) {
        JobNames *names = job_names_new();
        JobName *a = job_names_get(names, "a.service"), *b = job_names_get(names, "a.service");
        JobName *alone = job_name_new("a.service");

        cr_assert(a == b);
        cr_assert(alone != a);
        assert_string(alone->string, "a.service");
        job_name_unref(a);
        cr_assert(job_names_get(names, "a.service") == b);
        job_name_unref(b);
        job_name_unref(b);
        job_name_unref(alone);
        cr_assert(job_name_unref(NULL) == NULL);
        cr_assert(job_name_ref(NULL) == NULL);
        job_names_free(names);
}
