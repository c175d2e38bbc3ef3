/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The table: which jobs are ready and in what order, deadlines, ids and
 * aliases
 */

#include "double/double_assert.h"
#include "double/double_unit.h"
#include "job/job_table.h"

typedef struct TableWorld {
        DoubleWorld *units;
        JobTable table;
} TableWorld;

static TableWorld *table_world_new(void) {
        TableWorld *w = calloc(1, sizeof(*w));

        cr_assert(w != NULL);
        w->units = double_world_new();
        cr_assert(eq(int, job_table_init(&w->table, w->units->table), 0));
        return w;
}

static void table_world_freep(TableWorld **w) {
        job_table_deinit(&(*w)->table);
        double_world_free((*w)->units);
        free(*w);
}

static Job *install(TableWorld *w, const char *name, JobType type) {
        Unit *unit = double_unit(w->units, name, UNIT_INACTIVE);
        Job *job;

        cr_assert(eq(int, job_table_reserve(&w->table, 1), 0));
        cr_assert(eq(int, job_new(&job, unit->index, type, (JobCause) {}), 0));
        job->priority = unit->settings.job_priority;
        job_table_install(&w->table, job);
        return job;
}

static void end(TableWorld *w, Job *job) {
        job_table_remove(&w->table, job);
        job_free(job);
}

/* Compares the units of the ready jobs, all of which are popped. */
static void check_order(TableWorld *w, const char *expected) {
        Text order = {};
        Job *job;

        while ((job = job_table_next(&w->table))) {
                text_addf(&order, "%s%c", order.n > 0 ? " " : "",
                          unit_table_at(w->units->table, job->unit)->id[0]);
                end(w, job);
        }
        assert_string(order.string, expected);
        text_deinit(&order);
}

Test(job_table, ready_are_stops_then_verifies_then_the_rest_by_id) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();

        install(w, "a.service", JOB_START);
        install(w, "b.service", JOB_VERIFY_ACTIVE);
        install(w, "c.service", JOB_RELOAD);
        install(w, "d.service", JOB_STOP);
        install(w, "e.service", JOB_NOP);
        install(w, "f.service", JOB_RESTART);
        install(w, "g.service", JOB_VERIFY_ACTIVE);
        check_order(w, "d f b g a c e");
}

Test(job_table, priority_of_the_unit_comes_before_all_else) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE)->settings.job_priority = -1;
        double_unit(w->units, "c.service", UNIT_INACTIVE)->settings.job_priority = 5;
        install(w, "a.service", JOB_STOP);
        install(w, "b.service", JOB_START);
        install(w, "c.service", JOB_START);
        install(w, "d.service", JOB_STOP);
        check_order(w, "c d b a");
}

Test(job_table, changed_type_changes_the_place_among_the_ready) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();
        Job *job;

        install(w, "a.service", JOB_START);
        job = install(w, "b.service", JOB_RELOAD);
        job_table_set_type(&w->table, job, JOB_RESTART);
        check_order(w, "b a");
}

Test(job_table, paused_job_is_not_ready_and_its_pause_goes_with_its_type) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();
        Job *job = install(w, "a.service", JOB_RELOAD);

        job_table_set_pause(&w->table, job, JOB_PAUSE_NOT_NOW);
        cr_assert(job_table_next(&w->table) == NULL);
        job_table_set_type(&w->table, job, JOB_RESTART);
        cr_assert(job_table_next(&w->table) == job);

        job_table_set_pause(&w->table, job, JOB_PAUSE_NOT_NOW);
        job_table_set_type(&w->table, job, JOB_RESTART);
        cr_assert(job_table_next(&w->table) == NULL);
        job_table_set_pause(&w->table, job, JOB_PAUSE_NONE);
        cr_assert(job_table_next(&w->table) == job);
}

Test(job_table, waiting_job_behind_a_running_one_is_not_ready_unless_it_interrupts) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();
        Job *start = install(w, "a.service", JOB_START), *next;

        job_table_trigger(&w->table, start, 5);
        cr_assert(eq(u64, start->triggered_at, 5));
        next = install(w, "a.service", JOB_RELOAD);
        cr_assert(job_table_next(&w->table) == NULL);
        end(w, next);
        next = install(w, "a.service", JOB_STOP);
        cr_assert(job_table_next(&w->table) == next);
        end(w, start);
        cr_assert(job_table_next(&w->table) == next);
}

Test(job_table, nop_is_ready_beside_anything) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();
        Job *nop;

        job_table_trigger(&w->table, install(w, "a.service", JOB_START), 5);
        install(w, "a.service", JOB_RELOAD);
        nop = install(w, "a.service", JOB_NOP);
        cr_assert(job_table_next(&w->table) == nop);
        cr_assert(eq(sz, w->table.n_jobs, 3));
}

Test(job_table, job_put_back_waits_again_with_its_run_type) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();
        Job *job = install(w, "a.service", JOB_RESTART);

        job_table_trigger(&w->table, job, 5);
        job_table_put_back(&w->table, job, JOB_START);
        cr_assert(eq(int, job->state, JOB_WAITING));
        cr_assert(eq(int, job->run_type, JOB_START));
        cr_assert(eq(u64, job->triggered_at, 0));
        cr_assert(job_table_next(&w->table) == job);
}

