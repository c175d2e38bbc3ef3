/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a unit may know of jobs
 *
 * Whether others run, for those that wait until nothing does; whether it will be
 * started again, for what is to be kept until then; and whether it will be
 * stopped, so that nothing is begun that would outlast it.
 */

#include "manager/manager_private.h"

static bool waits_for_others(const Manager *manager, const Unit *unit) {
        return manager_has_timer(manager, unit, UNIT_PURPOSE_IDLE);
}

/* One that waits for its turn does not count: it may wait for the one that asks. */
bool manager_is_busy(const Manager *manager, const Unit *unit) {
        JobInfos jobs = {};
        bool is_busy = job_manager_has_ready(manager->jobs) || manager->requests.n > 0;

        /* Without memory nobody is kept waiting. */
        if (is_busy || job_manager_list(manager->jobs, &jobs) < 0)
                return is_busy;
        for (size_t i = 0; i < jobs.n && !is_busy; i++)
                is_busy = jobs.items[i].state == JOB_RUNNING && jobs.items[i].unit && jobs.items[i].unit != unit &&
                          !waits_for_others(manager, jobs.items[i].unit);
        vector_deinit(&jobs);
        return is_busy;
}

bool manager_will_start(const Manager *manager, const Unit *unit) {
        return job_manager_unit_has_type(manager->jobs, unit, JOB_RESTART) ||
               job_manager_unit_has_type(manager->jobs, unit, JOB_START);
}

bool manager_will_stop(const Manager *manager, const Unit *unit) {
        return manager->stage >= MANAGER_STOPPING || job_manager_unit_has_type(manager->jobs, unit, JOB_STOP);
}

bool manager_is_awaited(const Manager *manager, const Unit *unit) {
        JobInfo job;

        return job_manager_unit_job(manager->jobs, unit, &job) && job.state == JOB_RUNNING && job.run_type == JOB_START;
}
