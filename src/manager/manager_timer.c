/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timers of units and jobs
 *
 * One event source serves all: a heap gives the next deadline of units, the
 * engine its own, and the source is set once, at the end of a turn. So to set
 * or clear a timer costs no system call, and a service that extends its time
 * limit a thousand times a second does not either.
 */

#include <assert.h>
#include <stdlib.h>

#include "manager/manager_private.h"

/* Timers that elapse in one turn; the rest in the next one. */
#define TIMERS_A_TURN 256U

static ManagerTimer **timer_slot(ManagerUnit *of_unit, UnitPurpose purpose) {
        ManagerTimer **slot = &of_unit->timers;

        while (*slot && (*slot)->purpose != purpose)
                slot = &(*slot)->next;
        return slot;
}

bool manager_has_timer(const Manager *manager, const Unit *unit, UnitPurpose purpose) {
        const ManagerTimer *timer = unit->index < manager->of_units.n ? manager->of_units.items[unit->index].timers : NULL;

        while (timer && timer->purpose != purpose)
                timer = timer->next;
        return timer;
}

static void remove_timer(Manager *manager, ManagerTimer **slot) {
        ManagerTimer *timer = *slot;

        heap_remove(&manager->timers, timer);
        *slot = timer->next;
        free(timer);
}

static int add_timer(Manager *manager, ManagerTimer **slot, const ManagerTimer *wanted) {
        ManagerTimer *timer;
        int r;

        timer = malloc(sizeof(*timer));
        if (!timer)
                return -ENOMEM;
        *timer = *wanted;
        r = heap_push(&manager->timers, timer);
        if (r < 0) {
                free(timer);
                return r;
        }
        *slot = timer;
        return 0;
}

int manager_set_timer(Manager *manager, Unit *unit, UnitPurpose purpose, usec_t deadline) {
        ManagerUnit *of_unit = manager_of_unit(manager, unit);
        ManagerTimer **slot;

        if (!of_unit)
                return -ENOMEM;

        manager_mark_unit(manager, unit);
        slot = timer_slot(of_unit, purpose);
        if (deadline == USEC_INFINITY) {
                if (*slot)
                        remove_timer(manager, slot);
                return 0;
        }
        if (!*slot)
                return add_timer(manager, slot, &(ManagerTimer) {
                        .unit = unit, .purpose = purpose, .deadline = deadline, .place = HEAP_NOWHERE });
        (*slot)->deadline = deadline;
        heap_moved(&manager->timers, *slot);
        return 0;
}

static bool run_one_timer(Manager *manager) {
        ManagerTimer *timer = heap_peek(&manager->timers);
        UnitPurpose purpose;
        Unit *unit;

        if (!timer || timer->deadline > manager->now)
                return false;

        unit = timer->unit;
        purpose = timer->purpose;
        remove_timer(manager, timer_slot(manager_of_unit(manager, unit), purpose));
        manager->has_news = true;
        manager_mark_unit(manager, unit);
        if (unit->vtable->timer_elapsed)
                unit->vtable->timer_elapsed(unit, purpose);
        manager_consider_unloading(manager, unit);
        return true;
}

void manager_run_timers(Manager *manager) {
        for (unsigned i = 0; i < TIMERS_A_TURN && run_one_timer(manager); i++)
                ;
        if (job_manager_next_deadline(manager->jobs) <= manager->now)
                job_manager_expire(manager->jobs, manager->now);
}

void manager_arm_timers(Manager *manager) {
        const ManagerTimer *first = heap_peek(&manager->timers);
        usec_t next = job_manager_next_deadline(manager->jobs);

        if (first)
                next = MIN(next, first->deadline);
        if (manager->stage >= MANAGER_STOPPING)
                next = MIN(next, manager->stage_deadline);
        if (next == manager->alarm)
                return;

        manager->alarm = next;
        if (next != USEC_INFINITY)
                sd_event_source_set_time(manager->timer_source, next);
        sd_event_source_set_enabled(manager->timer_source, next == USEC_INFINITY ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
}