Test(job_table, jobs_are_found_by_id_until_they_go) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();
        Job *a = install(w, "a.service", JOB_START), *b = install(w, "b.service", JOB_START);

        cr_assert(eq(u32, a->id, 1));
        cr_assert(eq(u32, b->id, 2));
        cr_assert(job_table_find(&w->table, 1) == a);
        cr_assert(job_table_find(&w->table, 2) == b);
        cr_assert(job_table_find(&w->table, 3) == NULL);
        cr_assert(job_table_find(&w->table, JOB_ID_NONE) == NULL);
        end(w, a);
        cr_assert(job_table_find(&w->table, 1) == NULL);
}

Test(job_table, absorbed_ids_find_their_survivor_and_go_with_it) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();
        Job *a = install(w, "a.service", JOB_START), *b, *c;

        job_table_trigger(&w->table, a, 1);
        b = install(w, "a.service", JOB_RELOAD);
        job_table_remove(&w->table, b);
        b->is_irreversible = true;
        b->ignores_order = true;
        job_table_absorb(&w->table, a, b);
        job_free(b);
        cr_assert(job_table_find(&w->table, 2) == a);
        cr_assert(a->is_irreversible);
        cr_assert(a->ignores_order);

        job_table_put_back(&w->table, a, JOB_START);
        job_table_remove(&w->table, a);
        c = install(w, "a.service", JOB_START);
        job_table_absorb(&w->table, c, a);
        job_free(a);
        cr_assert(job_table_find(&w->table, 1) == c);
        cr_assert(job_table_find(&w->table, 2) == c);
        end(w, c);
        cr_assert(job_table_find(&w->table, 2) == NULL);
}

static uint64_t deadline(TableWorld *w, Job *job) {
        job_table_update_deadline(&w->table, job);
        return job->deadline;
}

Test(job_table, deadline_counts_from_the_commit_and_from_each_trigger) {
        /* JobTimeoutSec=, JobRunningTimeoutSec= or 1 for unset → deadline of a waiting, of a running job */
        static const struct {
                uint64_t timeout, running;
                uint64_t waiting_expected, running_expected;
        } table[] = {
                { USEC_INFINITY, 1, USEC_INFINITY, USEC_INFINITY },
                { 0, 1, USEC_INFINITY, USEC_INFINITY },
                { 50, 1, 150, 150 },
                { 50, 10, 150, 130 },
                { 15, 10, 115, 115 },
                { 50, 0, 150, 150 },
                { USEC_INFINITY, 10, USEC_INFINITY, 130 },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cleanup_(table_world_freep) TableWorld *w = table_world_new();
                UnitSettings *settings = &double_unit(w->units, "a.service", UNIT_INACTIVE)->settings;
                Job *job = install(w, "a.service", JOB_START);

                settings->job_timeout = table[i].timeout;
                settings->has_job_running_timeout = table[i].running != 1;
                settings->job_running_timeout = table[i].running;
                job->installed_at = 100;
                cr_assert(eq(u64, deadline(w, job), table[i].waiting_expected), "row %zu", i);
                job_table_trigger(&w->table, job, 120);
                cr_assert(eq(u64, deadline(w, job), table[i].running_expected), "row %zu", i);
                job_table_put_back(&w->table, job, JOB_START);
                cr_assert(eq(u64, deadline(w, job), table[i].waiting_expected), "row %zu", i);
        }
}

Test(job_table, first_deadline_is_at_the_head) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();
        Job *a = install(w, "a.service", JOB_START), *b = install(w, "b.service", JOB_START);
        Job *c = install(w, "c.service", JOB_START);

        unit_table_find(w->units->table, "a.service")->settings.job_timeout = 30;
        unit_table_find(w->units->table, "b.service")->settings.job_timeout = 20;
        unit_table_find(w->units->table, "c.service")->settings.job_timeout = 20;
        deadline(w, a);
        deadline(w, c);
        deadline(w, b);
        cr_assert(heap_peek(&w->table.deadlines) == b);
        end(w, b);
        cr_assert(heap_peek(&w->table.deadlines) == c);
        unit_table_find(w->units->table, "c.service")->settings.job_timeout = USEC_INFINITY;
        deadline(w, c);
        cr_assert(heap_peek(&w->table.deadlines) == a);
}

Test(job_table, name_outlives_the_unit) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();
        Job *job = install(w, "a.service", JOB_START);
        JobName *name = job_name_ref(job_table_name(&w->table, job->unit));

        cr_assert(job_table_name(&w->table, job->unit) == name);
        cr_assert(job_names_find(w->table.names, "a.service") == NULL);
        job_names_keep(w->table.names, name);
        cr_assert(job_names_get(w->table.names, "a.service") == name);
        job_name_unref(name);
        end(w, job);
        assert_string(name->string, "a.service");
        job_name_unref(name);
}

Test(job_table, unit_beyond_the_room_has_an_empty_queue) {
        cleanup_(table_world_freep) TableWorld *w = table_world_new();

        cr_assert(job_unit_entry_is_empty(job_table_peek(&w->table, 4711)));
}
