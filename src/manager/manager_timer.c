/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deadlines of units, jobs and stages
 *
 * One event source serves all, and is set once, at the end of a turn.
 */

#include "manager/manager_private.h"

void manager_run_timers(Manager *manager) {
        process_timers_run(manager->timers, manager->now);
        if (job_manager_next_deadline(manager->jobs) <= manager->now)
                job_manager_expire(manager->jobs, manager->now);
}

void manager_arm_timers(Manager *manager) {
        usec_t next = MIN(process_timers_next(manager->timers), job_manager_next_deadline(manager->jobs));

        if (manager->stage >= MANAGER_STOPPING)
                next = MIN(next, manager->stage_deadline);
        if (next == manager->alarm)
                return;

        manager->alarm = next;
        if (next != USEC_INFINITY)
                sd_event_source_set_time(manager->timer_source, next);
        sd_event_source_set_enabled(manager->timer_source, next == USEC_INFINITY ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
}
